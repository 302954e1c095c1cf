use std::fmt;

use super::code::{Code, DONT_CARE};
use crate::rules::Side;

/// Identifies the values of a table, whatever their blocks, packing and
/// compression: tables of one slice and metric with one hash answer alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueHash(pub [u8; blake3::OUT_LEN]);

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        blake3::Hash::from_bytes(self.0).to_hex().fmt(f)
    }
}

/// Hashes the values of a table, lane by lane, each lane's in the order of rows.
#[derive(Clone, Debug)]
pub struct ValueHasher {
    /// By side, then by lane.
    lanes: Vec<LaneHasher>,
}

/// Hashes the values of one side and lane.
#[derive(Clone, Debug, Default)]
pub struct LaneHasher {
    hasher: blake3::Hasher,
    bytes: Vec<u8>,
}

impl ValueHasher {
    /// For a table with that many lanes, before its first row.
    pub fn new(lanes: usize) -> ValueHasher {
        ValueHasher { lanes: vec![LaneHasher::default(); 2 * lanes] }
    }

    /// One side's lanes.
    pub fn side(&mut self, side: Side) -> &mut [LaneHasher] {
        let lanes = self.lanes.len() / 2;
        &mut self.lanes[side as usize * lanes..][..lanes]
    }

    /// The hash, when all rows have been added to all lanes.
    pub fn finish(&self) -> ValueHash {
        let mut all = blake3::Hasher::new();
        for lane in &self.lanes {
            all.update(lane.hasher.finalize().as_bytes());
        }
        ValueHash(*all.finalize().as_bytes())
    }
}

impl LaneHasher {
    /// Adds the values of the next rows; [`DONT_CARE`] counts as 0.
    pub fn update(&mut self, codes: impl IntoIterator<Item = Code>) {
        self.bytes.clear();
        self.bytes.extend(codes.into_iter().flat_map(|code| {
            let value = if code == DONT_CARE { 0 } else { code };
            value.to_le_bytes()
        }));
        self.hasher.update(&self.bytes);
    }
}
