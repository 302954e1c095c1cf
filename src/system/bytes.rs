//! Human-readable byte counts.

use std::fmt;

/// A number of bytes, displayed in the largest unit that gives 1 or more: `1.5 MiB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scaled = self.0 as f64;
        let mut unit = None;
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
            if scaled < 1000.0 {
                break;
            }
            scaled /= 1024.0;
            unit = Some(next);
        }
        match unit {
            None => write!(f, "{} B", self.0),
            Some(unit) => write!(f, "{scaled:.1} {unit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit() {
        let shown =
            [0, 999, 1000, 16 << 30, 50_574_546 << 20].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(shown, ["0 B", "999 B", "1.0 KiB", "16.0 GiB", "48.2 TiB"]);
    }
}
