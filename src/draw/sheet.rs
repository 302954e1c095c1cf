use super::BoardPicture;
use super::grid::Grid;
use super::shapes::{self, Point, Shape};

/// The maximum width of a sheet, unless a single board is wider or there are very many.
const WIDTH: f32 = 1500.0;
/// The approximate maximum ratio of height to width. Few programs show pictures higher than some
/// 2^14 pixels, which a single column of the longest lines would exceed.
const HEIGHT: f32 = 2.0;

/// An element of a [`Sheet`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Picture {
    Board(Box<BoardPicture>),
    Grid(Grid),
}

impl Picture {
    fn size(&self) -> Point {
        match self {
            Picture::Board(board) => shapes::size(board),
            Picture::Grid(grid) => grid.size(),
        }
    }

    fn shapes(&self) -> Vec<Shape> {
        match self {
            Picture::Board(board) => shapes::shapes(board),
            Picture::Grid(grid) => grid.shapes(),
        }
    }

    pub(super) fn description(&self) -> String {
        match self {
            Picture::Board(board) => board.description(),
            Picture::Grid(grid) => grid.description(),
        }
    }
}

/// Boards or grids arranged in rows, for one picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    pub(super) title: String,
    pub(super) pictures: Vec<Picture>,
}

impl Sheet {
    /// Creates a sheet of boards in this order, row by row. All must have the same size, and all or
    /// none a caption.
    pub fn new(title: impl Into<String>, boards: Vec<BoardPicture>) -> Sheet {
        let pictures = boards.into_iter().map(|board| Picture::Board(Box::new(board)));
        Sheet { title: title.into(), pictures: pictures.collect() }
    }

    /// Creates a sheet of grids in this order, row by row. All must have the same rows and columns.
    pub fn of_grids(title: impl Into<String>, grids: Vec<Grid>) -> Sheet {
        Sheet { title: title.into(), pictures: grids.into_iter().map(Picture::Grid).collect() }
    }

    /// Returns the number of pictures in a row: the fewest that need no more rows, so that the last
    /// row is not nearly empty.
    fn columns(&self) -> usize {
        let (width, height) = self.picture_size();
        let pictures = self.pictures.len() as f32;
        let least = (pictures * height / (HEIGHT * width)).sqrt().ceil();
        let most = (WIDTH / width).max(least).max(1.0) as usize;
        let rows = self.pictures.len().div_ceil(most).max(1);
        self.pictures.len().div_ceil(rows).max(1)
    }

    fn picture_size(&self) -> Point {
        self.pictures.first().map_or((1.0, 1.0), Picture::size)
    }

    /// Returns the width and height of the sheet.
    pub(super) fn size(&self) -> Point {
        let ((width, height), columns) = (self.picture_size(), self.columns());
        (columns as f32 * width, self.pictures.len().div_ceil(columns) as f32 * height)
    }

    /// Iterates over the upper left corners and shapes of the pictures, which are drawn on a
    /// background of [`Ink::Frame`](super::shapes::Ink::Frame).
    pub(super) fn placed(&self) -> impl Iterator<Item = (Point, Vec<Shape>)> {
        let ((width, height), columns) = (self.picture_size(), self.columns());
        self.pictures.iter().enumerate().map(move |(i, picture)| {
            let at = ((i % columns) as f32 * width, (i / columns) as f32 * height);
            (at, picture.shapes())
        })
    }
}
