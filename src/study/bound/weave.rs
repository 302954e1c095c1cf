//! Turns: a plan of moves becomes a game in which the sides take turns.
//!
//! Each side plays its moves in their order. Where it has none that can be played now, a man
//! of it steps aside and later comes back.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::game::board::Square;
use crate::game::moves::{Move, find_move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};

use super::budget::{Budget, Spent};

/// A position on the way, and what is left of the plan.
#[derive(Clone, Copy)]
struct Node {
    position: Position,
    before: usize,
    depth: u32,
    /// How many moves of its plan each side has played.
    played: BySide<usize>,
    /// Who has stepped aside: his square in the plan, and where he stands.
    aside: BySide<Option<(Square, Square)>>,
}

/// The positions of a game from the start to the target, none of them twice.
pub(crate) fn weave(
    rules: &Ruleset,
    start: &Position,
    target: &Position,
    plan: &[Move],
    budget: &mut Budget,
) -> Result<Option<Vec<Position>>, Spent> {
    let Some(plan) = in_step(rules, start, target, plan) else {
        return Ok(None);
    };
    let plans = BySide::from_fn(|side| {
        plan.iter().filter(|planned| planned.piece.side() == side).collect::<Vec<&Move>>()
    });
    let aside = BySide([None; 2]);
    let mut nodes =
        vec![Node { position: *start, before: 0, depth: 0, played: BySide([0; 2]), aside }];
    let mut seen = HashSet::new();
    // Of those that cost the same the latest comes first: which man steps aside seldom matters.
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

/// The plan with as many moves as the sides must have between them, even or odd: where it has
/// one too few, a move is made in two steps.
fn in_step(
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
            let between = position.after(&first);
            let between = Position { to_move: position.to_move, ..between };
            let second = find_move(rules, &between, first.to, planned.to)?;
            let is_it = first.from == planned.from && first.is_quiet() && second.is_quiet();
            is_it.then_some([first, second])
        });
        if let Some(halves) = halves {
            return Some([&plan[..i], &halves, &plan[i + 1..]].concat());
        }
        position = position.after(planned);
    }
    None
}

impl Node {
    /// What comes of a move, if it is one of the plan or of him who is aside.
    fn next(
        &self,
        plans: &BySide<Vec<&Move>>,
        played: &Move,
        position: Position,
        number: usize,
    ) -> Option<Node> {
        let side = self.position.to_move;
        let mut next = Node { position, before: number, depth: self.depth + 1, ..*self };
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

    /// The plies that are left, roughly, before those that are gone.
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
        number = nodes[number].before;
        game.push(nodes[number].position);
    }
    game.reverse();
    game
}
