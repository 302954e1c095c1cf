//! A BLAKE3 hash computed in parts, each by the process that holds its bytes.
//!
//! The hash is the root of a binary tree over the bytes (section 2.1 of the BLAKE3 paper), so
//! whole subtrees can be hashed independently.

use blake3::Hasher;
use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root,
};

/// The length of the smallest subtree kept separately; a hasher is fastest with many BLAKE3 chunks
/// at once.
pub(crate) const SUBTREE_LEN: usize = 1 << 15;

/// An incremental hasher of the bytes from some offset on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeHasher {
    /// The offset of the first byte.
    start: u64,
    /// The offset after the last byte.
    end: u64,
    /// Bytes before the first subtree boundary; their subtree begins in another part.
    head: Vec<u8>,
    /// Complete subtrees. Two are merged only when more bytes follow, since the last two may be the
    /// children of the root.
    subtrees: Vec<Subtree>,
    /// The final hash if there are no bytes after the first subtree.
    first_hash: Option<[u8; blake3::OUT_LEN]>,
    /// Bytes after the last complete subtree.
    tail: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Subtree {
    start: u64,
    length: u64,
    value: ChainingValue,
}

impl TreeHasher {
    /// Creates a hasher of the bytes from offset `start` on. Only one that starts at 0 can
    /// [`finish`](TreeHasher::finish).
    pub(crate) fn new(start: u64) -> TreeHasher {
        let (head, subtrees, tail) = Default::default();
        TreeHasher { start, end: start, head, subtrees, first_hash: None, tail }
    }

    /// Returns the offset after the last byte.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Adds the next bytes.
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        let whole = self.start.next_multiple_of(SUBTREE_LEN as u64);
        if self.end < whole {
            let (head, rest) = bytes.split_at(bytes.len().min((whole - self.end) as usize));
            self.head.extend_from_slice(head);
            self.end += head.len() as u64;
            bytes = rest;
        }
        if !self.tail.is_empty() {
            let (tail, rest) = bytes.split_at(bytes.len().min(SUBTREE_LEN - self.tail.len()));
            self.tail.extend_from_slice(tail);
            self.end += tail.len() as u64;
            bytes = rest;
            if self.tail.len() == SUBTREE_LEN {
                let mut block = std::mem::take(&mut self.tail);
                self.block(self.end - SUBTREE_LEN as u64, &block);
                // Reuse the allocation.
                block.clear();
                self.tail = block;
            }
        }
        let (blocks, tail) = bytes.as_chunks::<SUBTREE_LEN>();
        for block in blocks {
            self.block(self.end, block);
            self.end += SUBTREE_LEN as u64;
        }
        self.tail.extend_from_slice(tail);
        self.end += tail.len() as u64;
    }

    /// Appends the bytes that `next` has hashed, which must start where these end.
    pub(crate) fn append(&mut self, next: &TreeHasher) {
        debug_assert_eq!(self.end, next.start);
        self.update(&next.head);
        next.subtrees.iter().for_each(|&subtree| push(&mut self.subtrees, subtree));
        self.end += next.subtrees.iter().map(|subtree| subtree.length).sum::<u64>();
        self.first_hash = self.first_hash.or(next.first_hash);
        self.update(&next.tail);
    }

    /// Returns the hash of all bytes.
    pub(crate) fn finish(&self) -> blake3::Hash {
        debug_assert_eq!(self.start, 0);
        let mut subtrees = self.subtrees.clone();
        if !self.tail.is_empty() {
            if subtrees.is_empty() {
                return blake3::hash(&self.tail);
            }
            let length = self.tail.len() as u64;
            let start = self.end - length;
            let value = subtree_hasher(start, &self.tail).finalize_non_root();
            push(&mut subtrees, Subtree { start, length, value });
        }
        let mut values: Vec<ChainingValue> = subtrees.iter().map(|tree| tree.value).collect();
        let mut right = values.pop();
        while let (Some(last), Some(left)) = (right, values.pop()) {
            if values.is_empty() {
                return merge_subtrees_root(&left, &last, Mode::Hash);
            }
            right = Some(merge_subtrees_non_root(&left, &last, Mode::Hash));
        }
        self.first_hash.map_or_else(|| blake3::hash(&[]), blake3::Hash::from_bytes)
    }

    /// Serializes the state, so that another process can append it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let numbers = [self.start, self.end, self.head.len() as u64, self.subtrees.len() as u64];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend_from_slice(&self.head);
        for subtree in &self.subtrees {
            bytes.extend(subtree.start.to_le_bytes());
            bytes.extend(subtree.length.to_le_bytes());
            bytes.extend(subtree.value);
        }
        bytes.push(self.first_hash.is_some().into());
        bytes.extend(self.first_hash.unwrap_or_default());
        bytes.extend((self.tail.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&self.tail);
        bytes
    }

    /// Reads a state written by [`to_bytes`](TreeHasher::to_bytes) from the front of `bytes` and
    /// advances past it; `None` if it is malformed.
    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<TreeHasher> {
        let start = read_u64(bytes)?;
        let mut hasher = TreeHasher { end: read_u64(bytes)?, ..TreeHasher::new(start) };
        let [head, subtrees] = [read_u64(bytes)?, read_u64(bytes)?];
        hasher.head = bytes.split_off(..usize::try_from(head).ok()?)?.to_vec();
        for _ in 0..subtrees {
            let (start, length) = (read_u64(bytes)?, read_u64(bytes)?);
            hasher.subtrees.push(Subtree { start, length, value: read_array(bytes)? });
        }
        let [is_some] = read_array(bytes)?;
        hasher.first_hash = Some(read_array(bytes)?).filter(|_| is_some != 0);
        let tail = read_u64(bytes)?;
        hasher.tail = bytes.split_off(..usize::try_from(tail).ok()?)?.to_vec();
        Some(hasher)
    }

    fn block(&mut self, start: u64, block: &[u8]) {
        let hasher = subtree_hasher(start, block);
        if start == 0 {
            self.first_hash = Some(*subtree_hasher(0, block).finalize().as_bytes());
        }
        let subtree =
            Subtree { start, length: SUBTREE_LEN as u64, value: hasher.finalize_non_root() };
        push(&mut self.subtrees, subtree);
    }
}

/// Appends a subtree after merging complete pairs to its left.
fn push(subtrees: &mut Vec<Subtree>, subtree: Subtree) {
    while let [.., left, right] = subtrees[..] {
        let length = 2 * right.length;
        if left.length != right.length || !left.start.is_multiple_of(length) {
            break;
        }
        let value = merge_subtrees_non_root(&left.value, &right.value, Mode::Hash);
        subtrees.truncate(subtrees.len() - 2);
        subtrees.push(Subtree { start: left.start, length, value });
    }
    subtrees.push(subtree);
}

/// Hashes a subtree of at most [`SUBTREE_LEN`] bytes that begins at `start`.
fn subtree_hasher(start: u64, bytes: &[u8]) -> Hasher {
    let mut hasher = Hasher::new();
    hasher.set_input_offset(start).update(bytes);
    hasher
}

fn read_u64(bytes: &mut &[u8]) -> Option<u64> {
    read_array(bytes).map(u64::from_le_bytes)
}

/// Splits `N` bytes off the front; `None` if there are fewer.
pub(crate) fn read_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lengths near multiples of the subtree length.
    fn lengths() -> impl Strategy<Value = usize> {
        (0..6_usize, -3..4_isize, any::<bool>(), 0..SUBTREE_LEN).prop_map(
            |(blocks, more, near, any)| {
                let length = (blocks * SUBTREE_LEN) as isize;
                if near { (length + more).max(0) as usize } else { any }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn many_hash_as_one(
            parts in prop::collection::vec(prop::collection::vec(lengths(), 0..4), 1..6),
        ) {
            let (mut all, mut joined) = (Vec::new(), TreeHasher::new(0));
            for updates in &parts {
                let mut part = TreeHasher::new(all.len() as u64);
                for &length in updates {
                    let bytes: Vec<u8> = (0..length).map(|i| (i * 7 + all.len()) as u8).collect();
                    part.update(&bytes);
                    all.extend(bytes);
                }
                let bytes = part.to_bytes();
                let read = TreeHasher::read_from(&mut &bytes[..]);
                prop_assert_eq!(read.as_ref(), Some(&part));
                prop_assert_eq!(TreeHasher::read_from(&mut &bytes[..bytes.len() - 1]), None);
                joined.append(&part);
            }
            prop_assert_eq!(joined.finish(), blake3::hash(&all));
            prop_assert!(joined.subtrees.len() < 20);
        }
    }
}
