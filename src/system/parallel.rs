//! Parallel loops over tasks of some microseconds or more, on rayon's current threads.
//!
//! Rayon compiles its machinery anew for each loop, some thousand lines of intermediate code, and
//! the solver's loops are compiled for each number of words in a row. Here the machinery is
//! compiled once; it calls the body of a loop through a pointer, with a range of tasks.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::iter::ParallelIterator;

/// Calls `work` with the index of each item and the item.
pub(crate) fn for_each<I: Send>(items: impl Iterator<Item = I>, work: impl Fn(usize, I) + Sync) {
    for_each_init(items, || (), |(), index, item| work(index, item));
}

/// Like [`for_each`], with a state as [`for_each_index_init`] makes it.
pub(crate) fn for_each_init<I: Send, S>(
    items: impl Iterator<Item = I>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, I) + Sync,
) {
    let items = Slots::of(items);
    for_each_index_init(items.0.len(), init, |state, index| {
        if let Some(item) = items.take(index) {
            work(state, index, item);
        }
    });
}

/// Calls `work` with each index below `count`. Each range of indices that a thread takes has a
/// state of its own, made by `init`.
pub(crate) fn for_each_index_init<S>(
    count: usize,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) {
    for_ranges(count, &|range| {
        let mut state = init();
        for index in range {
            work(&mut state, index);
        }
    });
}

/// Calls `work` with the index of each item and the item, until it fails.
///
/// # Errors
/// The first error of `work`.
pub(crate) fn try_for_each<I: Send, E: Send>(
    items: impl Iterator<Item = I>,
    work: impl Fn(usize, I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let failure = Failure::default();
    for_each(items, |index, item| {
        if failure.is_none() {
            failure.note(work(index, item));
        }
    });
    failure.into_result()
}

/// Calls `work` with the index of each item and the item; returns the results in the order of the
/// items.
pub(crate) fn map<I: Send, T: Send>(
    items: impl Iterator<Item = I>,
    work: impl Fn(usize, I) -> T + Sync,
) -> Vec<T> {
    let Ok(results) = try_map(items, |index, item| Ok::<T, Infallible>(work(index, item)));
    results
}

/// Like [`try_for_each`]; returns the results in the order of the items.
///
/// # Errors
/// The first error of `work`.
pub(crate) fn try_map<I: Send, T: Send, E: Send>(
    items: impl Iterator<Item = I>,
    work: impl Fn(usize, I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_init(items, || (), |(), index, item| work(index, item))
}

/// Like [`try_map`], with a state as [`for_each_index_init`] makes it.
///
/// # Errors
/// The first error of `work`.
pub(crate) fn try_map_init<I: Send, S, T: Send, E: Send>(
    items: impl Iterator<Item = I>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let (items, failure) = (Slots::of(items), Failure::default());
    let results = Slots::empty(items.0.len());
    for_each_index_init(items.0.len(), init, |state, index| {
        if let Some(item) = items.take(index).filter(|_| failure.is_none())
            && let Some(result) = failure.note(work(state, index, item))
        {
            results.put(index, result);
        }
    });
    failure.into_result()?;
    Ok(results.into_vec())
}

/// Calls `work` with ranges that together are `0..count`. Idle threads take parts of the ranges of
/// others.
fn for_ranges(count: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    rayon::iter::split(0..count, halves).for_each(work);
}

/// Divides a range into two if it has more than one index.
fn halves(range: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    if range.len() < 2 {
        return (range, None);
    }
    let middle = range.start + range.len() / 2;
    (range.start..middle, Some(middle..range.end))
}

/// Values that threads put and take by index.
struct Slots<T>(Vec<Mutex<Option<T>>>);

impl<T> Slots<T> {
    fn empty(count: usize) -> Slots<T> {
        let mut slots = Vec::new();
        slots.resize_with(count, Mutex::default);
        Slots(slots)
    }

    fn of(values: impl Iterator<Item = T>) -> Slots<T> {
        let mut slots = Vec::with_capacity(values.size_hint().0);
        for value in values {
            slots.push(Mutex::new(Some(value)));
        }
        Slots(slots)
    }

    fn take(&self, index: usize) -> Option<T> {
        lock(&self.0[index]).take()
    }

    fn put(&self, index: usize, value: T) {
        *lock(&self.0[index]) = Some(value);
    }

    /// Returns the values in order.
    fn into_vec(self) -> Vec<T> {
        let mut values = Vec::with_capacity(self.0.len());
        for slot in self.0 {
            values.extend(slot.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        values
    }
}

/// The first error of a loop.
struct Failure<E> {
    is_some: AtomicBool,
    error: Mutex<Option<E>>,
}

impl<E> Default for Failure<E> {
    fn default() -> Failure<E> {
        Failure { is_some: AtomicBool::new(false), error: Mutex::new(None) }
    }
}

impl<E> Failure<E> {
    fn is_none(&self) -> bool {
        !self.is_some.load(Ordering::Relaxed)
    }

    /// Returns the value of a result, or notes its error.
    fn note<T>(&self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.is_some.store(true, Ordering::Relaxed);
                lock(&self.error).get_or_insert(error);
                None
            }
        }
    }

    fn into_result(self) -> Result<(), E> {
        self.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Locks a value; a panic of another thread cannot leave it in an invalid state.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn each_item_is_taken_once_and_results_are_in_order() {
        for count in [0, 1, 2, 3, 1000] {
            let states = AtomicUsize::new(0);
            let results = try_map_init(
                0..count,
                || states.fetch_add(1, Ordering::Relaxed),
                |_, index, item| Ok::<_, ()>((index, item)),
            );
            assert_eq!(results, Ok((0..count).map(|index| (index, index)).collect()));
            assert!(states.into_inner() <= count.max(1));
            let sums = [AtomicUsize::new(0), AtomicUsize::new(0)];
            for_each(0..count, |index, item| {
                sums[0].fetch_add(index, Ordering::Relaxed);
                sums[1].fetch_add(item, Ordering::Relaxed);
            });
            assert_eq!(sums.map(AtomicUsize::into_inner), [count * count.saturating_sub(1) / 2; 2]);
        }
    }

    #[test]
    fn no_task_begins_after_an_error() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            let begun = AtomicUsize::new(0);
            let fail_at = |limit: usize, index: usize| {
                begun.fetch_add(1, Ordering::Relaxed);
                if index < limit { Ok(index) } else { Err(index) }
            };
            assert_eq!(try_map(0..9, |index, _| fail_at(4, index)), Err(4));
            assert_eq!(begun.swap(0, Ordering::Relaxed), 5);
            assert_eq!(try_for_each(0..9, |index, _| fail_at(6, index).map(drop)), Err(6));
            assert_eq!(begun.swap(0, Ordering::Relaxed), 7);
        });
    }
}
