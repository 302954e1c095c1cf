//! Rows that several threads update concurrently.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::board::array_of;
use crate::solve::rows::row::Row;
use crate::system::prefetch::prefetch;

/// Rows that many threads update concurrently. A pass only adds lanes or only removes them, so the
/// order of the updates does not matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicRows<'t, const N: usize>(&'t [[AtomicU64; N]]);

impl<'t, const N: usize> AtomicRows<'t, N> {
    /// Borrows rows for concurrent access.
    #[allow(unsafe_code)]
    pub(crate) fn new(rows: &'t mut [Row<N>]) -> AtomicRows<'t, N> {
        let (first, count) = (rows.as_mut_ptr().cast::<[AtomicU64; N]>(), rows.len());
        assert!(first.is_aligned(), "rows are aligned for atomic access");
        // SAFETY: a row is `N` words of type `u64`, `AtomicU64` has the size and the values of
        // `u64`, and the alignment was just checked. The rows are borrowed mutably for the whole
        // life of the slice, so no other code can read or write them.
        AtomicRows(unsafe { std::slice::from_raw_parts(first, count) })
    }

    /// Prefetches a row into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(self, row: usize) {
        prefetch(&self.0[row]);
    }

    /// Returns whether all these lanes of a row are already set.
    #[inline(always)]
    pub(crate) fn has(self, row: usize, lanes: Row<N>) -> bool {
        let words = self.0[row].iter().zip(lanes.0);
        words.fold(0, |new, (word, lanes)| new | lanes & !word.load(Ordering::Relaxed)) == 0
    }

    /// Returns the lanes of a row that are currently set.
    #[inline(always)]
    pub(crate) fn get(self, row: usize) -> Row<N> {
        Row(array_of(|i| self.0[row][i].load(Ordering::Relaxed)))
    }

    /// Removes lanes from a row.
    #[inline(always)]
    pub(crate) fn remove(self, row: usize, lanes: Row<N>) {
        for (word, lanes) in self.0[row].iter().zip(lanes.0) {
            if lanes != 0 {
                word.fetch_and(!lanes, Ordering::Relaxed);
            }
        }
    }

    /// Adds lanes to a row.
    #[inline(always)]
    pub(crate) fn add(self, row: usize, lanes: Row<N>) {
        for (word, lanes) in self.0[row].iter().zip(lanes.0) {
            if lanes != 0 {
                word.fetch_or(lanes, Ordering::Relaxed);
            }
        }
    }
}
