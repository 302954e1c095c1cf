use crate::game::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};

use super::{ByKind, BySide, Decisions, Endless, Fingerprint, Hostility, Slides};

/// Names the purpose and the version of the hash. A change of what is hashed,
/// or how, needs a new version: it makes all tables unreadable.
const DOMAIN: &str = "taflbase ruleset fingerprint 1";

/// Everything that can change a value of a position, and nothing else: what
/// the fingerprint covers and the symmetries leave unchanged.
///
/// Movement is here as what it comes to, the squares that a piece can reach
/// from each square of the empty board; together with the rule that pieces
/// block a slide, this is all that the fields of a file can say about it.
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
}

impl ValueDecisions {
    /// What counts of a ruleset's decisions. All of them are named here, so that nobody
    /// can add one and forget to say whether it counts.
    pub(super) fn of(
        decisions: &Decisions,
        places: ByKind<SquareSet>,
        slides: &Slides,
    ) -> ValueDecisions {
        let &Decisions {
            // For people.
            name: _,
            title: _,
            source: _,
            notes: _,
            squares: _,
            // Of a game that is being played, not of a position.
            start: _,
            first: _,
            ply_limit: _,
            repetition: _,
            repetition_occurrence: _,
            repetition_counts_start: _,
            // In `places` and `slides`, as what it comes to.
            movement: _,
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
        }
    }

    /// The symmetries under which it stays the same.
    pub(super) fn symmetries(&self) -> SymmetryGroup {
        SymmetryGroup::stabilizing(|symmetry| self.is_symmetric(symmetry))
    }

    fn is_symmetric(&self, symmetry: Symmetry) -> bool {
        let image = |set: SquareSet| symmetry.apply_set(self.board, set);
        let moved = |from: Square| symmetry.apply(self.board, from).index();
        self.sets().all(|set| image(set) == set)
            && self.reach.iter().all(|reach| {
                let mut squares = self.board.squares();
                squares.all(|from| image(reach[from.index()]) == reach[moved(from)])
            })
    }

    /// A hash of the board's size, what an endless game is worth, all sets in
    /// their order and the squares in reach of each kind from each square. A
    /// set is hashed as its length and its squares' numbers, 16 bits each and
    /// little-endian.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut hasher = blake3::Hasher::new_derive_key(DOMAIN);
        let endless = match self.endless {
            Endless::Draw => 0,
            Endless::Undecided => 1,
        };
        hasher.update(&[self.board.size() as u8, endless]);
        for set in self.sets().chain(self.reach.iter().flatten().copied()) {
            hasher.update(&(set.len() as u16).to_le_bytes());
            for square in set {
                hasher.update(&(square.index() as u16).to_le_bytes());
            }
        }
        Fingerprint(hasher.finalize().into())
    }

    /// All sets of squares but those in reach.
    fn sets(&self) -> impl Iterator<Item = SquareSet> {
        let hostile = self.hostile.into_iter();
        let hostile =
            hostile.flat_map(|Hostility { empty, occupied, besieged }| [empty, occupied, besieged]);
        let places = self.places.into_iter();
        places
            .chain(hostile)
            .chain(self.protected)
            .chain(self.unaided)
            .chain([self.surrounded, self.goals])
    }
}
