//! Codes, the numbers that tables store, and the values they encode.

use std::fmt;

use crate::game::value::{Value, Wdl};

/// A stored value; its meaning depends on the table's metric.
pub type Code = u16;

/// Marks a slot that is never probed; not stored.
pub const DONT_CARE: Code = Code::MAX;

/// The code of a win in 1 ply; in WDL tables, of every win.
pub(crate) const WIN_IN_1: Code = 1;

const DRAW: Code = 0;
const WIN: Code = 1;
const LOSS: Code = 2;

/// Returns the WDL code of an outcome.
#[inline]
pub fn wdl_code(wdl: Wdl) -> Code {
    match wdl {
        Wdl::Draw => DRAW,
        Wdl::Win => WIN,
        Wdl::Loss => LOSS,
    }
}

/// Returns the outcome of a WDL code; `None` if the code is invalid.
#[inline]
pub fn wdl_value(code: Code) -> Option<Wdl> {
    match code {
        DRAW => Some(Wdl::Draw),
        WIN => Some(Wdl::Win),
        LOSS => Some(Wdl::Loss),
        _ => None,
    }
}

/// Returns the DTW code of a value.
///
/// # Errors
/// If a win has an even distance or a loss an odd one, which is impossible, or if the
/// distance does not fit 16 bits.
#[inline]
pub fn dtw_code(value: Value) -> Result<Code, CodeError> {
    match value {
        Value::Draw => Ok(DRAW),
        Value::Win(plies) if plies % 2 == 1 && plies != DONT_CARE => Ok(plies),
        Value::Loss(plies) if plies % 2 == 0 => plies.checked_add(LOSS).ok_or(CodeError(value)),
        _ => Err(CodeError(value)),
    }
}

/// Returns the value of a DTW code; `None` for [`DONT_CARE`].
#[inline]
pub fn dtw_value(code: Code) -> Option<Value> {
    match code {
        DRAW => Some(Value::Draw),
        DONT_CARE => None,
        odd if odd % 2 == 1 => Some(Value::Win(odd)),
        even => Some(Value::Loss(even - LOSS)),
    }
}

/// Converts a DTW code to a WDL code; don't-cares stay.
#[inline]
pub(crate) fn dtw_code_to_wdl_code(code: Code) -> Code {
    // Branch-free, so that loops over codes are vectorized.
    if code == DRAW || code == DONT_CARE { code } else { LOSS - code % 2 * (LOSS - WIN) }
}

/// The error for a value that has no DTW code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeError(pub Value);

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} cannot be stored: wins have odd distances up to 65533 plies, losses even ones",
            self.0
        )
    }
}

impl std::error::Error for CodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_but_dont_care_is_one_value() {
        for code in 0..DONT_CARE {
            let value = dtw_value(code).unwrap();
            assert_eq!(dtw_code(value), Ok(code));
            assert_eq!(wdl_code(value.wdl()), dtw_code_to_wdl_code(code));
        }
        assert_eq!(dtw_value(DONT_CARE), None);
        assert_eq!(dtw_code_to_wdl_code(DONT_CARE), DONT_CARE);
    }

    #[test]
    fn codes_are_those_of_the_format() {
        let codes = [
            (Value::Draw, 0),
            (Value::Win(1), 1),
            (Value::Loss(0), 2),
            (Value::Win(3), 3),
            (Value::Loss(2), 4),
            (Value::Win(65533), 65533),
            (Value::Loss(65532), 65534),
        ];
        for (value, code) in codes {
            assert_eq!(dtw_code(value), Ok(code));
        }
        for wdl in [Wdl::Loss, Wdl::Draw, Wdl::Win] {
            assert_eq!(wdl_value(wdl_code(wdl)), Some(wdl));
        }
        assert_eq!(wdl_value(3), None);
    }

    #[test]
    fn impossible_distances_are_refused() {
        for value in [
            Value::Win(0),
            Value::Win(2),
            Value::Loss(1),
            Value::Win(u16::MAX),
            Value::Loss(u16::MAX - 1),
        ] {
            assert_eq!(dtw_code(value), Err(CodeError(value)));
        }
    }
}
