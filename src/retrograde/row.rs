use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// The lanes of one row: one bit for every square of the king's region, for
/// one placement of the other pieces. `N` words of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(transparent)]
pub struct Row<const N: usize>(pub [u64; N]);

impl<const N: usize> Row<N> {
    /// No lane.
    pub const EMPTY: Row<N> = Row([0; N]);

    /// The row with that one lane.
    #[inline(always)]
    pub fn bit(lane: usize) -> Row<N> {
        let mut row = Row::EMPTY;
        row.0[lane / 64] = 1 << (lane % 64);
        row
    }

    /// Whether no lane is set.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// The lanes of this row that are not in the other one.
    #[inline(always)]
    pub fn without(self, other: Row<N>) -> Row<N> {
        Row(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// All lanes moved up by that many numbers.
    #[inline(always)]
    pub fn up(self, by: usize) -> Row<N> {
        if N == 1 {
            return Row(std::array::from_fn(|_| self.0[0] << by));
        }
        let (words, bits) = (by / 64, by % 64);
        Row(std::array::from_fn(|i| {
            let high = if i >= words { self.0[i - words] << bits } else { 0 };
            let carried = bits > 0 && i > words;
            high | if carried { self.0[i - words - 1] >> (64 - bits) } else { 0 }
        }))
    }

    /// All lanes moved down by that many numbers.
    #[inline(always)]
    pub fn down(self, by: usize) -> Row<N> {
        if N == 1 {
            return Row(std::array::from_fn(|_| self.0[0] >> by));
        }
        let (words, bits) = (by / 64, by % 64);
        Row(std::array::from_fn(|i| {
            let low = if i + words < N { self.0[i + words] >> bits } else { 0 };
            let carried = bits > 0 && i + words + 1 < N;
            low | if carried { self.0[i + words + 1] << (64 - bits) } else { 0 }
        }))
    }

    /// How many lanes are set.
    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The lanes that are set, in order.
    #[inline(always)]
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, word)| {
            std::iter::successors((word != 0).then_some(word), |&bits| {
                let rest = bits & (bits - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |bits| i * 64 + bits.trailing_zeros() as usize)
        })
    }
}

impl<const N: usize> BitAnd for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn bitand(self, other: Row<N>) -> Row<N> {
        Row(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl<const N: usize> BitOr for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn bitor(self, other: Row<N>) -> Row<N> {
        Row(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl<const N: usize> Not for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn not(self) -> Row<N> {
        Row(self.0.map(|word| !word))
    }
}

impl<const N: usize> BitAndAssign for Row<N> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Row<N>) {
        *self = *self & other;
    }
}

impl<const N: usize> BitOrAssign for Row<N> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Row<N>) {
        *self = *self | other;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn has<const N: usize>(row: Row<N>, lane: usize) -> bool {
        !(row & Row::bit(lane)).is_empty()
    }

    proptest! {
        #[test]
        fn shifts_move_every_lane(words in any::<[u64; 3]>(), by in 0..192_usize) {
            let row = Row(words);
            for lane in 0..192 {
                prop_assert_eq!(has(row.up(by), lane), lane >= by && has(row, lane - by));
                prop_assert_eq!(has(row.down(by), lane), lane + by < 192 && has(row, lane + by));
            }
        }

        #[test]
        fn lanes_are_those_that_are_set(words in any::<[u64; 2]>()) {
            let row = Row(words);
            let again = row.lanes().fold(Row::EMPTY, |all, lane| all | Row::bit(lane));
            prop_assert_eq!(again, row);
            prop_assert_eq!(row.lanes().count() as u32, row.count());
        }
    }
}
