//! The names of stages, parts and records.

use std::fmt;
use std::ops::Range;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::rows::numbers::ChunkNumber;

/// A step of the work on a slice. It is computed in parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The initial pass.
    Initial,
    /// One ply of one outcome.
    Ply {
        /// The winner of the outcome.
        winner: Side,
        /// The number of the ply.
        ply: Plies,
    },
    /// Marks all plies of one outcome as finished. It has no records and is based on the last ply.
    Outcome {
        /// The winner of the outcome.
        winner: Side,
    },
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Initial => f.write_str("initial"),
            Stage::Ply { winner, ply } => write!(f, "{}-{ply}", winner.name()),
            Stage::Outcome { winner } => write!(f, "{}-all", winner.name()),
        }
    }
}

/// The part of a stage for some chunks; finished as a whole or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// The stage.
    pub stage: Stage,
    /// The chunks.
    pub chunks: Range<usize>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}-{}", self.stage, self.chunks.start, self.chunks.end)
    }
}

impl Part {
    /// Parses the name of a part.
    pub(crate) fn named(name: &str) -> Option<Part> {
        let (stage_name, chunks) = name.split_once('@')?;
        let (start, end) = chunks.split_once('-')?;
        let stage = match stage_name.split_once('-') {
            None => (stage_name == "initial").then_some(Stage::Initial)?,
            Some((side, "all")) => Stage::Outcome { winner: Side::from_name(side)? },
            Some((side, ply)) => {
                Stage::Ply { winner: Side::from_name(side)?, ply: ply.parse().ok()? }
            }
        };
        let part = Part { stage, chunks: start.parse().ok()?..end.parse().ok()? };
        // Rejects other spellings of the numbers.
        (part.to_string() == name).then_some(part)
    }
}

/// The extension of a stage file until it is complete.
pub(super) const PARTIAL: &str = "part";

/// Returns `true` if the name is that of a scratch file.
pub(super) fn is_scratch_file(name: &str) -> bool {
    let part = name.strip_suffix(PARTIAL).and_then(|name| name.strip_suffix('.')).unwrap_or(name);
    Part::named(part).is_some()
}

/// The contents of a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Content {
    /// Positions of the loser that depend only on moves without captures.
    Open = 0,
    /// Positions of the loser without a move.
    Stalemates = 1,
    /// Positions won by a capture or by the rules at a ply.
    Wins = 2,
    /// Positions of the loser that become open at a ply: their captures are lost from then on.
    Releases = 3,
    /// Positions found at a ply.
    Found = 4,
}

impl Content {
    const ALL: [Content; 5] = {
        use Content::{Found, Open, Releases, Stalemates, Wins};
        [Open, Stalemates, Wins, Releases, Found]
    };
}

/// The key of a record in its file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key {
    /// The contents.
    pub content: Content,
    /// The winner of the outcome.
    pub winner: Side,
    /// The number of the ply; 0 for contents that belong to none.
    pub ply: Plies,
    /// The chunk of rows.
    pub chunk: ChunkNumber,
}

/// The encoded size of a key.
pub(super) const KEY_BYTES: usize = 8;

impl Key {
    /// Encodes the fields in their order, little-endian.
    pub(crate) fn to_bytes(self) -> [u8; KEY_BYTES] {
        let mut bytes = [0; KEY_BYTES];
        bytes[0] = self.content as u8;
        bytes[1] = self.winner as u8;
        bytes[2..4].copy_from_slice(&self.ply.to_le_bytes());
        bytes[4..].copy_from_slice(&u32::from(self.chunk).to_le_bytes());
        bytes
    }

    /// Decodes the bytes of [`to_bytes`](Key::to_bytes); `None` if they are invalid.
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
    fn only_scratch_file_names_are_recognized() {
        let winner = Side::Attackers;
        for stage in [
            Stage::Initial,
            Stage::Ply { winner, ply: 3 },
            Stage::Outcome { winner: Side::Defenders },
        ] {
            let part = Part { stage, chunks: 7..120 };
            assert_eq!(Part::named(&part.to_string()).as_ref(), Some(&part));
            assert!(is_scratch_file(&part.to_string()));
            assert!(is_scratch_file(&format!("{part}.{PARTIAL}")));
        }
        for name in [
            "",
            "initial",
            "initial-",
            "initial-0",
            "attackers-12",
            "attackers-1a",
            "defenders-all",
            "notes",
            "open",
            "x.part",
            "initial-3.part",
            "initial@1",
            "initial@01-2",
            "attackers-1@+1-2",
            "attackers-@1-2",
            "won@1-2",
            "initial@1-2-3",
        ] {
            assert!(!is_scratch_file(name) && Part::named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn keys_round_trip() {
        for content in Content::ALL {
            let key =
                Key { content, winner: Side::Defenders, ply: 513, chunk: ChunkNumber::new(70_000) };
            assert_eq!(Key::from_bytes(key.to_bytes()), Some(key));
        }
        assert_eq!(Key::from_bytes([5, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(Key::from_bytes([0, 2, 0, 0, 0, 0, 0, 0]), None);
    }
}
