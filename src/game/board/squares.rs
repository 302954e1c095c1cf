use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub, SubAssign};

use super::{Square, array_of, set_bits};

/// A set of squares, one bit for each square of the largest board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SquareSet([u64; SquareSet::WORDS]);

impl SquareSet {
    /// The number of 64-bit words in a set.
    pub const WORDS: usize = 6;
    /// The number of squares that a set can hold: more than the largest board has.
    pub const CAPACITY: usize = 64 * SquareSet::WORDS;
    /// The empty set.
    pub const EMPTY: SquareSet = SquareSet([0; SquareSet::WORDS]);

    /// Creates a set from a bitboard: square `i` is bit `i % 64` of word `i / 64`.
    #[inline]
    pub fn from_words(words: [u64; SquareSet::WORDS]) -> SquareSet {
        SquareSet(words)
    }

    /// Returns the set as a bitboard; see [`SquareSet::from_words`].
    #[inline]
    pub fn words(&self) -> [u64; SquareSet::WORDS] {
        self.0
    }

    /// Creates a set of one square.
    #[inline]
    pub fn of(square: Square) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        set.insert(square);
        set
    }

    /// Returns whether the square is in the set.
    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 == 1
    }

    /// Adds the square.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
    }

    /// Removes the square.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
    }

    /// Returns this set with the square added.
    #[must_use]
    #[inline]
    pub fn with(mut self, square: Square) -> SquareSet {
        self.insert(square);
        self
    }

    /// Returns this set with the square removed.
    #[must_use]
    #[inline]
    pub fn without(mut self, square: Square) -> SquareSet {
        self.remove(square);
        self
    }

    /// Returns the number of squares in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Returns whether the two sets have a square in common.
    #[inline]
    pub fn meets(&self, other: SquareSet) -> bool {
        !(*self & other).is_empty()
    }

    /// Returns whether all squares of this set are in the other one.
    #[inline]
    pub fn is_subset(&self, other: SquareSet) -> bool {
        (*self - other).is_empty()
    }

    /// Returns the lowest-numbered square.
    pub fn first(&self) -> Option<Square> {
        self.iter().next()
    }

    /// Returns the number of squares of the set that precede this one.
    #[inline]
    pub(crate) fn count_before(&self, square: Square) -> usize {
        let (word, bit) = (square.index() / 64, square.index() % 64);
        let before: u32 = self.0[..word].iter().map(|word| word.count_ones()).sum();
        (before + (self.0[word] & ((1 << bit) - 1)).count_ones()) as usize
    }

    /// Iterates in order over a set whose squares are all in the first `W` words. On small boards
    /// this saves looking at the empty ones.
    #[inline]
    pub(crate) fn iter_words<const W: usize>(&self) -> impl Iterator<Item = Square> + use<W> {
        set_bits::<W>(array_of(|i| self.0[i])).map(Square::new)
    }

    /// Iterates over the squares in order: a1, b1, … a2, b2, …
    #[inline]
    pub fn iter(&self) -> Iter {
        Iter { words: self.0, word: 0, left: self.0[0] }
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(array_of(|i| self.0[i] | other.0[i]))
    }
}

impl BitAnd for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(array_of(|i| self.0[i] & other.0[i]))
    }
}

impl Sub for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(array_of(|i| self.0[i] & !other.0[i]))
    }
}

impl Not for SquareSet {
    type Output = SquareSet;
    /// Returns the complement, which includes numbers off the board.
    #[inline]
    fn not(self) -> SquareSet {
        SquareSet(array_of(|i| !self.0[i]))
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
    #[inline]
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        set.extend(squares);
        set
    }
}

impl Extend<Square> for SquareSet {
    #[inline]
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        for square in squares {
            self.insert(square);
        }
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Iter;
    #[inline]
    fn into_iter(self) -> Iter {
        self.iter()
    }
}

/// An iterator over the squares of a [`SquareSet`] in order.
#[derive(Clone, Debug)]
pub struct Iter {
    words: [u64; SquareSet::WORDS],
    /// The current word's number, and its squares still to come.
    word: usize,
    left: u64,
}

impl Iterator for Iter {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        while self.left == 0 {
            self.left = *self.words.get(self.word + 1)?;
            self.word += 1;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(Square::new(self.word * 64 + bit))
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
        assert!(set.iter().eq(squares) && set.iter_words::<6>().eq(squares));
        assert!(set.iter_words::<2>().eq(squares[..4].iter().copied()));
        assert_eq!((set - SquareSet::of(squares[1])).len(), 5);
        assert!(set.without(squares[0]).is_subset(set) && !set.is_subset(SquareSet::EMPTY));
        assert!(set.meets(SquareSet::of(squares[4])) && !set.meets(!set));
        for (before, square) in squares.into_iter().enumerate() {
            assert_eq!(set.count_before(square), before);
        }
        assert_eq!(set.count_before(Square::new(SquareSet::CAPACITY - 1)), 6);
        assert_eq!(SquareSet::from_words(set.words()), set);
        assert_eq!(SquareSet::from_words([0, 2, 0, 0, 0, 0]).first(), Some(Square::new(65)));
    }
}
