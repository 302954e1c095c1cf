use crate::game::rules::Kind;

use super::Style;
use super::shapes::{Ink, Point, SQUARE, Shape, piece};
use super::text::piece_sgr;

/// The longer side of a grid in a picture. Squares are no larger than those of a board and no
/// smaller than [`LEAST_SQUARE`].
const SIDE: f32 = 1500.0;
const LEAST_SQUARE: f32 = 6.0;
/// The width of the margin around the squares, which holds the numbers of rows and columns.
const FRAME: f32 = 32.0;
const CAPTION: f32 = 30.0;
/// The font size of the numbers in the margin.
const LETTERS: f32 = 13.0;

/// A grid of any size with shades, short texts and pieces on its squares. Rows and columns are
/// counted from 0 at the upper left corner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    columns: usize,
    squares: Vec<GridSquare>,
    caption: String,
}

/// A square of a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridSquare {
    /// The background.
    pub shade: Shade,
    /// The text; pictures show it only if there is no piece.
    pub text: String,
    /// The piece.
    pub piece: Option<Kind>,
}

/// The background of a square; the meaning is up to the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shade {
    /// An ordinary square of a board.
    Plain,
    /// Not part of the board.
    Away,
    /// Highlighted.
    Strong,
    /// The first of four kinds.
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

    /// Returns the parameters of the terminal's escape sequence (SGR).
    fn sgr(self) -> &'static str {
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
    /// Creates a grid with `columns` squares in each row, and a caption above it.
    ///
    /// # Panics
    /// If `columns` is 0 or does not divide the number of squares.
    pub fn new(columns: usize, squares: Vec<GridSquare>, caption: impl Into<String>) -> Grid {
        assert!(columns > 0 && squares.len().is_multiple_of(columns), "a row is not full");
        Grid { columns, squares, caption: caption.into() }
    }

    fn rows(&self) -> usize {
        self.squares.len() / self.columns
    }

    /// Draws the grid as text, with the numbers of all rows and of every fifth column. A square
    /// without text is a dot, or blank if it is not part of the board. Lines end with `\n`.
    pub fn to_text(&self, style: Style) -> String {
        let widths = self.squares.iter().map(|square| square.text.chars().count());
        let width = widths.fold(1, usize::max);
        let margin = self.rows().to_string().len().max(2);
        let mut header = format!("{:margin$}", "");
        for column in (0..self.columns).step_by(5) {
            let end = margin + (column + 1) * (width + 1) - 1;
            let blanks = end.saturating_sub(header.chars().count());
            header.push_str(&format!("{:blanks$}{column}", ""));
        }
        let mut text = style.paint("2", &header) + "\n";
        for (number, row) in self.squares.chunks(self.columns).enumerate() {
            text.push_str(&style.paint("2", &format!("{number:>margin$}")));
            // Blanks are delayed until a character follows, so that no line ends with one.
            let mut blanks = 0;
            for square in row {
                let word = match square.text.as_str() {
                    "" if square.shade == Shade::Away => "",
                    "" => ".",
                    word => word,
                };
                blanks += 1 + width - word.chars().count();
                if !word.is_empty() {
                    let sgr = square.piece.map_or(square.shade.sgr(), piece_sgr);
                    text.push_str(&" ".repeat(blanks));
                    text.push_str(&style.paint(sgr, word));
                    blanks = 0;
                }
            }
            text.push('\n');
        }
        text
    }

    /// Returns the side of a square in pictures.
    fn side(&self) -> f32 {
        (SIDE / self.columns.max(self.rows()) as f32).clamp(LEAST_SQUARE, SQUARE)
    }

    /// Returns the width and height of a picture of the grid.
    pub(super) fn size(&self) -> Point {
        let (width, height) = (self.columns as f32 * self.side(), self.rows() as f32 * self.side());
        // Leave room for a caption.
        ((width + 2.0 * FRAME).max(260.0), height + 2.0 * FRAME + CAPTION)
    }

    /// Draws the grid as shapes, on a background of [`Ink::Frame`].
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

    /// Returns the upper left corner of a square.
    fn corner(&self, row: usize, column: usize) -> Point {
        let side = self.side();
        (FRAME + column as f32 * side, FRAME + CAPTION + row as f32 * side)
    }

    /// Adds the caption, and the numbers of rows and columns.
    fn frame(&self, shapes: &mut Vec<Shape>) {
        let letters = self.caption.chars().count().max(1) as f32;
        let size = ((self.size().0 - 2.0 * FRAME) / letters / 0.6).clamp(8.0, 18.0).floor();
        shapes.push(label((FRAME, 34.0), size, false, self.caption.clone()));
        let side = self.side();
        let step = if side >= 24.0 { 1 } else { 5 };
        for column in (0..self.columns).step_by(step) {
            let (x, y) = self.corner(0, column);
            shapes.push(label((x + side / 2.0, y - 7.0), LETTERS, true, column.to_string()));
        }
        for row in (0..self.rows()).step_by(step) {
            let (x, y) = self.corner(row, 0);
            let at = (x - FRAME / 2.0, y + side / 2.0 + 5.0);
            shapes.push(label(at, LETTERS, true, row.to_string()));
        }
    }

    /// Adds a square's background with an outline.
    fn ground(&self, shapes: &mut Vec<Shape>, number: usize, shade: Shade) {
        if shade == Shade::Away {
            return;
        }
        let (x, y) = self.corner(number / self.columns, number % self.columns);
        let side = self.side();
        shapes.push(Shape::Rect { at: (x, y), size: (side, side), ink: Ink::Grid });
        let (line, inner) = (side / 40.0, side - side / 20.0);
        let (at, size) = ((x + line, y + line), (inner, inner));
        shapes.push(Shape::Rect { at, size, ink: shade.ink() });
    }

    fn content(&self, shapes: &mut Vec<Shape>, number: usize, square: &GridSquare) {
        let side = self.side();
        let (left, top) = self.corner(number / self.columns, number % self.columns);
        let (x, y) = (left + side / 2.0, top + side / 2.0);
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

    /// Describes the picture in words, for accessibility.
    pub(super) fn description(&self) -> String {
        let (king, soldiers) = (self.list(Kind::King), self.list(Kind::Attacker));
        format!("{}; king on {king}; soldiers on {soldiers}", self.caption)
    }

    /// Lists the rows and columns of the pieces of this kind.
    fn list(&self, kind: Kind) -> String {
        let squares = self.squares.iter().enumerate();
        let names: Vec<String> = squares
            .filter(|(_, square)| square.piece == Some(kind))
            .map(|(i, _)| format!("{},{}", i / self.columns, i % self.columns))
            .collect();
        names.join(" ")
    }
}

fn label(at: Point, size: f32, is_centred: bool, text: String) -> Shape {
    Shape::Text { at, size, is_centred, text, ink: Ink::Letter }
}
