use serde::Serialize;

use crate::game::history::Game;
use crate::game::value::Plies;

use super::iteration::{Iteration, Line, Score};

/// The result of an iteration as JSON, for `taflbase analyse` and the explorer.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct IterationReport {
    /// The ruleset's name.
    pub rules: String,
    /// The position as text.
    pub position: String,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// The search depth in plies.
    pub depth: u32,
    /// Whether all moves were searched to that depth, before any limit was reached.
    pub complete: bool,
    /// The length in plies of the longest line searched.
    pub selective_depth: u32,
    /// Nodes searched so far.
    pub nodes: u64,
    /// Nodes per second.
    pub nodes_per_second: u64,
    /// Nodes whose value came from the tables.
    pub table_hits: u64,
    /// Seconds since the search began.
    pub seconds: f64,
    /// The best lines, best first.
    pub lines: Vec<LineReport>,
}

/// A line of play that the search expects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LineReport {
    /// The score as text for people.
    pub score: String,
    /// `win` or `loss` if proved.
    pub category: Option<&'static str>,
    /// The maximum number of plies to the end of the game; `None` for wins and losses
    /// without a distance.
    pub plies: Option<Plies>,
    /// The estimate in hundredths of a soldier if nothing is proved.
    pub estimate: Option<i32>,
    /// The depth in plies at which the score was found.
    pub depth: u32,
    /// The moves.
    pub moves: Vec<String>,
}

impl IterationReport {
    /// Creates the report of an iteration on the game's position.
    pub fn new(game: &Game, iteration: &Iteration) -> IterationReport {
        let (rules, position) = (game.rules(), game.position());
        IterationReport {
            rules: rules.name.clone(),
            position: position.to_text(rules),
            to_move: position.to_move.name(),
            depth: iteration.depth,
            complete: iteration.is_complete,
            selective_depth: iteration.selective_depth,
            nodes: iteration.nodes,
            nodes_per_second: iteration.nodes_per_second() as u64,
            table_hits: iteration.table_hits,
            seconds: iteration.time.as_secs_f64(),
            lines: iteration.lines.iter().map(|line| LineReport::new(game, line)).collect(),
        }
    }
}

impl LineReport {
    fn new(game: &Game, line: &Line) -> LineReport {
        let (category, plies, estimate) = match line.score {
            Score::Win(plies) => (Some("win"), Some(plies), None),
            Score::Loss(plies) => (Some("loss"), Some(plies), None),
            Score::TableWin | Score::ProvedWin => (Some("win"), None, None),
            Score::TableLoss | Score::ProvedLoss => (Some("loss"), None, None),
            Score::Estimate(hundredths) => (None, None, Some(hundredths)),
        };
        let board = game.rules().board;
        let moves = line.moves.iter().map(|played| played.display(board).to_string()).collect();
        LineReport {
            score: line.score.to_string(),
            category,
            plies,
            estimate,
            depth: line.depth,
            moves,
        }
    }
}
