//! The table of proof numbers, shared by all threads without locks.
//!
//! A bucket fills a cache line. It holds three entries of searched positions and two estimates of
//! leaves, which save their evaluation when their parent is expanded again.
//!
//! An entry is two words: the data, and the key XORed with the data (Hyatt and Mann, "A lockless
//! transposition table implementation for parallel search", 2002): an entry that two threads
//! wrote at once does not match its key. An estimate is one word: two numbers and as many bits
//! of the key as fit.

use std::io::{self, Read, Write};

use crate::engine::state::Step;
use crate::system::mapping::AtomicWords;
use crate::system::prefetch::prefetch;
use crate::system::sync::{AtomicU64, Ordering};

use super::hashes::Key;

/// The proof number of what is disproved.
pub(super) const INFINITE: u32 = (1 << NUMBER_BITS) - 1;

/// The result of the search at a position so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The remaining effort until the side to move reaches its aim; 0 if it has.
    pub(super) phi: u32,
    /// The remaining effort until it has failed; 0 if it has.
    pub(super) delta: u32,
    /// The best move in the canonical orientation.
    pub(super) step: Step,
    /// Whether the result depends on a repetition above the position.
    pub(super) is_soft: bool,
    /// The binary logarithm of the nodes searched below.
    pub(super) work: u32,
}

// An entry's data, from the lowest bit: phi 20, delta 20, step 18, soft 1, work 5.
const NUMBER_BITS: u32 = 20;
const STEP: u32 = 2 * NUMBER_BITS;
const SOFT: u32 = STEP + Step::BITS;
const WORK: u32 = SOFT + 1;
const MAX_WORK: u32 = 31;

impl Entry {
    pub(super) fn pack(self) -> u64 {
        u64::from(self.phi)
            | u64::from(self.delta) << NUMBER_BITS
            | u64::from(self.step.bits()) << STEP
            | u64::from(self.is_soft) << SOFT
            | u64::from(self.work.min(MAX_WORK)) << WORK
    }

    pub(super) fn unpack(data: u64) -> Entry {
        Entry {
            phi: data as u32 & INFINITE,
            delta: (data >> NUMBER_BITS) as u32 & INFINITE,
            step: Step::from_bits((data >> STEP) as u32),
            is_soft: data >> SOFT & 1 == 1,
            work: (data >> WORK) as u32,
        }
    }

    /// Returns whether the question is answered.
    pub(super) fn is_solved(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Returns how worthwhile it is to keep the entry.
    fn worth(&self) -> u32 {
        1 + 2 * self.work + u32::from(self.is_solved())
    }
}

/// The words of a bucket: the entries, then the estimates.
const BUCKET_WORDS: usize = 8;
const ENTRIES: usize = 3;
const ENTRY_WORDS: usize = 2;
const FIRST_ESTIMATE: usize = ENTRIES * ENTRY_WORDS;

// An estimate, from the lowest bit: phi 8, delta 8, key 48.
const ESTIMATE_BITS: u32 = 8;
const ESTIMATE_MASK: u64 = (1 << ESTIMATE_BITS) - 1;
/// The largest number of a leaf that is not decided.
pub(super) const MAX_ESTIMATE: u32 = ESTIMATE_MASK as u32 - 1;

/// The table of proof numbers.
pub(super) struct ProofTable {
    words: AtomicWords,
}

impl ProofTable {
    /// Creates a table of at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> io::Result<ProofTable> {
        let buckets = (bytes / (BUCKET_WORDS * size_of::<u64>())).max(1);
        Ok(ProofTable { words: AtomicWords::new(buckets * BUCKET_WORDS)? })
    }

    #[inline]
    fn bucket(&self, key: Key) -> &[AtomicU64] {
        let buckets = self.words.len() / BUCKET_WORDS;
        let bucket = ((u128::from(key.bucket) * buckets as u128) >> 64) as usize;
        &self.words[bucket * BUCKET_WORDS..][..BUCKET_WORDS]
    }

    #[inline]
    fn entries(&self, key: Key) -> &[AtomicU64] {
        &self.bucket(key)[..FIRST_ESTIMATE]
    }

    /// Returns the estimate of a leaf: `phi` and `delta`.
    #[inline]
    pub(super) fn estimate(&self, key: Key) -> Option<[u32; 2]> {
        self.bucket(key)[FIRST_ESTIMATE..].iter().find_map(|word| {
            let data = word.load(Ordering::Relaxed);
            let is_match = data != 0 && (data ^ key.check) >> (2 * ESTIMATE_BITS) == 0;
            is_match.then(|| [data, data >> ESTIMATE_BITS].map(unpack_estimate))
        })
    }

    /// Stores the estimate of a leaf; it replaces the older one of the bucket.
    #[inline]
    pub(super) fn put_estimate(&self, key: Key, [phi, delta]: [u32; 2]) {
        let [newer, older] = [FIRST_ESTIMATE, FIRST_ESTIMATE + 1];
        let bucket = self.bucket(key);
        bucket[older].store(bucket[newer].load(Ordering::Relaxed), Ordering::Relaxed);
        let numbers = pack_estimate(phi) | pack_estimate(delta) << ESTIMATE_BITS;
        let tag = key.check >> (2 * ESTIMATE_BITS) << (2 * ESTIMATE_BITS);
        bucket[newer].store(tag | numbers, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn prefetch(&self, key: Key) {
        prefetch(&self.bucket(key)[0]);
    }

    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Entry> {
        self.entries(key).chunks_exact(ENTRY_WORDS).find_map(|entry| {
            let data = entry[0].load(Ordering::Relaxed);
            let is_match = data != 0 && entry[1].load(Ordering::Relaxed) ^ data == key.check;
            is_match.then(|| Entry::unpack(data))
        })
    }

    /// Stores an entry. It replaces the position's earlier entry, an empty one, or the least
    /// worthwhile one of the bucket.
    pub(super) fn put(&self, key: Key, entry: Entry) {
        let bucket = self.entries(key);
        let (mut place, mut least) = (0, u32::MAX);
        for (number, old) in bucket.chunks_exact(ENTRY_WORDS).enumerate() {
            let data = old[0].load(Ordering::Relaxed);
            if data != 0 && old[1].load(Ordering::Relaxed) ^ data == key.check {
                place = number;
                break;
            }
            let worth = if data == 0 { 0 } else { Entry::unpack(data).worth() };
            if worth < least {
                (place, least) = (number, worth);
            }
        }
        let data = entry.pack();
        let [first, second] = [ENTRY_WORDS * place, ENTRY_WORDS * place + 1];
        bucket[first].store(data, Ordering::Relaxed);
        bucket[second].store(key.check ^ data, Ordering::Relaxed);
    }

    /// Removes the entry of a position, and returns it.
    pub(super) fn take(&self, key: Key) -> Option<Entry> {
        let taken = self.get(key);
        for entry in self.entries(key).chunks_exact(ENTRY_WORDS) {
            let data = entry[0].load(Ordering::Relaxed);
            if entry[1].load(Ordering::Relaxed) ^ data == key.check {
                entry[0].store(0, Ordering::Relaxed);
            }
        }
        taken
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val::<[AtomicU64]>(&self.words) as u64
    }

    /// Writes all entries.
    ///
    /// # Errors
    /// If `out` fails.
    pub(super) fn write_entries(&self, out: &mut impl Write) -> io::Result<()> {
        for bucket in self.words.chunks_exact(BUCKET_WORDS) {
            for word in &bucket[..FIRST_ESTIMATE] {
                out.write_all(&word.load(Ordering::Relaxed).to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Reads the entries of a table of this size.
    ///
    /// # Errors
    /// If `input` fails or ends too early.
    pub(super) fn read_entries(&self, input: &mut impl Read) -> io::Result<()> {
        for bucket in self.words.chunks_exact(BUCKET_WORDS) {
            for word in &bucket[..FIRST_ESTIMATE] {
                let mut bytes = [0; size_of::<u64>()];
                input.read_exact(&mut bytes)?;
                let data = u64::from_le_bytes(bytes);
                // Memory that is never written takes no space.
                if data != 0 {
                    word.store(data, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// Removes all entries.
    pub(super) fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

/// Packs a number of a leaf: 0, infinite, or at most [`MAX_ESTIMATE`].
#[inline]
fn pack_estimate(number: u32) -> u64 {
    if number == INFINITE { ESTIMATE_MASK } else { u64::from(number) }
}

#[inline]
fn unpack_estimate(data: u64) -> u32 {
    match data & ESTIMATE_MASK {
        ESTIMATE_MASK => INFINITE,
        number => number as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        Key { bucket: number.wrapping_mul(0x9e37_79b9_7f4a_7c15), check: number }
    }

    #[test]
    fn entries_are_found_replaced_and_forgotten() {
        let table = ProofTable::new(64).unwrap();
        let entry =
            |work| Entry { phi: 3, delta: INFINITE, step: Step::new(7, 300), is_soft: true, work };
        for number in 1..=3 {
            table.put(key(number), entry(number as u32));
        }
        assert_eq!(table.get(key(3)), Some(entry(3)));
        // The least work gives way.
        table.put(key(5), entry(9));
        assert_eq!((table.get(key(1)), table.get(key(5))), (None, Some(entry(9))));
        table.put(key(5), Entry { phi: 0, ..entry(9) });
        assert_eq!(table.get(key(5)).map(|entry| entry.phi), Some(0));
        assert_eq!(table.take(key(5)).map(|entry| entry.work), Some(9));
        assert_eq!(table.get(key(5)), None);
        assert_eq!(table.get(key(2)), Some(entry(2)));
    }

    #[test]
    fn estimates_are_found_and_give_way_in_turn() {
        let table = ProofTable::new(64).unwrap();
        let check = |number: u64| Key { check: number << 16, ..key(0) };
        for (number, numbers) in [(1, [0, INFINITE]), (2, [INFINITE, 0]), (3, [7, MAX_ESTIMATE])] {
            table.put_estimate(check(number), numbers);
            assert_eq!(table.estimate(check(number)), Some(numbers));
        }
        assert_eq!(table.estimate(check(1)), None);
        assert_eq!(table.estimate(check(2)), Some([INFINITE, 0]));
        assert_eq!(table.get(check(2)), None);
    }
}
