//! Numbers and slices as readers of the page see them.

use crate::game::slice::Slice;
use crate::game::value::Plies;
use crate::system::bytes::Bytes;
use crate::system::numbers::{counted, grouped, time};

/// The largest number that is printed with all its digits.
const MAX_PLAIN: f64 = 1e15;
/// The seconds of a year.
const YEAR: f64 = 365.25 * 86400.0;

/// Formats a share in percent. Only what is exactly none or all is `0 %` or `100 %`.
pub(super) fn percent(share: f64) -> String {
    let value = 100.0 * share;
    match value {
        0.0 => "0 %".to_owned(),
        100.0 => "100 %".to_owned(),
        _ if value < 0.01 => "≈ 0 %".to_owned(),
        _ if value > 99.99 => "≈ 100 %".to_owned(),
        _ => format!("{value:.2} %"),
    }
}

/// Formats a share as a whole percentage without a unit, for the squares of a map: `<1` and
/// `>99` stand for shares that are not quite 0 or 100.
pub(super) fn whole_percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0".to_owned(),
        value if value < 0.5 => "<1".to_owned(),
        value if (99.5..100.0).contains(&value) => ">99".to_owned(),
        value => format!("{value:.0}"),
    }
}

/// Formats a count of any size: `1,234` or `1.2 × 10²⁵`.
pub(super) fn count(value: f64) -> String {
    if value < MAX_PLAIN {
        return grouped(value.round() as u64);
    }
    let exponent = value.log10().floor();
    // Rounding may reach the next power.
    let (digits, exponent) = match format!("{:.1}", value / 10_f64.powf(exponent)) {
        digits if digits == "10.0" => ("1.0".to_owned(), exponent + 1.0),
        digits => (digits, exponent),
    };
    format!("{digits} × {}", power_of_ten(exponent as i32))
}

/// Formats a power of ten: `1`, `100`, `10⁶`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn superscript(number: i32) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number
        .to_string()
        .chars()
        .map(|c| c.to_digit(10).map_or('⁻', |digit| digits[digit as usize]))
        .collect()
}

/// Formats a number of bytes of any size.
pub(super) fn bytes(value: f64) -> String {
    match value < u64::MAX as f64 {
        true => Bytes(value as u64).to_string(),
        false => format!("{} B", count(value)),
    }
}

/// Formats a duration of any length.
pub(super) fn span(seconds: f64) -> String {
    match seconds / YEAR {
        years if years < 3.0 => time(seconds),
        years => format!("{} years", count(years)),
    }
}

/// Formats a number of plies.
pub(super) fn plies(plies: Plies) -> String {
    counted(plies, ["ply", "plies"])
}

/// Describes the material of a slice.
pub(super) fn material(slice: Slice) -> String {
    let own = match slice.defenders {
        0 => "the king alone".to_owned(),
        defenders => format!("the king and {}", counted(defenders, ["defender", "defenders"])),
    };
    format!("{own} against {}", counted(slice.attackers, ["attacker", "attackers"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_near_none_and_all_are_not_rounded_to_them() {
        let shares = [0.0, 0.00001, 0.12345, 0.99999, 1.0].map(percent);
        assert_eq!(shares, ["0 %", "≈ 0 %", "12.35 %", "≈ 100 %", "100 %"]);
        let whole = [0.0, 0.001, 0.2749, 0.9951, 1.0].map(whole_percent);
        assert_eq!(whole, ["0", "<1", "27", ">99", "100"]);
    }

    #[test]
    fn numbers_of_any_size_are_short() {
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(1.234e25), "1.2 × 10²⁵");
        assert_eq!(count(9.99e25), "1.0 × 10²⁶");
        assert_eq!([0, 2, 6, -3].map(power_of_ten), ["1", "100", "10⁶", "10⁻³"]);
        assert_eq!(bytes(2048.0), "2.0 KiB");
        assert_eq!(bytes(1e30), "1.0 × 10³⁰ B");
        assert_eq!(span(7200.0), "2.0 h");
        assert_eq!(span(1000.0 * YEAR), "1,000 years");
        assert_eq!(
            material("K1v2".parse().unwrap()),
            "the king and 1 defender against 2 attackers"
        );
    }
}
