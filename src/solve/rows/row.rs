use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

use crate::game::board::{array_of, set_bits};
use crate::solve::rows::numbers::{ChunkRow, Rank};

/// Lanes of one row or of eight rows at once: the operations that the king's slides need.
pub(crate) trait Lanes<const N: usize>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// Returns the same lanes in every row.
    fn splat(row: Row<N>) -> Self;
    /// Returns whether no lane of any row is set.
    fn is_empty(self) -> bool;
    /// Returns the lanes that are not set in the other rows.
    fn without(self, other: Self) -> Self;
    /// Shifts all lanes to higher numbers.
    fn up(self, by: usize) -> Self;
    /// Shifts all lanes to lower numbers.
    fn down(self, by: usize) -> Self;
}

/// The number of rows of a [`Wide`].
pub(crate) const WIDE_ROWS: usize = 8;

/// Eight rows, stored word by word, so that the compiler vectorizes loops over them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wide<const N: usize>(pub [[u64; WIDE_ROWS]; N]);

/// The lanes of one row, in `N` words of 64 bits: one bit for every square of the king's region,
/// for one placement of the other pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(transparent)]
pub(crate) struct Row<const N: usize>(pub [u64; N]);

/// A change of some lanes of one row. Rows are numbered within their chunk unless `R` says
/// otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event<const N: usize, R = ChunkRow> {
    /// The row.
    pub row: R,
    /// The lanes that change.
    pub lanes: Row<N>,
}

impl<const N: usize> Row<N> {
    /// A row without lanes.
    pub(crate) const EMPTY: Row<N> = Row([0; N]);

    /// Returns a row with only this lane set.
    #[inline(always)]
    pub(crate) fn bit(lane: usize) -> Row<N> {
        let mut row = Row::EMPTY;
        row.0[lane / 64] = 1 << (lane % 64);
        row
    }

    /// Returns whether no lane is set.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        let mut all = 0;
        for word in &self.0 {
            all |= word;
        }
        all == 0
    }

    /// Returns the lanes that are not set in the other row.
    #[inline(always)]
    pub(crate) fn without(self, other: Row<N>) -> Row<N> {
        self.zip(other, |a, b| a & !b)
    }

    /// Combines the words of two rows.
    #[inline(always)]
    fn zip(self, other: Row<N>, word: impl Fn(u64, u64) -> u64) -> Row<N> {
        Row(array_of(|i| word(self.0[i], other.0[i])))
    }

    /// Shifts all lanes to higher numbers.
    #[inline(always)]
    pub(crate) fn up(self, by: usize) -> Row<N> {
        if N == 1 {
            return Row(array_of(|i| self.0[i] << by));
        }
        let (words, bits) = (by / 64, by % 64);
        Row(array_of(|i| {
            let high = if i >= words { self.0[i - words] << bits } else { 0 };
            let carried = bits > 0 && i > words;
            high | if carried { self.0[i - words - 1] >> (64 - bits) } else { 0 }
        }))
    }

    /// Shifts all lanes to lower numbers.
    #[inline(always)]
    pub(crate) fn down(self, by: usize) -> Row<N> {
        if N == 1 {
            return Row(array_of(|i| self.0[i] >> by));
        }
        let (words, bits) = (by / 64, by % 64);
        Row(array_of(|i| {
            let low = if i + words < N { self.0[i + words] >> bits } else { 0 };
            let carried = bits > 0 && i + words + 1 < N;
            low | if carried { self.0[i + words + 1] << (64 - bits) } else { 0 }
        }))
    }

    /// Returns the number of lanes set.
    #[inline]
    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Iterates over the lanes that are set, in ascending order.
    #[inline(always)]
    pub(crate) fn lanes(self) -> impl Iterator<Item = usize> {
        set_bits(self.0)
    }
}

impl<const N: usize> BitAnd for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn bitand(self, other: Row<N>) -> Row<N> {
        self.zip(other, |a, b| a & b)
    }
}

impl<const N: usize> BitOr for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn bitor(self, other: Row<N>) -> Row<N> {
        self.zip(other, |a, b| a | b)
    }
}

impl<const N: usize> BitXor for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn bitxor(self, other: Row<N>) -> Row<N> {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const N: usize> Not for Row<N> {
    type Output = Row<N>;
    #[inline(always)]
    fn not(self) -> Row<N> {
        Row(array_of(|i| !self.0[i]))
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

impl<const N: usize> Lanes<N> for Row<N> {
    #[inline(always)]
    fn splat(row: Row<N>) -> Row<N> {
        row
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.is_empty()
    }
    #[inline(always)]
    fn without(self, other: Row<N>) -> Row<N> {
        self.without(other)
    }
    #[inline(always)]
    fn up(self, by: usize) -> Row<N> {
        self.up(by)
    }
    #[inline(always)]
    fn down(self, by: usize) -> Row<N> {
        self.down(by)
    }
}

impl<const N: usize> Wide<N> {
    /// Eight rows without lanes.
    pub(crate) const EMPTY: Wide<N> = Wide([[0; WIDE_ROWS]; N]);

    /// Packs eight rows.
    #[inline(always)]
    pub(crate) fn of(rows: &[Row<N>; WIDE_ROWS]) -> Wide<N> {
        Wide(array_of(|word| array_of(|row| rows[row].0[word])))
    }

    /// Unpacks the eight rows.
    #[inline(always)]
    pub(crate) fn rows(self) -> [Row<N>; WIDE_ROWS] {
        array_of(|i| self.row(i))
    }

    /// Packs up to eight rows; the missing ones are empty.
    #[inline(always)]
    pub(crate) fn load(rows: &[Row<N>]) -> Wide<N> {
        match rows.try_into() {
            Ok(rows) => Wide::of(rows),
            Err(_) => {
                let mut filled = [Row::EMPTY; WIDE_ROWS];
                filled[..rows.len()].copy_from_slice(rows);
                Wide::of(&filled)
            }
        }
    }

    /// Packs the rows of these ranks.
    ///
    /// # Panics
    /// If a rank is beyond the last row.
    #[inline(always)]
    pub(crate) fn gather(rows: &[Row<N>], ranks: &[Rank; WIDE_ROWS]) -> Wide<N> {
        Wide::of(&array_of(|i| rows[ranks[i].index()]))
    }

    /// Returns one of the rows.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> Row<N> {
        Row(array_of(|word| self.0[word][row]))
    }

    /// Replaces one of the rows.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, lanes: Row<N>) {
        for (word, words) in self.0.iter_mut().enumerate() {
            words[row] = lanes.0[word];
        }
    }

    /// Writes the rows back to up to eight places.
    #[inline(always)]
    pub(crate) fn store(self, rows: &mut [Row<N>]) {
        match <&mut [Row<N>; WIDE_ROWS]>::try_from(&mut *rows) {
            Ok(rows) => *rows = self.rows(),
            Err(_) => rows.iter_mut().enumerate().for_each(|(i, row)| *row = self.row(i)),
        }
    }

    /// Returns one word of each row, or zeros beyond the last word.
    #[inline(always)]
    fn word_or_zero(&self, word: Option<usize>) -> [u64; WIDE_ROWS] {
        word.and_then(|word| self.0.get(word).copied()).unwrap_or([0; WIDE_ROWS])
    }

    #[inline(always)]
    fn zip(self, other: Wide<N>, word: impl Fn(u64, u64) -> u64) -> Wide<N> {
        Wide(array_of(|i| array_of(|row| word(self.0[i][row], other.0[i][row]))))
    }
}

/// Applies a function to up to eight items; the result for the last item fills the missing places.
///
/// # Panics
/// If there are no items.
#[inline(always)]
pub(crate) fn map_eight<T, U: Copy>(items: &[T], of: impl Fn(&T) -> U) -> [U; WIDE_ROWS] {
    let last = items.len() - 1;
    array_of(|i| of(&items[i.min(last)]))
}

impl Wide<1> {
    /// Repeats the only word of each row in each of `N` words.
    #[inline(always)]
    pub(crate) fn spread<const N: usize>(self) -> Wide<N> {
        Wide([self.0[0]; N])
    }
}

impl<const N: usize> BitAnd for Wide<N> {
    type Output = Wide<N>;
    #[inline(always)]
    fn bitand(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a & b)
    }
}

impl<const N: usize> BitOr for Wide<N> {
    type Output = Wide<N>;
    #[inline(always)]
    fn bitor(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a | b)
    }
}

impl<const N: usize> BitXor for Wide<N> {
    type Output = Wide<N>;
    #[inline(always)]
    fn bitxor(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const N: usize> Not for Wide<N> {
    type Output = Wide<N>;
    #[inline(always)]
    fn not(self) -> Wide<N> {
        Wide(array_of(|i| array_of(|row| !self.0[i][row])))
    }
}

impl<const N: usize> Lanes<N> for Wide<N> {
    #[inline(always)]
    fn splat(row: Row<N>) -> Wide<N> {
        Wide(array_of(|word| [row.0[word]; WIDE_ROWS]))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        let mut all = 0;
        for words in &self.0 {
            for word in words {
                all |= word;
            }
        }
        all == 0
    }

    #[inline(always)]
    fn without(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn up(self, by: usize) -> Wide<N> {
        let (words, bits) = (by / 64, by % 64);
        Wide(array_of(|i| {
            let high = self.word_or_zero(i.checked_sub(words));
            if N == 1 || bits == 0 {
                return array_of(|row| high[row] << bits);
            }
            let low = self.word_or_zero(i.checked_sub(words + 1));
            array_of(|row| high[row] << bits | low[row] >> (64 - bits))
        }))
    }

    #[inline(always)]
    fn down(self, by: usize) -> Wide<N> {
        let (words, bits) = (by / 64, by % 64);
        Wide(array_of(|i| {
            let low = self.word_or_zero(Some(i + words));
            if N == 1 || bits == 0 {
                return array_of(|row| low[row] >> bits);
            }
            let high = self.word_or_zero(Some(i + words + 1));
            array_of(|row| low[row] >> bits | high[row] << (64 - bits))
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn has<const N: usize>(row: Row<N>, lane: usize) -> bool {
        !(row & Row::bit(lane)).is_empty()
    }

    /// Takes the first `N` words.
    fn first<const N: usize>(words: [u64; 6]) -> Row<N> {
        Row(std::array::from_fn(|i| words[i]))
    }

    fn shifts<const N: usize>(words: [u64; 6], by: usize) {
        let (row, lanes) = (first::<N>(words), 64 * N);
        let by = by % lanes;
        for lane in 0..lanes {
            assert_eq!(has(row.up(by), lane), lane >= by && has(row, lane - by), "{N} words");
            let comes = lane + by < lanes && has(row, lane + by);
            assert_eq!(has(row.down(by), lane), comes, "{N} words");
        }
    }

    fn packs<const N: usize>(words: &[[u64; 6]; 9], by: usize) {
        let rows = words.map(first::<N>);
        let (rows, all, by) = (&rows[..8], rows[8], by % (64 * N));
        for rows in [rows, &rows[..5]] {
            let mut moved = rows.to_vec();
            let pack = Wide::load(rows);
            (pack.up(by).without(pack) | pack.down(by) & Wide::splat(all)).store(&mut moved);
            let expected = rows.iter().map(|&row| row.up(by).without(row) | row.down(by) & all);
            assert!(expected.eq(moved), "{N} words");
        }
    }

    fn gathers<const N: usize>(words: &[[u64; 6]; 9], ranks: [usize; 8]) {
        let rows = words.map(first::<N>);
        let gathered = Wide::gather(&rows, &ranks.map(Rank::new));
        assert_eq!(gathered.rows(), ranks.map(|rank| rows[rank]));
    }

    #[test]
    #[should_panic]
    fn no_row_beyond_the_last_is_gathered() {
        Wide::gather(&[Row([1]); 9], &[0, 1, 2, 3, 4, 5, 6, 9].map(Rank::new));
    }

    proptest! {
        #[test]
        fn ranks_gather_their_rows(
            words in any::<[[u64; 6]; 9]>(),
            ranks in prop::array::uniform8(0..9_usize),
        ) {
            gathers::<1>(&words, ranks);
            gathers::<2>(&words, ranks);
            gathers::<6>(&words, ranks);
        }

        #[test]
        fn shifts_move_every_lane(words in any::<[u64; 6]>(), by in 0..384_usize) {
            shifts::<1>(words, by);
            shifts::<2>(words, by);
            shifts::<3>(words, by);
            shifts::<6>(words, by);
        }

        #[test]
        fn packs_agree_with_their_rows(words in any::<[[u64; 6]; 9]>(), by in 0..384_usize) {
            packs::<1>(&words, by);
            packs::<2>(&words, by);
            packs::<3>(&words, by);
            packs::<6>(&words, by);
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
