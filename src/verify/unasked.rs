//! The slots that nobody asks a table for: the verifier's own reading of
//! [`dont_care`](crate::dont_care), for the rows of one set of attackers.

use crate::board::{SquareSet, Symmetry};
use crate::dont_care::LeastImages;
use crate::index::AttackerSets;
use crate::rules::{Kind, Ruleset, Side, Step};

use super::enclosing::{Enclosing, Line};
use super::geometry::Geometry;
use super::score::Score;

/// Finds what the side to move decides at once, and which images are least.
pub(super) struct Unasked<'a, T> {
    rules: &'a Ruleset,
    geometry: &'a Geometry<T>,
    enclosing: Enclosing<'a>,
    kings: SquareSet,
}

/// What does not depend on the defenders.
pub(super) struct Attackers {
    set: SquareSet,
    royal: Vec<Royal>,
    pub least: LeastImages,
}

/// A move of an attacker that may capture the king.
struct Royal {
    path: SquareSet,
    attackers: SquareSet,
    line: Line,
}

impl<'a, T: Score> Unasked<'a, T> {
    pub fn new(rules: &'a Ruleset, geometry: &'a Geometry<T>) -> Unasked<'a, T> {
        let kings = rules.places(Kind::King);
        Unasked { rules, geometry, enclosing: Enclosing::new(rules), kings }
    }

    pub fn attackers(&self, sets: &AttackerSets, set: SquareSet) -> Attackers {
        let mut royal = Vec::new();
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
        Attackers { set, royal, least: LeastImages::new(self.rules, sets.stabilizer(set)) }
    }

    /// The king's squares on which the side to move captures him or escapes
    /// with him in this move.
    pub fn decided(&self, attackers: &Attackers, defenders: SquareSet, side: Side) -> SquareSet {
        let men = attackers.set | defenders;
        let mut kings = SquareSet::EMPTY;
        match side {
            Side::Attackers => {
                for royal in &attackers.royal {
                    let Royal { path, attackers, line } = royal;
                    if !kings.contains(line.victim)
                        && !path.meets(defenders)
                        && self.enclosing.king(*line, *attackers, defenders)
                    {
                        kings.insert(line.victim);
                    }
                }
            }
            Side::Defenders => {
                let goals = self.rules.goals - men;
                for king in self.kings {
                    let escapes = |ray: &Vec<Step>| {
                        let mut free = ray.iter().take_while(|step| !men.contains(step.square));
                        free.any(|step| step.ends && goals.contains(step.square))
                    };
                    if self.rules.slides().from(Kind::King, king).iter().any(escapes) {
                        kings.insert(king);
                    }
                }
            }
        }
        kings - men
    }

    /// The king's squares of least images, soldiers left out of account.
    pub fn least(&self, attackers: &Attackers, defenders: SquareSet) -> SquareSet {
        attackers.least.kings(defenders, self.kings)
    }

    /// The lanes of these squares.
    pub fn lanes(&self, kings: SquareSet) -> impl Iterator<Item = usize> + '_ {
        kings.into_iter().filter_map(|king| self.geometry.lanes.lane(king).map(usize::from))
    }

    /// The lane of the image of each lane's square.
    pub fn lane_images(&self, symmetry: Symmetry) -> &[u16] {
        self.geometry.lane_images(symmetry)
    }

    /// The king's squares of the positions that a table answers for.
    pub fn asked(&self, attackers: &Attackers, defenders: SquareSet, side: Side) -> SquareSet {
        let least = self.least(attackers, defenders);
        least - attackers.set - defenders - self.decided(attackers, defenders, side)
    }
}
