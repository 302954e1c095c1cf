//! The transposition table: what is known of positions that were searched before.
//!
//! All threads share it without locks. An entry is two words, the second of which is
//! the key mixed with the first (Hyatt and Mann, "A lockless transposition table
//! implementation for parallel search", 2002): where two threads wrote at once, the key
//! does not fit, and there is no entry.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::score::{Points, TABLE_BAND};
use crate::engine::EngineError;
use crate::engine::state::Step;
use crate::system::mapping::Words;
use crate::system::prefetch::prefetch;

/// What a score in the table says of the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Bound {
    /// It is at most that.
    Upper = 1,
    /// It is at least that.
    Lower = 2,
    /// It is that.
    Exact = 3,
}

impl Bound {
    /// What the score of a search of that window says.
    pub(super) fn of(score: Points, alpha: Points, beta: Points) -> Bound {
        match score {
            score if score >= beta => Bound::Lower,
            score if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) step: Step,
    pub(super) score: Points,
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

impl Entry {
    /// Whether its score answers a search of that window.
    pub(super) fn settles(&self, alpha: Points, beta: Points) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score <= alpha,
        }
    }
}

/// Words of the entries that are looked at together: one line of the processor's cache.
const BUCKET_WORDS: usize = 8;
/// Where an entry is kept: its data, and the key mixed with them.
type Place = [AtomicU64; 2];

const GENERATIONS: u8 = 1 << 5;

/// The memory is the system's, which gives a page when it is first written: a table is made
/// and cleared at once, however large it is, so that neither takes time from a clock.
pub(super) struct TranspositionTable {
    words: Words,
    generation: AtomicU8,
}

// An entry's data, from the lowest bit: step 18, score 16, depth 8, bound 2, generation 5.
const SCORE: u32 = Step::BITS;
const DEPTH: u32 = SCORE + 16;
const BOUND: u32 = DEPTH + 8;
const GENERATION: u32 = BOUND + 2;

impl TranspositionTable {
    /// A table of at most that many bytes.
    ///
    /// # Errors
    /// If the system does not give so much memory.
    pub(super) fn new(bytes: usize) -> Result<TranspositionTable, EngineError> {
        let buckets = (bytes / (BUCKET_WORDS * size_of::<AtomicU64>())).max(1);
        let words = Words::new(buckets * BUCKET_WORDS);
        let words = words.map_err(|_| EngineError::Memory { bytes })?;
        Ok(TranspositionTable { words, generation: AtomicU8::new(0) })
    }

    pub(super) fn clear(&mut self) {
        match Words::new(self.words.len()) {
            Ok(words) => self.words = words,
            // Where the system gives no other memory, it takes its time.
            Err(_) => self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed)),
        }
    }

    /// A new search begins: what earlier ones have left is overwritten first.
    pub(super) fn age(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Place] {
        let words = &*self.words;
        let buckets = words.len() / BUCKET_WORDS;
        // The key's high bits, spread over the buckets without a division.
        let number = ((u128::from(key) * buckets as u128) >> 64) as usize;
        let bucket = &words[number * BUCKET_WORDS..][..BUCKET_WORDS];
        bucket.as_chunks().0
    }

    /// Says that the position with that key will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        if let Some(place) = self.bucket(key).first() {
            prefetch(place);
        }
    }

    /// What is known of the position with that key, `ply` plies from the root.
    #[inline]
    pub(super) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        for [data, check] in self.bucket(key) {
            let data = data.load(Ordering::Relaxed);
            if data != 0 && check.load(Ordering::Relaxed) ^ data == key {
                return unpacked(data, ply);
            }
        }
        None
    }

    /// Keeps an entry, in place of the one that is worth least.
    #[inline]
    pub(super) fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let bucket = self.bucket(key);
        let mut least = (i32::MAX, 0);
        for (number, [data, check]) in bucket.iter().enumerate() {
            let data = data.load(Ordering::Relaxed);
            if data == 0 {
                least = (i32::MIN, number);
                continue;
            }
            let old_depth = (data >> DEPTH & 0xff) as i32;
            let old_generation = (data >> GENERATION) as u8 % GENERATIONS;
            if check.load(Ordering::Relaxed) ^ data == key {
                // Deeper knowledge of this search stays, unless this is exact.
                if old_generation == generation
                    && entry.bound != Bound::Exact
                    && entry.depth + 3 < old_depth
                {
                    return;
                }
                if entry.step == Step::NONE {
                    entry.step = Step::from_bits(data as u32);
                }
                least = (i32::MIN, number);
                break;
            }
            let age = i32::from((GENERATIONS + generation - old_generation) % GENERATIONS);
            least = least.min((old_depth - 4 * age, number));
        }
        let [place, check] = &bucket[least.1];
        let data = packed(entry, ply, generation);
        place.store(data, Ordering::Relaxed);
        check.store(key ^ data, Ordering::Relaxed);
    }

    #[cfg(test)]
    fn places(&self) -> impl Iterator<Item = &Place> {
        self.words.as_chunks().0.iter()
    }

    /// How many entries there are.
    #[cfg(test)]
    fn filled(&self) -> usize {
        self.places().filter(|[data, _]| data.load(Ordering::Relaxed) != 0).count()
    }
}

/// Scores of decided games are kept as distances from the entry's position, not from
/// the root.
fn packed(entry: Entry, ply: usize, generation: u8) -> u64 {
    let ply = ply as Points;
    let score = match entry.score {
        score if score >= TABLE_BAND => score + ply,
        score if score <= -TABLE_BAND => score - ply,
        score => score,
    };
    u64::from(entry.step.bits())
        | u64::from(score as i16 as u16) << SCORE
        | (entry.depth.clamp(0, 255) as u64) << DEPTH
        | (entry.bound as u64) << BOUND
        | u64::from(generation) << GENERATION
}

fn unpacked(data: u64, ply: usize) -> Option<Entry> {
    let ply = ply as Points;
    let score = match Points::from((data >> SCORE) as u16 as i16) {
        score if score >= TABLE_BAND => score - ply,
        score if score <= -TABLE_BAND => score + ply,
        score => score,
    };
    let bound = match data >> BOUND & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    let depth = (data >> DEPTH & 0xff) as i32;
    Some(Entry { step: Step::from_bits(data as u32), score, depth, bound })
}

#[cfg(test)]
mod tests {
    use super::super::score::WON;
    use super::*;

    #[test]
    fn what_is_put_in_comes_out_for_every_ply() {
        let table = TranspositionTable::new(1 << 12).unwrap();
        let step = Step::new(360, 17);
        for (score, seen) in [(37, 37), (-2000, -2000), (WON - 5, WON - 9), (9 - WON, 13 - WON)] {
            let entry = Entry { step, score, depth: 7, bound: Bound::Lower };
            table.put(99, 1, entry);
            assert_eq!(table.get(99, 5), Some(Entry { score: seen, ..entry }));
        }
        assert_eq!(table.get(98, 0), None);
    }

    #[test]
    fn a_cleared_table_knows_nothing() {
        let mut table = TranspositionTable::new(1 << 12).unwrap();
        let entry = Entry { step: Step::NONE, score: 1, depth: 7, bound: Bound::Exact };
        (1..=40).for_each(|key| table.put(key << 58, 0, entry));
        let size = table.places().count();
        assert!(table.filled() > 4);
        table.clear();
        assert_eq!((table.filled(), table.places().count()), (0, size));
    }

    /// Neither making nor clearing it takes longer for more memory.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_taken_when_it_is_written() {
        let resident = || {
            let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
            4096 * pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
        };
        const BYTES: usize = 1 << 30;
        let before = resident();
        let mut table = TranspositionTable::new(BYTES).unwrap();
        table.clear();
        // Other tests take memory, too.
        assert!(resident() < before + BYTES / 2);
    }

    #[test]
    fn a_torn_entry_is_none() {
        let table = TranspositionTable::new(64).unwrap();
        let entry = Entry { step: Step::NONE, score: 1, depth: 7, bound: Bound::Exact };
        table.put(5, 0, entry);
        let written = table.places().find(|[data, _]| data.load(Ordering::Relaxed) != 0);
        written.unwrap()[0].fetch_xor(1, Ordering::Relaxed);
        assert_eq!(table.get(5, 0), None);
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let table = TranspositionTable::new(64).unwrap();
        let entry = |depth| Entry { step: Step::NONE, score: 1, depth, bound: Bound::Exact };
        (1..=4).for_each(|key| table.put(key, 0, entry(key as i32)));
        assert_eq!(table.filled(), 4);
        table.put(5, 0, entry(1));
        assert_eq!((table.get(1, 0), table.get(2, 0)), (None, Some(entry(2))));
        (0..9).for_each(|_| table.age());
        table.put(6, 0, entry(1));
        table.put(7, 0, entry(1));
        assert!(table.get(6, 0).is_some() && table.get(7, 0).is_some());
    }
}
