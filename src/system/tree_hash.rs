//! The BLAKE3 hash of bytes that are in several hands: each hashes the piece that it has.
//!
//! The hash is the root of a binary tree over the bytes (section 2.1 of the BLAKE3 paper),
//! so whole subtrees can be hashed by anybody who has their bytes.

use blake3::Hasher;
use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root,
};

/// The bytes of the smallest subtree that is kept as such: a hasher is fastest with many
/// of its chunks at once.
pub(crate) const PIECE: usize = 1 << 15;

/// Hashes the bytes from some place on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeHasher {
    /// The place of the first byte.
    start: u64,
    /// The place after the last byte.
    end: u64,
    /// Bytes before the first whole piece, which somebody else has begun.
    head: Vec<u8>,
    /// Whole subtrees. They are joined to a larger one when more follows: the last two
    /// may be the sides of the root.
    subtrees: Vec<Subtree>,
    /// What the hash is if the first piece is all there is.
    of_first: Option<[u8; blake3::OUT_LEN]>,
    /// Bytes after the last whole piece.
    tail: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Subtree {
    start: u64,
    length: u64,
    value: ChainingValue,
}

impl TreeHasher {
    /// Hashes the bytes from that place on; the hash is that of all bytes if it is 0.
    pub(crate) fn new(start: u64) -> TreeHasher {
        let (head, subtrees, tail) = Default::default();
        TreeHasher { start, end: start, head, subtrees, of_first: None, tail }
    }

    /// The place after the last byte.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Adds the next bytes.
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        let whole = self.start.next_multiple_of(PIECE as u64);
        if self.end < whole {
            let (head, rest) = bytes.split_at(bytes.len().min((whole - self.end) as usize));
            self.head.extend_from_slice(head);
            self.end += head.len() as u64;
            bytes = rest;
        }
        if !self.tail.is_empty() {
            let (tail, rest) = bytes.split_at(bytes.len().min(PIECE - self.tail.len()));
            self.tail.extend_from_slice(tail);
            self.end += tail.len() as u64;
            bytes = rest;
            if self.tail.len() == PIECE {
                let mut piece = std::mem::take(&mut self.tail);
                self.piece(self.end - PIECE as u64, &piece);
                // The room is used again.
                piece.clear();
                self.tail = piece;
            }
        }
        let (pieces, tail) = bytes.as_chunks::<PIECE>();
        for piece in pieces {
            self.piece(self.end, piece);
            self.end += PIECE as u64;
        }
        self.tail.extend_from_slice(tail);
        self.end += tail.len() as u64;
    }

    /// Adds bytes that somebody else has hashed: those that come next.
    pub(crate) fn append(&mut self, next: &TreeHasher) {
        debug_assert_eq!(self.end, next.start);
        self.update(&next.head);
        next.subtrees.iter().for_each(|&subtree| push(&mut self.subtrees, subtree));
        self.end += next.subtrees.iter().map(|subtree| subtree.length).sum::<u64>();
        self.of_first = self.of_first.or(next.of_first);
        self.update(&next.tail);
    }

    /// The hash of all bytes.
    pub(crate) fn finish(&self) -> blake3::Hash {
        debug_assert_eq!(self.start, 0);
        let mut subtrees = self.subtrees.clone();
        if !self.tail.is_empty() {
            if subtrees.is_empty() {
                return blake3::hash(&self.tail);
            }
            let length = self.tail.len() as u64;
            let start = self.end - length;
            let value = value(start, &self.tail).finalize_non_root();
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
        self.of_first.map_or_else(|| blake3::hash(&[]), blake3::Hash::from_bytes)
    }

    /// All that another hasher needs to go on from here.
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
        bytes.push(self.of_first.is_some().into());
        bytes.extend(self.of_first.unwrap_or_default());
        bytes.extend((self.tail.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&self.tail);
        bytes
    }

    /// The hasher of [`to_bytes`](TreeHasher::to_bytes), of which these bytes are taken;
    /// `None` if they are others.
    pub(crate) fn take(bytes: &mut &[u8]) -> Option<TreeHasher> {
        let start = number(bytes)?;
        let mut hasher = TreeHasher { end: number(bytes)?, ..TreeHasher::new(start) };
        let [head, subtrees] = [number(bytes)?, number(bytes)?];
        hasher.head = bytes.split_off(..usize::try_from(head).ok()?)?.to_vec();
        for _ in 0..subtrees {
            let (start, length) = (number(bytes)?, number(bytes)?);
            hasher.subtrees.push(Subtree { start, length, value: array(bytes)? });
        }
        let [is_some] = array(bytes)?;
        hasher.of_first = Some(array(bytes)?).filter(|_| is_some != 0);
        let tail = number(bytes)?;
        hasher.tail = bytes.split_off(..usize::try_from(tail).ok()?)?.to_vec();
        Some(hasher)
    }

    fn piece(&mut self, start: u64, piece: &[u8]) {
        let hasher = value(start, piece);
        if start == 0 {
            self.of_first = Some(*value(0, piece).finalize().as_bytes());
        }
        let subtree = Subtree { start, length: PIECE as u64, value: hasher.finalize_non_root() };
        push(&mut self.subtrees, subtree);
    }
}

/// Puts the next subtree after others, and joins those that are whole with it there.
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

/// A subtree of at most a piece, which begins there.
fn value(start: u64, bytes: &[u8]) -> Hasher {
    let mut hasher = Hasher::new();
    hasher.set_input_offset(start).update(bytes);
    hasher
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    array(bytes).map(u64::from_le_bytes)
}

/// Takes so many bytes; `None` if there are fewer.
pub(crate) fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lengths about multiples of pieces.
    fn lengths() -> impl Strategy<Value = usize> {
        (0..6_usize, -3..4_isize, any::<bool>(), 0..PIECE).prop_map(|(pieces, more, near, any)| {
            let length = (pieces * PIECE) as isize;
            if near { (length + more).max(0) as usize } else { any }
        })
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
                let read = TreeHasher::take(&mut &bytes[..]);
                prop_assert_eq!(read.as_ref(), Some(&part));
                prop_assert_eq!(TreeHasher::take(&mut &bytes[..bytes.len() - 1]), None);
                joined.append(&part);
            }
            prop_assert_eq!(joined.finish(), blake3::hash(&all));
            prop_assert!(joined.subtrees.len() < 20);
        }
    }
}
