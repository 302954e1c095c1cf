use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::game::board::{Square, SquareSet, array_of};

/// A bitboard of `W` words: 1 for 7x7, 2 up to 11x11, 3 for 13x13, 6 for the largest boards.
/// Square `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Bits<const W: usize>([u64; W]);

/// Evaluates an expression with a constant, the number of words of a [`Bits`] for this board, as in
/// `with_width!(rules.board, W => State::<W>::new(…))`. Each width is compiled on its own.
macro_rules! with_width {
    ($board:expr, $words:ident => $value:expr) => {
        match $board.area().div_ceil(64) {
            1 => {
                const $words: usize = 1;
                $value
            }
            2 => {
                const $words: usize = 2;
                $value
            }
            3 => {
                const $words: usize = 3;
                $value
            }
            _ => {
                const $words: usize = 6;
                $value
            }
        }
    };
}
pub(crate) use with_width;

impl<const W: usize> Bits<W> {
    pub(crate) const EMPTY: Bits<W> = Bits([0; W]);

    /// Converts a set, which must fit into the words.
    #[inline]
    pub(crate) fn of(squares: SquareSet) -> Bits<W> {
        let words = squares.words();
        debug_assert!(words[W..].iter().all(|&word| word == 0), "a square beyond the board");
        Bits(array_of(|i| words[i]))
    }

    /// Converts the bitboard to a set.
    #[inline]
    pub(crate) fn squares(self) -> SquareSet {
        SquareSet::from_words(array_of(|i| if i < W { self.0[i] } else { 0 }))
    }

    /// Returns the words.
    #[inline]
    pub(crate) fn words(self) -> [u64; W] {
        self.0
    }

    #[inline]
    pub(crate) fn one(square: usize) -> Bits<W> {
        Bits(array_of(|i| if i == square / 64 { 1 << (square % 64) } else { 0 }))
    }

    #[inline]
    pub(crate) fn contains(&self, square: usize) -> bool {
        self.0[square / 64] >> (square % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn insert(&mut self, square: usize) {
        self.0[square / 64] |= 1 << (square % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, square: usize) {
        self.0[square / 64] &= !(1 << (square % 64));
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    pub(crate) fn meets(&self, other: &Bits<W>) -> bool {
        !(*self & *other).is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the squares of this set that are not in `other`.
    #[inline]
    #[must_use]
    pub(crate) fn without(self, other: Bits<W>) -> Bits<W> {
        Bits(array_of(|i| self.0[i] & !other.0[i]))
    }

    /// Shifts every square up by `by`, from 1 to 63. Squares beyond the last word are lost.
    #[inline]
    #[must_use]
    pub(crate) fn up(self, by: usize) -> Bits<W> {
        Bits(array_of(|i| {
            let carried = if i > 0 { self.0[i - 1] >> (64 - by) } else { 0 };
            self.0[i] << by | carried
        }))
    }

    /// Shifts every square down by `by`, from 1 to 63. Squares below the first word are lost.
    #[inline]
    #[must_use]
    pub(crate) fn down(self, by: usize) -> Bits<W> {
        Bits(array_of(|i| {
            let carried = if i + 1 < W { self.0[i + 1] << (64 - by) } else { 0 };
            self.0[i] >> by | carried
        }))
    }

    /// Shifts every square up or down by `by`, from 1 to 63.
    #[inline]
    #[must_use]
    pub(crate) fn moved(self, by: usize, is_up: bool) -> Bits<W> {
        if is_up { self.up(by) } else { self.down(by) }
    }

    /// Returns the squares in ascending order.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        // A loop of its own: with `set_bits`, searches on boards of several words take up to a quarter
        // longer.
        let mut left = self.0;
        let mut word = 0;
        std::iter::from_fn(move || {
            while left[word] == 0 {
                word += 1;
                if word == W {
                    word = W - 1;
                    return None;
                }
            }
            let bit = left[word].trailing_zeros() as usize;
            left[word] &= left[word] - 1;
            Some(word * 64 + bit)
        })
    }
}

impl<const W: usize> FromIterator<Square> for Bits<W> {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bits<W> {
        Bits::of(squares.into_iter().collect())
    }
}

macro_rules! by_word {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl<const W: usize> $trait for Bits<W> {
            type Output = Bits<W>;
            #[inline]
            fn $method(self, other: Bits<W>) -> Bits<W> {
                Bits(array_of(|i| self.0[i] $operator other.0[i]))
            }
        }
    };
}

by_word!(BitAnd, bitand, &);
by_word!(BitOr, bitor, |);
by_word!(BitXor, bitxor, ^);

impl<const W: usize> Not for Bits<W> {
    type Output = Bits<W>;
    /// Returns the complement, which includes the bits beyond the board.
    #[inline]
    fn not(self) -> Bits<W> {
        Bits(array_of(|i| !self.0[i]))
    }
}
