use std::num::NonZeroUsize;
use std::time::Duration;

use crate::game::moves::Move;

/// The limits of a search, which ends at the first one it reaches. Without limits it runs until
/// it is stopped or deeper iterations cannot change the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The maximum depth in plies, without extensions.
    pub depth: Option<u32>,
    /// The maximum number of nodes of all threads together. Positions that proofs of table values
    /// visit at the root do not count.
    pub nodes: Option<u64>,
    /// The maximum time for a move.
    pub time: Option<Duration>,
}

impl Limits {
    /// Limits the depth in plies.
    pub fn depth(plies: u32) -> Limits {
        Limits { depth: Some(plies), ..Limits::default() }
    }

    /// Limits the number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Limits the time.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }
}

/// The limits and the targets of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchRequest<'a> {
    /// The limits.
    pub limits: Limits,
    /// The number of best moves to search, each with its line.
    pub lines: NonZeroUsize,
    /// The legal moves that the search is restricted to; all of them if the slice is empty. The
    /// result then holds for the best of these.
    pub root_moves: &'a [Move],
}

impl From<Limits> for SearchRequest<'_> {
    /// Requests one line among all moves.
    fn from(limits: Limits) -> Self {
        SearchRequest { limits, lines: NonZeroUsize::MIN, root_moves: &[] }
    }
}

impl From<&Limits> for SearchRequest<'_> {
    fn from(limits: &Limits) -> Self {
        SearchRequest::from(*limits)
    }
}

/// A player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// A fixed time for each move; unused time is lost.
    PerMove(Duration),
    /// A time for the game, with an increment after each move.
    Game {
        /// The time left.
        left: Duration,
        /// The time added after each move.
        increment: Duration,
    },
    /// No clock, but a fixed number of nodes for each move; the same on every machine.
    Nodes(u64),
    /// No clock, but a fixed depth in plies for each move.
    Depth(u32),
}

impl Clock {
    /// Returns the limits for the next move. They leave time for later moves and for sending the
    /// move (`overhead`).
    pub fn limits(self, overhead: Duration) -> Limits {
        /// The number of moves that the remaining time must suffice for.
        const MOVES_TO_GO: u32 = 25;
        let min = Duration::from_millis(1);
        match self {
            Clock::PerMove(time) => Limits::time(time.saturating_sub(overhead).max(min)),
            Clock::Game { left, increment } => {
                let share = (left / MOVES_TO_GO).saturating_add(increment.saturating_mul(3) / 4);
                // Never spend what has not been added yet.
                let max = (left.saturating_mul(4) / 5).saturating_sub(overhead);
                Limits::time(share.min(max).max(min))
            }
            Clock::Nodes(nodes) => Limits::nodes(nodes),
            Clock::Depth(plies) => Limits::depth(plies),
        }
    }
}
