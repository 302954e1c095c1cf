use std::fmt;
use std::num::NonZeroU8;

use crate::game::board::SquareName;
use crate::game::position::with_article;
use crate::game::rules::Kind;

/// The reason why a text is not a legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveError {
    /// The text does not have the form of a move.
    Syntax(String),
    /// The board has no square of this name; the second field is its last square.
    NoSquare(String, SquareName),
    /// The game is over.
    GameOver,
    /// There is no piece on the square of origin.
    Empty(SquareName),
    /// The piece belongs to the side not to move.
    OtherSide {
        /// Its square.
        square: SquareName,
        /// The piece.
        piece: Kind,
    },
    /// The piece is not of the kind that the text names.
    OtherPiece {
        /// Its square.
        square: SquareName,
        /// The piece.
        piece: Kind,
        /// The kind that the text names.
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
    /// A piece of this kind may not cross this square on this path.
    CannotPass {
        /// The piece that moves.
        piece: Kind,
        /// The square in its way.
        at: SquareName,
    },
    /// A piece of this kind may not stop on this square on this path.
    CannotStop {
        /// The piece that moves.
        piece: Kind,
        /// The square of arrival.
        at: SquareName,
    },
    /// A piece of this kind does not move so far.
    TooFar {
        /// The piece that moves.
        piece: Kind,
        /// The greatest number of squares that it moves.
        reach: NonZeroU8,
    },
    /// The text lists the wrong captures.
    Captures {
        /// The correct text of the move.
        right: String,
    },
    /// The text has the wrong mark for the end of the game.
    Mark {
        /// The correct text of the move.
        right: String,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Syntax(text) => write!(
                f,
                "{text:?} is not a move: write e5-e8, with captures e5-e8xe9/d8, for the king Ke5-e8"
            ),
            MoveError::NoSquare(name, last) => {
                write!(f, "the board has no square {name:?}: squares go from a1 to {last}")
            }
            MoveError::GameOver => f.write_str("the game is over: there are no more moves"),
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
                write!(f, "{from}-{to} does not move along a file or rank to another square")
            }
            MoveError::Blocked(at) => write!(f, "a piece on {at} is in the way"),
            MoveError::CannotPass { piece, at } => {
                write!(f, "{} coming from there cannot pass {at}", with_article(*piece))
            }
            MoveError::CannotStop { piece, at } => {
                write!(f, "{} coming from there cannot stop on {at}", with_article(*piece))
            }
            MoveError::TooFar { piece, reach } => {
                let squares = if reach.get() == 1 { "square" } else { "squares" };
                write!(f, "{} moves {reach} {squares} at most", with_article(*piece))
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
