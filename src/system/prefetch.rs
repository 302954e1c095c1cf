//! Prefetch hints to the processor.

/// Prefetches the cache line in which the item begins; does nothing on processors other than
/// x86-64.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(item: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing; every address is allowed.
    unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *item).cast()) };
}

/// Prefetches all items.
#[inline(always)]
pub(crate) fn prefetch_all<T>(items: &[T]) {
    const LINE: usize = 64;
    items.iter().step_by(LINE / size_of::<T>().clamp(1, LINE)).for_each(prefetch);
}

/// Does nothing on other processors.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn prefetch<T>(_: &T) {}
