use serde::Serialize;

use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::value::{Plies, Value};

use super::{MoveProbe, Probed, Tablebase};

/// A probe result as serializable text: `taflbase probe` and the explorer write it as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ProbeAnswer<'a> {
    /// The ruleset's name.
    pub rules: &'a str,
    /// The position.
    pub position: String,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// `win`, `draw`, `undecided`, `loss`, or `unknown` if the table is missing.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws and unknown distances.
    pub dtw: Option<Plies>,
    /// The legal moves, best first.
    pub moves: Vec<MoveAnswer>,
}

/// A move and its value as serializable text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MoveAnswer {
    /// The move.
    #[serde(rename = "move")]
    pub played: String,
    /// Its outcome for the side that plays it.
    pub category: &'static str,
    /// Plies to the end of the game after the move; `None` for draws and unknown distances.
    pub dtw: Option<Plies>,
    /// Whether it captures soldiers without ending the game.
    pub conversion: bool,
    /// The position after it.
    pub position: String,
}

/// A line of best play as serializable text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LineAnswer<'a> {
    /// The ruleset's name.
    pub rules: &'a str,
    /// The first position.
    pub position: String,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// `win`, `draw`, `undecided` or `loss`.
    pub category: &'static str,
    /// Plies to the end of the game.
    pub dtw: Option<Plies>,
    /// The moves.
    pub moves: Vec<String>,
    /// The first position and the position after each move.
    pub positions: Vec<String>,
}

impl<'a> ProbeAnswer<'a> {
    /// Creates the text of a position; its value is `None` if the table is missing.
    pub fn new(
        base: &'a Tablebase,
        position: &Position,
        value: Option<Probed>,
        moves: &[MoveProbe],
    ) -> ProbeAnswer<'a> {
        ProbeAnswer {
            rules: &base.rules().name,
            position: position.to_text(base.rules()),
            to_move: position.to_move.name(),
            category: base.category_of(value),
            dtw: value.and_then(|value| value.plies),
            moves: moves.iter().map(|probed| MoveAnswer::new(base, position, probed)).collect(),
        }
    }
}

impl MoveAnswer {
    /// Creates the text of a move from position `before`.
    pub fn new(base: &Tablebase, before: &Position, probed: &MoveProbe) -> MoveAnswer {
        MoveAnswer {
            played: probed.played.display(base.rules().board).to_string(),
            category: base.category_of(probed.value),
            dtw: probed.value.and_then(|value| value.plies),
            conversion: probed.played.is_conversion(),
            position: before.after(&probed.played).to_text(base.rules()),
        }
    }
}

impl<'a> LineAnswer<'a> {
    /// Creates the text of a line of legal moves from a position with that value.
    pub fn new(
        base: &'a Tablebase,
        position: &Position,
        value: Value,
        line: &[Move],
    ) -> LineAnswer<'a> {
        let rules = base.rules();
        LineAnswer {
            rules: &rules.name,
            position: position.to_text(rules),
            to_move: position.to_move.name(),
            category: base.category(value.wdl()),
            dtw: value.plies(),
            moves: line.iter().map(|played| played.display(rules.board).to_string()).collect(),
            positions: position.along(line).iter().map(|after| after.to_text(rules)).collect(),
        }
    }
}
