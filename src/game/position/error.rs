use std::fmt;

use crate::game::board::{Board, Square, SquareName, SquareSet};
use crate::game::rules::{Kind, LayoutError, Ruleset};

/// Why something is no legal position.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PositionError {
    /// The board cannot be read.
    Layout(LayoutError),
    /// The text ends after the board.
    NoSide,
    /// The side to move is neither `a` nor `d`.
    UnknownSide(String),
    /// The text goes on after the side to move.
    Extra(String),
    /// There is no king.
    NoKing,
    /// A piece has the number of a square that the board does not have.
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
    /// The king stands where he has won.
    KingEscaped(SquareName),
    /// The defenders are to move, and there are no attackers.
    NoAttackers,
    /// It is a position of other rules.
    OtherRules {
        /// The ruleset that it was taken for.
        rules: String,
    },
    /// A piece stands where its kind cannot stand.
    Misplaced {
        /// The piece.
        kind: Kind,
        /// Where it stands.
        square: SquareName,
        /// The smallest named group of squares closed to this kind that the
        /// square is in.
        group: Option<String>,
        /// Where pieces of this kind cannot stand, if that is a short list.
        closed: Option<Vec<SquareName>>,
    },
}

impl PositionError {
    /// More squares than this are no help in a message.
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
                "the side to move is missing: write a (attackers) or d (defenders) after the \
                 board and a blank",
            ),
            PositionError::UnknownSide(side) => {
                write!(f, "{side:?} is no side to move: write a (attackers) or d (defenders)")
            }
            PositionError::Extra(extra) => write!(
                f,
                "{extra:?} after the position: write the board, a blank and the side to move"
            ),
            PositionError::NoKing => f.write_str("there is no king (K) on the board"),
            PositionError::OffBoard { kind, number, board } => write!(
                f,
                "{} on square {number}: a {size}x{size} board has the squares 0 to {last}",
                with_article(*kind),
                size = board.size(),
                last = board.area() - 1,
            ),
            PositionError::Overlap(square) => write!(f, "two pieces stand on {square}"),
            PositionError::KingEscaped(square) => {
                write!(f, "the king on {square} has won: the game is over")
            }
            PositionError::NoAttackers => {
                f.write_str("no attackers are left, the defenders have won: the game is over")
            }
            PositionError::OtherRules { rules } => write!(
                f,
                "this is a position of other rules than {rules}'s: make it with the ruleset \
                 it is asked under"
            ),
            PositionError::Misplaced { kind, square, group, closed } => {
                write!(f, "{} cannot stand on {square}", with_article(*kind))?;
                if let Some(group) = group {
                    write!(f, " ({group})")?;
                }
                match closed {
                    Some(squares) => write!(f, ": any square but {} will do", listed(squares)),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Names in a sentence: `a1, b2 and c3`.
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

/// The kind's name with its article, as messages write it.
pub(crate) fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "an attacker",
        Kind::Defender => "a defender",
        Kind::King => "the king",
    }
}
