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

/// Iterates over the numbers of the bits that are set, in ascending order: bit `i % 64` of word
/// `i / 64` is number `i`.
#[inline(always)]
pub(crate) fn set_bits<const N: usize>(mut words: [u64; N]) -> impl Iterator<Item = usize> {
    let mut word = 0;
    std::iter::from_fn(move || {
        while *words.get(word)? == 0 {
            word += 1;
        }
        let bit = words[word].trailing_zeros() as usize;
        words[word] &= words[word] - 1;
        Some(word * 64 + bit)
    })
}
