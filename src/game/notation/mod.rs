//! Moves as text: `e5-e8`, `e5-e8xe9/d8`, `Ke1-a1--`, `d5-d6++`.
//!
//! A king's move begins with `K`. Captured soldiers follow `x` in square order
//! (a1, b1, … a2, …), separated by slashes. A move that captures the king ends
//! with `++` and lists nothing; one with which the king escapes ends with `--`.
//! A win by the last capture or by leaving the other side without a move has no
//! mark. On input the letter, the captures and the mark may be missing.

mod error;

use std::fmt;

use crate::game::board::{Board, Direction, Square, SquareSet};
use crate::game::moves::{Ending, Move, find_move};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};

pub use error::MoveError;

impl Move {
    /// Prints the move in its one canonical form.
    pub fn display(&self, board: Board) -> impl fmt::Display + use<> {
        MoveText { played: *self, board }
    }
}

struct MoveText {
    played: Move,
    board: Board,
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Move { piece, from, to, captured, ending } = self.played;
        let letter = if piece == Kind::King { "K" } else { "" };
        let (from, to) = (self.board.name(from), self.board.name(to));
        let captures = if captured.is_empty() || ending == Some(Ending::KingCaptured) {
            String::new()
        } else {
            format!("x{}", list(self.board, captured))
        };
        f.pad(&format!("{letter}{from}-{to}{captures}{}", mark(ending)))
    }
}

/// The squares' names with slashes between them.
fn list(board: Board, squares: SquareSet) -> String {
    let names: Vec<String> = squares.iter().map(|s| board.name(s).to_string()).collect();
    names.join("/")
}

fn mark(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::KingCaptured) => "++",
        Some(Ending::KingEscaped) => "--",
        None => "",
    }
}

/// Reads a move of the side to move. The piece letter, the captures and the
/// mark may be missing; what is there must be right.
///
/// # Errors
/// If the text is no move, or the move is not legal in this position: what
/// stands in its way.
pub fn parse_move(rules: &Ruleset, position: &Position, text: &str) -> Result<Move, MoveError> {
    let board = rules.board;
    let written = Written::parse(board, text)?;
    let Written { from, to, .. } = written;
    let piece = own_piece(rules, position, from)?;
    if let Some(claimed) = written.piece.filter(|&claimed| claimed != piece) {
        return Err(MoveError::OtherPiece { square: board.name(from), piece, claimed });
    }
    let played = find_move(rules, position, from, to)
        .ok_or_else(|| obstacle(rules, position, piece, from, to))?;
    let right = played.display(board).to_string();
    if written.captured.is_some_and(|set| set != played.captured) {
        return Err(MoveError::Captures { right });
    }
    if written.ending.is_some() && written.ending != played.ending {
        return Err(MoveError::Mark { right });
    }
    Ok(played)
}

/// A move as it is written, before the position is looked at.
struct Written {
    piece: Option<Kind>,
    from: Square,
    to: Square,
    captured: Option<SquareSet>,
    ending: Option<Ending>,
}

impl Written {
    fn parse(board: Board, text: &str) -> Result<Written, MoveError> {
        let text = text.trim();
        let syntax = || MoveError::Syntax(text.to_owned());
        let square = |name: &str| {
            let unknown = || MoveError::NoSquare(name.to_owned(), board.name(last(board)));
            board.parse(name).ok_or_else(unknown)
        };
        let (rest, ending) = split_mark(text);
        let (rest, captured) = match rest.split_once('x') {
            Some((rest, names)) => {
                let squares = names.split('/').map(square);
                (rest, Some(squares.collect::<Result<SquareSet, _>>()?))
            }
            None => (rest, None),
        };
        let (from, to) = rest.split_once('-').ok_or_else(syntax)?;
        let (piece, from) = split_letter(from).ok_or_else(syntax)?;
        Ok(Written { piece, from: square(from)?, to: square(to)?, captured, ending })
    }
}

fn last(board: Board) -> Square {
    Square::new(board.area() - 1)
}

fn split_mark(text: &str) -> (&str, Option<Ending>) {
    [Ending::KingCaptured, Ending::KingEscaped]
        .into_iter()
        .find_map(|ending| Some((text.strip_suffix(mark(Some(ending)))?, Some(ending))))
        .unwrap_or((text, None))
}

/// A piece letter is followed by a letter, a file by a digit.
fn split_letter(text: &str) -> Option<(Option<Kind>, &str)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    if !chars.next()?.is_ascii_alphabetic() {
        return Some((None, text));
    }
    let piece = match first {
        't' => Kind::Attacker,
        'T' => Kind::Defender,
        'K' | 'k' => Kind::King,
        _ => return None,
    };
    Some((Some(piece), &text[1..]))
}

/// The piece on the square, if it may move.
fn own_piece(rules: &Ruleset, position: &Position, square: Square) -> Result<Kind, MoveError> {
    let name = rules.board.name(square);
    let piece = position.piece(square).ok_or(MoveError::Empty(name))?;
    if position.is_finished(rules) {
        Err(MoveError::GameOver)
    } else if piece.side() != position.to_move {
        Err(MoveError::OtherSide { square: name, piece })
    } else {
        Ok(piece)
    }
}

/// Why the piece cannot go there.
fn obstacle(
    rules: &Ruleset,
    position: &Position,
    piece: Kind,
    from: Square,
    to: Square,
) -> MoveError {
    let board = rules.board;
    let leads_there = |&d: &Direction| board.ray(from, d).any(|square| square == to);
    let Some(direction) = Direction::ALL.into_iter().find(leads_there) else {
        return MoveError::NoLine { from: board.name(from), to: board.name(to) };
    };
    let occupied = position.occupied();
    let movement = &rules.movement[piece];
    let passes = |square| {
        let gate = movement.gate(square);
        movement.cross.contains(square) && (gate.is_none() || gate == movement.gate(from))
    };
    for square in board.ray(from, direction).take_while(|&square| square != to) {
        let at = board.name(square);
        if occupied.contains(square) {
            return MoveError::Blocked(at);
        }
        if !passes(square) {
            return MoveError::CannotPass { piece, at };
        }
    }
    let at = board.name(to);
    if occupied.contains(to) { MoveError::Blocked(at) } else { MoveError::CannotStop { piece, at } }
}
