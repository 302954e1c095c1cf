use std::fmt;

use super::code::{Code, DONT_CARE};
use crate::rules::{BySide, Side};

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
    /// By lane.
    sides: BySide<Vec<LaneHasher>>,
}

/// Hashes the values of one side and lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneHasher {
    hasher: blake3::Hasher,
    codes: Vec<Code>,
    bytes: Vec<u8>,
}

impl ValueHasher {
    /// For a table with that many lanes, before its first row.
    pub fn new(lanes: usize) -> ValueHasher {
        ValueHasher { sides: BySide::from_fn(|_| vec![LaneHasher::default(); lanes]) }
    }

    /// Adds the values of the next rows of a lane; [`DONT_CARE`] counts as 0.
    pub fn update(&mut self, side: Side, lane: usize, codes: impl IntoIterator<Item = Code>) {
        self.sides[side][lane].update(codes);
    }

    /// One side's lanes, for threads to share.
    pub(crate) fn side(&mut self, side: Side) -> &mut [LaneHasher] {
        &mut self.sides[side]
    }

    /// The hash, when all rows have been added to all lanes.
    pub fn finish(&self) -> ValueHash {
        let mut all = blake3::Hasher::new();
        for lane in self.sides.iter().flatten() {
            all.update(lane.hasher.finalize().as_bytes());
        }
        ValueHash(*all.finalize().as_bytes())
    }
}

impl LaneHasher {
    /// Adds the values of the lane's next rows.
    pub(crate) fn update(&mut self, codes: impl IntoIterator<Item = Code>) {
        self.codes.clear();
        self.codes.extend(codes);
        self.bytes.resize(size_of::<Code>() * self.codes.len(), 0);
        let bytes = self.bytes.as_chunks_mut().0.iter_mut();
        for (bytes, &code) in bytes.zip(&self.codes) {
            *bytes = if code == DONT_CARE { 0 } else { code }.to_le_bytes();
        }
        self.hasher.update(&self.bytes);
    }
}
