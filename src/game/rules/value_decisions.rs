use crate::game::board::{Board, SquareSet, Symmetry, SymmetryGroup};

use super::{ByKind, BySide, Decisions, Endless, Fingerprint, Hostility, Slides};

/// The purpose and version of the hash. A change of the hashed data or their encoding needs a new
/// version, which invalidates all tables.
const DOMAIN: &str = "taflbase ruleset fingerprint 1";

/// Everything that can change the value of a position, and nothing else: the input of the
/// fingerprint, and what symmetries must leave unchanged.
///
/// Movement is represented by its effect: the squares that a piece can reach from each square of
/// the empty board. Given that pieces block a slide, this is all that the fields of a file express.
pub(super) struct ValueDecisions {
    pub board: Board,
    /// By square of origin.
    pub reach: ByKind<Vec<SquareSet>>,
    pub places: ByKind<SquareSet>,
    pub hostile: ByKind<Hostility>,
    pub protected: BySide<SquareSet>,
    pub unaided: BySide<SquareSet>,
    pub surrounded: SquareSet,
    pub goals: SquareSet,
    pub endless: Endless,
    /// Rules that treat all sides of the board alike, each with its number in the hash.
    pub symmetric_rules: Vec<u8>,
}

impl ValueDecisions {
    /// Selects the relevant decisions. The pattern names all decisions, so that adding one forces a
    /// choice whether it counts.
    pub(super) fn new(
        decisions: &Decisions,
        places: ByKind<SquareSet>,
        slides: &Slides,
    ) -> ValueDecisions {
        let &Decisions {
            // For display.
            name: _,
            title: _,
            source: _,
            notes: _,
            origin: _,
            squares: _,
            // Properties of a game, not of a position.
            start: _,
            first: _,
            ply_limit: _,
            repetition: _,
            repetition_occurrence: _,
            repetition_counts_start: _,
            // Represented by `places` and `slides`.
            movement: _,
            shieldwall,
            king_armed,
            king_edge_hostile,
            exit_fort,
            encirclement,
            board,
            endless,
            hostile,
            protected,
            unaided,
            surrounded,
            goals,
        } = decisions;
        let reach =
            ByKind::from_fn(|kind| board.squares().map(|s| slides.reach(kind, s)).collect());
        let numbered = [shieldwall, !king_armed, king_edge_hostile, exit_fort, encirclement];
        let symmetric_rules =
            (1..).zip(numbered).filter(|&(_, holds)| holds).map(|(number, _)| number).collect();
        ValueDecisions {
            board,
            reach,
            places,
            hostile,
            protected,
            unaided,
            surrounded,
            goals,
            endless,
            symmetric_rules,
        }
    }

    /// Returns the symmetries that leave all decisions unchanged.
    pub(super) fn symmetries(&self) -> SymmetryGroup {
        SymmetryGroup::stabilizing(|symmetry| self.is_symmetric(symmetry))
    }

    fn is_symmetric(&self, symmetry: Symmetry) -> bool {
        self.sets().all(|set| symmetry.apply_set(self.board, set) == set)
            && self.reach.iter().all(|reach| {
                self.board.squares().all(|from| {
                    let image = symmetry.apply(self.board, from);
                    symmetry.apply_set(self.board, reach[from.index()]) == reach[image.index()]
                })
            })
    }

    /// Hashes the board's size, the value of endless play, all sets in order, and the squares that
    /// each kind can reach from each square. A set is hashed as its length and its squares'
    /// numbers, 16 bits each and little-endian. The numbers of the symmetric rules follow; most
    /// rulesets have none.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut hasher = blake3::Hasher::new_derive_key(DOMAIN);
        let endless = match self.endless {
            Endless::Draw => 0,
            Endless::Undecided => 1,
            Endless::Attackers => 2,
        };
        hasher.update(&[self.board.size() as u8, endless]);
        for set in self.sets().chain(self.reach.iter().flatten().copied()) {
            hasher.update(&(set.len() as u16).to_le_bytes());
            for square in set {
                hasher.update(&(square.index() as u16).to_le_bytes());
            }
        }
        hasher.update(&self.symmetric_rules);
        Fingerprint(hasher.finalize().into())
    }

    /// Iterates over all sets except those of `reach`.
    fn sets(&self) -> impl Iterator<Item = SquareSet> {
        let hostile = self.hostile.into_iter().flat_map(|hostility| {
            let Hostility { empty, occupied, besieged } = hostility;
            [empty, occupied, besieged]
        });
        let places = self.places.into_iter();
        places
            .chain(hostile)
            .chain(self.protected)
            .chain(self.unaided)
            .chain([self.surrounded, self.goals])
    }
}
