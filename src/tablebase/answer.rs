use serde::Serialize;

use crate::game::formations::FormationText;
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::value::{Plies, WdlBounds};

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
    /// `win`, `draw`, `undecided`, `endless`, `loss`, or `unknown` if the table is missing.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws and unknown distances.
    pub dtw: Option<Plies>,
    /// The legal moves, best first.
    pub moves: Vec<MoveAnswer>,
    /// What certificates prove, where tables do not have the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<PositionProof>,
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
    /// The shieldwall, fort or ring that it completes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formations: Vec<FormationText>,
    /// What certificates prove, where tables do not have the position after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProvedBounds>,
}

/// A proved outcome for the side to move in the probed position, as serializable text: it lies
/// between these two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ProvedBounds {
    /// The outcome is this or better: `win`, `draw` or `undecided` if the side does not lose, or
    /// `loss`.
    pub at_least: &'static str,
    /// The outcome is this or worse.
    pub at_most: &'static str,
}

/// What certificates prove of a position, as serializable text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct PositionProof {
    /// The outcome.
    #[serde(flatten)]
    pub bounds: ProvedBounds,
    /// The strategy's move, if the side to move has one.
    #[serde(rename = "move")]
    pub played: Option<String>,
    /// The name of a certificate that proves it; `None` if only moves to tables do.
    pub certificate: Option<String>,
}

impl ProvedBounds {
    /// Creates the text of bounds.
    pub fn new(base: &Tablebase, bounds: WdlBounds) -> ProvedBounds {
        let WdlBounds { at_least, at_most } = bounds;
        ProvedBounds { at_least: base.category(at_least), at_most: base.category(at_most) }
    }
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
    /// `win`, `draw`, `undecided`, `endless` or `loss`.
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
            proof: None,
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
            formations: probed.played.formation_texts(base.rules(), before),
            proof: None,
        }
    }
}

impl<'a> LineAnswer<'a> {
    /// Creates the text of a line of legal moves from a position with that value.
    pub fn new(
        base: &'a Tablebase,
        position: &Position,
        value: impl Into<Probed>,
        line: &[Move],
    ) -> LineAnswer<'a> {
        let rules = base.rules();
        let value: Probed = value.into();
        LineAnswer {
            rules: &rules.name,
            position: position.to_text(rules),
            to_move: position.to_move.name(),
            category: base.category(value.wdl),
            dtw: value.plies,
            moves: line.iter().map(|played| played.display(rules.board).to_string()).collect(),
            positions: position.along(line).iter().map(|after| after.to_text(rules)).collect(),
        }
    }
}
