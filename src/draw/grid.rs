use crate::game::rules::{Kind, Side};

use super::Style;
use super::shapes::{Ink, Point, SQUARE, Shape, piece};
use super::text::ink;

/// How large the longer side of a grid is in a picture, unless its squares would be larger
/// than those of a board, or too small to be seen.
const SIDE: f32 = 1500.0;
const LEAST_SQUARE: f32 = 6.0;
/// What surrounds the squares: the numbers of rows and columns are in it.
const FRAME: f32 = 32.0;
const CAPTION: f32 = 30.0;
/// The height of the numbers in the frame.
const LETTERS: f32 = 13.0;

/// A grid of any number of rows and columns, counted from 0 at the upper left corner, with
/// shades, short texts and pieces on its squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    columns: usize,
    squares: Vec<GridSquare>,
    caption: String,
}

/// A square of a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridSquare {
    /// The colour of its ground.
    pub shade: Shade,
    /// What is written on it; in pictures, only if there is no piece.
    pub text: String,
    /// What stands on it.
    pub piece: Option<Kind>,
}

/// The ground of a square: what it means is told by who draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shade {
    /// As the squares of a board.
    Plain,
    /// As if it were not there.
    Away,
    /// What the picture is about.
    Strong,
    /// One of four kinds.
    First,
    /// The second kind.
    Second,
    /// The third kind.
    Third,
    /// The fourth kind.
    Fourth,
}

impl Shade {
    fn ink(self) -> Ink {
        match self {
            Shade::Plain => Ink::Board,
            Shade::Away => Ink::Frame,
            Shade::Strong => Ink::Strong,
            Shade::First => Ink::Goal,
            Shade::Second => Ink::Gated,
            Shade::Third => Ink::Special,
            Shade::Fourth => Ink::Fourth,
        }
    }

    /// The numbers of an escape sequence.
    fn rendition(self) -> &'static str {
        match self {
            Shade::Plain | Shade::Away => "2",
            Shade::Strong => "1;31",
            Shade::First => "32",
            Shade::Second => "33",
            Shade::Third => "35",
            Shade::Fourth => "34",
        }
    }
}

impl Grid {
    /// A grid of rows of so many squares, with a line above it.
    ///
    /// # Panics
    /// If the last row is not full.
    pub fn new(columns: usize, squares: Vec<GridSquare>, caption: impl Into<String>) -> Grid {
        assert!(columns > 0 && squares.len().is_multiple_of(columns), "a row is not full");
        Grid { columns, squares, caption: caption.into() }
    }

    fn rows(&self) -> usize {
        self.squares.len() / self.columns
    }

    /// The grid in text, with the numbers of rows and, every fifth, of columns; a square
    /// without a text is a point, or a blank if it is away. Lines end with `\n`.
    pub fn to_text(&self, style: Style) -> String {
        let width = self.squares.iter().map(|square| square.text.chars().count()).max();
        let width = width.unwrap_or(1).max(1);
        let margin = self.rows().to_string().len().max(2);
        let mut text = format!("{:margin$}", "");
        for column in (0..self.columns).step_by(5) {
            let place = margin + (column + 1) * (width + 1) - 1;
            let blanks = place.saturating_sub(text.chars().count());
            text.push_str(&format!("{:blanks$}{column}", ""));
        }
        let mut text = style.paint("2", &text) + "\n";
        for (number, row) in self.squares.chunks(self.columns).enumerate() {
            text.push_str(&style.paint("2", &format!("{number:>margin$}")));
            // Blanks are written before what follows them, so that no line ends with one.
            let mut blanks = 0;
            for square in row {
                let word = match square.text.as_str() {
                    "" if square.shade == Shade::Away => "",
                    "" => ".",
                    word => word,
                };
                blanks += 1 + width - word.chars().count();
                if !word.is_empty() {
                    let colour = square.piece.map_or(square.shade.rendition(), ink);
                    text.push_str(&" ".repeat(blanks));
                    text.push_str(&style.paint(colour, word));
                    blanks = 0;
                }
            }
            text.push('\n');
        }
        text
    }

    /// The side of a square in pictures.
    fn side(&self) -> f32 {
        (SIDE / self.columns.max(self.rows()) as f32).clamp(LEAST_SQUARE, SQUARE)
    }

    /// The width and height of a picture of the grid.
    pub(super) fn size(&self) -> Point {
        let (width, height) = (self.columns as f32 * self.side(), self.rows() as f32 * self.side());
        // A caption needs some room.
        ((width + 2.0 * FRAME).max(260.0), height + 2.0 * FRAME + CAPTION)
    }

    /// The grid as shapes, on a ground of [`Ink::Frame`].
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        self.frame(&mut shapes);
        for (number, square) in self.squares.iter().enumerate() {
            self.ground(&mut shapes, number, square.shade);
        }
        for (number, square) in self.squares.iter().enumerate() {
            self.content(&mut shapes, number, square);
        }
        shapes
    }

    /// The upper left corner of a square.
    fn corner(&self, row: usize, column: usize) -> Point {
        let side = self.side();
        (FRAME + column as f32 * side, FRAME + CAPTION + row as f32 * side)
    }

    fn frame(&self, shapes: &mut Vec<Shape>) {
        let mut text = |at, size, is_centred, text: String| {
            shapes.push(Shape::Text { at, size, is_centred, text, ink: Ink::Letter });
        };
        let letters = self.caption.chars().count().max(1) as f32;
        let size = ((self.size().0 - 2.0 * FRAME) / letters / 0.6).clamp(8.0, 18.0).floor();
        text((FRAME, 34.0), size, false, self.caption.clone());
        let side = self.side();
        let step = if side >= 24.0 { 1 } else { 5 };
        for column in (0..self.columns).step_by(step) {
            let (x, y) = self.corner(0, column);
            text((x + side / 2.0, y - 7.0), LETTERS, true, column.to_string());
        }
        for row in (0..self.rows()).step_by(step) {
            let (x, y) = self.corner(row, 0);
            text((x - FRAME / 2.0, y + side / 2.0 + 5.0), LETTERS, true, row.to_string());
        }
    }

    /// A square, with a line around it that leaves the ground of a board between two.
    fn ground(&self, shapes: &mut Vec<Shape>, number: usize, shade: Shade) {
        if shade == Shade::Away {
            return;
        }
        let at = self.corner(number / self.columns, number % self.columns);
        let side = self.side();
        shapes.push(Shape::Rect { at, size: (side, side), ink: Ink::Grid });
        let (line, size) = (side / 40.0, side - side / 20.0);
        let at = (at.0 + line, at.1 + line);
        shapes.push(Shape::Rect { at, size: (size, size), ink: shade.ink() });
    }

    fn content(&self, shapes: &mut Vec<Shape>, number: usize, square: &GridSquare) {
        let side = self.side();
        let (x, y) = self.corner(number / self.columns, number % self.columns);
        let (x, y) = (x + side / 2.0, y + side / 2.0);
        if let Some(kind) = square.piece {
            piece(shapes, (x, y), 0.36 * side, kind);
        } else if !square.text.is_empty() {
            let letters = square.text.chars().count() as f32;
            let size = (0.45 * side).min(1.4 * side / letters);
            let text = square.text.clone();
            let at = (x, y + 0.35 * size);
            shapes.push(Shape::Text { at, size, is_centred: true, text, ink: Ink::DarkRim });
        }
    }

    /// The picture in words, for those who do not see it.
    pub(super) fn words(&self) -> String {
        let named = |wanted: Kind| {
            let squares = self.squares.iter().enumerate();
            let squares = squares.filter(move |(_, square)| square.piece == Some(wanted));
            let names = squares.map(|(i, _)| format!("{},{}", i / self.columns, i % self.columns));
            names.collect::<Vec<_>>().join(" ")
        };
        let (king, soldiers) = (named(Kind::King), named(Side::Attackers.soldier()));
        format!("{}; king on {king}; soldiers on {soldiers}", self.caption)
    }
}
