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
    /// The next values, fewer than [`TOGETHER`].
    waiting: Vec<Code>,
}

/// Values that are hashed together: a hasher is fastest with many of its chunks at once.
const TOGETHER: usize = 1 << 14;

impl ValueHasher {
    /// How many values of each side and lane may wait to be hashed.
    #[cfg(feature = "build")]
    pub(crate) const WAITING: usize = TOGETHER;

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
            all.update(lane.finish().as_bytes());
        }
        ValueHash(*all.finalize().as_bytes())
    }
}

impl LaneHasher {
    /// Adds the values of the lane's next rows.
    pub(crate) fn update(&mut self, codes: impl IntoIterator<Item = Code>) {
        self.waiting.extend(codes);
        let whole = self.waiting.len() / TOGETHER * TOGETHER;
        for codes in self.waiting[..whole].chunks_exact(TOGETHER) {
            hash(&mut self.hasher, codes);
        }
        self.waiting.drain(..whole);
    }

    fn finish(&self) -> blake3::Hash {
        let mut hasher = self.hasher.clone();
        hash(&mut hasher, &self.waiting);
        hasher.finalize()
    }
}

/// Adds at most [`TOGETHER`] values.
fn hash(hasher: &mut blake3::Hasher, codes: &[Code]) {
    let mut bytes = [0; size_of::<Code>() * TOGETHER];
    for (bytes, &code) in bytes.as_chunks_mut().0.iter_mut().zip(codes) {
        *bytes = if code == DONT_CARE { 0 } else { code }.to_le_bytes();
    }
    hasher.update(&bytes[..size_of_val(codes)]);
}
