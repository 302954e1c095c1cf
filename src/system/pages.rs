//! Huge pages.

use std::io;
use std::mem::MaybeUninit;

/// Creates an empty vector with capacity for `items`, in huge pages where available.
///
/// # Errors
/// If the memory is exhausted.
pub(crate) fn with_capacity<T>(items: usize) -> io::Result<Vec<T>> {
    let mut vector = Vec::new();
    let reserved = vector.try_reserve_exact(items);
    reserved.map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
    prefer_huge_pages(vector.spare_capacity_mut());
    Ok(vector)
}

/// Advises the system to back this memory with huge pages, as random access to small ones spends
/// much of its time on address translation. Does nothing where there are none.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn prefer_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};

    /// The smallest huge page, and the alignment of the advised range.
    const HUGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr();
    let skipped = start.addr().next_multiple_of(HUGE) - start.addr();
    let whole = bytes.saturating_sub(skipped) / HUGE * HUGE;
    if whole > 0 {
        // SAFETY: the range lies in `memory`, and the advice changes no contents. Failure is
        // harmless.
        let _ = unsafe { madvise(start.byte_add(skipped).cast(), whole, Advice::LinuxHugepage) };
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages<T>(_: &mut [MaybeUninit<T>]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_memory_is_an_error() {
        for items in [isize::MAX as usize, usize::MAX] {
            let error = with_capacity::<u8>(items).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        }
    }
}
