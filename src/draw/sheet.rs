use super::BoardPicture;
use super::grid::Grid;
use super::shapes::{self, Point, Shape};

/// How wide a sheet may be, unless a single board is wider or there are very many.
const WIDTH: f32 = 1500.0;
/// A sheet of several boards is at most so many times as high as it is wide, about: few
/// programs show pictures of some 2^14 pixels in height, as the longest lines would have.
const HEIGHT: f32 = 2.0;

/// What a [`Sheet`] shows.
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

    pub(super) fn words(&self) -> String {
        match self {
            Picture::Board(board) => board.words(),
            Picture::Grid(grid) => grid.words(),
        }
    }
}

/// Boards or grids beside and below one another, to be written as one picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    pub(super) title: String,
    pub(super) pictures: Vec<Picture>,
}

impl Sheet {
    /// The boards in that order, row by row. They are of one game, all with a caption or
    /// all without.
    pub fn new(title: impl Into<String>, boards: Vec<BoardPicture>) -> Sheet {
        let pictures = boards.into_iter().map(|board| Picture::Board(Box::new(board)));
        Sheet { title: title.into(), pictures: pictures.collect() }
    }

    /// The grids in that order, row by row. They have the same rows and columns.
    pub fn of_grids(title: impl Into<String>, grids: Vec<Grid>) -> Sheet {
        Sheet { title: title.into(), pictures: grids.into_iter().map(Picture::Grid).collect() }
    }

    /// How many pictures there are in a row: as few as do with as many rows, so that the last
    /// one is not nearly empty.
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

    /// The width and height of the sheet.
    pub(super) fn size(&self) -> Point {
        let ((width, height), columns) = (self.picture_size(), self.columns());
        (columns as f32 * width, self.pictures.len().div_ceil(columns) as f32 * height)
    }

    /// The shapes of each picture, and where its upper left corner is. They are on a ground of
    /// [`Ink::Frame`](super::shapes::Ink::Frame).
    pub(super) fn placed(&self) -> impl Iterator<Item = (Point, Vec<Shape>)> {
        let ((width, height), columns) = (self.picture_size(), self.columns());
        self.pictures.iter().enumerate().map(move |(i, picture)| {
            let at = ((i % columns) as f32 * width, (i / columns) as f32 * height);
            (at, picture.shapes())
        })
    }
}
