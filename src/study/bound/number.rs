//! Formatting of large integers.

use num_bigint::{BigInt, BigUint};

/// A number in scientific notation: `9.5e26` is 9.5 × 10²⁶.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Printed(pub &'static str);

impl Printed {
    /// Returns whether a number, rounded to the digits of this one, equals it.
    pub fn is(self, value: &BigUint) -> bool {
        let digits = self.0.split('e').next().unwrap_or_default();
        let count = digits.chars().filter(char::is_ascii_digit).count();
        scientific(value, count) == self.0
    }
}

/// Formats a number with this many digits, at least 1, rounded to nearest: `9.479e26`.
pub fn scientific(value: &BigUint, digits: usize) -> String {
    format_rounded(value, digits, |unit| unit / 2_u8)
}

/// Formats a number with this many digits, rounded down, for lower limits.
pub fn scientific_floor(value: &BigUint, digits: usize) -> String {
    format_rounded(value, digits, |_| BigUint::ZERO)
}

/// Formats a number after adding `offset` of the last digit's unit and truncating.
fn format_rounded(value: &BigUint, digits: usize, offset: fn(&BigUint) -> BigUint) -> String {
    let text = value.to_string();
    let mut exponent = text.len() - 1;
    let mut rounded = text.clone();
    if text.len() > digits {
        let unit = BigUint::from(10_u8).pow((text.len() - digits) as u32);
        rounded = ((value + offset(&unit)) / unit).to_string();
        // Rounding up nines may add a digit.
        exponent += rounded.len() - digits;
    }
    let kept = rounded.get(..digits).unwrap_or(&rounded);
    let padded = format!("{kept:0<digits$}");
    let (first, rest) = padded.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{first}{point}{rest}e{exponent}")
}

/// Returns a share of a number, rounded down; the share is from 0 to 1.
pub fn part(value: &BigUint, share: f64) -> BigUint {
    const SCALE: u64 = 1 << 52;
    value * ((share.clamp(0.0, 1.0) * SCALE as f64) as u64) / SCALE
}

/// Converts a count that was computed with subtractions, and is never negative.
pub(crate) fn count(value: &BigInt) -> BigUint {
    debug_assert!(*value >= BigInt::ZERO, "{value} placements");
    value.magnitude().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_rounded() {
        let texts = [(9_478_u64, 2), (9_500, 2), (9_999, 2), (96, 1), (7, 1), (7, 3), (0, 2)];
        let texts = texts.map(|(value, digits)| scientific(&BigUint::from(value), digits));
        assert_eq!(texts, ["9.5e3", "9.5e3", "1.0e4", "1e2", "7e0", "7.00e0", "0.0e0"]);
        let texts = [9_478_u64, 9_999, 7].map(|n| scientific_floor(&BigUint::from(n), 2));
        assert_eq!(texts, ["9.4e3", "9.9e3", "7.0e0"]);
        let value = BigUint::from(203_208_853_237_u64);
        assert!(Printed("2.0e11").is(&value) && !Printed("2.1e11").is(&value));
        assert_eq!(part(&BigUint::from(1000_u32), 0.25), BigUint::from(250_u32));
    }
}
