//! Bounds for any ruleset, each tighter than the one before it.

use num_bigint::BigUint;

use crate::game::board::{Square, SquareSet};
use crate::game::moves::legal_moves;
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Kind, Ruleset, Side};

use super::count::{Binomials, Field, Tally};
use super::ground::Ground;
use super::number::count;
use super::orbits;

/// How many there are, at the most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// A short name.
    pub name: &'static str,
    /// What is counted, in words.
    pub words: String,
    /// The number.
    pub value: BigUint,
}

/// All bounds of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Placements of games that go on, the side to move left aside.
    pub running: Vec<Bound>,
    /// Boards of games that are over, by how they ended; those of a captured king are also
    /// among the running ones, as boards.
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
    /// The bounds that follow from these rules.
    ///
    /// # Errors
    /// If the ruleset's start is no legal position.
    pub fn new(ground: &Ground) -> Result<Bounds, PositionError> {
        let unmoved = unmoved(ground)?;
        let counter = Counter { ground, binomials: Binomials::of(ground) };
        Ok(Bounds {
            running: counter.running(unmoved.as_ref()),
            finished: counter.finished(),
            positions: counter.positions(unmoved.as_ref()),
        })
    }

    /// The tightest number of placements, mirror images counted separately.
    pub fn placements(&self) -> &BigUint {
        &self.of(&self.running, "unmoved").value
    }

    /// The tightest number of placements, mirror images counted once.
    pub fn orbits(&self) -> &BigUint {
        &self.of(&self.running, "symmetry").value
    }

    /// Placements of games that go on, and boards of those that are over.
    pub fn total(&self) -> BigUint {
        self.finished.iter().fold(self.placements().clone(), |sum, bound| sum + &bound.value)
    }

    fn of<'a>(&self, bounds: &'a [Bound], name: &str) -> &'a Bound {
        bounds.iter().find(|bound| bound.name == name).unwrap_or(&bounds[bounds.len() - 1])
    }
}

/// The attackers of the start, if whoever sees them all there knows that none has moved, and
/// the placements that there can then be.
pub(crate) fn unmoved(
    ground: &Ground,
) -> Result<Option<(SquareSet, Vec<Position>)>, PositionError> {
    let Some(attackers) = ground.unmoved_attackers() else {
        return Ok(None);
    };
    let start = Position::start(ground.rules)?;
    let mut placements = vec![start];
    if start.to_move == Side::Defenders {
        let played = legal_moves(ground.rules, &start);
        let kept = played.iter().filter(|played| played.is_quiet());
        placements.extend(kept.map(|played| start.after(played)));
    }
    Ok(Some((attackers, placements)))
}

struct Counter<'a> {
    ground: &'a Ground<'a>,
    binomials: Binomials,
}

impl Counter<'_> {
    fn total(&self, tally: &Tally, least: usize) -> BigUint {
        tally.weights(self.ground.most, &self.binomials).total(least)
    }

    fn running(&self, unmoved: Option<&(SquareSet, Vec<Position>)>) -> Vec<Bound> {
        let Ground { rules, most, .. } = *self.ground;
        let all = |field: &Field| self.total(&field.all(), 1);
        let with_camps = Field::with_camps(self.ground);
        let in_camps = all(&with_camps);
        let kept = match unmoved {
            Some((attackers, placements)) => {
                let fixed = orbits::unmoved(self.ground, *attackers, &self.binomials);
                &in_camps - fixed.placements + placements.len()
            }
            None => in_camps.clone(),
        };
        let (a, d) = (most.attackers, most.defenders);
        vec![
            Bound::new(
                "naive",
                "each square by itself: empty, or what may stand there",
                naive(rules),
            ),
            Bound::new(
                "men",
                format!(
                    "a king, 1 to {a} attackers and 0 to {d} defenders, on any soldiers' squares"
                ),
                all(&Field::anywhere(rules)),
            ),
            Bound::new("squares", "each man where his kind may stand", all(&Field::legal(rules))),
            Bound::new(
                "reach",
                "each man where his kind can come to from the start",
                all(&Field::reached(self.ground)),
            ),
            Bound::new("camps", "camps as they can be left, for nobody comes back", in_camps),
            Bound::new("unmoved", "attackers who are all at home have not moved yet", kept),
            Bound::new(
                "symmetry",
                format!("mirror images once: {} symmetries", self.ground.group.order()),
                orbits::running(self.ground, unmoved, &self.binomials),
            ),
        ]
    }

    /// Boards on which the game is over, without those where nobody can move.
    fn finished(&self) -> Vec<Bound> {
        let field = Field::with_camps(self.ground);
        let mut escaped = Tally::default();
        for goal in self.ground.rules.goals {
            let arrivals = self.arrivals(goal);
            field.any_empty(&mut escaped, goal, &arrivals);
        }
        let mut captured = Tally::default();
        for king in field.kings {
            field.any_taken(&mut captured, king, &captors(self.ground, king));
        }
        // No attackers: what is left of all placements.
        let without = self.total(&field.all(), 0) - self.total(&field.all(), 1);
        vec![
            Bound::new("no-attackers", "the last attacker is captured", without),
            Bound::new(
                "escaped",
                "the king on a goal, and a square beside it empty by which he came",
                self.total(&escaped, 0),
            ),
            Bound::new(
                "captured",
                "the king between attackers who can have captured him",
                self.total(&captured, 1),
            ),
        ]
    }

    /// What is empty when the king has arrived: one of these sets.
    fn arrivals(&self, goal: Square) -> Vec<SquareSet> {
        let rays = self.ground.rules.slides().to(Kind::King, goal).iter();
        let reach = self.ground.reach[Kind::King];
        let from = rays.filter(|ray| ray.iter().any(|s| s.ends && reach.contains(s.square)));
        from.filter_map(|ray| ray.first()).map(|step| SquareSet::of(step.square)).collect()
    }

    /// Positions: placements with either side to move, less those that are decided.
    fn positions(&self, unmoved: Option<&(SquareSet, Vec<Position>)>) -> Vec<Bound> {
        let field = Field::with_camps(self.ground);
        let all = match unmoved {
            Some((attackers, placements)) => {
                let fixed = orbits::unmoved(self.ground, *attackers, &self.binomials);
                self.total(&field.all(), 1) - fixed.placements + placements.len()
            }
            None => self.total(&field.all(), 1),
        } * 2_u8;
        let slots = orbits::slots(self.ground.rules, self.ground.most, &self.binomials);
        vec![
            Bound::new("positions", "the placements of games that go on, with a side to move", all),
            Bound::new(
                "slots",
                "slots of the index, over all materials, one for both sides",
                slots,
            ),
            Bound::new(
                "escapes",
                "of these: the defenders to move, and the king escapes at once",
                self.escapes(&field),
            ),
            Bound::new(
                "no-move-defenders",
                "the defenders to move without a move, at the most: the king has none",
                self.stuck_kings(&field),
            ),
            Bound::new(
                "no-move-attackers",
                "the attackers to move without a move, at the most: a mean of single ones",
                self.stuck_attackers(&field),
            ),
        ]
    }

    /// Placements from which the king can move to a goal: exact.
    fn escapes(&self, field: &Field) -> BigUint {
        let goals = self.ground.rules.goals;
        let mut tally = Tally::default();
        for king in field.kings {
            let rays = self.ground.rules.slides().from(Kind::King, king).iter();
            let ways = rays.filter_map(|ray| {
                let last = ray.iter().position(|s| s.ends && goals.contains(s.square))?;
                Some(ray[..=last].iter().map(|step| step.square).collect())
            });
            field.any_empty(&mut tally, king, &ways.collect::<Vec<SquareSet>>());
        }
        self.total(&tally, 1)
    }

    /// Placements in which the king cannot move.
    fn stuck_kings(&self, field: &Field) -> BigUint {
        let mut free = Tally::default();
        for king in field.kings {
            field.any_empty(&mut free, king, &first_steps(self.ground.rules, Kind::King, king));
        }
        self.total(&field.all(), 1) - self.total(&free, 1)
    }

    /// Placements in which no attacker can move: each is counted once for every attacker
    /// that cannot, and so as often as it has attackers.
    fn stuck_attackers(&self, field: &Field) -> BigUint {
        let most = self.ground.most;
        let (mut standing, mut free) = (Tally::default(), Tally::default());
        for king in field.kings {
            for at in field.attackers.without(king) {
                let placed = SquareSet::of(at);
                standing.add(field.shape(king, placed, SquareSet::EMPTY), 1);
                let steps = first_steps(self.ground.rules, Kind::Attacker, at);
                let steps: Vec<SquareSet> =
                    steps.into_iter().filter(|way| !way.contains(king)).collect();
                field.any_empty_beside(&mut free, king, placed, &steps);
            }
        }
        let [standing, free] = [standing, free].map(|tally| tally.weights(most, &self.binomials));
        let each = standing.slices().map(|(slice, number)| {
            let free = free.get(slice.attackers, slice.defenders);
            count(&(number - free)) / slice.attackers
        });
        each.sum()
    }
}

/// By direction: what is empty if the piece can move that way at all.
fn first_steps(rules: &Ruleset, kind: Kind, from: Square) -> Vec<SquareSet> {
    let rays = rules.slides().from(kind, from).iter();
    let ways = rays.filter_map(|ray| {
        let last = ray.iter().position(|step| step.ends)?;
        Some(ray[..=last].iter().map(|step| step.square).collect())
    });
    ways.collect()
}

/// Attackers of whom all of one set are there when the king has been captured.
fn captors(ground: &Ground, king: Square) -> Vec<SquareSet> {
    let rules = ground.rules;
    let hostile = &rules.hostile[Kind::King];
    let helps = hostile.empty | hostile.occupied | hostile.besieged;
    let beside: Vec<Square> = rules.board.neighbours(king).collect();
    if rules.surrounded.contains(king) {
        let needed: SquareSet = beside.iter().copied().filter(|&s| !helps.contains(s)).collect();
        // The edge never helps.
        return if beside.len() < 4 { Vec::new() } else { vec![needed] };
    }
    let mut sets: Vec<SquareSet> = Vec::new();
    for &arrival in beside.iter().filter(|&&s| ground.reach[Kind::Attacker].contains(s)) {
        let file = 2 * rules.board.file(king) as isize - rules.board.file(arrival) as isize;
        let rank = 2 * rules.board.rank(king) as isize - rules.board.rank(arrival) as isize;
        let beyond = beside.iter().find(|&&s| {
            (rules.board.file(s) as isize, rules.board.rank(s) as isize) == (file, rank)
        });
        if let Some(&beyond) = beyond {
            let pair = SquareSet::of(arrival);
            sets.push(if helps.contains(beyond) { pair } else { pair.with(beyond) });
        }
    }
    sets.sort();
    sets.dedup();
    // A set with all of another one adds nothing.
    let whole = sets.clone();
    sets.retain(|set| !whole.iter().any(|other| other != set && other.is_subset(*set)));
    sets
}

/// How many ways there are to fill each square by itself.
fn naive(rules: &Ruleset) -> BigUint {
    let things = rules.board.squares().map(|square| {
        1 + Kind::ALL.iter().filter(|&&kind| rules.places(kind).contains(square)).count()
    });
    things.fold(BigUint::from(1_u8), |product, things| product * things)
}
