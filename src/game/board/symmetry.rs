use std::ops::BitAnd;

use super::{Board, Square, SquareSet};

/// One of the eight symmetries of a square board.
///
/// The bits of its number are applied in this order: 1 mirrors the files, 2 mirrors the ranks, 4
/// swaps files and ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry(0),
        Symmetry(1),
        Symmetry(2),
        Symmetry(3),
        Symmetry(4),
        Symmetry(5),
        Symmetry(6),
        Symmetry(7),
    ];

    /// Returns the symmetry's number, 0 to 7.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the image of the square.
    #[must_use]
    #[inline]
    pub fn apply(self, board: Board, square: Square) -> Square {
        let last = board.size() - 1;
        let (mut file, mut rank) = (board.file(square), board.rank(square));
        if self.0 & 1 != 0 {
            file = last - file;
        }
        if self.0 & 2 != 0 {
            rank = last - rank;
        }
        if self.0 & 4 != 0 {
            (file, rank) = (rank, file);
        }
        board.at(file, rank)
    }

    /// Returns the image of the set.
    #[must_use]
    pub fn apply_set(self, board: Board, set: SquareSet) -> SquareSet {
        set.iter().map(|square| self.apply(board, square)).collect()
    }

    /// Composes two symmetries: this one is applied first, then `next`.
    #[must_use]
    #[inline]
    pub fn then(self, next: Symmetry) -> Symmetry {
        // After a swap, mirroring files is the same as mirroring ranks before it.
        let mut mirrors = next.0 & 3;
        if self.0 & 4 != 0 {
            mirrors = (mirrors & 1) << 1 | mirrors >> 1;
        }
        Symmetry((self.0 & 3 ^ mirrors) | (self.0 ^ next.0) & 4)
    }

    /// Returns the inverse symmetry.
    #[must_use]
    #[inline]
    pub const fn inverse(self) -> Symmetry {
        // Only the quarter turns, one mirror and a swap, are not their own inverses.
        let quarter = (self.0 ^ self.0 >> 1) & self.0 >> 2 & 1;
        Symmetry(self.0 ^ (quarter * 3))
    }

    /// Returns the symmetry numbered by the three low bits.
    #[inline]
    pub(crate) const fn of_low_bits(bits: u32) -> Symmetry {
        Symmetry(bits as u8 & 7)
    }
}

/// A set of symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SymmetrySet(u8);

impl SymmetrySet {
    /// Collects the symmetries for which `holds` is true.
    #[inline]
    pub(crate) fn of(holds: impl Fn(Symmetry) -> bool) -> SymmetrySet {
        SymmetrySet((0..8).fold(0, |bits, g| bits | u8::from(holds(Symmetry(g))) << g))
    }

    /// Returns whether the symmetry is in the set.
    #[inline]
    pub(crate) fn contains(self, symmetry: Symmetry) -> bool {
        self.0 >> symmetry.0 & 1 == 1
    }

    /// Iterates over the symmetries in the order of their numbers.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = Symmetry> + Clone {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let first = Symmetry(left.trailing_zeros() as u8);
            (left != 0).then(|| {
                left &= left - 1;
                first
            })
        })
    }
}

impl BitAnd for SymmetrySet {
    type Output = SymmetrySet;

    /// Returns the intersection.
    #[inline]
    fn bitand(self, other: SymmetrySet) -> SymmetrySet {
        SymmetrySet(self.0 & other.0)
    }
}

/// A set of symmetries that is closed under composition; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SymmetryGroup(SymmetrySet);

impl SymmetryGroup {
    /// The identity alone.
    pub(crate) const TRIVIAL: SymmetryGroup = SymmetryGroup(SymmetrySet(1));

    /// Collects the symmetries for which `holds` is true, such as those that leave something
    /// unchanged. They must form a group.
    pub fn stabilizing(holds: impl Fn(Symmetry) -> bool) -> SymmetryGroup {
        let set = SymmetrySet::of(holds);
        debug_assert!(set.contains(Symmetry::IDENTITY), "the identity changes nothing");
        SymmetryGroup(set)
    }

    /// Returns the number of symmetries: 1, 2, 4 or 8.
    pub fn order(self) -> usize {
        self.bits().count_ones() as usize
    }

    /// Returns the group as a bit mask: bit `i` is the symmetry numbered `i`.
    #[inline]
    pub fn bits(self) -> u8 {
        self.0.0
    }

    /// Returns the group as a plain set.
    #[inline]
    pub(crate) fn set(self) -> SymmetrySet {
        self.0
    }

    /// Returns whether the symmetry is in the group.
    #[inline]
    pub fn contains(self, symmetry: Symmetry) -> bool {
        self.0.contains(symmetry)
    }

    /// Iterates over the group's symmetries, the identity first.
    pub fn iter(self) -> impl Iterator<Item = Symmetry> + Clone {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composition_and_inverse_agree_with_squares() {
        let board = Board::new(7).unwrap();
        for g in Symmetry::ALL {
            for h in Symmetry::ALL {
                for s in board.squares() {
                    assert_eq!(g.then(h).apply(board, s), h.apply(board, g.apply(board, s)));
                }
            }
            assert_eq!(g.then(g.inverse()), Symmetry::IDENTITY);
        }
    }

    #[test]
    fn the_eight_differ() {
        let board = Board::new(5).unwrap();
        let odd = board.at(1, 0);
        let images: SquareSet = Symmetry::ALL.iter().map(|g| g.apply(board, odd)).collect();
        assert_eq!(images.len(), 8);
    }
}
