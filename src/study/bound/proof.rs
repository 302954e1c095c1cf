//! Proof games: how a position can have come from the start, both sides helping.
//!
//! First the way back: moves are taken back until all men of the start are on the board. If
//! what can have come before runs dry, the position cannot be reached. Then the way there:
//! [`plan`] finds quiet moves from the start to that board, whoever's turn it is, and
//! [`weave`] makes a game of them. Where that fails it is tried again with a little chance.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::position::Position;
use crate::game::retractions::{Retraction, retractions};
use crate::system::random::mix;

use super::budget::{Budget, Spent};
use super::ground::Ground;
use super::plan::plan;
use super::weave::weave;

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A game from the start leads there: all its positions, the start first.
    Reached(Vec<Position>),
    /// No game from the start leads there.
    Unreachable,
    /// The budget was too small to tell.
    Unknown,
}

/// Looks for a game from the start to the target; makes so many positions at the most.
/// `None` if it was stopped.
pub fn prove(
    ground: &Ground,
    start: &Position,
    target: &Position,
    nodes: u64,
    stop: &AtomicBool,
) -> Option<Verdict> {
    let mut budget = Budget { left: nodes, stop };
    let verdict = search(ground, start, target, &mut budget);
    if stop.load(Ordering::Relaxed) { None } else { Some(verdict.unwrap_or(Verdict::Unknown)) }
}

fn search(
    ground: &Ground,
    start: &Position,
    target: &Position,
    budget: &mut Budget,
) -> Result<Verdict, Spent> {
    let rules = ground.rules;
    // A game that is as long as the limit is over.
    let limit = rules.ply_limit.map_or(usize::MAX, |plies| plies as usize);
    let mut seed = 0;
    loop {
        budget.spend(1)?;
        let Way::Found(back) = way_back(ground, start, target, seed, budget)? else {
            return Ok(Verdict::Unreachable);
        };
        let most = (budget.left / 4).max(PART);
        let game =
            budget.within(most, |budget| match plan(rules, start, &back[0], seed, budget)? {
                Some(plan) => weave(rules, start, &back[0], &plan, budget),
                None => Ok(None),
            })?;
        if let Some(mut game) = game.flatten() {
            game.extend(&back[1..]);
            if game.len() <= limit {
                return Ok(Verdict::Reached(game));
            }
        }
        seed = mix(seed);
    }
}

/// The least part of a budget that is worth another try.
const PART: u64 = 100_000;

/// What comes of taking moves back.
enum Way {
    /// From a position with all men, or the start, to the target.
    Found(Vec<Position>),
    /// There was nothing more to take back.
    RunsDry,
}

/// A position that was looked at.
struct Node {
    position: Position,
    after: usize,
    depth: u32,
}

fn way_back(
    ground: &Ground,
    start: &Position,
    target: &Position,
    seed: u64,
    budget: &mut Budget,
) -> Result<Way, Spent> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut seen = HashSet::from([*target]);
    let mut steps: Vec<(Retraction, usize)> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut next = Some(Node { position: *target, after: 0, depth: 0 });
    while let Some(node) = next {
        let Node { position, depth, .. } = node;
        let number = nodes.len();
        nodes.push(node);
        let found = retractions(ground.rules, &position, ground.most);
        // Nothing comes before the start, and need not.
        let has_past = !found.is_empty() || position == *start;
        if position.slice() == ground.most && has_past {
            return Ok(Way::Found(game(&nodes, number)));
        }
        budget.spend(found.len() as u64 + 1)?;
        for step in found {
            let before = position.before_all(&step);
            if seen.insert(before) {
                let missing = ground.most.men() - before.slice().men();
                let chance = mix(seed ^ steps.len() as u64);
                open.push((Reverse(4 * missing as u32 + depth), chance, steps.len()));
                steps.push((step, number));
            }
        }
        next = open.pop().map(|(_, _, index)| {
            let (step, after) = steps[index];
            let Node { position, depth, .. } = &nodes[after];
            Node { position: position.before_all(&step), after, depth: depth + 1 }
        });
    }
    Ok(Way::RunsDry)
}

fn game(nodes: &[Node], mut number: usize) -> Vec<Position> {
    let mut game = vec![nodes[number].position];
    while nodes[number].depth > 0 {
        number = nodes[number].after;
        game.push(nodes[number].position);
    }
    game
}
