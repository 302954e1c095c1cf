//! Upper bounds for any ruleset, each tighter than the one before it.

use num_bigint::BigUint;

use crate::game::board::{Square, SquareSet};
use crate::game::moves::legal_moves;
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Kind, Ruleset, Side};
use crate::system::numbers::counted;

use super::count::{BigBinomials, Field, ShapeCounts};
use super::number::count;
use super::orbits;
use super::reachability::Reachability;

/// An upper bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// A short name.
    pub name: &'static str,
    /// A description of what is counted.
    pub words: String,
    /// The number.
    pub value: BigUint,
}

/// All bounds of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Placements in unfinished games, without a side to move.
    pub running: Vec<Bound>,
    /// Placements in finished games, by the kind of end; those with a captured king are also
    /// counted among the running ones.
    pub finished: Vec<Bound>,
    /// Positions: placements with a side to move.
    pub positions: Vec<Bound>,
}

impl Bound {
    fn new(name: &'static str, words: impl Into<String>, value: BigUint) -> Bound {
        Bound { name, words: words.into(), value }
    }
}

impl Bounds {
    /// Computes the bounds of a ruleset.
    ///
    /// # Errors
    /// If the ruleset's start is not a legal position.
    pub fn new(reachability: &Reachability) -> Result<Bounds, PositionError> {
        let unmoved = unmoved(reachability)?;
        let counter = Counter { reachability, binomials: BigBinomials::of(reachability) };
        Ok(Bounds {
            running: counter.running(unmoved.as_ref()),
            finished: counter.finished(),
            positions: counter.positions(unmoved.as_ref()),
        })
    }

    /// Returns the tightest bound on placements, mirror images counted separately.
    pub fn placements(&self) -> &BigUint {
        &self.running("unmoved").value
    }

    /// Returns the tightest bound on placements, mirror images counted once.
    pub fn orbits(&self) -> &BigUint {
        &self.running("symmetry").value
    }

    /// Returns the bound on placements in unfinished and finished games together.
    pub fn total(&self) -> BigUint {
        self.finished.iter().fold(self.placements().clone(), |sum, bound| sum + &bound.value)
    }

    fn running(&self, name: &str) -> &Bound {
        let last = &self.running[self.running.len() - 1];
        self.running.iter().find(|bound| bound.name == name).unwrap_or(last)
    }
}

/// Formats `1 to 8 attackers`, or `1 attacker` if there can be no more.
fn range(first: usize, last: usize, nouns: [&str; 2]) -> String {
    let last_text = counted(last, nouns);
    if first < last { format!("{first} to {last_text}") } else { last_text }
}

/// Returns the attackers of the start, if all of them being at home proves that none has moved,
/// and the placements that are possible then.
pub(crate) fn unmoved(
    reachability: &Reachability,
) -> Result<Option<(SquareSet, Vec<Position>)>, PositionError> {
    let Some(attackers) = reachability.unmoved_attackers() else {
        return Ok(None);
    };
    let start = Position::start(reachability.rules)?;
    let mut placements = vec![start];
    if start.to_move == Side::Defenders {
        let moves = legal_moves(reachability.rules, &start);
        let quiet = moves.iter().filter(|played| played.is_quiet());
        placements.extend(quiet.map(|played| start.after(played)));
    }
    Ok(Some((attackers, placements)))
}

struct Counter<'a> {
    reachability: &'a Reachability<'a>,
    binomials: BigBinomials,
}

impl Counter<'_> {
    /// Sums the placements with at least this many attackers.
    fn total(&self, shapes: &ShapeCounts, min_attackers: usize) -> BigUint {
        shapes.counts(self.reachability.max_material, &self.binomials).total(min_attackers)
    }

    /// Sums all placements of a field with at least one attacker.
    fn total_of(&self, field: &Field) -> BigUint {
        self.total(&field.all(), 1)
    }

    /// Subtracts the placements with all attackers at home, and adds those that are possible if
    /// none of them has moved.
    fn without_moved_back(
        &self,
        placements: BigUint,
        unmoved: Option<&(SquareSet, Vec<Position>)>,
    ) -> BigUint {
        match unmoved {
            Some((attackers, possible)) => {
                let fixed = orbits::unmoved(self.reachability, *attackers, &self.binomials);
                placements - fixed.placements + possible.len()
            }
            None => placements,
        }
    }

    fn running(&self, unmoved: Option<&(SquareSet, Vec<Position>)>) -> Vec<Bound> {
        let Reachability { rules, max_material, .. } = *self.reachability;
        let with_camps = self.total_of(&Field::with_camps(self.reachability));
        let with_unmoved = self.without_moved_back(with_camps.clone(), unmoved);
        let (a, d) = (max_material.attackers, max_material.defenders);
        vec![
            Bound::new(
                "naive",
                "each square independently: empty, or any piece that may stand there",
                naive(rules),
            ),
            Bound::new(
                "men",
                format!(
                    "a king, {} and {}, on any soldiers' squares",
                    range(1, a, ["attacker", "attackers"]),
                    range(0, d, ["defender", "defenders"])
                ),
                self.total_of(&Field::anywhere(rules)),
            ),
            Bound::new(
                "squares",
                "each piece on squares where its kind may stand",
                self.total_of(&Field::legal(rules)),
            ),
            Bound::new(
                "reach",
                "each piece on squares that its kind can reach from the start",
                self.total_of(&Field::reached(self.reachability)),
            ),
            Bound::new(
                "camps",
                "camps in states that can be reached without re-entering them",
                with_camps,
            ),
            Bound::new("unmoved", "if all attackers are at home, none has moved yet", with_unmoved),
            Bound::new(
                "symmetry",
                format!(
                    "mirror images counted once: {} symmetries",
                    self.reachability.group.order()
                ),
                orbits::running(self.reachability, unmoved, &self.binomials),
            ),
        ]
    }

    /// Counts the placements of finished games, except those that ended by an exit fort or an
    /// encirclement, or because a side had no move.
    fn finished(&self) -> Vec<Bound> {
        let field = Field::with_camps(self.reachability);
        let mut escaped = ShapeCounts::default();
        for goal in self.reachability.rules.goals {
            let arrivals = self.arrivals(goal);
            field.any_empty(&mut escaped, goal, SquareSet::EMPTY, &arrivals);
        }
        let mut captured = ShapeCounts::default();
        for king in field.kings {
            field.any_taken(&mut captured, king, &captors(self.reachability, king));
        }
        let without_attackers = self.total(&field.all(), 0) - self.total(&field.all(), 1);
        vec![
            Bound::new("no-attackers", "the last attacker is captured", without_attackers),
            Bound::new(
                "escaped",
                "the king on a goal, with an empty neighbouring square that he came from",
                self.total(&escaped, 0),
            ),
            Bound::new(
                "captured",
                "the king between attackers that can have captured him",
                self.total(&captured, 1),
            ),
        ]
    }

    /// Returns sets of squares of which at least one is empty after the king's move to a goal.
    fn arrivals(&self, goal: Square) -> Vec<SquareSet> {
        let rays = self.reachability.rules.slides().to(Kind::King, goal).iter();
        let reach = self.reachability.reach[Kind::King];
        let from = rays.filter(|ray| ray.iter().any(|s| s.ends && reach.contains(s.square)));
        from.filter_map(|ray| ray.first()).map(|step| SquareSet::of(step.square)).collect()
    }

    /// Counts positions: placements with either side to move, and the decided ones of them.
    fn positions(&self, unmoved: Option<&(SquareSet, Vec<Position>)>) -> Vec<Bound> {
        let field = Field::with_camps(self.reachability);
        let all = self.without_moved_back(self.total_of(&field), unmoved) * 2_u8;
        let slots =
            orbits::slots(self.reachability.rules, self.reachability.max_material, &self.binomials);
        vec![
            Bound::new("positions", "placements of unfinished games, with a side to move", all),
            Bound::new(
                "slots",
                "slots of the index over all materials; both sides to move share a slot",
                slots,
            ),
            Bound::new(
                "escapes",
                "positions with the defenders to move in which the king escapes at once",
                self.escapes(&field),
            ),
            Bound::new(
                "no-move-defenders",
                "upper bound on positions where the defenders cannot move: the king cannot",
                self.stuck_kings(&field),
            ),
            Bound::new(
                "no-move-attackers",
                "upper bound on positions where the attackers cannot move: those where one attacker \
                 cannot, averaged over the attackers",
                self.stuck_attackers(&field),
            ),
        ]
    }

    /// Counts the placements in which the king can move to a goal; exact.
    fn escapes(&self, field: &Field) -> BigUint {
        let rules = self.reachability.rules;
        let mut shapes = ShapeCounts::default();
        for king in field.kings {
            let ways = paths(rules, Kind::King, king, rules.goals);
            field.any_empty(&mut shapes, king, SquareSet::EMPTY, &ways);
        }
        self.total(&shapes, 1)
    }

    /// Counts the placements in which the king cannot move.
    fn stuck_kings(&self, field: &Field) -> BigUint {
        let rules = self.reachability.rules;
        let mut free = ShapeCounts::default();
        for king in field.kings {
            let steps = paths(rules, Kind::King, king, !SquareSet::EMPTY);
            field.any_empty(&mut free, king, SquareSet::EMPTY, &steps);
        }
        self.total(&field.all(), 1) - self.total(&free, 1)
    }

    /// Bounds the placements in which no attacker can move. The sum over the attackers' squares
    /// counts each such placement once per attacker, so it is divided by their number.
    fn stuck_attackers(&self, field: &Field) -> BigUint {
        let Reachability { rules, max_material, .. } = *self.reachability;
        let (mut standing, mut free) = (ShapeCounts::default(), ShapeCounts::default());
        for king in field.kings {
            for at in field.attackers.without(king) {
                let placed = SquareSet::of(at);
                standing.add(field.shape(king, placed, SquareSet::EMPTY), 1);
                let mut steps = paths(rules, Kind::Attacker, at, !SquareSet::EMPTY);
                steps.retain(|way| !way.contains(king));
                field.any_empty(&mut free, king, placed, &steps);
            }
        }
        let all = standing.counts(max_material, &self.binomials);
        let movable = free.counts(max_material, &self.binomials);
        let stuck_by_slice = all.slices().map(|(slice, number)| {
            let with_move = movable.get(slice.attackers, slice.defenders);
            count(&(number - with_move)) / slice.attackers
        });
        stuck_by_slice.sum()
    }
}

/// Returns, by direction, the squares that must be empty for the piece to move to the first of the
/// `goals` that way.
fn paths(rules: &Ruleset, kind: Kind, from: Square, goals: SquareSet) -> Vec<SquareSet> {
    let rays = rules.slides().from(kind, from).iter();
    let ways = rays.filter_map(|ray| {
        let last = ray.iter().position(|step| step.ends && goals.contains(step.square))?;
        Some(ray[..=last].iter().map(|step| step.square).collect())
    });
    ways.collect()
}

/// Returns sets of attackers' squares: after a capture of the king, all squares of at least one
/// set are occupied.
fn captors(reachability: &Reachability, king: Square) -> Vec<SquareSet> {
    let rules = reachability.rules;
    let hostile = &rules.hostile[Kind::King];
    let helps = hostile.empty | hostile.occupied | hostile.besieged;
    let beside: Vec<Square> = rules.board.neighbours(king).collect();
    if rules.surrounded.contains(king) {
        let needed: SquareSet = beside.iter().copied().filter(|&s| !helps.contains(s)).collect();
        let is_open = beside.len() < 4 && !rules.king_edge_hostile;
        return if is_open { Vec::new() } else { vec![needed] };
    }
    let mut sets: Vec<SquareSet> = Vec::new();
    for &arrival in beside.iter().filter(|&&s| reachability.reach[Kind::Attacker].contains(s)) {
        let file = 2 * rules.board.file(king) as isize - rules.board.file(arrival) as isize;
        let rank = 2 * rules.board.rank(king) as isize - rules.board.rank(arrival) as isize;
        let beyond = beside.iter().find(|&&s| {
            (rules.board.file(s) as isize, rules.board.rank(s) as isize) == (file, rank)
        });
        let pair = SquareSet::of(arrival);
        match beyond {
            Some(&beyond) if !helps.contains(beyond) => sets.push(pair.with(beyond)),
            None if !rules.king_edge_hostile => {}
            _ => sets.push(pair),
        }
    }
    sets.sort();
    sets.dedup();
    // Supersets of another set add nothing to the union.
    let whole = sets.clone();
    sets.retain(|set| !whole.iter().any(|other| other != set && other.is_subset(*set)));
    sets
}

/// Returns the number of ways to fill each square independently.
fn naive(rules: &Ruleset) -> BigUint {
    let contents = rules.board.squares().map(|square| {
        1 + Kind::ALL.iter().filter(|&&kind| rules.places(kind).contains(square)).count()
    });
    contents.fold(BigUint::from(1_u8), |product, contents| product * contents)
}
