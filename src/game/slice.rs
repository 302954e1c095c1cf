//! Slices: a slice is all positions of one material.

use std::fmt;
use std::str::FromStr;

use crate::game::board::MAX_SIZE;

/// The material of a slice: the king, some defenders and some attackers.
///
/// Written `K2v4` for the king and 2 defenders against 4 attackers. Ordered by men, then by
/// attackers, so that captures lead only to earlier slices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// Defending soldiers, without the king.
    pub defenders: usize,
    /// Attacking soldiers; 1 or more in a stored slice.
    pub attackers: usize,
}

impl Slice {
    /// Returns the number of pieces, including the king.
    pub fn men(self) -> usize {
        self.defenders.saturating_add(self.attackers).saturating_add(1)
    }
}

impl Ord for Slice {
    fn cmp(&self, other: &Slice) -> std::cmp::Ordering {
        (self.men(), self.attackers).cmp(&(other.men(), other.attackers))
    }
}

impl PartialOrd for Slice {
    fn partial_cmp(&self, other: &Slice) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("K{}v{}", self.defenders, self.attackers))
    }
}

/// The error for a text that is not a slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseSliceError(String);

impl fmt::Display for ParseSliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a slice: write K2v4 for king and 2 defenders v 4 attackers", self.0)
    }
}

impl std::error::Error for ParseSliceError {}

impl FromStr for Slice {
    type Err = ParseSliceError;

    fn from_str(text: &str) -> Result<Slice, ParseSliceError> {
        parse(text).ok_or_else(|| ParseSliceError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Slice> {
    let (defenders, attackers) = text.strip_prefix(['K', 'k'])?.split_once(['v', 'V'])?;
    let slice = Slice { defenders: parse_count(defenders)?, attackers: parse_count(attackers)? };
    (slice.attackers >= 1).then_some(slice)
}

/// The number of squares of the largest board.
const MAX_SQUARES: usize = MAX_SIZE as usize * MAX_SIZE as usize;

/// Parses digits without a sign; `None` for more pieces than the largest board has squares.
fn parse_count(digits: &str) -> Option<usize> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|&count| all_digits && count <= MAX_SQUARES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_go_through_text() {
        for text in ["K0v1", "K2v4", "K12v24"] {
            assert_eq!(text.parse::<Slice>().unwrap().to_string(), text);
        }
        for wrong in ["", "K", "K1", "Kv1", "1v1", "K1v", "K+1v1", "K1v0", "K1v-1", "K1v1 "] {
            assert!(wrong.parse::<Slice>().is_err(), "{wrong:?}");
        }
    }
}
