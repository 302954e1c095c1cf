//! The shapes of a picture, and the drawing of boards with them. Lengths are in units of 1/40 of a
//! square ([`SQUARE`]); y grows downwards.

use crate::game::board::Square;
use crate::game::rules::{Kind, Side};

use super::BoardPicture;
use super::board::{Caption, Mark};

/// The side of a square.
pub(super) const SQUARE: f32 = 40.0;
/// The width of the margin around the squares, which holds the names of files and ranks.
const FRAME: f32 = 26.0;
/// The height of a caption.
const CAPTION: f32 = 30.0;
/// The font size of the names.
const LETTERS: f32 = 15.0;

/// A point in a picture.
pub(super) type Point = (f32, f32);

/// A shape, drawn over the ones before it.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    /// A rectangle by its upper left corner and its size.
    Rect {
        at: Point,
        size: Point,
        ink: Ink,
    },
    Disc {
        centre: Point,
        radius: f32,
        ink: Ink,
    },
    /// With round ends.
    Line {
        from: Point,
        to: Point,
        width: f32,
        ink: Ink,
    },
    Triangle {
        corners: [Point; 3],
        ink: Ink,
    },
    /// A text on a baseline that starts at `at`, or is centred there.
    Text {
        at: Point,
        size: f32,
        is_centred: bool,
        text: String,
        ink: Ink,
    },
}

/// The colours. Pictures are opaque, so that they look the same on light and dark pages. Shapes
/// also distinguish squares and pieces, without colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ink {
    Frame,
    Letter,
    Board,
    Grid,
    Goal,
    GoalSign,
    Gated,
    GatedSign,
    Special,
    SpecialSign,
    Dark,
    DarkRim,
    Light,
    LightRim,
    King,
    Arrow,
    Captured,
    Strong,
    Fourth,
}

impl Ink {
    pub(super) fn rgb(self) -> [u8; 3] {
        let number: u32 = match self {
            Ink::Frame => 0x3a_4149,
            Ink::Letter => 0xe3_e6ea,
            Ink::Board => 0xea_d9b8,
            Ink::Grid => 0xb5_9d75,
            Ink::Goal => 0xbf_d3a2,
            Ink::GoalSign => 0x6f_8f55,
            Ink::Gated => 0xd2_bda6,
            Ink::GatedSign => 0x9a_7f63,
            Ink::Special => 0xd9_c6dc,
            Ink::SpecialSign => 0x94_7a9c,
            Ink::Dark => 0x2b_2e34,
            Ink::DarkRim => 0x0e_0f12,
            Ink::Light => 0xfd_faf3,
            Ink::LightRim => 0x4d_4a44,
            Ink::King => 0xf2_b632,
            Ink::Arrow => 0x2f_74d0,
            Ink::Captured => 0xe0_3c31,
            Ink::Strong => 0xe9_a58c,
            Ink::Fourth => 0xb4_cfe2,
        };
        let [_, red, green, blue] = number.to_be_bytes();
        [red, green, blue]
    }
}

/// Returns the width and height of a picture of the board.
pub(super) fn size(picture: &BoardPicture) -> Point {
    let squares = picture.board.size() as f32 * SQUARE;
    (squares + 2.0 * FRAME, squares + 2.0 * FRAME + caption_height(picture))
}

fn caption_height(picture: &BoardPicture) -> f32 {
    if picture.caption.is_some() { CAPTION } else { 0.0 }
}

/// Draws the board as shapes, on a background of [`Ink::Frame`].
pub(super) fn shapes(picture: &BoardPicture) -> Vec<Shape> {
    let mut drawing = Drawing { picture, shapes: Vec::new() };
    drawing.frame();
    drawing.squares();
    drawing.last();
    drawing.arrow();
    drawing.pieces();
    drawing.captures();
    drawing.shapes
}

struct Drawing<'a> {
    picture: &'a BoardPicture,
    shapes: Vec<Shape>,
}

impl Drawing<'_> {
    /// Returns the centre of a square.
    fn centre(&self, square: Square) -> Point {
        let board = self.picture.board;
        let (file, rank, last) = (board.file(square), board.rank(square), board.size() - 1);
        let (right, down) =
            if self.picture.is_turned { (last - file, rank) } else { (file, last - rank) };
        self.at(right as f32 + 0.5, down as f32 + 0.5)
    }

    /// Returns the point that many squares right of and below the board's upper left corner.
    fn at(&self, right: f32, down: f32) -> Point {
        (FRAME + right * SQUARE, caption_height(self.picture) + FRAME + down * SQUARE)
    }

    fn line(&mut self, from: Point, to: Point, width: f32, ink: Ink) {
        self.shapes.push(Shape::Line { from, to, width, ink });
    }

    fn disc(&mut self, centre: Point, radius: f32, ink: Ink) {
        self.shapes.push(Shape::Disc { centre, radius, ink });
    }

    /// Draws the caption, and the names of files and ranks.
    fn frame(&mut self) {
        let board = self.picture.board;
        if let Some(caption) = &self.picture.caption {
            self.caption(caption);
        }
        let (left, bottom) = self.at(0.0, board.size() as f32);
        for number in 0..board.size() {
            let (x, y) = self.centre(board.at(number, number));
            let letter = char::from(b'a' + number as u8).to_string();
            self.text((x, bottom + 0.72 * FRAME), LETTERS, true, letter);
            self.text((left - FRAME / 2.0, y + 5.0), LETTERS, true, (number + 1).to_string());
        }
    }

    fn caption(&mut self, caption: &Caption) {
        let (mut x, y) = (FRAME, FRAME / 2.0 + CAPTION / 2.0);
        if let Some(side) = caption.side {
            // Dark pieces need a light background to stand out from the frame.
            self.disc((x + 8.0, y), 9.5, Ink::Letter);
            piece(&mut self.shapes, (x + 8.0, y), 8.0, side.soldier());
            x += 24.0;
        }
        // Letters are about 0.6 as wide as they are high: shrink a long line to fit.
        let width = size(self.picture).0 - x - FRAME / 2.0;
        let letters = caption.text.chars().count().max(1) as f32;
        let fitting = (width / letters / 0.6).min(1.2 * LETTERS);
        let height = (2.0 * fitting).floor() / 2.0;
        self.text((x, y + 0.35 * height), height, false, caption.text.clone());
    }

    fn text(&mut self, at: Point, size: f32, is_centred: bool, text: String) {
        self.shapes.push(Shape::Text { at, size, is_centred, text, ink: Ink::Letter });
    }

    fn squares(&mut self) {
        let board = self.picture.board;
        let side = board.size() as f32;
        let size = (side * SQUARE, side * SQUARE);
        self.shapes.push(Shape::Rect { at: self.at(0.0, 0.0), size, ink: Ink::Board });
        for square in board.squares() {
            if let Some(mark) = self.picture.mark(square) {
                self.mark(square, mark);
            }
        }
        for number in 0..=board.size() {
            let along = number as f32;
            self.line(self.at(along, 0.0), self.at(along, side), 1.5, Ink::Grid);
            self.line(self.at(0.0, along), self.at(side, along), 1.5, Ink::Grid);
        }
    }

    fn mark(&mut self, square: Square, mark: Mark) {
        let (x, y) = self.centre(square);
        let (at, size) = ((x - SQUARE / 2.0, y - SQUARE / 2.0), (SQUARE, SQUARE));
        let (ink, sign) = match mark {
            Mark::Goal => (Ink::Goal, Ink::GoalSign),
            Mark::Gated => (Ink::Gated, Ink::GatedSign),
            Mark::Special => (Ink::Special, Ink::SpecialSign),
        };
        self.shapes.push(Shape::Rect { at, size, ink });
        let d = 0.32 * SQUARE;
        match mark {
            Mark::Goal => self.cross((x, y), d, 2.5, sign),
            Mark::Gated => {
                let corners = [(x - d, y - d), (x + d, y - d), (x + d, y + d), (x - d, y + d)];
                self.outline(corners, sign);
            }
            Mark::Special => {
                let half = 1.2 * d;
                let corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)];
                self.outline(corners, sign);
            }
        }
    }

    fn outline(&mut self, corners: [Point; 4], ink: Ink) {
        for (i, &from) in corners.iter().enumerate() {
            self.line(from, corners[(i + 1) % 4], 2.0, ink);
        }
    }

    fn cross(&mut self, (x, y): Point, reach: f32, width: f32, ink: Ink) {
        self.line((x - reach, y - reach), (x + reach, y + reach), width, ink);
        self.line((x - reach, y + reach), (x + reach, y - reach), width, ink);
    }

    /// Draws a frame inside each square of the last move.
    fn last(&mut self) {
        let d = 0.44 * SQUARE;
        for square in self.picture.last.into_iter().flat_map(|(from, to)| [from, to]) {
            let (x, y) = self.centre(square);
            let corners = [(x - d, y - d), (x + d, y - d), (x + d, y + d), (x - d, y + d)];
            self.outline(corners, Ink::Arrow);
        }
    }

    /// Draws an arrow from under the piece to the centre of the target square.
    fn arrow(&mut self) {
        let Some((from, to)) = self.picture.arrow else {
            return;
        };
        let (from, to) = (self.centre(from), self.centre(to));
        // Pieces move along files and ranks, so one of the two components is 0.
        let (dx, dy) = (sign(to.0 - from.0), sign(to.1 - from.1));
        // Points of the arrow by their distances behind the target and to its side.
        let [shaft, tip, left, right] =
            [(8.0, 0.0), (-6.0, 0.0), (11.0, 11.0), (11.0, -11.0)].map(|(back, side): Point| {
                (to.0 - back * dx - side * dy, to.1 - back * dy + side * dx)
            });
        self.line(from, shaft, 7.0, Ink::Arrow);
        self.shapes.push(Shape::Triangle { corners: [tip, left, right], ink: Ink::Arrow });
    }

    fn pieces(&mut self) {
        for square in self.picture.board.squares() {
            if let Some(kind) = self.picture.layout.piece(square) {
                let centre = self.centre(square);
                piece(&mut self.shapes, centre, 0.36 * SQUARE, kind);
            }
        }
    }

    fn captures(&mut self) {
        for square in self.picture.captured {
            self.cross(self.centre(square), 0.3 * SQUARE, 5.0, Ink::Captured);
        }
    }
}

/// Returns -1, 0 or 1; `f32::signum` is never 0.
fn sign(d: f32) -> f32 {
    if d == 0.0 { 0.0 } else { d.signum() }
}

/// Draws a piece, for boards and grids.
pub(super) fn piece(shapes: &mut Vec<Shape>, centre: Point, radius: f32, kind: Kind) {
    let (rim, face) = match kind.side() {
        Side::Attackers => (Ink::DarkRim, Ink::Dark),
        Side::Defenders => (Ink::LightRim, Ink::Light),
    };
    shapes.push(Shape::Disc { centre, radius, ink: rim });
    shapes.push(Shape::Disc { centre, radius: 0.88 * radius, ink: face });
    if kind == Kind::King {
        let ((x, y), arm) = (centre, 0.46 * radius);
        // On a board the radius is 14.4.
        let width = 3.5 * (radius / (0.36 * SQUARE));
        shapes.push(Shape::Disc { centre, radius: 0.76 * radius, ink: Ink::King });
        for (from, to) in [((x - arm, y), (x + arm, y)), ((x, y - arm), (x, y + arm))] {
            shapes.push(Shape::Line { from, to, width, ink: Ink::LightRim });
        }
    }
}
