//! Boards and squares as the protocol writes them: from the top rank down, with A, D and K.

use crate::game::board::{Board, Square};
use crate::game::rules::{Layout, Ruleset};

/// Returns the name of a square: in capital letters on the large board.
pub(super) fn square(board: Board, square: Square) -> String {
    let name = board.name(square).to_string();
    if board.size() > 11 { name.to_ascii_uppercase() } else { name }
}

/// Draws the board in a frame, as hnefatafl.org's program does: there is a blank after each square,
/// and special squares are marked, but not on 7x7.
pub(super) fn board(rules: &Ruleset, layout: &Layout) -> String {
    let board = rules.board;
    let size = board.size();
    let letters: String = ('A'..).take(size).map(|letter| format!(" {letter}")).collect();
    let bar = "─".repeat(2 * size + 1);
    let mut text = format!("\n   {letters}\n  ┌{bar}┐\n");
    for rank in (0..size).rev() {
        let squares: String = (0..size)
            .map(|file| format!("{} ", symbol(rules, layout, board.at(file, rank))))
            .collect();
        let label = rank + 1;
        text.push_str(&format!("{label:2}│ {squares}│{label:2}\n"));
    }
    text + &format!("  └{bar}┘\n   {letters}")
}

fn symbol(rules: &Ruleset, layout: &Layout, square: Square) -> char {
    let board = rules.board;
    if layout.king == Some(square) {
        'K'
    } else if layout.attackers.contains(square) {
        'A'
    } else if layout.defenders.contains(square) {
        'D'
    } else if board.size() > 7 && (square == board.centre() || rules.goals.contains(square)) {
        '#'
    } else {
        '.'
    }
}

/// Writes the board on one line: as OpenTafl does, but from the top rank down and with other letters.
pub(super) fn line(board: Board, layout: &Layout) -> String {
    let text = layout.to_text(board);
    let ranks: Vec<&str> = text.trim_matches('/').rsplit('/').collect();
    format!("/{}/", ranks.join("/")).replace('t', "A").replace('T', "D")
}
