//! Proof games: games from the start to a given position, both sides cooperating.
//!
//! Backwards, moves are retracted until all pieces of the start are on the board; if no
//! retraction is left, the position is unreachable. Forwards, [`plan`] finds quiet moves from
//! the start to that placement without regard to turns, and [`interleave`] orders them into a
//! game. If that fails, it is repeated with other random tie-breaking.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::position::Position;
use crate::game::retractions::{Retraction, retractions};
use crate::system::random::mix;

use super::budget::{Budget, BudgetExhausted};
use super::interleave::interleave;
use super::plan::plan;
use super::reachability::Reachability;

/// The result of a search for a proof game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofGame {
    /// A game from the start leads to the position: all its positions, the start first.
    Reached(Vec<Position>),
    /// No game from the start leads to the position.
    Unreachable,
    /// The budget was exhausted.
    Unknown,
}

/// Searches for a game from the start to the target; generates at most `max_nodes` positions.
/// Returns `None` if it was stopped.
pub fn prove(
    reachability: &Reachability,
    start: &Position,
    target: &Position,
    max_nodes: u64,
    stop: &AtomicBool,
) -> Option<ProofGame> {
    let mut budget = Budget { left: max_nodes, stop };
    let proof_game = search(reachability, start, target, &mut budget);
    if stop.load(Ordering::Relaxed) { None } else { Some(proof_game.unwrap_or(ProofGame::Unknown)) }
}

fn search(
    reachability: &Reachability,
    start: &Position,
    target: &Position,
    budget: &mut Budget,
) -> Result<ProofGame, BudgetExhausted> {
    let rules = reachability.rules;
    // A game is over when it reaches the ply limit.
    let limit = rules.ply_limit.map_or(usize::MAX, |plies| plies as usize);
    let mut seed = 0;
    loop {
        budget.spend(1)?;
        let Some(ending) = retract(reachability, start, target, seed, budget)? else {
            return Ok(ProofGame::Unreachable);
        };
        // Most of the budget is left for further attempts.
        let limit_of_attempt = (budget.left / 4).max(MIN_ATTEMPT);
        let game = budget.within(limit_of_attempt, |budget| {
            match plan(rules, start, &ending[0], seed, budget)? {
                Some(plan) => interleave(rules, start, &ending[0], &plan, budget),
                None => Ok(None),
            }
        })?;
        if let Some(mut game) = game.flatten() {
            game.extend(&ending[1..]);
            if game.len() <= limit {
                return Ok(ProofGame::Reached(game));
            }
        }
        seed = mix(seed);
    }
}

/// The minimum budget of an attempt.
const MIN_ATTEMPT: u64 = 100_000;

/// A node of the search backwards.
struct Node {
    position: Position,
    /// The node that this position leads to.
    after: usize,
    depth: u32,
}

/// Retracts moves from the target until all pieces are on the board: best first, where a missing
/// piece costs as much as four plies. Returns the positions from there to the target; `None` if
/// there are no more moves to retract.
fn retract(
    reachability: &Reachability,
    start: &Position,
    target: &Position,
    seed: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Position>>, BudgetExhausted> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut seen = HashSet::from([*target]);
    let mut steps: Vec<(Retraction, usize)> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut next = Some(Node { position: *target, after: 0, depth: 0 });
    while let Some(node) = next {
        let Node { position, depth, .. } = node;
        let number = nodes.len();
        nodes.push(node);
        let retractable = retractions(reachability.rules, &position, reachability.max_material);
        // The start needs no predecessor.
        let has_past = !retractable.is_empty() || position == *start;
        if position.slice() == reachability.max_material && has_past {
            return Ok(Some(game(&nodes, number)));
        }
        budget.spend(retractable.len() as u64 + 1)?;
        for step in retractable {
            let before = position.before_all(&step);
            if seen.insert(before) {
                let missing = reachability.max_material.men() - before.slice().men();
                let tie_break = mix(seed ^ steps.len() as u64);
                open.push((Reverse(4 * missing as u32 + depth), tie_break, steps.len()));
                steps.push((step, number));
            }
        }
        next = open.pop().map(|(_, _, index)| {
            let (step, after) = steps[index];
            let later = &nodes[after];
            Node { position: later.position.before_all(&step), after, depth: later.depth + 1 }
        });
    }
    Ok(None)
}

fn game(nodes: &[Node], mut number: usize) -> Vec<Position> {
    let mut game = vec![nodes[number].position];
    while nodes[number].depth > 0 {
        number = nodes[number].after;
        game.push(nodes[number].position);
    }
    game
}
