//! The contents of messages.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::game::board::{Board, Square};
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Kind, Layout, LayoutError, Side};

use super::error::ChallengeError;

/// The contents of a square of a [`State`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Cell {
    /// An empty square.
    Empty,
    /// A defender.
    White,
    /// An attacker.
    Black,
    /// The king.
    King,
    /// The empty throne.
    Throne,
}

impl Cell {
    fn of(board: Board, position: &Position, square: Square) -> Cell {
        match position.piece(square) {
            Some(Kind::Attacker) => Cell::Black,
            Some(Kind::Defender) => Cell::White,
            Some(Kind::King) => Cell::King,
            None if square == board.centre() => Cell::Throne,
            None => Cell::Empty,
        }
    }
}

/// The side to move, or the result.
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
    /// The game is drawn.
    Draw,
}

impl Turn {
    /// Returns the turn of a side.
    pub fn of(side: Side) -> Turn {
        match side {
            Side::Attackers => Turn::Black,
            Side::Defenders => Turn::White,
        }
    }

    /// Returns the win of a side, or a draw.
    pub fn end(winner: Option<Side>) -> Turn {
        match winner {
            Some(Side::Attackers) => Turn::BlackWin,
            Some(Side::Defenders) => Turn::WhiteWin,
            None => Turn::Draw,
        }
    }

    /// Returns the side to move, or `None` if the game is over.
    pub fn side(self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| Turn::of(side) == self)
    }
}

impl fmt::Display for Turn {
    /// Writes it as the server does: `WHITEWIN`.
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

/// A message of the server: the board and the turn.
///
/// The first row of the board is the server's rank 1, although its pictures show it at the top,
/// so squares have the same names here and there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Rows from the server's rank 1, each from file a.
    pub board: Vec<Vec<Cell>>,
    /// Side to move, or result.
    pub turn: Turn,
}

impl State {
    /// Returns the state of a position.
    pub fn new(board: Board, position: &Position, turn: Turn) -> State {
        let mut rows = Vec::new();
        for rank in 0..board.size() {
            let squares = (0..board.size()).map(|file| board.at(file, rank));
            rows.push(squares.map(|square| Cell::of(board, position, square)).collect());
        }
        State { board: rows, turn }
    }

    /// Returns the pieces on the board.
    ///
    /// # Errors
    /// If the board has another size or two kings.
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

/// A message of a player: a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Action {
    /// Origin square, like `e4`.
    pub from: String,
    /// Target square.
    pub to: String,
    /// Side that moves.
    pub turn: Turn,
}

impl Action {
    /// Returns a side's move as a message.
    pub fn new(board: Board, side: Side, played: &Move) -> Action {
        let (from, to) = (board.name(played.from), board.name(played.to));
        Action { from: from.to_string(), to: to.to_string(), turn: Turn::of(side) }
    }
}

/// Serializes a message.
///
/// # Errors
/// Never for the types of this module.
pub fn to_text(message: &impl Serialize) -> Result<String, ChallengeError> {
    serde_json::to_string(message)
        .map_err(|error| ChallengeError::InvalidMessage(error.to_string()))
}

/// Parses a message.
///
/// # Errors
/// If it is not a `T`.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, ChallengeError> {
    serde_json::from_str(text).map_err(|error| ChallengeError::InvalidMessage(error.to_string()))
}
