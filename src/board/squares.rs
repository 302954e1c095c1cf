use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub, SubAssign};

use super::Square;

const WORDS: usize = 6;

/// A set of squares, one bit for each square of the largest board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SquareSet([u64; WORDS]);

impl SquareSet {
    /// How many squares a set has room for: more than the largest board has.
    pub const CAPACITY: usize = 64 * WORDS;
    /// The set without squares.
    pub const EMPTY: SquareSet = SquareSet([0; WORDS]);

    /// The set of one square.
    #[inline]
    pub fn of(square: Square) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        set.insert(square);
        set
    }

    /// Whether the square is in the set.
    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 == 1
    }

    /// Puts the square in.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
    }

    /// Takes the square out.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
    }

    /// This set and the square.
    #[inline]
    pub fn with(mut self, square: Square) -> SquareSet {
        self.insert(square);
        self
    }

    /// This set but for the square.
    #[inline]
    pub fn without(mut self, square: Square) -> SquareSet {
        self.remove(square);
        self
    }

    /// How many squares are in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no square is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Whether the two sets have a square in common.
    #[inline]
    pub fn meets(&self, other: SquareSet) -> bool {
        !(*self & other).is_empty()
    }

    /// Whether all squares of this set are in the other one.
    #[inline]
    pub fn is_subset(&self, other: SquareSet) -> bool {
        (*self - other).is_empty()
    }

    /// The first square in order.
    pub fn first(&self) -> Option<Square> {
        self.iter().next()
    }

    /// The squares in order: a1, b1, … a2, b2, …
    #[inline]
    pub fn iter(&self) -> Iter {
        Iter { words: self.0, word: 0 }
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl BitAnd for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl Sub for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

impl Not for SquareSet {
    type Output = SquareSet;
    /// All squares that are not in the set, those beyond the board included.
    #[inline]
    fn not(self) -> SquareSet {
        SquareSet(self.0.map(|word| !word))
    }
}

impl BitOrAssign for SquareSet {
    #[inline]
    fn bitor_assign(&mut self, other: SquareSet) {
        *self = *self | other;
    }
}

impl BitAndAssign for SquareSet {
    #[inline]
    fn bitand_assign(&mut self, other: SquareSet) {
        *self = *self & other;
    }
}

impl SubAssign for SquareSet {
    #[inline]
    fn sub_assign(&mut self, other: SquareSet) {
        *self = *self - other;
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        squares.into_iter().fold(SquareSet::EMPTY, SquareSet::with)
    }
}

impl Extend<Square> for SquareSet {
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        for square in squares {
            self.insert(square);
        }
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Iter;
    fn into_iter(self) -> Iter {
        self.iter()
    }
}

/// The squares of a [`SquareSet`] in order.
#[derive(Clone, Debug)]
pub struct Iter {
    words: [u64; WORDS],
    word: usize,
}

impl Iterator for Iter {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        while self.word < WORDS {
            let bits = self.words[self.word];
            if bits != 0 {
                self.words[self.word] = bits & (bits - 1);
                return Some(Square::new(self.word * 64 + bits.trailing_zeros() as usize));
            }
            self.word += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_is_put_in() {
        let squares = [0, 63, 64, 127, 300, 360].map(Square::new);
        let set: SquareSet = squares.into_iter().collect();
        assert_eq!(set.len(), 6);
        assert!(set.iter().eq(squares));
        assert_eq!((set - SquareSet::of(squares[1])).len(), 5);
        assert!(set.without(squares[0]).is_subset(set) && !set.is_subset(SquareSet::EMPTY));
        assert!(set.meets(SquareSet::of(squares[4])) && !set.meets(!set));
    }
}
