//! Slices: all positions of one material.

use std::fmt;
use std::str::FromStr;

/// The material of a slice: the king, some defenders and some attackers.
///
/// Written `K2v4` for the king and 2 defenders against 4 attackers. Ordered by
/// men, then by attackers, so that every slice comes after all slices that a
/// capture can lead to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// Defending soldiers, the king not counted.
    pub defenders: usize,
    /// Attacking soldiers; 1 or more in a stored slice.
    pub attackers: usize,
}

impl Slice {
    /// All pieces on the board, the king included.
    pub fn men(self) -> usize {
        1 + self.defenders + self.attackers
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

/// A text that is no slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseSliceError(String);

impl fmt::Display for ParseSliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no slice: write K2v4 for king and 2 defenders v 4 attackers", self.0)
    }
}

impl std::error::Error for ParseSliceError {}

impl FromStr for Slice {
    type Err = ParseSliceError;

    fn from_str(text: &str) -> Result<Slice, ParseSliceError> {
        let count = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse::<usize>().ok()).flatten().filter(|&n| n <= 361)
        };
        text.strip_prefix(['K', 'k'])
            .and_then(|rest| rest.split_once(['v', 'V']))
            .and_then(|(defenders, attackers)| {
                Some(Slice { defenders: count(defenders)?, attackers: count(attackers)? })
            })
            .filter(|slice| slice.attackers >= 1)
            .ok_or_else(|| ParseSliceError(text.to_owned()))
    }
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
