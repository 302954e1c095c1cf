use std::fmt::Write;

use crate::game::board::{Board, Square, SquareSet};
use crate::game::moves::{Ending, Move};
use crate::game::rules::{Kind, Layout, Ruleset, Side, plural};

/// A board to be drawn: what its squares are, what stands on them, and what happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPicture {
    pub(super) board: Board,
    pub(super) layout: Layout,
    /// By [`Mark::ALL`]; each square has one at most.
    pub(super) marked: [SquareSet; Mark::ALL.len()],
    /// From where to where a piece goes.
    pub(super) arrow: Option<(Square, Square)>,
    /// From where to where a piece has gone.
    pub(super) last: Option<(Square, Square)>,
    /// Pieces that this captures.
    pub(super) captured: SquareSet,
    pub(super) caption: Option<Caption>,
    /// Seen from the last rank, not from the first.
    pub(super) is_turned: bool,
}

/// A line above a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Caption {
    pub text: String,
    /// Whose move it tells.
    pub side: Option<Side>,
}

/// What a square is, in drawings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The king wins here.
    Goal,
    /// Nobody comes in from outside.
    Gated,
    /// Hostile, or not open to every soldier.
    Special,
}

impl Mark {
    /// All three, the weightiest first.
    pub const ALL: [Mark; 3] = [Mark::Goal, Mark::Gated, Mark::Special];

    /// The mark's letter in text.
    pub fn letter(self) -> char {
        match self {
            Mark::Goal => '*',
            Mark::Gated => '#',
            Mark::Special => '+',
        }
    }

    /// The mark in words.
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
    /// The board of these rules with these pieces.
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

    /// Shows a move that is about to be played: where the piece goes, and what it captures.
    #[must_use]
    pub fn with_move(mut self, played: &Move) -> BoardPicture {
        self.arrow = Some((played.from, played.to));
        self.captured = played.captured;
        if played.ending == Some(Ending::KingCaptured) {
            self.captured |= self.layout.king.into_iter().collect();
        }
        self
    }

    /// Marks the squares of a move that has been played, where the piece was and where it is.
    #[must_use]
    pub fn with_last_move(mut self, played: &Move) -> BoardPicture {
        self.last = Some((played.from, played.to));
        self
    }

    /// Writes a line above the board, with a piece of the side whose move it tells.
    #[must_use]
    pub fn with_caption(mut self, text: impl Into<String>, side: Option<Side>) -> BoardPicture {
        self.caption = Some(Caption { text: text.into(), side });
        self
    }

    /// Shows the board from the other side, with the first rank on top.
    #[must_use]
    pub fn turned(mut self) -> BoardPicture {
        self.is_turned = !self.is_turned;
        self
    }

    /// The ranks, from the top.
    pub(super) fn ranks(&self) -> impl Iterator<Item = usize> + use<> {
        let (size, is_turned) = (self.board.size(), self.is_turned);
        (0..size).map(move |row| if is_turned { row } else { size - 1 - row })
    }

    /// The files, from the left.
    pub(super) fn files(&self) -> impl Iterator<Item = usize> + use<> {
        let (size, is_turned) = (self.board.size(), self.is_turned);
        (0..size).map(move |column| if is_turned { size - 1 - column } else { column })
    }

    /// What a square is.
    pub(super) fn mark(&self, square: Square) -> Option<Mark> {
        let mut marked = Mark::ALL.into_iter().zip(&self.marked);
        marked.find(|(_, squares)| squares.contains(square)).map(|(mark, _)| mark)
    }

    /// What the marks mean, one a line, with the names that the rules have for the squares.
    pub fn legend(&self, rules: &Ruleset) -> String {
        let mut lines = String::new();
        for (mark, &squares) in Mark::ALL.into_iter().zip(&self.marked) {
            if !squares.is_empty() {
                let squares = rules.phrase(squares);
                // Writing to a string does not fail.
                let _ = writeln!(lines, "{} {}: {squares}", mark.letter(), mark.meaning());
            }
        }
        lines
    }

    /// The picture in words, for those who do not see it.
    pub(super) fn words(&self) -> String {
        let name = |square| self.board.name(square).to_string();
        let list = |squares: SquareSet| squares.iter().map(name).collect::<Vec<_>>().join(" ");
        let mut words = Vec::new();
        if let Some(caption) = &self.caption {
            words.push(caption.text.clone());
        }
        for kind in Kind::ALL.into_iter().rev() {
            let squares = self.layout.squares(kind);
            if !squares.is_empty() {
                words.push(format!("{} on {}", plural(kind), list(squares)));
            }
        }
        if let Some((from, to)) = self.arrow {
            words.push(format!("a move from {} to {}", name(from), name(to)));
        }
        if let Some((from, to)) = self.last {
            words.push(format!("the last move from {} to {}", name(from), name(to)));
        }
        if !self.captured.is_empty() {
            words.push(format!("captured on {}", list(self.captured)));
        }
        words.join("; ")
    }
}
