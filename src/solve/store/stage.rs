//! What the parts of the work are called.

use std::fmt;

use crate::rules::Side;
use crate::solve::rows::numbers::ChunkNumber;
use crate::value::Plies;

/// A part of the work on a slice that is done as a whole or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The initial pass over a part of the chunks.
    Initial {
        /// Its number.
        part: usize,
    },
    /// One ply of one outcome.
    Ply {
        /// The side that wins.
        winner: Side,
        /// The distance.
        ply: Plies,
    },
    /// All plies of one outcome: its only record says how many.
    Outcome {
        /// The side that wins.
        winner: Side,
    },
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Initial { part } => write!(f, "initial-{part}"),
            Stage::Ply { winner, ply } => write!(f, "{}-{ply}", winner.name()),
            Stage::Outcome { winner } => write!(f, "{}-all", winner.name()),
        }
    }
}

/// What the name of a stage file ends with until the file is complete.
pub(super) const PARTIAL: &str = "part";

/// Tables of earlier versions, which had names.
const NAMED_TABLES: [&str; 3] = ["won", "open", "lost"];

/// Whether a file of that name is one that builds make in a scratch folder.
pub(super) fn is_ours(name: &str) -> bool {
    let stage = name.strip_suffix(PARTIAL).and_then(|name| name.strip_suffix('.')).unwrap_or(name);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let stage = match stage.split_once('-') {
        Some(("initial", part)) => number(part),
        Some((side, ply)) => {
            Side::ALL.iter().any(|s| s.name() == side) && (ply == "all" || number(ply))
        }
        None => false,
    };
    stage || NAMED_TABLES.contains(&name)
}

/// What a record holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Content {
    /// The loser's positions that moves without captures decide.
    Open = 0,
    /// The loser's positions without a move.
    Stalemates = 1,
    /// Positions that captures or the rules win at a ply.
    Wins = 2,
    /// Positions that captures cease to hold back at a ply.
    Releases = 3,
    /// What a ply found.
    Found = 4,
    /// Nothing: the ply is the last one of its outcome.
    Last = 5,
}

impl Content {
    const ALL: [Content; 6] = {
        use Content::{Found, Last, Open, Releases, Stalemates, Wins};
        [Open, Stalemates, Wins, Releases, Found, Last]
    };
}

/// Names a record within its file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key {
    /// What it holds.
    pub content: Content,
    /// For the outcome that this side wins.
    pub winner: Side,
    /// At which distance.
    pub ply: Plies,
    /// Of which rows.
    pub chunk: ChunkNumber,
}

/// The bytes of a key.
pub(super) const KEY_BYTES: usize = 8;

impl Key {
    /// Its fields in their order, little-endian.
    pub(crate) fn to_bytes(self) -> [u8; KEY_BYTES] {
        let mut bytes = [0; KEY_BYTES];
        bytes[0] = self.content as u8;
        bytes[1] = self.winner as u8;
        bytes[2..4].copy_from_slice(&self.ply.to_le_bytes());
        bytes[4..].copy_from_slice(&u32::from(self.chunk).to_le_bytes());
        bytes
    }

    /// The key of [`to_bytes`](Key::to_bytes); `None` if these bytes are of none.
    pub(crate) fn from_bytes([content, winner, p, q, chunk @ ..]: [u8; KEY_BYTES]) -> Option<Key> {
        Some(Key {
            content: *Content::ALL.get(usize::from(content))?,
            winner: *Side::ALL.get(usize::from(winner))?,
            ply: Plies::from_le_bytes([p, q]),
            chunk: u32::from_le_bytes(chunk).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_are_taken_for_such() {
        let winner = Side::Attackers;
        for stage in [
            Stage::Initial { part: 12 },
            Stage::Ply { winner, ply: 3 },
            Stage::Outcome { winner: Side::Defenders },
        ] {
            assert!(is_ours(&stage.to_string()) && is_ours(&format!("{stage}.{PARTIAL}")));
        }
        assert!(is_ours("won"));
        for name in ["", "initial", "initial-", "attackers-1a", "notes", "x.part", "won.part"] {
            assert!(!is_ours(name), "{name}");
        }
    }

    #[test]
    fn keys_go_through_bytes() {
        for content in Content::ALL {
            let key =
                Key { content, winner: Side::Defenders, ply: 513, chunk: ChunkNumber::new(70_000) };
            assert_eq!(Key::from_bytes(key.to_bytes()), Some(key));
        }
        assert_eq!(Key::from_bytes([6, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(Key::from_bytes([0, 2, 0, 0, 0, 0, 0, 0]), None);
    }
}
