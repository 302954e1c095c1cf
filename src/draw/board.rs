use std::fmt::Write;

use crate::game::board::{Board, Square, SquareSet};
use crate::game::moves::{Ending, Move};
use crate::game::rules::{Kind, Layout, Ruleset, Side, plural};

/// A drawing of a board: marked squares, pieces, and moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPicture {
    pub(super) board: Board,
    pub(super) layout: Layout,
    /// The squares of each mark, by [`Mark::ALL`]; each square has at most one mark.
    pub(super) marked: [SquareSet; Mark::ALL.len()],
    /// Origin and target of a move to be played.
    pub(super) arrow: Option<(Square, Square)>,
    /// Origin and target of the last move.
    pub(super) last: Option<(Square, Square)>,
    /// The pieces captured by the move to be played.
    pub(super) captured: SquareSet,
    pub(super) caption: Option<Caption>,
    /// Drawn with the first rank on top.
    pub(super) is_turned: bool,
}

/// A line above a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Caption {
    pub text: String,
    /// The side whose move it describes.
    pub side: Option<Side>,
}

/// The mark of a square in drawings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The king wins here.
    Goal,
    /// Soldiers cannot enter from outside.
    Gated,
    /// Hostile, or closed to some soldiers.
    Special,
}

impl Mark {
    /// All marks, in order of precedence.
    pub const ALL: [Mark; 3] = [Mark::Goal, Mark::Gated, Mark::Special];

    /// Returns the mark's character in text.
    pub fn letter(self) -> char {
        match self {
            Mark::Goal => '*',
            Mark::Gated => '#',
            Mark::Special => '+',
        }
    }

    /// Returns the meaning of the mark, for legends.
    pub fn meaning(self) -> &'static str {
        match self {
            Mark::Goal => "the king wins here",
            Mark::Gated => "no way in from outside",
            Mark::Special => "hostile, or not open to every soldier",
        }
    }

    fn squares(self, rules: &Ruleset) -> SquareSet {
        match self {
            Mark::Goal => rules.goals,
            Mark::Gated => {
                let gates = Side::ALL.map(|side| &rules.movement[side.soldier()].gates);
                gates.into_iter().flatten().copied().flatten().collect()
            }
            Mark::Special => {
                let all: SquareSet = rules.board.squares().collect();
                let closed = Side::ALL.map(|side| all - rules.places(side.soldier()));
                let hostile = rules.hostile.iter().map(|hostility| hostility.empty);
                closed.into_iter().chain(hostile).flatten().collect()
            }
        }
    }
}

impl BoardPicture {
    /// Creates a drawing of the board of these rules with these pieces.
    pub fn new(rules: &Ruleset, layout: Layout) -> BoardPicture {
        let mut taken = SquareSet::EMPTY;
        let marked = Mark::ALL.map(|mark| {
            let squares = mark.squares(rules) - taken;
            taken |= squares;
            squares
        });
        let (arrow, last, captured, caption) = (None, None, SquareSet::EMPTY, None);
        let (board, is_turned) = (rules.board, false);
        BoardPicture { board, layout, marked, arrow, last, captured, caption, is_turned }
    }

    /// Shows a move to be played: an arrow, and the captures.
    #[must_use]
    pub fn with_move(mut self, played: &Move) -> BoardPicture {
        self.arrow = Some((played.from, played.to));
        self.captured = played.captured;
        if played.ending == Some(Ending::KingCaptured) {
            self.captured |= self.layout.king.into_iter().collect();
        }
        self
    }

    /// Marks the origin and target of the last move.
    #[must_use]
    pub fn with_last_move(mut self, played: &Move) -> BoardPicture {
        self.last = Some((played.from, played.to));
        self
    }

    /// Adds a line above the board, with a piece of the side whose move it describes.
    #[must_use]
    pub fn with_caption(mut self, text: impl Into<String>, side: Option<Side>) -> BoardPicture {
        self.caption = Some(Caption { text: text.into(), side });
        self
    }

    /// Flips the board: the first rank is drawn on top.
    #[must_use]
    pub fn turned(mut self) -> BoardPicture {
        self.is_turned = !self.is_turned;
        self
    }

    /// Iterates over the ranks from the top.
    pub(super) fn ranks(&self) -> impl Iterator<Item = usize> + use<> {
        let (size, is_turned) = (self.board.size(), self.is_turned);
        (0..size).map(move |row| if is_turned { row } else { size - 1 - row })
    }

    /// Iterates over the files from the left.
    pub(super) fn files(&self) -> impl Iterator<Item = usize> + use<> {
        let (size, is_turned) = (self.board.size(), self.is_turned);
        (0..size).map(move |column| if is_turned { size - 1 - column } else { column })
    }

    /// Returns the mark of the square.
    pub(super) fn mark(&self, square: Square) -> Option<Mark> {
        let mut marked = Mark::ALL.into_iter().zip(&self.marked);
        marked.find(|(_, squares)| squares.contains(square)).map(|(mark, _)| mark)
    }

    /// Returns a legend of the marks in use, one per line, with the ruleset's names of the squares.
    pub fn legend(&self, rules: &Ruleset) -> String {
        let mut lines = String::new();
        for (mark, &squares) in Mark::ALL.into_iter().zip(&self.marked) {
            if !squares.is_empty() {
                let names = rules.phrase(squares);
                // Writing to a string does not fail.
                let _ = writeln!(lines, "{} {}: {names}", mark.letter(), mark.meaning());
            }
        }
        lines
    }

    /// Describes the drawing in words, for accessibility.
    pub(super) fn description(&self) -> String {
        let mut parts = Vec::new();
        if let Some(caption) = &self.caption {
            parts.push(caption.text.clone());
        }
        for kind in Kind::ALL.into_iter().rev() {
            let squares = self.layout.squares(kind);
            if !squares.is_empty() {
                let names = self.board.names(squares).join(" ");
                parts.push(format!("{} on {names}", plural(kind)));
            }
        }
        if let Some((from, to)) = self.arrow {
            let (from, to) = (self.board.name(from), self.board.name(to));
            parts.push(format!("a move from {from} to {to}"));
        }
        if let Some((from, to)) = self.last {
            let (from, to) = (self.board.name(from), self.board.name(to));
            parts.push(format!("the last move from {from} to {to}"));
        }
        if !self.captured.is_empty() {
            parts.push(format!("captured on {}", self.board.names(self.captured).join(" ")));
        }
        parts.join("; ")
    }
}
