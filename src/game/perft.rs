//! Counting nodes: the standard test of a move generator.

use rayon::prelude::*;

use crate::game::moves::{Move, count_moves, legal_moves};
use crate::game::position::Position;
use crate::game::rules::Ruleset;

/// How many sequences of exactly `depth` legal moves start here. A game that
/// has ended goes no further, so it counts at the depth of its end only.
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

/// The same on one thread. The last ply's moves are counted and not made.
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

/// The nodes `depth` plies after a move; `depth` is at least 1.
fn nodes_after(rules: &Ruleset, position: &Position, played: &Move, depth: u32) -> u64 {
    match played.ending {
        Some(_) => 0,
        None => nodes(rules, &position.after(played), depth),
    }
}
