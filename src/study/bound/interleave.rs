//! Orders the moves of a plan into a game in which the sides take turns.
//!
//! Each side plays its moves of the plan in order. Where the next one cannot be played yet, one
//! of its pieces steps aside and later returns.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::game::board::Square;
use crate::game::moves::{Move, find_move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};

use super::budget::{Budget, BudgetExhausted};

/// A node of the search: a position and the state of the plan.
#[derive(Clone, Copy)]
struct Node {
    position: Position,
    parent: usize,
    depth: u32,
    /// The number of moves of its plan that each side has played.
    played: BySide<usize>,
    /// The piece that has stepped aside: its square in the plan, and the square where it is.
    aside: BySide<Option<(Square, Square)>>,
}

/// Returns the positions of a game from the start to the target, none of them twice; `None` if
/// the search finds none.
pub(crate) fn interleave(
    rules: &Ruleset,
    start: &Position,
    target: &Position,
    plan: &[Move],
    budget: &mut Budget,
) -> Result<Option<Vec<Position>>, BudgetExhausted> {
    let Some(even_plan) = with_parity(rules, start, target, plan) else {
        return Ok(None);
    };
    let plans = BySide::from_fn(|side| {
        even_plan.iter().filter(|planned| planned.piece.side() == side).collect::<Vec<&Move>>()
    });
    let aside = BySide([None; 2]);
    let mut nodes =
        vec![Node { position: *start, parent: 0, depth: 0, played: BySide([0; 2]), aside }];
    let mut seen = HashSet::new();
    // Of equal costs the latest node comes first: which piece steps aside rarely matters.
    let mut open = BinaryHeap::from([(Reverse(0), 0)]);
    while let Some((_, number)) = open.pop() {
        let node = nodes[number];
        if !seen.insert(node.position) {
            continue;
        }
        if node.position == *target {
            return Ok(Some(game(&nodes, number)));
        }
        let moves = legal_moves(rules, &node.position);
        budget.spend(moves.len() as u64)?;
        // A capture would lose a piece that the target needs.
        for played in moves.iter().filter(|played| played.is_quiet()) {
            let position = node.position.after(played);
            let Some(next) = node.next(&plans, played, position, number) else {
                continue;
            };
            if !seen.contains(&position) {
                open.push((Reverse(next.cost(&plans)), nodes.len()));
                nodes.push(next);
            }
        }
    }
    Ok(None)
}

/// Returns the plan with an even or odd number of moves, as the sides to move require: if the
/// parity is wrong, one move is split into two. Returns `None` if no move can be split.
fn with_parity(
    rules: &Ruleset,
    start: &Position,
    target: &Position,
    plan: &[Move],
) -> Option<Vec<Move>> {
    if plan.len() % 2 == usize::from(start.to_move != target.to_move) {
        return Some(plan.to_vec());
    }
    let mut position = *start;
    for (i, planned) in plan.iter().enumerate() {
        position.to_move = planned.piece.side();
        let halves = legal_moves(rules, &position).into_iter().find_map(|first| {
            let between = Position { to_move: position.to_move, ..position.after(&first) };
            let second = find_move(rules, &between, first.to, planned.to)?;
            let is_split = first.from == planned.from && first.is_quiet() && second.is_quiet();
            is_split.then_some([first, second])
        });
        if let Some(halves) = halves {
            return Some([&plan[..i], &halves, &plan[i + 1..]].concat());
        }
        position = position.after(planned);
    }
    None
}

impl Node {
    /// Returns the node after a move, if the move is the next one of the plan or one that steps
    /// aside or back.
    fn next(
        &self,
        plans: &BySide<Vec<&Move>>,
        played: &Move,
        position: Position,
        number: usize,
    ) -> Option<Node> {
        let side = self.position.to_move;
        let mut next = Node { position, parent: number, depth: self.depth + 1, ..*self };
        let planned = plans[side].get(self.played[side]);
        if planned.is_some_and(|m| (m.from, m.to) == (played.from, played.to)) {
            next.played[side] += 1;
            return Some(next);
        }
        next.aside[side] = match self.aside[side] {
            Some((_, at)) if played.from != at => return None,
            Some((home, _)) => (played.to != home).then_some((home, played.to)),
            None => Some((played.from, played.to)),
        };
        Some(next)
    }

    /// Estimates the remaining plies, which outweigh the plies so far.
    fn cost(&self, plans: &BySide<Vec<&Move>>) -> u32 {
        let left = Side::ALL.map(|side| {
            let moves = plans[side].len() - self.played[side];
            2 * moves as u32 + u32::from(self.aside[side].is_some())
        });
        let [attackers, defenders] = left;
        4 * (attackers + defenders + 2 * attackers.max(defenders)) + self.depth
    }
}

fn game(nodes: &[Node], last: usize) -> Vec<Position> {
    let mut game = vec![nodes[last].position];
    let mut number = last;
    while nodes[number].depth > 0 {
        number = nodes[number].parent;
        game.push(nodes[number].position);
    }
    game.reverse();
    game
}
