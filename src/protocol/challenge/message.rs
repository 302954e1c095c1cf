//! What messages say.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::game::board::{Board, Square};
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Kind, Layout, LayoutError, Side};

use super::ChallengeError;

/// What a square of a [`State`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Cell {
    /// Nothing stands there.
    Empty,
    /// A defender.
    White,
    /// An attacker.
    Black,
    /// The king.
    King,
    /// The throne, when nobody stands there.
    Throne,
}

/// Whose turn it is, or how the game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Turn {
    /// The defenders are to move.
    White,
    /// The attackers are to move.
    Black,
    /// The defenders have won.
    WhiteWin,
    /// The attackers have won.
    BlackWin,
    /// Nobody has won.
    Draw,
}

impl Turn {
    /// The turn of that side.
    pub fn of(side: Side) -> Turn {
        match side {
            Side::Attackers => Turn::Black,
            Side::Defenders => Turn::White,
        }
    }

    /// The win of that side; a draw if it is nobody's.
    pub fn end(winner: Option<Side>) -> Turn {
        match winner {
            Some(Side::Attackers) => Turn::BlackWin,
            Some(Side::Defenders) => Turn::WhiteWin,
            None => Turn::Draw,
        }
    }

    /// The side to move, if the game goes on.
    pub fn side(self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| Turn::of(side) == self)
    }
}

impl fmt::Display for Turn {
    /// As the server writes it: `WHITEWIN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Turn::White => "WHITE",
            Turn::Black => "BLACK",
            Turn::WhiteWin => "WHITEWIN",
            Turn::BlackWin => "BLACKWIN",
            Turn::Draw => "DRAW",
        })
    }
}

/// What the server sends: the board, and whose turn it is.
///
/// The board's first row is the server's rank 1, whatever its pictures show, so that
/// squares have the same names here and there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    /// The rows, from the server's rank 1 on, each from file a on.
    pub board: Vec<Vec<Cell>>,
    /// Whose turn it is.
    pub turn: Turn,
}

impl State {
    /// The state of a position.
    pub fn new(board: Board, position: &Position, turn: Turn) -> State {
        let cell = |square: Square| match position.piece(square) {
            Some(Kind::Attacker) => Cell::Black,
            Some(Kind::Defender) => Cell::White,
            Some(Kind::King) => Cell::King,
            None if square == board.centre() => Cell::Throne,
            None => Cell::Empty,
        };
        let row = |rank| (0..board.size()).map(|file| cell(board.at(file, rank))).collect();
        State { board: (0..board.size()).map(row).collect(), turn }
    }

    /// The men on the board.
    ///
    /// # Errors
    /// If the board has another size, or two kings.
    pub fn layout(&self, board: Board) -> Result<Layout, LayoutError> {
        let expected = board.size();
        if self.board.len() != expected {
            return Err(LayoutError::Ranks { found: self.board.len(), expected });
        }
        let mut layout = Layout::default();
        for (rank, row) in self.board.iter().enumerate() {
            if row.len() != expected {
                return Err(LayoutError::Width { rank: rank + 1, found: row.len(), expected });
            }
            for (file, cell) in row.iter().enumerate() {
                let square = board.at(file, rank);
                match cell {
                    Cell::Black => layout.attackers.insert(square),
                    Cell::White => layout.defenders.insert(square),
                    Cell::Empty | Cell::Throne => {}
                    Cell::King => {
                        if let Some(first) = layout.king.replace(square) {
                            let names = (board.name(first), board.name(square));
                            return Err(LayoutError::TwoKings(names.0, names.1));
                        }
                    }
                }
            }
        }
        Ok(layout)
    }
}

/// What a player answers: a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Action {
    /// Where a man comes from, like `e4`.
    pub from: String,
    /// Where he goes.
    pub to: String,
    /// Who moves.
    pub turn: Turn,
}

impl Action {
    /// A side's move.
    pub fn new(board: Board, side: Side, played: &Move) -> Action {
        let name = |square| board.name(square).to_string();
        Action { from: name(played.from), to: name(played.to), turn: Turn::of(side) }
    }
}

/// Writes a message's text.
///
/// # Errors
/// Never for what this module has to say.
pub fn to_text(message: &impl Serialize) -> Result<String, ChallengeError> {
    serde_json::to_string(message).map_err(|error| ChallengeError::Message(error.to_string()))
}

/// Reads a message's text.
///
/// # Errors
/// If it says something else.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, ChallengeError> {
    serde_json::from_str(text).map_err(|error| ChallengeError::Message(error.to_string()))
}
