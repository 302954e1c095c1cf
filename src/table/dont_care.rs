//! The definition of don't-cares: the slots that are never probed.
//!
//! They are
//!
//! - slots with a soldier on the king's square, which are no positions;
//! - slots that are not the position's least image under the symmetries that leave the
//!   attackers unchanged: [`SliceIndex::rank`] returns the least one;
//! - positions that are *decided*: the side to move can capture the king or escape with him in
//!   one move. Probing answers them from the rules: a win in 1.
//!
//! All other values are stored, including the other ways to end the game: a win by
//! capturing the last man or taking the last move, and a loss in 0.
//!
//! [`SliceIndex::rank`]: crate::index::SliceIndex::rank

use crate::game::board::{Board, Direction, Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::capture::Captures;
use crate::game::enclosure::enclosure_ending;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};

/// Returns the king squares for which the side to move decides the game in one move, for
/// one placement of the soldiers.
pub fn decided(
    rules: &Ruleset,
    attackers: SquareSet,
    defenders: SquareSet,
    to_move: Side,
) -> SquareSet {
    let soldiers = attackers | defenders;
    match to_move {
        Side::Attackers => capturable_kings(rules, attackers, defenders),
        Side::Defenders => escapes(rules, soldiers),
    }
}

/// Returns whether the side to move decides the game in one move.
pub(crate) fn is_decided(rules: &Ruleset, position: &Position) -> bool {
    !position.attackers.is_empty()
        && enclosure_ending(rules, position).is_none()
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
    let threats = KingThreats::new(rules, position.attackers);
    // A capturing attacker arrives next to the king, who is then in this direction.
    Direction::ALL.into_iter().any(|direction| {
        let Some(to) = slides.next(position.king, direction.opposite()) else {
            return false;
        };
        if occupied.contains(to) || threats.king(to, direction).is_none() {
            return false;
        }
        // Only the first piece on each line from the square of arrival can reach it.
        let nearest = slides.to(Kind::Attacker, to).iter().filter_map(|ray| {
            ray.iter().find(|step| occupied.contains(step.square)).filter(|step| step.ends)
        });
        let mut origins =
            nearest.map(|step| step.square).filter(|&s| position.attackers.contains(s));
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

fn capturable_kings(rules: &Ruleset, attackers: SquareSet, defenders: SquareSet) -> SquareSet {
    let soldiers = attackers | defenders;
    let places = rules.places(Kind::King) - soldiers;
    let threats = KingThreats::new(rules, attackers);
    let mut kings = SquareSet::EMPTY;
    for from in attackers {
        let rays = Direction::ALL.into_iter().zip(rules.slides().from(Kind::Attacker, from));
        for (direction, ray) in rays {
            let free = ray.iter().take_while(|step| !soldiers.contains(step.square));
            for to in free.filter(|step| step.ends).map(|step| step.square) {
                // The attacker has passed the square behind it, so the king is not there.
                let ahead = Direction::ALL.into_iter().filter(|&d| d != direction.opposite());
                for king in ahead.filter_map(|d| threats.king(to, d)) {
                    let after = Position {
                        attackers: attackers.without(from).with(to),
                        defenders,
                        king,
                        to_move: Side::Attackers,
                        rules: rules.id(),
                    };
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

/// A fast test for attacker arrivals that may capture the king; it ignores most of the
/// board, and rules out most arrivals.
pub(crate) struct KingThreats<'a> {
    rules: &'a Ruleset,
    /// Attackers, and squares that may be hostile to a king; the squares off the board are apart.
    helpers: SquareSet,
}

impl<'a> KingThreats<'a> {
    pub(crate) fn new(rules: &'a Ruleset, attackers: SquareSet) -> KingThreats<'a> {
        let hostile = &rules.hostile[Kind::King];
        let helpers = attackers | hostile.empty | hostile.occupied | hostile.besieged;
        KingThreats { rules, helpers }
    }

    /// Returns the square next to `to`, in this direction, if an attacker that arrives on `to` may
    /// capture a king there.
    #[inline]
    pub(crate) fn king(&self, to: Square, direction: Direction) -> Option<Square> {
        let slides = self.rules.slides();
        let king = slides.next(to, direction)?;
        let helps = match slides.next(king, direction) {
            Some(beyond) => self.helpers.contains(beyond),
            None => self.rules.king_edge_hostile,
        };
        helps.then_some(king)
    }

    /// Returns whether an arrival may capture a king on any side.
    #[inline]
    pub(crate) fn any(&self, to: Square) -> bool {
        Direction::ALL.into_iter().any(|direction| self.king(to, direction).is_some())
    }
}

/// Finds the positions that are their own least image, for one canonical set of attackers.
#[derive(Clone, Debug)]
pub struct LeastImages {
    board: Board,
    /// The number of images of the attackers.
    images: usize,
    symmetries: Vec<OwnSymmetry>,
}

/// A symmetry that leaves the attackers unchanged, other than the identity.
#[derive(Clone, Debug)]
struct OwnSymmetry {
    symmetry: Symmetry,
    /// King squares whose image is greater.
    smaller: SquareSet,
    /// King squares that are their own image.
    fixed: SquareSet,
}

impl OwnSymmetry {
    fn new(board: Board, kings: SquareSet, symmetry: Symmetry) -> OwnSymmetry {
        OwnSymmetry {
            symmetry,
            smaller: kings.iter().filter(|&s| symmetry.apply(board, s) > s).collect(),
            fixed: kings.iter().filter(|&s| symmetry.apply(board, s) == s).collect(),
        }
    }
}

impl LeastImages {
    /// Prepares for positions whose attackers are left unchanged by the symmetries in
    /// `stabilizer`, and by no others.
    pub fn new(rules: &Ruleset, stabilizer: SymmetryGroup) -> LeastImages {
        let board = rules.board;
        let kings = rules.places(Kind::King);
        let others = stabilizer.iter().filter(|&symmetry| symmetry != Symmetry::IDENTITY);
        LeastImages {
            board,
            images: rules.symmetries().order() / stabilizer.order(),
            symmetries: others.map(|symmetry| OwnSymmetry::new(board, kings, symmetry)).collect(),
        }
    }

    /// Returns whether every position is its own least image: the attackers have no symmetry.
    pub fn all(&self) -> bool {
        self.symmetries.is_empty()
    }

    /// Returns the symmetries, other than the identity, that leave the attackers unchanged.
    pub fn symmetries(&self) -> impl Iterator<Item = Symmetry> + '_ {
        self.symmetries.iter().map(|own| own.symmetry)
    }

    /// Returns those of `kings` for which the position with these defenders is its own
    /// least image: the one with the least lane, then the least row.
    pub fn kings(&self, defenders: SquareSet, kings: SquareSet) -> SquareSet {
        self.symmetries.iter().fold(kings, |kings, own| {
            // The rows of one set of attackers are in colexicographic order of the defenders.
            let image = own.symmetry.apply_set(self.board, defenders);
            let least =
                if colex_less(image, defenders) { own.smaller } else { own.smaller | own.fixed };
            kings & least
        })
    }

    /// Returns the number of placements that a least image represents: its images.
    pub fn multiplicity(&self, defenders: SquareSet, king: Square) -> usize {
        let unchanged = self.symmetries.iter().filter(|own| {
            own.fixed.contains(king) && own.symmetry.apply_set(self.board, defenders) == defenders
        });
        // The images of the attackers, times the images under their own symmetries.
        self.images * (1 + self.symmetries.len()) / (1 + unchanged.count())
    }
}

/// Returns whether `set` precedes `other` in colexicographic order: the greatest square in only one
/// of them is in `other`.
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
                assert_eq!(least.multiplicity(defenders, king), images.len());
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
