use std::fmt;

use super::{MAX_SIZE, MIN_SIZE, SquareSet};

/// A square of a board, numbered `rank * size + file` from a1 (0). A number denotes a square only
/// together with its [`Board`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u16);

impl Square {
    /// Creates the square with this number.
    ///
    /// # Panics
    /// If the number is [`SquareSet::CAPACITY`] or more, beyond any board.
    #[inline]
    pub fn new(index: usize) -> Square {
        assert!(index < SquareSet::CAPACITY, "no board has a square {index}");
        Square(index as u16)
    }

    /// Returns the square's number, `rank * size + file`.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One of the four directions in which a piece moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Towards the last file.
    East,
    /// Towards the last rank.
    North,
    /// Towards file a.
    West,
    /// Towards rank 1.
    South,
}

impl Direction {
    /// All four, in the order of arrays indexed by direction.
    pub const ALL: [Direction; 4] =
        [Direction::East, Direction::North, Direction::West, Direction::South];

    /// Returns the opposite direction.
    #[must_use]
    #[inline]
    pub fn opposite(self) -> Direction {
        match self {
            Direction::East => Direction::West,
            Direction::North => Direction::South,
            Direction::West => Direction::East,
            Direction::South => Direction::North,
        }
    }
}

/// A square board of odd size, with its geometry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    size: u8,
}

impl Board {
    /// Creates a board of `size` files and ranks; `None` unless the size is odd and between
    /// [`MIN_SIZE`] and [`MAX_SIZE`].
    pub fn new(size: u8) -> Option<Board> {
        (size % 2 == 1 && (MIN_SIZE..=MAX_SIZE).contains(&size)).then_some(Board { size })
    }

    /// Returns the number of files, which is also the number of ranks.
    #[inline]
    pub fn size(self) -> usize {
        usize::from(self.size)
    }

    /// Returns the number of squares.
    #[inline]
    pub fn area(self) -> usize {
        self.size() * self.size()
    }

    /// Iterates over the squares in order: a1, b1, … a2, b2, …
    #[inline]
    pub fn squares(self) -> impl DoubleEndedIterator<Item = Square> + Clone {
        (0..self.area()).map(Square::new)
    }

    /// Returns the square in the middle.
    pub fn centre(self) -> Square {
        Square::new(self.area() / 2)
    }

    /// Returns the four corners, in square order.
    pub fn corners(self) -> SquareSet {
        let last = self.size() - 1;
        [(0, 0), (last, 0), (0, last), (last, last)]
            .into_iter()
            .map(|(file, rank)| self.at(file, rank))
            .collect()
    }

    /// Returns all squares of the first and last files and ranks.
    pub fn edge(self) -> SquareSet {
        let last = self.size() - 1;
        let sides = |i| [self.at(i, 0), self.at(i, last), self.at(0, i), self.at(last, i)];
        (0..=last).flat_map(sides).collect()
    }

    /// Returns the square numbered `index`, `rank * size + file`; `None` if it is off the board.
    #[inline]
    pub fn square(self, index: usize) -> Option<Square> {
        (index < self.area()).then(|| Square::new(index))
    }

    /// Returns the square on this file and rank, both from 0.
    ///
    /// # Panics
    /// If either is off the board.
    #[inline]
    pub fn at(self, file: usize, rank: usize) -> Square {
        assert!(file < self.size() && rank < self.size(), "off the board");
        Square::new(rank * self.size() + file)
    }

    /// Returns the square's file, from 0.
    #[inline]
    pub fn file(self, square: Square) -> usize {
        square.index() % self.size()
    }

    /// Returns the square's rank, from 0.
    #[inline]
    pub fn rank(self, square: Square) -> usize {
        square.index() / self.size()
    }

    /// Returns the next square in this direction; `None` at the edge.
    #[inline]
    pub fn step(self, square: Square, direction: Direction) -> Option<Square> {
        let (file, rank, last) = (self.file(square), self.rank(square), self.size() - 1);
        match direction {
            Direction::East => (file < last).then(|| self.at(file + 1, rank)),
            Direction::North => (rank < last).then(|| self.at(file, rank + 1)),
            Direction::West => (file > 0).then(|| self.at(file - 1, rank)),
            Direction::South => (rank > 0).then(|| self.at(file, rank - 1)),
        }
    }

    /// Iterates over the squares from here to the edge in this direction, nearest first.
    #[inline]
    pub fn ray(self, from: Square, direction: Direction) -> impl Iterator<Item = Square> {
        std::iter::successors(self.step(from, direction), move |&s| self.step(s, direction))
    }

    /// Iterates over the two to four orthogonal neighbours of the square.
    #[inline]
    pub fn neighbours(self, square: Square) -> impl Iterator<Item = Square> {
        Direction::ALL.into_iter().filter_map(move |d| self.step(square, d))
    }

    /// Returns the number of steps from one square to the other, along files and ranks.
    pub(crate) fn distance(self, one: Square, other: Square) -> usize {
        self.file(one).abs_diff(self.file(other)) + self.rank(one).abs_diff(self.rank(other))
    }

    /// Returns the names of squares, in square order.
    pub(crate) fn names(self, squares: SquareSet) -> Vec<String> {
        squares.iter().map(|square| self.name(square).to_string()).collect()
    }

    /// Returns the square's name: file letter from `a` (none skipped), rank from 1.
    pub fn name(self, square: Square) -> SquareName {
        SquareName { file: self.file(square) as u8, rank: self.rank(square) as u8 }
    }

    /// Parses a square's name in lower or upper case; `None` if the board has no such square.
    pub fn parse(self, name: &str) -> Option<Square> {
        let mut chars = name.chars();
        let file = (chars.next()?.to_ascii_lowercase() as usize).checked_sub('a' as usize)?;
        let digits = chars.as_str();
        if digits.is_empty()
            || digits.starts_with('0')
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let rank = digits.parse::<usize>().ok()?.checked_sub(1)?;
        (file < self.size() && rank < self.size()).then(|| self.at(file, rank))
    }
}

/// The name of a square, displayed as `e5`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SquareName {
    file: u8,
    rank: u8,
}

impl fmt::Display for SquareName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", char::from(b'a' + self.file), self.rank + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for size in (MIN_SIZE..=MAX_SIZE).step_by(2) {
            let board = Board::new(size).unwrap();
            for square in board.squares() {
                assert_eq!(board.parse(&board.name(square).to_string()), Some(square));
            }
        }
        let board = Board::new(9).unwrap();
        assert_eq!(board.name(board.at(2, 7)).to_string(), "c8");
        for wrong in ["", "a", "a0", "a10", "j1", "a1 ", "a+1", "1a", "aa1", "a01", "é1"] {
            assert_eq!(board.parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn boards_are_odd_and_bounded() {
        assert!(Board::new(4).is_none() && Board::new(6).is_none());
        assert!(Board::new(3).is_none() && Board::new(21).is_none());
        let board = Board::new(7).unwrap();
        assert_eq!((board.edge().len(), board.corners().len()), (24, 4));
        let has_no_square_beyond = |&s: &Square| board.neighbours(s).count() < 4;
        assert_eq!(board.edge(), board.squares().filter(has_no_square_beyond).collect());
        assert_eq!(board.name(board.centre()).to_string(), "d4");
        assert_eq!((board.square(24), board.square(49)), (Some(board.centre()), None));
        assert_eq!(board.ray(board.centre(), Direction::East).count(), 3);
    }
}
