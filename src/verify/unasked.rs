//! The slots that nobody asks a table for: the verifier's own reading of
//! [`dont_care`](crate::dont_care), for the rows of one set of attackers.

use crate::board::{Square, SquareSet, Symmetry};
use crate::dont_care::LeastImages;
use crate::rules::{Kind, Ruleset, Side, Step};

use super::enclosing::{Enclosing, Line};
use super::geometry::{BlockAttackers, Geometry};
use super::score::Score;

/// Finds what the side to move decides at once, and which images are least.
pub(super) struct Unasked<'a, T> {
    rules: &'a Ruleset,
    geometry: &'a Geometry<T>,
    enclosing: Enclosing<'a>,
    kings: SquareSet,
    escapes: Vec<Escape>,
}

/// What does not depend on the defenders.
pub(super) struct Attackers {
    pub set: SquareSet,
    /// Their moves, if it is theirs.
    royal: Vec<Royal>,
    /// The king's ways out that they leave open, if it is his side's move.
    escapes: Vec<Escape>,
    pub least: LeastImages,
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

impl<'a, T: Score> Unasked<'a, T> {
    pub(super) fn new(rules: &'a Ruleset, geometry: &'a Geometry<T>) -> Unasked<'a, T> {
        let kings = rules.places(Kind::King);
        let enclosing = Enclosing::new(rules);
        Unasked { rules, geometry, enclosing, kings, escapes: escapes(rules) }
    }

    /// What there is to know about the attackers of a block, with a side to move.
    pub(super) fn attackers(&self, attackers: &BlockAttackers, side: Side) -> Attackers {
        let &BlockAttackers { set, stabilizer } = attackers;
        let mut known = Attackers {
            set,
            royal: Vec::new(),
            escapes: Vec::new(),
            least: LeastImages::new(self.rules, stabilizer),
        };
        match side {
            Side::Attackers => self.royal(set, &mut known.royal),
            Side::Defenders => {
                let open = self.escapes.iter().filter(|escape| !escape.path.meets(set));
                known.escapes.extend(open);
            }
        }
        known
    }

    fn royal(&self, set: SquareSet, royal: &mut Vec<Royal>) {
        for from in set {
            for slide in self.geometry.free_slides(Side::Attackers, from, set) {
                let attackers = set.without(from).with(slide.to);
                for &line in self.enclosing.lines(slide.to) {
                    if self.kings.contains(line.victim)
                        && !slide.path.contains(line.victim)
                        && !attackers.contains(line.victim)
                        && self.enclosing.king_in_danger(line, attackers)
                    {
                        royal.push(Royal { path: slide.path, attackers, line });
                    }
                }
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
                && self.enclosing.king(*line, *attackers, defenders)
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

    /// The king's squares of least images, soldiers left out of account.
    pub(super) fn least(&self, attackers: &Attackers, defenders: SquareSet) -> SquareSet {
        attackers.least.kings(defenders, self.kings)
    }

    /// The lanes of these squares.
    pub(super) fn lanes(&self, kings: SquareSet) -> impl Iterator<Item = usize> + '_ {
        kings.into_iter().filter_map(|king| self.geometry.lanes.lane(king).map(usize::from))
    }

    /// The lane of the image of each lane's square.
    pub(super) fn lane_images(&self, symmetry: Symmetry) -> &[u16] {
        self.geometry.lane_images(symmetry)
    }

    /// The king's squares of the positions that a table answers for.
    pub(super) fn asked(&self, attackers: &Attackers, defenders: SquareSet) -> SquareSet {
        let least = self.least(attackers, defenders);
        least - attackers.set - defenders - self.decided(attackers, defenders)
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
