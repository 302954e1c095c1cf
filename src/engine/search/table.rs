//! The transposition table.
//!
//! All threads share it without locks. An entry consists of two words, the second of which is
//! the key XORed with the first (Hyatt and Mann, "A lockless transposition table implementation
//! for parallel search", 2002): if two threads write at once, the key does not match, and the
//! entry is ignored.

use std::sync::atomic::{AtomicU64, Ordering};

use super::score::{MIN_DECIDED, Points, is_decided, plies_to_end};
use crate::engine::error::EngineError;
use crate::engine::state::Step;
use crate::system::mapping::AtomicWords;
use crate::system::prefetch::prefetch;

/// The relation of an entry's score to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Bound {
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The score is exact.
    Exact = 3,
}

/// The condition under which wins and losses in the table hold for the current game.
///
/// An entry with a win states that it can be forced from the position if no position of the game
/// is repeated and the ply limit does not end the game before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validity {
    /// Only the entries of this search hold: positions of the game, the root among them, can be
    /// repeated, and earlier searches did not take them into account.
    pub(super) this_search_only: bool,
    /// The ply from the root after which the game is drawn.
    pub(super) last_ply: Option<usize>,
}

impl Validity {
    fn includes(&self, score: Points, is_of_this_search: bool) -> bool {
        if self.this_search_only && !is_of_this_search {
            return false;
        }
        // A win without a distance may come after the last ply.
        self.last_ply.is_none_or(|last| plies_to_end(score).is_some_and(|plies| plies <= last))
    }
}

impl Bound {
    /// Returns the bound that a score from a search with this window is.
    pub(super) fn of(score: Points, alpha: Points, beta: Points) -> Bound {
        match score {
            score if score >= beta => Bound::Lower,
            score if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// The result of a search of a position. Without a bound, only the move is usable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) step: Step,
    pub(super) score: Points,
    pub(super) depth: i32,
    pub(super) bound: Option<Bound>,
}

impl Entry {
    /// Returns whether the score decides a search with this window.
    pub(super) fn settles(&self, alpha: Points, beta: Points) -> bool {
        match self.bound {
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.score >= beta,
            Some(Bound::Upper) => self.score <= alpha,
            None => false,
        }
    }
}

/// The words of a bucket, which fills a cache line.
const BUCKET_WORDS: usize = 8;
/// An entry in the table: its data, and the key XORed with the data.
type StoredEntry = [AtomicU64; 2];

/// The number of generations. The table is cleared when they wrap around, so that an entry of
/// the current generation is certain to be of the current search.
const GENERATIONS: u32 = 1 << 20;

/// The transposition table.
///
/// Its memory is mapped, and the system provides zeroed pages at their first use. Creating and
/// clearing a table therefore takes no time, whatever its size, while a clock may be running.
pub(super) struct TranspositionTable {
    words: AtomicWords,
    /// The number of the current search.
    generation: u32,
}

// An entry's data, from the lowest bit: step 18, score 16, depth 8, bound 2, generation 20.
const SCORE: u32 = Step::BITS;
const DEPTH: u32 = SCORE + 16;
const BOUND: u32 = DEPTH + 8;
const GENERATION: u32 = BOUND + 2;

impl TranspositionTable {
    /// Creates a table of at most `bytes` bytes.
    ///
    /// # Errors
    /// If the memory cannot be allocated.
    pub(super) fn new(bytes: usize) -> Result<TranspositionTable, EngineError> {
        let buckets = (bytes / (BUCKET_WORDS * size_of::<AtomicU64>())).max(1);
        let words =
            AtomicWords::new(buckets * BUCKET_WORDS).map_err(|_| EngineError::Memory { bytes })?;
        Ok(TranspositionTable { words, generation: 0 })
    }

    pub(super) fn clear(&mut self) {
        match AtomicWords::new(self.words.len()) {
            Ok(words) => self.words = words,
            // If there is no memory for a second table, clear the first one in place.
            Err(_) => self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed)),
        }
    }

    /// Begins a new generation. Entries of earlier ones are replaced first.
    pub(super) fn new_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
        if self.generation == 0 {
            self.clear();
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[StoredEntry] {
        let words = &*self.words;
        let buckets = words.len() / BUCKET_WORDS;
        // Maps the key's high bits to the buckets by a multiplication instead of a division.
        let number = ((u128::from(key) * buckets as u128) >> 64) as usize;
        words[number * BUCKET_WORDS..][..BUCKET_WORDS].as_chunks().0
    }

    /// Prefetches the bucket of a key.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        if let Some(place) = self.bucket(key).first() {
            prefetch(place);
        }
    }

    /// Returns the entry of a key, with its score for a node `ply` plies from the root. An entry
    /// whose win or loss does not hold for this game is returned without a bound.
    #[inline]
    pub(super) fn get(&self, key: u64, ply: usize, validity: &Validity) -> Option<Entry> {
        for [data, check] in self.bucket(key) {
            let data = data.load(Ordering::Relaxed);
            // The check also rejects entries that two threads wrote at once.
            if data != 0 && check.load(Ordering::Relaxed) ^ data == key {
                let mut entry = unpack(data, ply);
                let is_of_this_search = (data >> GENERATION) as u32 == self.generation;
                if is_decided(entry.score) && !validity.includes(entry.score, is_of_this_search) {
                    // The move is still good for ordering.
                    entry.bound = None;
                }
                return Some(entry);
            }
        }
        None
    }

    /// Stores an entry in place of the bucket's least valuable one.
    #[inline]
    pub(super) fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.generation;
        let bucket = self.bucket(key);
        let mut least = (i32::MAX, 0);
        for (number, [data, check]) in bucket.iter().enumerate() {
            let data = data.load(Ordering::Relaxed);
            if data == 0 {
                least = (i32::MIN, number);
                continue;
            }
            let old_depth = (data >> DEPTH & 0xff) as i32;
            let old_generation = (data >> GENERATION) as u32;
            if check.load(Ordering::Relaxed) ^ data == key {
                // A much deeper result of this search is more useful, unless the new one is exact.
                if old_generation == generation
                    && entry.bound != Some(Bound::Exact)
                    && entry.depth + 3 < old_depth
                {
                    return;
                }
                // A node that failed low has no best move: keep the old one for ordering.
                if entry.step == Step::NONE {
                    entry.step = Step::from_bits(data as u32);
                }
                least = (i32::MIN, number);
                break;
            }
            // A shallow entry of this search is worth as much as a deep one of an old search: a
            // generation counts as four plies. The cap keeps the sum small.
            let age = (generation - old_generation).min(31);
            least = least.min((old_depth - 4 * age as i32, number));
        }
        let [place, check] = &bucket[least.1];
        let data = pack(entry, ply, generation);
        place.store(data, Ordering::Relaxed);
        check.store(key ^ data, Ordering::Relaxed);
    }

    #[cfg(test)]
    fn places(&self) -> impl Iterator<Item = &StoredEntry> {
        self.words.as_chunks().0.iter()
    }

    /// Returns the number of entries in use.
    #[cfg(test)]
    fn filled(&self) -> usize {
        self.places().filter(|[data, _]| data.load(Ordering::Relaxed) != 0).count()
    }
}

/// Packs an entry. Scores of decided games are stored relative to the entry's position instead of
/// the root, so that they hold at any ply.
fn pack(entry: Entry, ply: usize, generation: u32) -> u64 {
    let ply = ply as Points;
    let score = match entry.score {
        score if score >= MIN_DECIDED => score + ply,
        score if score <= -MIN_DECIDED => score - ply,
        score => score,
    };
    u64::from(entry.step.bits())
        | u64::from(score as i16 as u16) << SCORE
        | (entry.depth.clamp(0, 255) as u64) << DEPTH
        | entry.bound.map_or(0, |bound| bound as u64) << BOUND
        | u64::from(generation) << GENERATION
}

/// Unpacks an entry for a node `ply` plies from the root.
fn unpack(data: u64, ply: usize) -> Entry {
    let ply = ply as Points;
    let score = match Points::from((data >> SCORE) as u16 as i16) {
        score if score >= MIN_DECIDED => score - ply,
        score if score <= -MIN_DECIDED => score + ply,
        score => score,
    };
    let bound = match data >> BOUND & 3 {
        0 => None,
        1 => Some(Bound::Upper),
        2 => Some(Bound::Lower),
        _ => Some(Bound::Exact),
    };
    let depth = (data >> DEPTH & 0xff) as i32;
    Entry { step: Step::from_bits(data as u32), score, depth, bound }
}

#[cfg(test)]
mod tests {
    use super::super::score::WON;
    use super::*;

    #[test]
    fn entries_are_returned_for_every_ply() {
        let table = TranspositionTable::new(1 << 12).unwrap();
        let step = Step::new(360, 17);
        for (score, seen) in [(37, 37), (-2000, -2000), (WON - 5, WON - 9), (9 - WON, 13 - WON)] {
            let entry = Entry { step, score, depth: 7, bound: Some(Bound::Lower) };
            table.put(99, 1, entry);
            assert_eq!(
                table.get(99, 5, &Validity::default()),
                Some(Entry { score: seen, ..entry })
            );
        }
        assert_eq!(table.get(98, 0, &Validity::default()), None);
        let only_move = Entry { step, score: 0, depth: 7, bound: None };
        table.put(97, 1, only_move);
        assert_eq!(table.get(97, 1, &Validity::default()), Some(only_move));
    }

    #[test]
    fn a_cleared_table_is_empty() {
        let mut table = TranspositionTable::new(1 << 12).unwrap();
        let entry = Entry { step: Step::NONE, score: 1, depth: 7, bound: Some(Bound::Exact) };
        (1..=40).for_each(|key| table.put(key << 58, 0, entry));
        let size = table.places().count();
        assert!(table.filled() > 4);
        table.clear();
        assert_eq!((table.filled(), table.places().count()), (0, size));
    }

    /// Neither making nor clearing a table writes to its memory.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_taken_when_it_is_written() {
        const BYTES: usize = 1 << 30;
        let resident = || {
            let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
            4096 * pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
        };
        let before = resident();
        let mut table = TranspositionTable::new(BYTES).unwrap();
        table.clear();
        // Other tests take memory, too.
        assert!(resident() < before + BYTES / 2);
    }

    #[test]
    fn a_torn_entry_is_ignored() {
        let table = TranspositionTable::new(64).unwrap();
        let entry = Entry { step: Step::NONE, score: 1, depth: 7, bound: Some(Bound::Exact) };
        table.put(5, 0, entry);
        let written = table.places().find(|[data, _]| data.load(Ordering::Relaxed) != 0);
        written.unwrap()[0].fetch_xor(1, Ordering::Relaxed);
        assert_eq!(table.get(5, 0, &Validity::default()), None);
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let mut table = TranspositionTable::new(64).unwrap();
        let entry = |depth| Entry { step: Step::NONE, score: 1, depth, bound: Some(Bound::Exact) };
        (1..=4).for_each(|key| table.put(key, 0, entry(key as i32)));
        assert_eq!(table.filled(), 4);
        table.put(5, 0, entry(1));
        assert_eq!(
            (table.get(1, 0, &Validity::default()), table.get(2, 0, &Validity::default())),
            (None, Some(entry(2)))
        );
        (0..9).for_each(|_| table.new_search());
        table.put(6, 0, entry(1));
        table.put(7, 0, entry(1));
        assert!(
            table.get(6, 0, &Validity::default()).is_some()
                && table.get(7, 0, &Validity::default()).is_some()
        );
    }

    #[test]
    fn a_win_holds_if_it_comes_in_time_and_no_position_can_be_repeated() {
        let mut table = TranspositionTable::new(1 << 12).unwrap();
        let bound = |score, table: &TranspositionTable, validity: Validity| {
            table.get(score as u64, 3, &validity).unwrap().bound
        };
        let scores = [37, WON - 6, 8 - WON, MIN_DECIDED + 9];
        for score in scores {
            let bound = Some(Bound::Exact);
            table.put(score as u64, 2, Entry { step: Step::NONE, score, depth: 1, bound });
        }
        let exact = Some(Bound::Exact);
        let seen = |table: &TranspositionTable, validity: Validity| {
            scores.map(|score| bound(score, table, validity) == exact)
        };
        let past = Validity { this_search_only: true, last_ply: None };
        assert_eq!(seen(&table, past), [true; 4]);
        table.new_search();
        assert_eq!(seen(&table, Validity::default()), [true; 4]);
        assert_eq!(seen(&table, past), [true, false, false, false]);
        // The ends are one ply further away than where they were found.
        let last_ply = |last| Validity { this_search_only: false, last_ply: Some(last) };
        assert_eq!(seen(&table, last_ply(9)), [true, true, true, false]);
        assert_eq!(seen(&table, last_ply(8)), [true, true, false, false]);
        assert_eq!(seen(&table, last_ply(6)), [true, false, false, false]);
    }
}
