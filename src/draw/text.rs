use crate::game::rules::{Kind, Side};

use super::{BoardPicture, Mark};

/// How text is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Letters alone.
    #[default]
    Plain,
    /// With the colours of a terminal, by the escape sequences of ANSI.
    Ansi,
}

impl Style {
    /// A text in the colour of a side.
    pub fn side(self, side: Side, text: &str) -> String {
        self.paint(ink(side.soldier()), text)
    }

    /// The letter of a piece, in its colour.
    pub fn piece(self, kind: Kind) -> String {
        self.paint(ink(kind), &kind.letter().to_string())
    }

    /// The text in that rendition: the numbers of an escape sequence, or nothing.
    pub(super) fn paint(self, rendition: &str, text: &str) -> String {
        match self {
            Style::Ansi if !rendition.is_empty() => format!("\x1b[{rendition}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Of the 16 colours that every terminal has and lets its user choose.
pub(super) fn ink(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "1;31",
        Kind::Defender => "1;36",
        Kind::King => "1;33",
    }
}

fn mark_ink(mark: Option<Mark>) -> &'static str {
    match mark {
        Some(Mark::Goal) => "32",
        Some(Mark::Gated) => "35",
        Some(Mark::Special) => "34",
        None => "2",
    }
}

impl BoardPicture {
    /// The board in text, the last rank on top unless it is turned, with the marks of
    /// [`BoardPicture::legend`]; a mark follows the piece on it. In colour, the squares of
    /// a move are in reverse. Lines end with `\n`.
    pub fn to_text(&self, style: Style) -> String {
        let board = self.board;
        let mut picture = String::new();
        for rank in self.ranks() {
            picture.push_str(&style.paint("2", &format!("{:>3}", rank + 1)));
            // Blanks are written before what follows them, so that no line ends with one.
            let mut blanks = 2;
            for square in self.files().map(|file| board.at(file, rank)) {
                let (mark, piece) = (self.mark(square), self.layout.piece(square));
                let letter = mark.map_or('.', Mark::letter);
                let (first, colour) = match piece {
                    Some(kind) => (kind.letter(), ink(kind)),
                    None => (letter, mark_ink(mark)),
                };
                let mut ends = self.arrow.iter().chain(&self.last);
                let moves = ends.any(|&(from, to)| square == from || square == to);
                let colour = if moves { format!("{colour};7") } else { colour.to_owned() };
                picture.extend(std::iter::repeat_n(' ', blanks));
                picture.push_str(&style.paint(&colour, &first.to_string()));
                blanks = 2;
                if piece.is_some() && mark.is_some() {
                    picture.push_str(&style.paint(mark_ink(mark), &letter.to_string()));
                    blanks = 1;
                }
            }
            picture.push('\n');
        }
        let files = self.files().map(|file| char::from(b'a' + file as u8).to_string());
        let files = files.collect::<Vec<_>>().join("  ");
        picture.push_str(&format!("     {}\n", style.paint("2", &files)));
        picture
    }
}
