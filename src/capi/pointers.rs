//! What C's pointers point to. Null and misaligned pointers are failures; that the
//! others are good is the caller's word.

use std::ffi::{CStr, c_char};

use super::status::CallError;

/// Whether the pointer can be one to so many values.
fn check<T>(pointer: *const T, count: usize, name: &str) -> Result<(), CallError> {
    if pointer.is_null() {
        return Err(CallError::argument(format!("{name} is a null pointer")));
    }
    if !pointer.is_aligned() {
        return Err(CallError::argument(format!("{name} is not aligned for its type")));
    }
    let most = isize::MAX as usize / size_of::<T>().max(1);
    if count > most {
        return Err(CallError::argument(format!("{name} cannot have {count} elements")));
    }
    Ok(())
}

/// The value there.
///
/// # Safety
/// A pointer that is not null must point to a value that nobody changes during the
/// call.
pub(super) unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, CallError> {
    check(pointer, 1, name)?;
    // SAFETY: it is aligned and not null; the rest is the caller's word.
    Ok(unsafe { &*pointer })
}

/// The values there; a null pointer will do for none.
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
    // SAFETY: it is aligned, not null, and the size fits; the rest is the caller's
    // word.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// The text there.
///
/// # Safety
/// A pointer that is not null must point to bytes that end with a zero and that
/// nobody changes during the call.
pub(super) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, CallError> {
    check(pointer, 1, name)?;
    // SAFETY: it is not null; the rest is the caller's word.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| CallError::argument(format!("{name} is not UTF-8")))
}

/// Room for results. It may be uninitialised, so it is written and never read.
pub(super) struct Output<T>(*mut T, usize);

impl<T> Output<T> {
    /// Room for `count` values; a null pointer will do for none.
    ///
    /// # Safety
    /// A pointer that is not null must point to such room, of which nobody else
    /// makes use during the call.
    pub(super) unsafe fn new(
        pointer: *mut T,
        count: usize,
        name: &str,
    ) -> Result<Output<T>, CallError> {
        if count > 0 {
            check(pointer, count, name)?;
        }
        Ok(Output(pointer, count))
    }

    /// Writes the values one after the other, as many as there is room for; returns how
    /// many there are.
    pub(super) fn write(&mut self, values: impl IntoIterator<Item = T>) -> usize {
        let mut count = 0;
        for value in values {
            self.put(count, value);
            count += 1;
        }
        count
    }

    /// Writes a value to its place, if there is such a place.
    pub(super) fn put(&mut self, place: usize, value: T) {
        if place < self.1 {
            // SAFETY: who made this has promised that the room is there and ours.
            unsafe { self.0.add(place).write(value) };
        }
    }
}

impl Output<c_char> {
    /// Writes a text and the zero at its end; a text that is too long is cut.
    pub(super) fn write_text(&mut self, text: &str) {
        let last = self.1.saturating_sub(1);
        let length = self.write(text.bytes().take(last).map(|byte| byte as c_char));
        self.put(length, 0);
    }
}
