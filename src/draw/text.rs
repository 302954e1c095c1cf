use crate::game::rules::{Kind, Side};

use super::{BoardPicture, Mark};

/// The style of text drawings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Characters without colours.
    #[default]
    Plain,
    /// With terminal colours, by ANSI escape sequences.
    Ansi,
}

impl Style {
    /// Colours a text for a side.
    pub fn side(self, side: Side, text: &str) -> String {
        self.paint(piece_sgr(side.soldier()), text)
    }

    /// Returns the letter of a piece, in its colour.
    pub fn piece(self, kind: Kind) -> String {
        self.paint(piece_sgr(kind), &kind.letter().to_string())
    }

    /// Applies the parameters of an escape sequence (SGR) to the text; none if `sgr` is empty.
    pub(super) fn paint(self, sgr: &str, text: &str) -> String {
        match self {
            Style::Ansi if !sgr.is_empty() => format!("\x1b[{sgr}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Returns the colour of a piece, one of the 16 that terminals let users configure.
pub(super) fn piece_sgr(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "1;31",
        Kind::Defender => "1;36",
        Kind::King => "1;33",
    }
}

fn mark_sgr(mark: Option<Mark>) -> &'static str {
    match mark {
        Some(Mark::Goal) => "32",
        Some(Mark::Gated) => "35",
        Some(Mark::Special) => "34",
        None => "2",
    }
}

impl BoardPicture {
    /// Draws the board as text, the last rank on top unless it is flipped, with the marks of
    /// [`BoardPicture::legend`]; a mark follows the piece on it. In colour, the squares of a move
    /// are shown in reverse video. Lines end with `\n`.
    pub fn to_text(&self, style: Style) -> String {
        let board = self.board;
        let mut picture = String::new();
        for rank in self.ranks() {
            picture.push_str(&style.paint("2", &format!("{:>3}", rank + 1)));
            // Blanks are delayed until a character follows, so that no line ends with one.
            let mut blanks = 2;
            for square in self.files().map(|file| board.at(file, rank)) {
                let (mark, piece) = (self.mark(square), self.layout.piece(square));
                let letter = mark.map_or('.', Mark::letter);
                let (first, colour) = match piece {
                    Some(kind) => (kind.letter(), piece_sgr(kind)),
                    None => (letter, mark_sgr(mark)),
                };
                let mut ends = self.arrow.iter().chain(&self.last);
                let moves = ends.any(|&(from, to)| square == from || square == to);
                let sgr = if moves { format!("{colour};7") } else { colour.to_owned() };
                picture.extend(std::iter::repeat_n(' ', blanks));
                picture.push_str(&style.paint(&sgr, &first.to_string()));
                blanks = 2;
                if piece.is_some() && mark.is_some() {
                    picture.push_str(&style.paint(mark_sgr(mark), &letter.to_string()));
                    blanks = 1;
                }
            }
            picture.push('\n');
        }
        let files: Vec<String> =
            self.files().map(|file| char::from(b'a' + file as u8).to_string()).collect();
        picture.push_str(&format!("     {}\n", style.paint("2", &files.join("  "))));
        picture
    }
}
