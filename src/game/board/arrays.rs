//! Arrays of words, for the innermost loops.

/// Returns an array of these items, as `std::array::from_fn` does, by the simplest of loops.
///
/// The operators of bitboards and rows are used everywhere. Where they go through iterators or
/// through functions of arrays, these are compiled anew for each type and often not inlined.
#[inline(always)]
pub(crate) fn array_of<T: Copy, const N: usize>(item: impl Fn(usize) -> T) -> [T; N] {
    const { assert!(N > 0) };
    let mut items = [item(0); N];
    let mut i = 1;
    while i < N {
        items[i] = item(i);
        i += 1;
    }
    items
}
