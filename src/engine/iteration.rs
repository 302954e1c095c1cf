use std::fmt;
use std::time::Duration;

use crate::game::moves::Move;
use crate::game::value::Plies;

/// The value of a move to the side to move, as found by a search.
///
/// Wins and losses are proved for the searched game, with its history and its ply limit.
/// Everything else is an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// A win in at most this many plies, against any defence.
    Win(Plies),
    /// A loss in at most this many plies, whatever is played.
    Loss(Plies),
    /// A win by tables without distances, or by endless play.
    TableWin,
    /// A loss by tables without distances, or by endless play.
    TableLoss,
    /// A win by proofs beyond the tables, without a distance.
    ProvedWin,
    /// A loss by proofs beyond the tables, without a distance.
    ProvedLoss,
    /// An estimate in hundredths of a soldier. A draw is 0.
    Estimate(i32),
}

impl fmt::Display for Score {
    /// Writes `win in 5`, `loss in 4`, `table win`, `proved win` or `+0.35`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Score::Win(plies) => format!("win in {plies}"),
            Score::Loss(plies) => format!("loss in {plies}"),
            Score::TableWin => "table win".to_owned(),
            Score::TableLoss => "table loss".to_owned(),
            Score::ProvedWin => "proved win".to_owned(),
            Score::ProvedLoss => "proved loss".to_owned(),
            Score::Estimate(hundredths) => format!("{:+.2}", f64::from(*hundredths) / 100.0),
        };
        f.pad(&text)
    }
}

/// A line of play that the search expects, with its score.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The value of the first move to the side to move. That of the first line is the value of
    /// the position.
    pub score: Score,
    /// The depth in plies at which the score was found. It is less than the iteration's for
    /// moves that an unfinished iteration did not reach.
    pub depth: u32,
    /// The moves, at least one.
    pub moves: Vec<Move>,
}

/// The result of an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Iteration {
    /// The search depth in plies.
    pub depth: u32,
    /// Whether the iteration was finished. If not, a limit or a stop ended it, and some moves
    /// were not searched to this depth.
    pub is_complete: bool,
    /// The length in plies of the longest line searched.
    pub selective_depth: u32,
    /// The best lines, sorted by depth and then by score, best first. There are fewer than
    /// requested if fewer moves preserve the value of the tables.
    pub lines: Vec<Line>,
    /// Nodes searched so far by all threads.
    pub nodes: u64,
    /// Nodes whose value came from the tables.
    pub table_hits: u64,
    /// Time since the search began.
    pub time: Duration,
}

impl Iteration {
    /// Returns the nodes per second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}
