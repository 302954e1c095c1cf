use std::fmt::Write;

use crate::board::{Square, SquareSet};

use super::{Layout, Ruleset, Side};

impl Ruleset {
    /// A picture of the board in text, the last rank on top, with the pieces
    /// and the marks of [`Ruleset::legend`]; a mark follows the piece on it.
    /// Lines end with `\n`.
    pub fn board_drawing(&self, layout: &Layout) -> String {
        let (board, marks) = (self.board, self.marks());
        let mark = |square| marks.iter().find(|mark| mark.squares.contains(square));
        let mut picture = String::new();
        for rank in (0..board.size()).rev() {
            let mut line = format!("{:>3} ", rank + 1);
            for square in (0..board.size()).map(|file| board.at(file, rank)) {
                let mark = mark(square).map_or(' ', |mark| mark.letter);
                let (first, second) = match layout.piece(square) {
                    Some(kind) => (kind.letter(), mark),
                    None if mark == ' ' => ('.', ' '),
                    None => (mark, ' '),
                };
                line.extend([' ', first, second]);
            }
            picture.push_str(line.trim_end());
            picture.push('\n');
        }
        let files = board.squares().take(board.size());
        let letter = |square: Square| char::from(b'a' + board.file(square) as u8);
        let files: Vec<String> = files.map(|s| letter(s).to_string()).collect();
        picture.push_str(&format!("     {}\n", files.join("  ")));
        picture
    }

    /// What the marks in drawings mean, one a line.
    pub fn legend(&self) -> String {
        let mut lines = String::new();
        for mark in self.marks() {
            let squares = self.phrase(mark.squares);
            // Writing to a string does not fail.
            let _ = writeln!(lines, "{} {}: {squares}", mark.letter, mark.meaning);
        }
        lines
    }

    /// The marks that drawings use; each square has one at most.
    fn marks(&self) -> Vec<Mark> {
        let all: SquareSet = self.board.squares().collect();
        let (mut gated, mut special) = (SquareSet::EMPTY, SquareSet::EMPTY);
        for soldier in Side::ALL.map(Side::soldier) {
            let gates = &self.movement[soldier].gates;
            gated |= gates.iter().copied().flatten().collect();
            special |= all - self.places(soldier);
        }
        for hostility in &self.hostile {
            special |= hostility.empty;
        }
        let mut marked = SquareSet::EMPTY;
        let marks = [
            ('*', "the king wins here", self.goals),
            ('#', "no way in from outside", gated),
            ('+', "hostile, or not open to every soldier", special),
        ];
        let marks = marks.map(|(letter, meaning, squares)| {
            let squares = squares - marked;
            marked |= squares;
            Mark { letter, meaning, squares }
        });
        let mut marks = Vec::from(marks);
        marks.retain(|mark| !mark.squares.is_empty());
        marks
    }

    /// The set in words: the named sets that make it up, the largest first,
    /// and what is left square by square.
    pub(super) fn phrase(&self, set: SquareSet) -> String {
        let (mut rest, mut words) = (set, Vec::new());
        while let Some((name, squares)) = self.largest_within(rest) {
            rest -= squares;
            words.push(name.to_owned());
        }
        words.extend(rest.iter().map(|square| self.board.name(square).to_string()));
        words.join(", ")
    }

    fn largest_within(&self, set: SquareSet) -> Option<(&str, SquareSet)> {
        let named = self.squares.iter().map(|(name, squares)| (name.as_str(), *squares));
        let within = named.filter(|(_, squares)| squares.is_subset(set));
        // Of equally large sets, the first: `max_by_key` would take the last.
        within.rev().max_by_key(|(_, squares)| squares.len())
    }
}

struct Mark {
    letter: char,
    meaning: &'static str,
    squares: SquareSet,
}
