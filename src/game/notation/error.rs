use std::fmt;

use crate::game::board::SquareName;
use crate::game::position::with_article;
use crate::game::rules::Kind;

/// Why a text is no legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not of the form of a move.
    Syntax(String),
    /// The board has no square of this name; its last one is given.
    NoSquare(String, SquareName),
    /// The game is over.
    GameOver,
    /// There is no piece on the square of origin.
    Empty(SquareName),
    /// The piece belongs to the side that is not to move.
    OtherSide {
        /// Where it stands.
        square: SquareName,
        /// What it is.
        piece: Kind,
    },
    /// Another kind of piece than the text claims.
    OtherPiece {
        /// Where it stands.
        square: SquareName,
        /// What it is.
        piece: Kind,
        /// What the text says it is.
        claimed: Kind,
    },
    /// The two squares are not on one file or rank, or are the same.
    NoLine {
        /// The square of origin.
        from: SquareName,
        /// The square of arrival.
        to: SquareName,
    },
    /// A piece stands in the way, or where the move should end.
    Blocked(SquareName),
    /// A piece of this kind, coming from there, may not pass over the square.
    CannotPass {
        /// The piece that moves.
        piece: Kind,
        /// The square in its way.
        at: SquareName,
    },
    /// A piece of this kind, coming from there, may not stop on the square.
    CannotStop {
        /// The piece that moves.
        piece: Kind,
        /// Where it should go.
        at: SquareName,
    },
    /// The move captures something else.
    Captures {
        /// The whole move as it should be written.
        right: String,
    },
    /// The move does not end the game in this way.
    Mark {
        /// The whole move as it should be written.
        right: String,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Syntax(text) => write!(
                f,
                "{text:?} is no move: write e5-e8, with captures e5-e8xe9/d8, for the king Ke5-e8"
            ),
            MoveError::NoSquare(name, last) => {
                write!(f, "the board has no square {name:?}: squares go from a1 to {last}")
            }
            MoveError::GameOver => f.write_str("the game is over, there are no more moves"),
            MoveError::Empty(square) => write!(f, "no piece stands on {square}"),
            MoveError::OtherSide { square, piece } => write!(
                f,
                "{} stands on {square}, and the {} are to move",
                with_article(*piece),
                piece.side().other().name()
            ),
            MoveError::OtherPiece { square, piece, claimed } => write!(
                f,
                "{} stands on {square}, not {}",
                with_article(*piece),
                with_article(*claimed)
            ),
            MoveError::NoLine { from, to } => {
                write!(f, "{from}-{to} is no move along a file or a rank to another square")
            }
            MoveError::Blocked(at) => write!(f, "a piece on {at} is in the way"),
            MoveError::CannotPass { piece, at } => {
                write!(f, "{} coming from there cannot pass {at}", with_article(*piece))
            }
            MoveError::CannotStop { piece, at } => {
                write!(f, "{} coming from there cannot stop on {at}", with_article(*piece))
            }
            MoveError::Captures { right } => {
                write!(f, "the move captures something else: it is {right}")
            }
            MoveError::Mark { right } => {
                write!(f, "the move does not end the game like this: it is {right}")
            }
        }
    }
}

impl std::error::Error for MoveError {}
