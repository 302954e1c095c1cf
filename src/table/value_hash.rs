use std::fmt;

use super::code::{Code, DONT_CARE};
use crate::game::rules::{BySide, Side};
use crate::system::tree_hash::{SUBTREE_LEN, TreeHasher};

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
#[derive(Clone, Debug)]
pub(crate) struct LaneHasher {
    hasher: TreeHasher,
    /// The next values, fewer than [`TOGETHER`].
    waiting: Vec<Code>,
}

/// Values that are hashed together.
const TOGETHER: usize = SUBTREE_LEN / size_of::<Code>();

impl ValueHasher {
    /// How many values of each side and lane may wait to be hashed.
    #[cfg(feature = "build")]
    pub(crate) const WAITING: usize = TOGETHER;

    /// How many rows are hashed together. Who hashes a part of the rows begins at a
    /// multiple of that.
    #[cfg(feature = "build")]
    pub(crate) const ROWS: u64 = TOGETHER as u64;

    /// For a table with that many lanes, before its first row.
    pub fn new(lanes: usize) -> ValueHasher {
        ValueHasher::from_row(lanes, 0)
    }

    /// The same before another row.
    pub(crate) fn from_row(lanes: usize, row: u64) -> ValueHasher {
        let hasher = TreeHasher::new(row * size_of::<Code>() as u64);
        let lane = LaneHasher { hasher, waiting: Vec::new() };
        ValueHasher { sides: BySide::from_fn(|_| vec![lane.clone(); lanes]) }
    }

    /// What somebody needs who goes on from here.
    #[cfg(feature = "build")]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.sides.iter().flatten().flat_map(|lane| lane.whole().to_bytes()).collect()
    }

    /// Adds the next rows, which somebody else has hashed, and takes what his
    /// [`to_bytes`](ValueHasher::to_bytes) says; `None` if these bytes are others.
    #[cfg(feature = "build")]
    pub(crate) fn append(&mut self, bytes: &mut &[u8]) -> Option<()> {
        for lane in self.sides.iter_mut().flatten() {
            let mut whole = lane.whole();
            whole.append(&TreeHasher::read_from(bytes)?);
            *lane = LaneHasher { hasher: whole, waiting: Vec::new() };
        }
        Some(())
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
            all.update(lane.whole().finish().as_bytes());
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

    /// The hasher of all values so far.
    fn whole(&self) -> TreeHasher {
        let mut hasher = self.hasher.clone();
        hash(&mut hasher, &self.waiting);
        hasher
    }
}

/// Adds at most [`TOGETHER`] values.
fn hash(hasher: &mut TreeHasher, codes: &[Code]) {
    let mut bytes = [0; size_of::<Code>() * TOGETHER];
    for (bytes, &code) in bytes.as_chunks_mut().0.iter_mut().zip(codes) {
        *bytes = if code == DONT_CARE { 0 } else { code }.to_le_bytes();
    }
    hasher.update(&bytes[..size_of_val(codes)]);
}
