//! Plans: moves that lead from one placement to another, without regard to turns.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::game::moves::{Move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

use super::budget::{Budget, BudgetExhausted};
use super::distance::Distance;

/// Searches for a nearer position, each with its node limit: the first only with moves of the
/// pieces concerned, the second with all moves.
const TRIES: [(bool, u64); 2] = [(true, 20_000), (false, 60_000)];

/// Finds quiet moves from the start's placement to the target's; returns `None` if the search
/// fails.
///
/// Hill climbing: each step takes the move to the nearest position. If no move leads nearer, a
/// search looks for several moves that do, first by pieces that are not on goals or may be in
/// the way.
pub(crate) fn plan(
    rules: &Ruleset,
    start: &Position,
    target: &Position,
    seed: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Move>>, BudgetExhausted> {
    let distance = Distance::new(rules, target, seed);
    let mut position = without_turn(*start);
    let mut moves = Vec::new();
    while position.layout() != target.layout() {
        let mut steps = None;
        for (concerned_only, max_nodes) in TRIES {
            steps = nearer(rules, &distance, &position, concerned_only, max_nodes, budget)?;
            if steps.is_some() {
                break;
            }
        }
        let Some(steps) = steps else {
            return Ok(None);
        };
        for played in steps {
            position = played_by_either(&position, &played);
            moves.push(played);
        }
    }
    Ok(Some(moves))
}

/// Normalizes the side to move, so that equal placements compare equal.
fn without_turn(position: Position) -> Position {
    Position { to_move: Side::Attackers, ..position }
}

fn played_by_either(position: &Position, played: &Move) -> Position {
    without_turn(Position { to_move: played.piece.side(), ..*position }.after(played))
}

/// A node of the search.
struct Node {
    position: Position,
    /// The parent, and the move from there.
    parent: Option<(usize, Move)>,
    depth: u32,
}

/// Finds moves to a position that is nearer to the target than `origin`, by a best-first search.
fn nearer(
    rules: &Ruleset,
    distance: &Distance,
    origin: &Position,
    concerned_only: bool,
    max_nodes: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Move>>, BudgetExhausted> {
    let limit = distance.of(origin);
    let mut nodes = vec![Node { position: *origin, parent: None, depth: 0 }];
    let mut seen = HashSet::from([*origin]);
    let mut open = BinaryHeap::from([(Reverse(0), Reverse(0))]);
    while let Some((_, Reverse(number))) = open.pop() {
        let Node { position, depth, .. } = nodes[number];
        let men = if concerned_only { distance.concerned(&position) } else { position.occupied() };
        let mut best = None;
        let mut generated = 0;
        // A plan ignores turns, so both sides move from each node.
        for side in Side::ALL {
            let with_turn = Position { to_move: side, ..position };
            for played in legal_moves(rules, &with_turn) {
                if !men.contains(played.from) || !played.is_quiet() {
                    continue;
                }
                generated += 1;
                let next = without_turn(with_turn.after(&played));
                if !seen.insert(next) || distance.is_lost(&next) {
                    continue;
                }
                let left = distance.of(&next);
                let index = nodes.len();
                nodes.push(Node {
                    position: next,
                    parent: Some((number, played)),
                    depth: depth + 1,
                });
                let cost = left + distance.noise(&next);
                // The depth keeps the search from following one line of small gains.
                open.push((Reverse(cost + 2 * depth), Reverse(index)));
                if left < limit && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, index));
                }
            }
        }
        budget.spend(generated)?;
        // Any nearer position will do: `plan` continues from there.
        if let Some((_, index)) = best {
            return Ok(Some(path(&nodes, index)));
        }
        if nodes.len() as u64 > max_nodes {
            break;
        }
    }
    Ok(None)
}

fn path(nodes: &[Node], mut index: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some((parent, played)) = nodes[index].parent {
        moves.push(played);
        index = parent;
    }
    moves.reverse();
    moves
}
