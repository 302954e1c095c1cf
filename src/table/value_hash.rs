use std::fmt;

use super::code::{Code, DONT_CARE};
use crate::game::rules::{BySide, Side};
use crate::system::tree_hash::{SUBTREE_LEN, TreeHasher};

/// Identifies the values of a table, independent of blocks, packing and compression: tables
/// of the same slice and metric with the same hash give the same answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueHash(pub [u8; blake3::OUT_LEN]);

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        blake3::Hash::from_bytes(self.0).to_hex().fmt(f)
    }
}

/// Hashes the values of a table: each lane separately, in the order of rows.
#[derive(Clone, Debug)]
pub struct ValueHasher {
    /// By side and lane.
    sides: BySide<Vec<LaneHasher>>,
}

/// Hashes the values of one lane of one side.
#[derive(Clone, Debug)]
pub(crate) struct LaneHasher {
    hasher: TreeHasher,
    /// Values not yet hashed, fewer than [`CHUNK`].
    pending: Vec<Code>,
}

/// The number of values hashed at a time.
const CHUNK: usize = SUBTREE_LEN / size_of::<Code>();

impl ValueHasher {
    /// The maximum number of values per side and lane that are not yet hashed.
    #[cfg(feature = "build")]
    pub(crate) const MAX_PENDING: usize = CHUNK;

    /// The number of rows hashed at a time. Parts that are hashed separately must begin at a
    /// multiple of it.
    #[cfg(feature = "build")]
    pub(crate) const ROWS: u64 = CHUNK as u64;

    /// Creates a hasher for a table with that many lanes.
    pub fn new(lanes: usize) -> ValueHasher {
        ValueHasher::from_row(lanes, 0)
    }

    /// Creates a hasher for the part of a table that begins at `row`.
    pub(crate) fn from_row(lanes: usize, row: u64) -> ValueHasher {
        let hasher = TreeHasher::new(row * size_of::<Code>() as u64);
        let lane = LaneHasher { hasher, pending: Vec::new() };
        ValueHasher { sides: BySide::from_fn(|_| vec![lane.clone(); lanes]) }
    }

    /// Serializes the state, for [`append`](ValueHasher::append) in another process.
    #[cfg(feature = "build")]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.sides.iter().flatten().flat_map(|lane| lane.whole().to_bytes()).collect()
    }

    /// Appends the next rows, whose hasher was serialized by
    /// [`to_bytes`](ValueHasher::to_bytes) at the start of `bytes`, and advances them; `None`
    /// if they are invalid.
    #[cfg(feature = "build")]
    pub(crate) fn append(&mut self, bytes: &mut &[u8]) -> Option<()> {
        for lane in self.sides.iter_mut().flatten() {
            let mut whole = lane.whole();
            whole.append(&TreeHasher::read_from(bytes)?);
            *lane = LaneHasher { hasher: whole, pending: Vec::new() };
        }
        Some(())
    }

    /// Appends values to a lane; [`DONT_CARE`] counts as 0.
    pub fn update(&mut self, side: Side, lane: usize, codes: impl IntoIterator<Item = Code>) {
        self.sides[side][lane].update(codes);
    }

    /// Returns the hashers of a side's lanes, which may be used in parallel.
    pub(crate) fn side(&mut self, side: Side) -> &mut [LaneHasher] {
        &mut self.sides[side]
    }

    /// Returns the hash, once all rows have been appended to all lanes.
    pub fn finish(&self) -> ValueHash {
        let mut all = blake3::Hasher::new();
        for lane in self.sides.iter().flatten() {
            all.update(lane.whole().finish().as_bytes());
        }
        ValueHash(*all.finalize().as_bytes())
    }
}

impl LaneHasher {
    /// Appends the values of the lane's next rows.
    pub(crate) fn update(&mut self, codes: impl IntoIterator<Item = Code>) {
        self.pending.extend(codes);
        let whole = self.pending.len() / CHUNK * CHUNK;
        for codes in self.pending[..whole].chunks_exact(CHUNK) {
            hash_codes(&mut self.hasher, codes);
        }
        self.pending.drain(..whole);
    }

    /// Returns a hasher of all values so far, including the pending ones.
    fn whole(&self) -> TreeHasher {
        let mut hasher = self.hasher.clone();
        hash_codes(&mut hasher, &self.pending);
        hasher
    }
}

/// Hashes at most [`CHUNK`] values.
fn hash_codes(hasher: &mut TreeHasher, codes: &[Code]) {
    let mut bytes = [0; size_of::<Code>() * CHUNK];
    for (bytes, &code) in bytes.as_chunks_mut().0.iter_mut().zip(codes) {
        *bytes = if code == DONT_CARE { 0 } else { code }.to_le_bytes();
    }
    hasher.update(&bytes[..size_of_val(codes)]);
}
