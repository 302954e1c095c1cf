//! Which positions a table answers for: the one definition of don't-cares.
//!
//! Nobody asks a table for
//!
//! - a slot on which a soldier stands on the king's square: it is no position;
//! - a slot that is not the position's least image under the symmetries that
//!   leave the attackers unchanged: [`SliceIndex::rank`] gives the least one;
//! - a position that the mover *decides*: he captures the king or escapes with
//!   him in this move. Probing answers that by rule: a win in 1.
//!
//! All other values are stored, also those that end the game otherwise: a win
//! by taking the last man or the last move, and a loss in 0.
//!
//! [`SliceIndex::rank`]: crate::index::SliceIndex::rank

use crate::game::board::{Board, Direction, Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::capture::Captures;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};

/// The king's squares on which the mover decides the game in this move, for
/// one placement of the soldiers.
pub fn decided(
    rules: &Ruleset,
    attackers: SquareSet,
    defenders: SquareSet,
    to_move: Side,
) -> SquareSet {
    let soldiers = attackers | defenders;
    match to_move {
        Side::Attackers => kings_in_reach(rules, attackers, defenders),
        Side::Defenders => escapes(rules, soldiers),
    }
}

/// Whether the mover decides the game in this move.
pub(crate) fn is_decided(rules: &Ruleset, position: &Position) -> bool {
    !position.attackers.is_empty()
        && match position.to_move {
            Side::Attackers => can_capture_king(rules, position),
            Side::Defenders => can_escape(rules, position),
        }
}

fn can_escape(rules: &Ruleset, position: &Position) -> bool {
    let soldiers = position.attackers | position.defenders;
    rules.slides().from(Kind::King, position.king).iter().any(|ray| {
        let mut free = ray.iter().take_while(|step| !soldiers.contains(step.square));
        free.any(|step| step.ends && rules.goals.contains(step.square))
    })
}

fn can_capture_king(rules: &Ruleset, position: &Position) -> bool {
    let slides = rules.slides();
    let occupied = position.occupied();
    let danger = Danger::new(rules, position.attackers);
    // Arrivals are next to the king, who then is in this direction.
    Direction::ALL.into_iter().any(|direction| {
        let to = slides.next(position.king, direction.opposite());
        let to = to.filter(|&to| !occupied.contains(to) && danger.king(to, direction).is_some());
        let Some(to) = to else {
            return false;
        };
        // The first piece met on the way back from there may be the one that arrives.
        let met = slides.to(Kind::Attacker, to).iter().filter_map(|ray| {
            ray.iter().find(|step| occupied.contains(step.square)).filter(|step| step.ends)
        });
        let mut origins = met.map(|step| step.square).filter(|&s| position.attackers.contains(s));
        origins.any(|from| {
            let after = position.moved(Kind::Attacker, from, to);
            Captures::by_arrival(rules, &after, Side::Attackers, to).king
        })
    })
}

fn escapes(rules: &Ruleset, soldiers: SquareSet) -> SquareSet {
    let mut kings = SquareSet::EMPTY;
    for goal in rules.goals - soldiers {
        for ray in rules.slides().to(Kind::King, goal) {
            let free = ray.iter().take_while(|step| !soldiers.contains(step.square));
            kings.extend(free.filter(|step| step.ends).map(|step| step.square));
        }
    }
    kings & rules.places(Kind::King)
}

fn kings_in_reach(rules: &Ruleset, attackers: SquareSet, defenders: SquareSet) -> SquareSet {
    let soldiers = attackers | defenders;
    let places = rules.places(Kind::King) - soldiers;
    let danger = Danger::new(rules, attackers);
    let mut kings = SquareSet::EMPTY;
    for from in attackers {
        let rays = Direction::ALL.into_iter().zip(rules.slides().from(Kind::Attacker, from));
        for (direction, ray) in rays {
            let free = ray.iter().take_while(|step| !soldiers.contains(step.square));
            for to in free.filter(|step| step.ends).map(|step| step.square) {
                // The king is not where the attacker came from.
                let ahead = Direction::ALL.into_iter().filter(|&d| d != direction.opposite());
                for king in ahead.filter_map(|d| danger.king(to, d)) {
                    let attackers = attackers.without(from).with(to);
                    let to_move = Side::Attackers;
                    let after = Position { attackers, defenders, king, to_move, rules: rules.id() };
                    if places.contains(king)
                        && !kings.contains(king)
                        && Captures::by_arrival(rules, &after, Side::Attackers, to).king
                    {
                        kings.insert(king);
                    }
                }
            }
        }
    }
    kings
}

/// Where arriving attackers may capture a king at all, whatever else stands on
/// the board: most arrivals need no closer look.
pub(crate) struct Danger<'a> {
    rules: &'a Ruleset,
    /// Attackers, and what may be hostile to a king.
    closed: SquareSet,
}

impl<'a> Danger<'a> {
    pub(crate) fn new(rules: &'a Ruleset, attackers: SquareSet) -> Danger<'a> {
        let hostile = &rules.hostile[Kind::King];
        let closed = attackers | hostile.empty | hostile.occupied | hostile.besieged;
        Danger { rules, closed }
    }

    /// The king's square next to an arrival, if he may be captured there.
    #[inline]
    pub(crate) fn king(&self, to: Square, direction: Direction) -> Option<Square> {
        let slides = self.rules.slides();
        let king = slides.next(to, direction)?;
        let beyond = slides.next(king, direction)?;
        self.closed.contains(beyond).then_some(king)
    }

    /// Whether a king may be captured by an arrival there.
    #[inline]
    pub(crate) fn any(&self, to: Square) -> bool {
        Direction::ALL.into_iter().any(|direction| self.king(to, direction).is_some())
    }
}

/// Which images are least, for one canonical set of attackers.
#[derive(Clone, Debug)]
pub struct LeastImages {
    board: Board,
    /// How many images the attackers have.
    images: usize,
    symmetries: Vec<Mirror>,
}

/// A symmetry that leaves the attackers unchanged, other than the identity.
#[derive(Clone, Debug)]
struct Mirror {
    symmetry: Symmetry,
    /// King's squares with a greater image.
    smaller: SquareSet,
    /// King's squares that are their own image.
    fixed: SquareSet,
}

impl LeastImages {
    /// Of positions with these attackers, which leave `stabilizer` unchanged.
    pub fn new(rules: &Ruleset, stabilizer: SymmetryGroup) -> LeastImages {
        let board = rules.board;
        let kings = rules.places(Kind::King);
        let mirror = |symmetry: Symmetry| Mirror {
            symmetry,
            smaller: kings.iter().filter(|&s| symmetry.apply(board, s) > s).collect(),
            fixed: kings.iter().filter(|&s| symmetry.apply(board, s) == s).collect(),
        };
        let others = stabilizer.iter().filter(|&symmetry| symmetry != Symmetry::IDENTITY);
        LeastImages {
            board,
            images: rules.symmetries().order() / stabilizer.order(),
            symmetries: others.map(mirror).collect(),
        }
    }

    /// Whether all images are: the attackers have no symmetry.
    pub fn all(&self) -> bool {
        self.symmetries.is_empty()
    }

    /// The symmetries other than the identity that leave the attackers unchanged.
    pub fn symmetries(&self) -> impl Iterator<Item = Symmetry> + '_ {
        self.symmetries.iter().map(|mirror| mirror.symmetry)
    }

    /// The king's squares of the positions with these defenders that are their
    /// own least image: that with the least lane, then the least row.
    pub fn kings(&self, defenders: SquareSet, kings: SquareSet) -> SquareSet {
        self.symmetries.iter().fold(kings, |kings, mirror| {
            // Rows of one set of attackers are in the order of the defenders as
            // numbers, since they are in colexicographic order.
            let image = mirror.symmetry.apply_set(self.board, defenders);
            let least = if colex_less(image, defenders) {
                mirror.smaller
            } else {
                mirror.smaller | mirror.fixed
            };
            kings & least
        })
    }

    /// How many placements a position stands for that is its own least image:
    /// all its images.
    pub fn weight(&self, defenders: SquareSet, king: Square) -> usize {
        let unchanged = self.symmetries.iter().filter(|mirror| {
            mirror.fixed.contains(king)
                && mirror.symmetry.apply_set(self.board, defenders) == defenders
        });
        // Images of the attackers, times those under the symmetries they have.
        self.images * (1 + self.symmetries.len()) / (1 + unchanged.count())
    }
}

/// Whether a set comes before another in colexicographic order: the greatest
/// square that only one of them has is the other's.
fn colex_less(set: SquareSet, other: SquareSet) -> bool {
    let (own, others) = (set - other, other - set);
    own.iter().last() < others.iter().last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::moves::legal_moves;
    use crate::index::SliceIndex;

    fn check(rules: &Ruleset, slice: &str) {
        let index = SliceIndex::new(rules, slice.parse().unwrap()).unwrap();
        let kings: SquareSet = rules.places(Kind::King);
        let step = (index.rows() / 300).max(1) as usize;
        for row in (0..index.rows()).step_by(step) {
            let (attackers, defenders) = index.unrank_row(row);
            let stabilizer = index.stabilizer(attackers);
            let least = LeastImages::new(rules, stabilizer);
            for king in kings - attackers - defenders {
                for to_move in Side::ALL {
                    let position =
                        Position { attackers, defenders, king, to_move, rules: rules.id() };
                    let by_rule =
                        legal_moves(rules, &position).iter().any(|played| played.ending.is_some());
                    assert_eq!(
                        is_decided(rules, &position),
                        by_rule,
                        "{}",
                        position.display(rules)
                    );
                }
                let to_move = Side::Attackers;
                let position = Position { attackers, defenders, king, to_move, rules: rules.id() };
                let is_least = least.kings(defenders, kings).contains(king);
                assert_eq!(index.canonical(&position) == Some(position), is_least);
                let images: std::collections::BTreeSet<_> = rules
                    .symmetries()
                    .iter()
                    .map(|g| {
                        let [a, d] = [attackers, defenders].map(|s| g.apply_set(rules.board, s));
                        (a, d, g.apply(rules.board, king))
                    })
                    .collect();
                assert_eq!(least.weight(defenders, king), images.len());
            }
        }
    }

    #[test]
    fn dont_cares_are_what_the_moves_and_the_index_say() {
        for name in ["brandubh", "berkeley", "ashton", "tablut", "large-hnefatafl"] {
            let rules = Ruleset::builtin(name).unwrap();
            for slice in ["K0v1", "K0v2", "K0v4", "K1v3", "K2v2", "K3v2"] {
                check(&rules, slice);
            }
        }
        for name in ["lopsided", "mini-camps", "mini-corner", "mini-edge", "strange"] {
            let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let rules = Ruleset::load(&path).unwrap();
            for slice in ["K0v2", "K0v4", "K1v3", "K2v2"] {
                check(&rules, slice);
            }
        }
    }
}
