use std::fmt;
use std::time::Duration;

use crate::game::moves::Move;
use crate::game::value::Plies;

/// What a move is worth to the side to move, as far as a search can tell.
///
/// Wins and losses are proved, for the game that was searched: its history and its last
/// ply are taken into account. Everything else is an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Won in at most that many plies, against any defence.
    Win(Plies),
    /// Lost in at most that many plies, whatever is played.
    Loss(Plies),
    /// Won, by tables that have no distances.
    TableWin,
    /// Lost, by tables that have no distances.
    TableLoss,
    /// Undecided: an estimate in hundredths of a soldier. A draw is 0.
    Estimate(i32),
}

impl fmt::Display for Score {
    /// `win in 5`, `loss in 4`, `table win`, `+0.35`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Score::Win(plies) => format!("win in {plies}"),
            Score::Loss(plies) => format!("loss in {plies}"),
            Score::TableWin => "table win".to_owned(),
            Score::TableLoss => "table loss".to_owned(),
            Score::Estimate(hundredths) => format!("{:+.2}", f64::from(*hundredths) / 100.0),
        };
        f.pad(&text)
    }
}

/// A line of play that a search expects, and what it leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// What its first move is worth to the side to move. Of the first line, that is what
    /// the position is worth.
    pub score: Score,
    /// The depth in plies of the search that the score is from: less than the iteration's
    /// for moves that an unfinished iteration did not get to.
    pub depth: u32,
    /// The moves, at least one.
    pub moves: Vec<Move>,
}

/// What a search knows after an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Iteration {
    /// The plies that were searched.
    pub depth: u32,
    /// Whether the iteration was finished. If not, a limit or a stop came in between, and
    /// some moves were not searched to this depth.
    pub is_complete: bool,
    /// The plies of the longest line that was looked at.
    pub selective_depth: u32,
    /// As many best lines as were asked for, if there are as many moves that keep what
    /// the tables promise; the deeper searched first, and among those the better.
    pub lines: Vec<Line>,
    /// Positions looked at so far, by all threads.
    pub nodes: u64,
    /// Those of them whose value the tables told.
    pub table_hits: u64,
    /// Time since the search began.
    pub time: Duration,
}

impl Iteration {
    /// Positions a second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}
