//! The slots that nobody asks a table for, for the rows of one set of attackers: as
//! [`dont_care`](crate::dont_care) says, but found by the verifier's own code.

use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::rules::{Kind, Ruleset, Side, Step};

use super::custodial::{CustodialCaptures, Line};
use super::geometry::{BlockAttackers, DefenderSets, Geometry};
use super::score::Score;

/// Finds what the side to move decides at once, and which images are least.
pub(super) struct UnaskedSlots<'a, T> {
    geometry: &'a Geometry<T>,
    custodial: CustodialCaptures<'a>,
    kings: SquareSet,
    /// By symmetry.
    king_images: [KingImages; 8],
    escapes: Vec<Escape>,
}

/// The king's squares, by what a symmetry does to them.
#[derive(Clone, Copy)]
struct KingImages {
    /// Those whose image comes later.
    later: SquareSet,
    /// Those that stay.
    same: SquareSet,
}

/// What does not depend on the defenders.
pub(super) struct Attackers {
    pub set: SquareSet,
    /// Their moves, if it is theirs.
    royal: Vec<Royal>,
    /// The king's ways out that they leave open, if it is his side's move.
    escapes: Vec<Escape>,
    /// The symmetries that leave them unchanged.
    stabilizer: SymmetryGroup,
}

/// A move of an attacker that may capture the king.
struct Royal {
    path: SquareSet,
    attackers: SquareSet,
    line: Line,
}

/// A king's square and the squares that must be free for him to win from there.
#[derive(Clone, Copy)]
struct Escape {
    king: Square,
    path: SquareSet,
}

impl Attackers {
    /// None, to put some in.
    pub(super) fn none() -> Attackers {
        let (set, stabilizer) = (SquareSet::EMPTY, SymmetryGroup::TRIVIAL);
        Attackers { set, royal: Vec::new(), escapes: Vec::new(), stabilizer }
    }

    /// The symmetries, other than the identity, that leave them unchanged.
    pub(super) fn mirrors(&self) -> impl Iterator<Item = Symmetry> {
        self.stabilizer.iter().filter(|&symmetry| symmetry != Symmetry::IDENTITY)
    }
}

impl<'a, T: Score> UnaskedSlots<'a, T> {
    pub(super) fn new(rules: &'a Ruleset, geometry: &'a Geometry<T>) -> UnaskedSlots<'a, T> {
        let kings = rules.places(Kind::King);
        let custodial = CustodialCaptures::new(rules);
        let king_images = Symmetry::ALL.map(|symmetry| {
            let image = |king| symmetry.apply(rules.board, king);
            KingImages {
                later: kings.iter().filter(|&king| image(king) > king).collect(),
                same: kings.iter().filter(|&king| image(king) == king).collect(),
            }
        });
        let escapes = escapes(rules);
        UnaskedSlots { geometry, custodial, kings, king_images, escapes }
    }

    /// Puts in what there is to know about the attackers of a block, with a side to move.
    pub(super) fn put_attackers(
        &self,
        attackers: &BlockAttackers,
        side: Side,
        known: &mut Attackers,
    ) {
        let &BlockAttackers { set, stabilizer } = attackers;
        (known.set, known.stabilizer) = (set, stabilizer);
        known.royal.clear();
        known.escapes.clear();
        match side {
            Side::Attackers => self.royal(set, &mut known.royal),
            Side::Defenders => {
                let open = self.escapes.iter().filter(|escape| !escape.path.meets(set));
                known.escapes.extend(open);
            }
        }
    }

    fn royal(&self, set: SquareSet, royal: &mut Vec<Royal>) {
        for from in set {
            for slide in self.geometry.free_slides(Side::Attackers, from, set) {
                let attackers = set.without(from).with(slide.to);
                let lines = self.custodial.kings_in_danger(slide.to, attackers);
                let lines = lines.filter(|line| !slide.path.contains(line.victim));
                royal.extend(lines.map(|line| Royal { path: slide.path, attackers, line }));
            }
        }
    }

    /// The king's squares on which the side to move captures him or escapes
    /// with him in this move.
    pub(super) fn decided(&self, attackers: &Attackers, defenders: SquareSet) -> SquareSet {
        let mut kings = SquareSet::EMPTY;
        for Royal { path, attackers, line } in &attackers.royal {
            if !kings.contains(line.victim)
                && !path.meets(defenders)
                && self.custodial.king(*line, *attackers, defenders)
            {
                kings.insert(line.victim);
            }
        }
        for escape in &attackers.escapes {
            if !escape.path.meets(defenders) {
                kings.insert(escape.king);
            }
        }
        kings - attackers.set - defenders
    }

    /// The king's squares on which a position with the defenders of that number is the
    /// least of its images, by lane and then by row; soldiers left out of account.
    pub(super) fn least(
        &self,
        attackers: &Attackers,
        sets: &DefenderSets,
        defenders: usize,
    ) -> SquareSet {
        attackers.mirrors().fold(self.kings, |kings, symmetry| {
            let KingImages { later, same } = self.king_images[symmetry.index()];
            // Rows of one set of attackers are in the order of the defenders' numbers.
            let is_less = sets.image(symmetry, defenders) < defenders;
            kings & if is_less { later } else { later | same }
        })
    }

    /// The lanes of these squares.
    pub(super) fn lanes(&self, kings: SquareSet) -> impl Iterator<Item = usize> + '_ {
        kings.into_iter().filter_map(|king| self.geometry.lanes.lane(king).map(usize::from))
    }

    /// The lane of the image of each lane's square.
    pub(super) fn lane_images(&self, symmetry: Symmetry) -> &[u16] {
        self.geometry.lane_images(symmetry)
    }
}

/// The king's ways to the first square of each ray on which he wins.
fn escapes(rules: &Ruleset) -> Vec<Escape> {
    let mut escapes = Vec::new();
    for king in rules.places(Kind::King) {
        for ray in rules.slides().from(Kind::King, king) {
            let wins = |step: &Step| step.ends && rules.goals.contains(step.square);
            if let Some(last) = ray.iter().position(wins) {
                let path = ray[..=last].iter().map(|step| step.square).collect();
                escapes.push(Escape { king, path });
            }
        }
    }
    escapes
}
