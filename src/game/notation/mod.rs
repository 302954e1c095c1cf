//! Moves as text: `e5-e8`, `e5-e8xe9/d8`, `Ke1-a1--`, `d5-d6++`.
//!
//! A king's move begins with `K`. Captured soldiers follow `x` in square order (a1, b1, … a2, …),
//! separated by slashes. A move that captures the king ends with `++` and lists no captures; one
//! with which the king escapes ends with `--`. An encirclement is marked with `++`, too, and an exit
//! fort with `--`. A win by capturing the last attacker or by leaving the opponent without a move
//! has no mark. On input the letter, the captures and the mark may be omitted.

mod error;

use std::fmt;

use crate::game::board::{Board, Direction, Square, SquareSet};
use crate::game::moves::{Ending, Move, find_move};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};

pub use error::MoveError;

impl Move {
    /// Returns the canonical text of the move, for display.
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
            format!("x{}", self.board.names(captured).join("/"))
        };
        f.pad(&format!("{letter}{from}-{to}{captures}{}", mark(ending)))
    }
}

fn mark(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(ending) => side_mark(ending.winner()),
        None => "",
    }
}

/// Returns the mark of a move with which the side wins.
fn side_mark(winner: Side) -> &'static str {
    match winner {
        Side::Attackers => "++",
        Side::Defenders => "--",
    }
}

/// Parses a move of the side to move. The piece letter, the captures and the mark may be omitted;
/// if present they must be right.
///
/// # Errors
/// If the text is not a move, or the move is not legal in this position; the error says why.
pub fn parse_move(rules: &Ruleset, position: &Position, text: &str) -> Result<Move, MoveError> {
    let board = rules.board;
    let parsed = MoveSyntax::parse(board, text)?;
    let MoveSyntax { from, to, .. } = parsed;
    let piece = own_piece(rules, position, from)?;
    if let Some(claimed) = parsed.piece.filter(|&claimed| claimed != piece) {
        return Err(MoveError::OtherPiece { square: board.name(from), piece, claimed });
    }
    let played = find_move(rules, position, from, to)
        .ok_or_else(|| obstacle(rules, position, piece, from, to))?;
    let right = played.display(board).to_string();
    if parsed.captured.is_some_and(|set| set != played.captured) {
        return Err(MoveError::Captures { right });
    }
    if parsed.winner.is_some() && parsed.winner != played.ending.map(Ending::winner) {
        return Err(MoveError::Mark { right });
    }
    Ok(played)
}

/// A move as written, before it is checked against a position.
struct MoveSyntax {
    piece: Option<Kind>,
    from: Square,
    to: Square,
    captured: Option<SquareSet>,
    winner: Option<Side>,
}

impl MoveSyntax {
    fn parse(board: Board, text: &str) -> Result<MoveSyntax, MoveError> {
        let trimmed = text.trim();
        let (unmarked, winner) = split_mark(trimmed);
        let (squares, captured) = match unmarked.split_once('x') {
            Some((squares, names)) => {
                let captured = names.split('/').map(|name| parse_square(board, name));
                (squares, Some(captured.collect::<Result<SquareSet, _>>()?))
            }
            None => (unmarked, None),
        };
        let (piece, from, to) =
            split_squares(squares).ok_or_else(|| MoveError::Syntax(trimmed.to_owned()))?;
        let (from, to) = (parse_square(board, from)?, parse_square(board, to)?);
        Ok(MoveSyntax { piece, from, to, captured, winner })
    }
}

fn parse_square(board: Board, name: &str) -> Result<Square, MoveError> {
    board.parse(name).ok_or_else(|| MoveError::NoSquare(name.to_owned(), board.name(last(board))))
}

/// Splits `Ke5-e8` into the piece, if it has a letter, and the names of the squares.
fn split_squares(text: &str) -> Option<(Option<Kind>, &str, &str)> {
    let (origin, to) = text.split_once('-')?;
    let (piece, from) = split_letter(origin)?;
    Some((piece, from, to))
}

fn last(board: Board) -> Square {
    Square::new(board.area() - 1)
}

fn split_mark(text: &str) -> (&str, Option<Side>) {
    Side::ALL
        .into_iter()
        .find_map(|side| Some((text.strip_suffix(side_mark(side))?, Some(side))))
        .unwrap_or((text, None))
}

/// Splits off a piece letter. A piece letter is followed by a letter, a file by a digit.
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

/// Returns the piece on the square, if it belongs to the side to move.
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

/// Returns the reason why the piece cannot move there.
fn obstacle(
    rules: &Ruleset,
    position: &Position,
    piece: Kind,
    from: Square,
    to: Square,
) -> MoveError {
    let board = rules.board;
    let mut directions = Direction::ALL.into_iter();
    let Some(direction) = directions.find(|&d| board.ray(from, d).any(|square| square == to))
    else {
        return MoveError::NoLine { from: board.name(from), to: board.name(to) };
    };
    let occupied = position.occupied();
    let movement = &rules.movement[piece];
    let home = movement.gate(from);
    if let Some(reach) = movement.reach {
        let distance = 1 + board.ray(from, direction).take_while(|&square| square != to).count();
        if distance > usize::from(reach.get()) {
            return MoveError::TooFar { piece, reach };
        }
    }
    for square in board.ray(from, direction).take_while(|&square| square != to) {
        let at = board.name(square);
        if occupied.contains(square) {
            return MoveError::Blocked(at);
        }
        let gate = movement.gate(square);
        if !movement.cross.contains(square) || gate.is_some() && gate != home {
            return MoveError::CannotPass { piece, at };
        }
    }
    let at = board.name(to);
    if occupied.contains(to) { MoveError::Blocked(at) } else { MoveError::CannotStop { piece, at } }
}
