//! Perft: counting move sequences, the standard test of a move generator.

use rayon::prelude::*;

use crate::game::moves::{Move, count_moves, legal_moves};
use crate::game::position::Position;
use crate::game::rules::Ruleset;

/// Returns the number of sequences of exactly `depth` legal moves from this position. A finished
/// game has no further moves, so it counts only at the depth of its end.
///
/// The first moves are counted in parallel, on rayon's current threads.
pub fn perft(rules: &Ruleset, position: &Position, depth: u32) -> u64 {
    if depth < 2 {
        return nodes(rules, position, depth);
    }
    legal_moves(rules, position)
        .par_iter()
        .map(|first| nodes_after(rules, position, first, depth - 1))
        .sum()
}

/// Counts on one thread. The moves of the last ply are counted without being made.
fn nodes(rules: &Ruleset, position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count_moves(rules, position) as u64,
        _ => legal_moves(rules, position)
            .iter()
            .map(|next| nodes_after(rules, position, next, depth - 1))
            .sum(),
    }
}

/// Counts the nodes `depth` plies after a move; `depth` is at least 1.
fn nodes_after(rules: &Ruleset, position: &Position, played: &Move, depth: u32) -> u64 {
    match played.ending {
        Some(_) => 0,
        None => nodes(rules, &position.after(played), depth),
    }
}
