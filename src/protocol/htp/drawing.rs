//! Boards and squares as the protocol writes them: from the top rank down, with A, D and K.

use crate::game::board::{Board, Square};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};

/// Returns the name of a square: in capital letters on the large board.
pub(super) fn square(board: Board, square: Square) -> String {
    let name = board.name(square).to_string();
    if board.size() > 11 { name.to_ascii_uppercase() } else { name }
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Attacker => 'A',
        Kind::Defender => 'D',
        Kind::King => 'K',
    }
}

/// Draws the board in a frame.
pub(super) fn board(rules: &Ruleset, position: &Position) -> String {
    let board = rules.board;
    let size = board.size();
    let letters: String = ('A'..).take(size).collect();
    let bar = "─".repeat(size);
    let mut text = format!("\n   {letters}\n  ┌{bar}┐\n");
    for rank in (0..size).rev() {
        let row: String = (0..size)
            .map(|file| {
                let here = board.at(file, rank);
                let is_special = here == board.centre() || rules.goals.contains(here);
                position.piece(here).map_or(if is_special { '⌘' } else { '.' }, letter)
            })
            .collect();
        let label = rank + 1;
        text.push_str(&format!("{label:2}│{row}│{label:2}\n"));
    }
    text + &format!("  └{bar}┘\n   {letters}")
}

/// Writes the board on one line, as OpenTafl does.
pub(super) fn line(rules: &Ruleset, position: &Position) -> String {
    let board = rules.board;
    let mut text = String::from("/");
    for rank in (0..board.size()).rev() {
        let mut empty = 0;
        for file in 0..board.size() {
            match position.piece(board.at(file, rank)) {
                None => empty += 1,
                Some(kind) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                        empty = 0;
                    }
                    text.push(letter(kind));
                }
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        text.push('/');
    }
    text
}
