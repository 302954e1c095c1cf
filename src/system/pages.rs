//! Large pages of memory.

use std::mem::MaybeUninit;

/// An empty vector with room for so many items, in large pages.
pub(crate) fn with_capacity<T>(items: usize) -> Vec<T> {
    let mut vector = Vec::with_capacity(items);
    prefer_large_pages(vector.spare_capacity_mut());
    vector
}

/// Asks for large pages for memory that will be read here and there: with small ones,
/// much of the time goes into finding out where a page is. Where there are none, nothing
/// happens.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn prefer_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};

    /// Large pages have at least so many bytes; so has what is advised.
    const LARGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr();
    let skipped = start.addr().next_multiple_of(LARGE) - start.addr();
    let whole = bytes.saturating_sub(skipped) / LARGE * LARGE;
    if whole > 0 {
        // SAFETY: the range lies in `memory`, and the advice changes no contents. If it is
        // not taken, all is as before.
        let _ = unsafe { madvise(start.byte_add(skipped).cast(), whole, Advice::LinuxHugepage) };
    }
}

/// As where there are none.
#[cfg(not(target_os = "linux"))]
fn prefer_large_pages<T>(_: &mut [MaybeUninit<T>]) {}
