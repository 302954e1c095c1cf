use std::fmt;

use crate::game::board::{Board, Square, SquareName, SquareSet};
use crate::game::rules::{Kind, LayoutError, Ruleset};

/// The reason why a position is not legal.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PositionError {
    /// The board cannot be read.
    Layout(LayoutError),
    /// The text ends after the board.
    NoSide,
    /// The side to move is neither `a` nor `d`.
    UnknownSide(String),
    /// The text continues after the side to move.
    Extra(String),
    /// The king is missing.
    NoKing,
    /// A piece stands on a square number beyond the board.
    OffBoard {
        /// The piece.
        kind: Kind,
        /// The square's number.
        number: usize,
        /// The board.
        board: Board,
    },
    /// Two pieces stand on this square.
    Overlap(SquareName),
    /// The king stands on a goal.
    KingEscaped(SquareName),
    /// The defenders are to move and no attackers are left.
    NoAttackers,
    /// The position belongs to other rules.
    OtherRules {
        /// The name of the ruleset it was checked against.
        rules: String,
    },
    /// A piece stands on a square closed to its kind.
    Misplaced {
        /// The piece.
        kind: Kind,
        /// Its square.
        square: SquareName,
        /// The smallest named set that contains the square and is closed to this kind.
        group: Option<String>,
        /// All squares closed to this kind, if they are few.
        closed: Option<Vec<SquareName>>,
    },
}

impl PositionError {
    /// The most squares worth listing in a message.
    const SHORT_LIST: usize = 5;

    pub(crate) fn misplaced(rules: &Ruleset, kind: Kind, square: Square) -> PositionError {
        let board = rules.board;
        let places = rules.places(kind);
        let closed: SquareSet = board.squares().filter(|&s| !places.contains(s)).collect();
        let groups = rules.squares.iter();
        let group = groups
            .filter(|(_, squares)| squares.contains(square) && squares.is_subset(closed))
            .min_by_key(|(_, squares)| squares.len());
        let short = closed.len() <= Self::SHORT_LIST;
        PositionError::Misplaced {
            kind,
            square: board.name(square),
            group: group.map(|(name, _)| name.clone()),
            closed: short.then(|| closed.iter().map(|s| board.name(s)).collect()),
        }
    }
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::Layout(error) => error.fmt(f),
            PositionError::NoSide => f.write_str(
                "the side to move is missing: after the board, write a blank and a (attackers) or d \
                (defenders)",
            ),
            PositionError::UnknownSide(side) => {
                write!(f, "{side:?} is not a side to move: write a (attackers) or d (defenders)")
            }
            PositionError::Extra(extra) => write!(
                f,
                "unexpected {extra:?} after the position: write the board, a blank and the side to move"
            ),
            PositionError::NoKing => f.write_str("there is no king (K) on the board"),
            PositionError::OffBoard { kind, number, board } => write!(
                f,
                "{} is on square {number}, but a {size}x{size} board has the squares 0 to {last}",
                with_article(*kind),
                size = board.size(),
                last = board.area() - 1,
            ),
            PositionError::Overlap(square) => write!(f, "two pieces stand on {square}"),
            PositionError::KingEscaped(square) => {
                write!(f, "the game is over: the king on {square} has won")
            }
            PositionError::NoAttackers => {
                f.write_str("the game is over: no attackers are left, so the defenders have won")
            }
            PositionError::OtherRules { rules } => write!(
                f,
                "the position belongs to other rules than {rules}: make it with the ruleset of the \
                tables or game"
            ),
            PositionError::Misplaced { kind, square, group, closed } => {
                write!(f, "{} cannot stand on {square}", with_article(*kind))?;
                if let Some(group) = group {
                    write!(f, " ({group})")?;
                }
                match closed {
                    Some(squares) => write!(f, ": use any square except {}", listed(squares)),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Lists names as in a sentence: `a1, b2 and c3`.
fn listed(squares: &[SquareName]) -> String {
    let names: Vec<String> = squares.iter().map(ToString::to_string).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl std::error::Error for PositionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PositionError::Layout(error) => error.source(),
            _ => None,
        }
    }
}

/// Returns the kind's name with its article, for messages.
pub(crate) fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "an attacker",
        Kind::Defender => "a defender",
        Kind::King => "the king",
    }
}
