//! A heuristic distance between placements, for the search for proof games.

use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};
use crate::system::random::mix;

/// The cost of a move; smaller costs break ties.
const MOVE: u32 = 4;
/// The assumed number of moves of a piece from which no path leads to a goal.
const SHUT_OUT: u32 = 6;
/// The cost of an empty goal for each of its neighbours that is a goal: inner goals should be
/// filled first.
const INNER: u32 = 2;

/// Estimates the number of moves from a position to a target with the same material. The squares
/// of the target's pieces are called goals here.
pub(crate) struct Distance<'a> {
    rules: &'a Ruleset,
    target: Position,
    /// By square: the cost of its being empty, if it is a goal.
    inner: Vec<u32>,
    /// The seed of small random costs that make repeated searches differ.
    seed: u64,
}

impl<'a> Distance<'a> {
    pub(crate) fn new(rules: &'a Ruleset, target: &Position, seed: u64) -> Distance<'a> {
        let (board, all) = (rules.board, target.occupied());
        let inner = board
            .squares()
            .map(|square| board.neighbours(square).filter(|&s| all.contains(s)).count())
            .map(|neighbours| INNER * neighbours as u32)
            .collect();
        Distance { rules, target: *target, inner, seed }
    }

    /// Returns the estimated cost; 0 only at the target.
    pub(crate) fn of(&self, position: &Position) -> u32 {
        Kind::ALL.into_iter().map(|kind| self.of_kind(position, kind)).sum()
    }

    /// Returns whether the target is out of reach: pieces never re-enter through a gate, and
    /// fewer are behind one than the target has there.
    pub(crate) fn is_lost(&self, position: &Position) -> bool {
        Kind::ALL.into_iter().any(|kind| {
            let (men, wanted) = (position.squares(kind), self.target.squares(kind));
            let mut gates = self.rules.movement[kind].gates.iter();
            gates.any(|&gate| (men & gate).len() < (wanted & gate).len())
        })
    }

    /// Returns a random cost below that of a move, which breaks ties.
    pub(crate) fn noise(&self, position: &Position) -> u32 {
        if self.seed == 0 {
            return 0;
        }
        let words = position.attackers.words().into_iter().chain(position.defenders.words());
        (words.fold(self.seed, |mixed, word| mix(mixed ^ word)) % u64::from(MOVE)) as u32
    }

    fn of_kind(&self, position: &Position, kind: Kind) -> u32 {
        let (men, wanted) = (position.squares(kind), self.target.squares(kind));
        let (goals, away) = (wanted - men, men - wanted);
        if goals.is_empty() {
            return 0;
        }
        let occupied = position.occupied();
        let (mut near, mut others) = (Vec::new(), SquareSet::EMPTY);
        for man in away {
            match self.goals_before(kind, man, goals, occupied) {
                SquareSet::EMPTY => others.insert(man),
                before => near.push(before),
            }
        }
        // Pieces without a goal of their own need a second move.
        let moves_of_near = 2 * near.len() as u32 - matched(&near);
        let moves_of_others = self.moves_of_others(kind, others, goals, occupied);
        let inner: u32 = goals.iter().map(|goal| self.inner[goal.index()]).sum();
        MOVE * (moves_of_near + moves_of_others) + inner
    }

    /// Estimates the moves of pieces that cannot reach a goal in one move, each independently:
    /// a breadth-first search backwards from the goals.
    fn moves_of_others(
        &self,
        kind: Kind,
        others: SquareSet,
        goals: SquareSet,
        occupied: SquareSet,
    ) -> u32 {
        let (mut left, mut seen) = (others, goals);
        let mut layer: Vec<Square> = goals.iter().collect();
        let (mut moves, mut depth) = (0, 1);
        while !layer.is_empty() && !left.is_empty() {
            let mut next = Vec::new();
            for ray in layer.iter().flat_map(|&to| self.rules.slides().to(kind, to)) {
                for step in ray {
                    if occupied.contains(step.square) {
                        if step.ends && left.contains(step.square) {
                            left.remove(step.square);
                            // At depth 1 another piece occupies the goal.
                            moves += depth.max(2);
                        }
                        break;
                    }
                    if step.ends && !seen.contains(step.square) {
                        seen.insert(step.square);
                        next.push(step.square);
                    }
                }
            }
            layer = next;
            depth += 1;
        }
        moves + SHUT_OUT * left.len() as u32
    }

    /// Returns the goals that a piece can reach in one move.
    fn goals_before(
        &self,
        kind: Kind,
        man: Square,
        goals: SquareSet,
        occupied: SquareSet,
    ) -> SquareSet {
        let rays = self.rules.slides().from(kind, man).iter();
        let free = rays.flat_map(|ray| ray.iter().take_while(|s| !occupied.contains(s.square)));
        free.filter(|step| step.ends && goals.contains(step.square)).map(|s| s.square).collect()
    }

    /// Returns the pieces that are not on goals, and those that may be in their way.
    pub(crate) fn concerned(&self, position: &Position) -> SquareSet {
        let occupied = position.occupied();
        let mut concerned = SquareSet::EMPTY;
        for kind in Kind::ALL {
            let (men, wanted) = (position.squares(kind), self.target.squares(kind));
            let (goals, away) = (wanted - men, men - wanted);
            concerned |= away;
            let slides = self.rules.slides();
            let from = away.iter().flat_map(|man| slides.from(kind, man));
            let to = goals.iter().flat_map(|goal| slides.to(kind, goal));
            for ray in from.chain(to) {
                concerned.extend(ray.iter().map(|s| s.square).find(|&s| occupied.contains(s)));
            }
            concerned |= goals & occupied;
        }
        concerned
    }
}

/// Returns the size of a maximum matching of pieces to goals, by augmenting paths.
fn matched(near: &[SquareSet]) -> u32 {
    let mut holders = Vec::new();
    let placed =
        (0..near.len()).filter(|&man| augment(near, man, &mut holders, &mut SquareSet::default()));
    placed.count() as u32
}

fn augment(
    near: &[SquareSet],
    man: usize,
    holders: &mut Vec<(Square, usize)>,
    tried: &mut SquareSet,
) -> bool {
    for goal in near[man] - *tried {
        tried.insert(goal);
        match holders.iter().position(|&(held, _)| held == goal) {
            None => {
                holders.push((goal, man));
                return true;
            }
            Some(i) => {
                if augment(near, holders[i].1, holders, tried) {
                    holders[i].1 = man;
                    return true;
                }
            }
        }
    }
    false
}
