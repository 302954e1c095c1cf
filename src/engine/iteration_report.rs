use serde::Serialize;

use crate::game::history::Game;
use crate::game::value::Plies;

use super::{Iteration, Line, Score};

/// What a search knows of a position after an iteration, in the words that programs read:
/// `taflbase analyse` and the explorer write it as JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct IterationReport {
    /// The ruleset's name.
    pub rules: String,
    /// The position.
    pub position: String,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// The plies that were searched.
    pub depth: u32,
    /// Whether all moves were searched to that depth: a limit may have come in between.
    pub complete: bool,
    /// The plies of the longest line that was looked at.
    pub selective_depth: u32,
    /// Positions looked at so far.
    pub nodes: u64,
    /// How many a second.
    pub nodes_per_second: u64,
    /// Those of them whose value the tables told.
    pub table_hits: u64,
    /// Time since the search began.
    pub seconds: f64,
    /// The best lines, best first.
    pub lines: Vec<LineReport>,
}

/// A line that a search expects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LineReport {
    /// What it is worth, as people read it.
    pub score: String,
    /// `win` or `loss` if that is certain.
    pub category: Option<&'static str>,
    /// The most plies that the game takes then; `None` for table wins.
    pub plies: Option<Plies>,
    /// Otherwise an estimate in hundredths of a soldier.
    pub estimate: Option<i32>,
    /// The depth in plies of the search that the score is from.
    pub depth: u32,
    /// The moves.
    pub moves: Vec<String>,
}

impl IterationReport {
    /// The answer for an iteration on the game's position.
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
            Score::TableWin => (Some("win"), None, None),
            Score::TableLoss => (Some("loss"), None, None),
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
