//! Access through C pointers. Null and misaligned pointers are errors; the caller guarantees
//! that all others are valid.

use std::ffi::{CStr, c_char};

use super::status::CallError;

/// Checks that the pointer can point to `count` values.
fn check<T>(pointer: *const T, count: usize, name: &str) -> Result<(), CallError> {
    if pointer.is_null() {
        return Err(CallError::argument(format!("{name} is a null pointer")));
    }
    if !pointer.is_aligned() {
        return Err(CallError::argument(format!("{name} is not aligned for its type")));
    }
    let max_count = isize::MAX as usize / size_of::<T>().max(1);
    if count > max_count {
        return Err(CallError::argument(format!("{name} cannot have {count} elements")));
    }
    Ok(())
}

/// Returns the value.
///
/// # Safety
/// A pointer that is not null must point to a value that does not change during the call.
pub(super) unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, CallError> {
    check(pointer, 1, name)?;
    // SAFETY: it is aligned and not null, and the caller guarantees the rest.
    Ok(unsafe { &*pointer })
}

/// Returns the values; the pointer may be null if `count` is 0.
///
/// # Safety
/// As [`reference`], for `count` values.
pub(super) unsafe fn slice<'a, T>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], CallError> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, count, name)?;
    // SAFETY: it is aligned, not null, and the size fits; the caller guarantees the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns the text.
///
/// # Safety
/// A pointer that is not null must point to bytes that end with a zero and do not change
/// during the call.
pub(super) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, CallError> {
    check(pointer, 1, name)?;
    // SAFETY: it is not null, and the caller guarantees the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| CallError::argument(format!("{name} is not UTF-8")))
}

/// A buffer for results. It may be uninitialised, so it is written and never read.
pub(super) struct Output<T> {
    buffer: *mut T,
    capacity: usize,
}

impl<T> Output<T> {
    /// Wraps a buffer of `capacity` values; it may be null if `capacity` is 0.
    ///
    /// # Safety
    /// A pointer that is not null must point to such a buffer, and nothing else may access it
    /// during the call.
    pub(super) unsafe fn new(
        buffer: *mut T,
        capacity: usize,
        name: &str,
    ) -> Result<Output<T>, CallError> {
        if capacity > 0 {
            check(buffer, capacity, name)?;
        }
        Ok(Output { buffer, capacity })
    }

    /// Writes as many of the values as fit, and returns the number of all values.
    pub(super) fn write(&mut self, values: impl IntoIterator<Item = T>) -> usize {
        let mut count = 0;
        for value in values {
            self.put(count, value);
            count += 1;
        }
        count
    }

    /// Writes the value with this number, if it fits.
    pub(super) fn put(&mut self, number: usize, value: T) {
        if number < self.capacity {
            // SAFETY: the caller of `new` guarantees that the buffer has this element and that
            // nothing else accesses it.
            unsafe { self.buffer.add(number).write(value) };
        }
    }
}

impl Output<c_char> {
    /// Writes a text and a final zero; truncates a text that is too long.
    pub(super) fn write_text(&mut self, text: &str) {
        let last = self.capacity.saturating_sub(1);
        let length = self.write(text.bytes().take(last).map(|byte| byte as c_char));
        self.put(length, 0);
    }
}
