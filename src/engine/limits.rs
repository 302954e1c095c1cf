use std::num::NonZeroUsize;
use std::time::Duration;

use crate::game::moves::Move;

/// How far a search may go; it ends with the first limit that it reaches. Without any,
/// it goes on until it is stopped or there is nothing more to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plies, not counting those by which lines are extended.
    pub depth: Option<u32>,
    /// Positions, of all threads together.
    pub nodes: Option<u64>,
    /// Time that a move takes at most.
    pub time: Option<Duration>,
}

impl Limits {
    /// That many plies.
    pub fn depth(plies: u32) -> Limits {
        Limits { depth: Some(plies), ..Limits::default() }
    }

    /// That many positions.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// That much time.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }
}

/// A search: how far it goes, and what it is to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchRequest<'a> {
    /// How far it may go.
    pub limits: Limits,
    /// The number of best moves that are searched, each with its line.
    pub lines: NonZeroUsize,
    /// Legal moves that the search is restricted to; all of them if there are none here.
    /// What the search says is then said of the best of these.
    pub root_moves: &'a [Move],
}

impl From<Limits> for SearchRequest<'_> {
    /// One line, all moves.
    fn from(limits: Limits) -> Self {
        SearchRequest { limits, lines: NonZeroUsize::MIN, root_moves: &[] }
    }
}

impl From<&Limits> for SearchRequest<'_> {
    fn from(limits: &Limits) -> Self {
        SearchRequest::from(*limits)
    }
}

/// The time that a player has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// So much for each move; nothing is saved for later ones.
    PerMove(Duration),
    /// So much for the game, and so much more after each move.
    Game {
        /// What is left.
        left: Duration,
        /// What each move adds.
        increment: Duration,
    },
    /// No clock: so many positions for each move. The same on every machine.
    Nodes(u64),
    /// No clock: so many plies for each move.
    Depth(u32),
}

impl Clock {
    /// What a move may cost, so that time is left for those to come, and for the way
    /// of the answer (`overhead`).
    pub fn limits(self, overhead: Duration) -> Limits {
        /// For so many moves what is left must suffice.
        const MOVES_TO_COME: u32 = 25;
        let least = Duration::from_millis(1);
        match self {
            Clock::PerMove(time) => Limits::time(time.saturating_sub(overhead).max(least)),
            Clock::Game { left, increment } => {
                let share = left / MOVES_TO_COME + increment * 3 / 4;
                // Never more than what is there now.
                let most = (left * 4 / 5).saturating_sub(overhead);
                Limits::time(share.min(most).max(least))
            }
            Clock::Nodes(nodes) => Limits::nodes(nodes),
            Clock::Depth(plies) => Limits::depth(plies),
        }
    }
}
