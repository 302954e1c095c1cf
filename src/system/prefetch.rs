//! Hints to the processor of what will be read soon.

/// Has the processor fetch the line of its cache that the item begins in; where it does
/// not know of that, nothing happens.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(item: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing; every address is allowed.
    unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *item).cast()) };
}

/// The same for all of these.
#[inline(always)]
pub(crate) fn prefetch_all<T>(items: &[T]) {
    const LINE: usize = 64;
    items.iter().step_by(LINE / size_of::<T>().clamp(1, LINE)).for_each(prefetch);
}

/// As on other processors.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn prefetch<T>(_: &T) {}
