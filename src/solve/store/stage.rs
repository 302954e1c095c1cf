//! What the parts of the work are called.

use std::fmt;
use std::ops::Range;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::rows::numbers::ChunkNumber;

/// A step of the work on a slice, which is done in parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The initial pass.
    Initial,
    /// One ply of one outcome.
    Ply {
        /// The side that wins.
        winner: Side,
        /// The distance.
        ply: Plies,
    },
    /// All plies of one outcome: it has no records, and stands on the last one.
    Outcome {
        /// The side that wins.
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

/// A stage of some chunks. It is done as a whole or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// The stage.
    pub stage: Stage,
    /// The numbers of the chunks.
    pub chunks: Range<usize>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}-{}", self.stage, self.chunks.start, self.chunks.end)
    }
}

impl Part {
    /// The part of that name.
    pub(crate) fn named(name: &str) -> Option<Part> {
        let (stage, chunks) = name.split_once('@')?;
        let (start, end) = chunks.split_once('-')?;
        let stage = match stage.split_once('-') {
            None => (stage == "initial").then_some(Stage::Initial),
            Some((side, ply)) => {
                let winner = Side::ALL.into_iter().find(|winner| winner.name() == side)?;
                match ply {
                    "all" => Some(Stage::Outcome { winner }),
                    ply => Some(Stage::Ply { winner, ply: ply.parse().ok()? }),
                }
            }
        };
        let part = Part { stage: stage?, chunks: start.parse().ok()?..end.parse().ok()? };
        // Numbers have other spellings.
        (part.to_string() == name).then_some(part)
    }
}

/// What the name of a stage file ends with until the file is complete.
pub(super) const PARTIAL: &str = "part";

/// Tables of earlier versions, which had names.
const NAMED_TABLES: [&str; 3] = ["won", "open", "lost"];

/// Whether a file of that name is one that builds make in a scratch folder.
pub(super) fn is_build_file(name: &str) -> bool {
    let stage = name.strip_suffix(PARTIAL).and_then(|name| name.strip_suffix('.')).unwrap_or(name);
    Part::named(stage).is_some() || is_earlier(stage) || NAMED_TABLES.contains(&name)
}

/// Whether earlier versions gave a stage that name.
fn is_earlier(stage: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match stage.split_once('-') {
        Some(("initial", part)) => number(part),
        Some((side, ply)) => {
            Side::ALL.iter().any(|s| s.name() == side) && (ply == "all" || number(ply))
        }
        None => false,
    }
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
}

impl Content {
    const ALL: [Content; 5] = {
        use Content::{Found, Open, Releases, Stalemates, Wins};
        [Open, Stalemates, Wins, Releases, Found]
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
            Stage::Initial,
            Stage::Ply { winner, ply: 3 },
            Stage::Outcome { winner: Side::Defenders },
        ] {
            let part = Part { stage, chunks: 7..120 };
            assert_eq!(Part::named(&part.to_string()).as_ref(), Some(&part));
            assert!(
                is_build_file(&part.to_string()) && is_build_file(&format!("{part}.{PARTIAL}"))
            );
        }
        for name in ["won", "initial-0", "attackers-12", "defenders-all", "initial-3.part"] {
            assert!(is_build_file(name), "{name}");
        }
        for name in [
            "",
            "initial",
            "initial-",
            "attackers-1a",
            "notes",
            "x.part",
            "won.part",
            "initial@1",
            "initial@01-2",
            "attackers-1@+1-2",
            "attackers-@1-2",
            "won@1-2",
            "initial@1-2-3",
        ] {
            assert!(!is_build_file(name) && Part::named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn keys_go_through_bytes() {
        for content in Content::ALL {
            let key =
                Key { content, winner: Side::Defenders, ply: 513, chunk: ChunkNumber::new(70_000) };
            assert_eq!(Key::from_bytes(key.to_bytes()), Some(key));
        }
        assert_eq!(Key::from_bytes([5, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(Key::from_bytes([0, 2, 0, 0, 0, 0, 0, 0]), None);
    }
}
