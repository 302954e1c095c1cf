//! Which moves bring men from one board to another, whoever's turn it is.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::game::moves::{Move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

use super::budget::{Budget, Spent};
use super::distance::Distance;

/// How many moves one search for something nearer makes, with the men concerned alone and
/// then with all.
const TRIES: [(bool, u64); 2] = [(true, 20_000), (false, 60_000)];

/// Quiet moves from the start's board to the target's, or `None` where none were found.
///
/// From each position the nearest one is taken that a move leads to. Where none is nearer, a
/// search looks for one that takes more moves, first by moves of those men who are
/// away from their goals or in the way of these.
pub(crate) fn plan(
    rules: &Ruleset,
    start: &Position,
    target: &Position,
    seed: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Move>>, Spent> {
    let distance = Distance::new(rules, target, seed);
    let mut position = any_side(*start);
    let mut moves = Vec::new();
    while position.layout() != target.layout() {
        let mut found = None;
        for (is_concerned, most) in TRIES {
            found = nearer(rules, &distance, &position, is_concerned, most, budget)?;
            if found.is_some() {
                break;
            }
        }
        let Some(found) = found else {
            return Ok(None);
        };
        for played in found {
            position = played_by_either(&position, &played);
            moves.push(played);
        }
    }
    Ok(Some(moves))
}

/// A position of which only the board counts.
fn any_side(position: Position) -> Position {
    Position { to_move: Side::Attackers, ..position }
}

fn played_by_either(position: &Position, played: &Move) -> Position {
    any_side(Position { to_move: played.piece.side(), ..*position }.after(played))
}

/// A board that was looked at.
struct Node {
    position: Position,
    /// The one before it, and the move from there.
    before: Option<(usize, Move)>,
    depth: u32,
}

/// Moves that lead to something nearer.
fn nearer(
    rules: &Ruleset,
    distance: &Distance,
    position: &Position,
    is_concerned: bool,
    most: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Move>>, Spent> {
    let limit = distance.of(position);
    let mut nodes = vec![Node { position: *position, before: None, depth: 0 }];
    let mut seen = HashSet::from([*position]);
    let mut open = BinaryHeap::from([(Reverse(0), Reverse(0))]);
    let mut made = 0;
    while let Some((_, Reverse(number))) = open.pop() {
        let Node { position, depth, .. } = nodes[number];
        let men = if is_concerned { distance.concerned(&position) } else { position.occupied() };
        let mut best = None;
        for side in Side::ALL {
            let position = Position { to_move: side, ..position };
            for played in legal_moves(rules, &position) {
                if !men.contains(played.from) || !played.is_quiet() {
                    continue;
                }
                made += 1;
                let next = any_side(position.after(&played));
                if !seen.insert(next) || distance.is_lost(&next) {
                    continue;
                }
                let left = distance.of(&next);
                let index = nodes.len();
                nodes.push(Node {
                    position: next,
                    before: Some((number, played)),
                    depth: depth + 1,
                });
                let cost = left + distance.chance(&next);
                open.push((Reverse(cost + 2 * depth), Reverse(index)));
                if left < limit && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, index));
                }
            }
        }
        budget.spend(made)?;
        if let Some((_, index)) = best {
            return Ok(Some(path(&nodes, index)));
        }
        if nodes.len() as u64 > most {
            break;
        }
        made = 0;
    }
    Ok(None)
}

fn path(nodes: &[Node], mut index: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some((before, played)) = nodes[index].before {
        moves.push(played);
        index = before;
    }
    moves.reverse();
    moves
}
