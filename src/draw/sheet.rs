use super::BoardPicture;
use super::shapes::{self, Point, Shape};

/// How wide a sheet may be, unless a single board is wider or there are very many.
const WIDTH: f32 = 1500.0;
/// A sheet of several boards is at most so many times as high as it is wide, about: few
/// programs show pictures of some 2^14 pixels in height, as the longest lines would have.
const HEIGHT: f32 = 2.0;

/// Boards beside and below one another, to be written as one picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    pub(super) title: String,
    pub(super) boards: Vec<BoardPicture>,
}

impl Sheet {
    /// The boards in that order, row by row. They are of one game, all with a caption or
    /// all without.
    pub fn new(title: impl Into<String>, boards: Vec<BoardPicture>) -> Sheet {
        Sheet { title: title.into(), boards }
    }

    /// How many boards there are in a row: as few as do with as many rows, so that the last
    /// one is not nearly empty.
    fn columns(&self) -> usize {
        let (width, height) = self.board_size();
        let boards = self.boards.len() as f32;
        let least = (boards * height / (HEIGHT * width)).sqrt().ceil();
        let most = (WIDTH / width).max(least).max(1.0) as usize;
        let rows = self.boards.len().div_ceil(most).max(1);
        self.boards.len().div_ceil(rows).max(1)
    }

    fn board_size(&self) -> Point {
        self.boards.first().map_or((1.0, 1.0), shapes::size)
    }

    /// The width and height of the sheet.
    pub(super) fn size(&self) -> Point {
        let ((width, height), columns) = (self.board_size(), self.columns());
        (columns as f32 * width, self.boards.len().div_ceil(columns) as f32 * height)
    }

    /// The shapes of each board, and where its upper left corner is. They are on a ground of
    /// [`Ink::Frame`](super::shapes::Ink::Frame).
    pub(super) fn placed(&self) -> impl Iterator<Item = (Point, Vec<Shape>)> {
        let ((width, height), columns) = (self.board_size(), self.columns());
        self.boards.iter().enumerate().map(move |(i, board)| {
            let at = ((i % columns) as f32 * width, (i / columns) as f32 * height);
            (at, shapes::shapes(board))
        })
    }
}
