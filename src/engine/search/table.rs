//! The transposition table: what is known of positions that were searched before.
//!
//! All threads share it without locks. An entry is two words, the second of which is
//! the key mixed with the first (Hyatt and Mann, "A lockless transposition table
//! implementation for parallel search", 2002): where two threads wrote at once, the key
//! does not fit, and there is no entry.

use std::sync::atomic::{AtomicU64, Ordering};

use super::score::{MIN_DECIDED, Points, is_decided, plies_to_end};
use crate::engine::EngineError;
use crate::engine::state::Step;
use crate::system::mapping::AtomicWords;
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

/// Which wins and losses in the table hold for the game that is searched.
///
/// An entry with a win says that it can be forced from the position, whatever came
/// before, if no position of the game comes back and the game lasts long enough.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validity {
    /// Positions of the game, the one on the board among them, can come back, so only this
    /// search's entries hold: it knows them.
    pub(super) this_search_only: bool,
    /// The plies from the root after which the game is drawn.
    pub(super) last_ply: Option<usize>,
}

impl Validity {
    fn includes(&self, score: Points, is_of_this_search: bool) -> bool {
        // Without a distance, a win may come too late.
        let in_time = |last| plies_to_end(score).is_some_and(|plies| plies <= last);
        (is_of_this_search || !self.this_search_only) && self.last_ply.is_none_or(in_time)
    }
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

/// What is known of a position. Without a bound, only the step is of use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) step: Step,
    pub(super) score: Points,
    pub(super) depth: i32,
    pub(super) bound: Option<Bound>,
}

impl Entry {
    /// Whether its score answers a search of that window.
    pub(super) fn settles(&self, alpha: Points, beta: Points) -> bool {
        match self.bound {
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.score >= beta,
            Some(Bound::Upper) => self.score <= alpha,
            None => false,
        }
    }
}

/// Words of the entries that are looked at together: one line of the processor's cache.
const BUCKET_WORDS: usize = 8;
/// Where an entry is kept: its data, and the key mixed with them.
type StoredEntry = [AtomicU64; 2];

/// More searches than this, and the table is cleared: an entry's generation says for
/// certain whether it is of the current search.
const GENERATIONS: u32 = 1 << 20;

/// The system gives each page of its memory, filled with zeros, when it is first written:
/// a table is made and cleared at once, however large it is, and no clock runs meanwhile.
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
    /// A table of at most that many bytes.
    ///
    /// # Errors
    /// If the system does not give so much memory.
    pub(super) fn new(bytes: usize) -> Result<TranspositionTable, EngineError> {
        let buckets = (bytes / (BUCKET_WORDS * size_of::<AtomicU64>())).max(1);
        let words = AtomicWords::new(buckets * BUCKET_WORDS);
        let words = words.map_err(|_| EngineError::Memory { bytes })?;
        Ok(TranspositionTable { words, generation: 0 })
    }

    pub(super) fn clear(&mut self) {
        match AtomicWords::new(self.words.len()) {
            Ok(words) => self.words = words,
            // Without room for both, the old memory is cleared word by word.
            Err(_) => self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed)),
        }
    }

    /// A new search begins: what earlier ones have left is overwritten first.
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
        // The key's high bits, spread over the buckets without a division.
        let number = ((u128::from(key) * buckets as u128) >> 64) as usize;
        words[number * BUCKET_WORDS..][..BUCKET_WORDS].as_chunks().0
    }

    /// Says that the position with that key will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        if let Some(place) = self.bucket(key).first() {
            prefetch(place);
        }
    }

    /// What is known of the position with that key, `ply` plies from the root, and holds
    /// for this game.
    #[inline]
    pub(super) fn get(&self, key: u64, ply: usize, validity: &Validity) -> Option<Entry> {
        for [data, check] in self.bucket(key) {
            let data = data.load(Ordering::Relaxed);
            if data != 0 && check.load(Ordering::Relaxed) ^ data == key {
                let mut entry = unpack(data, ply)?;
                let is_of_this_search = (data >> GENERATION) as u32 == self.generation;
                if is_decided(entry.score) && !validity.includes(entry.score, is_of_this_search) {
                    entry.bound = None;
                }
                return Some(entry);
            }
        }
        None
    }

    /// Keeps an entry, in place of the one that is worth least.
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
                // Deeper knowledge of this search stays, unless this is exact.
                if old_generation == generation
                    && entry.bound != Some(Bound::Exact)
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
            // Older than this is all the same.
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

    /// How many entries there are.
    #[cfg(test)]
    fn filled(&self) -> usize {
        self.places().filter(|[data, _]| data.load(Ordering::Relaxed) != 0).count()
    }
}

/// Scores of decided games are kept as distances from the entry's position, not from
/// the root.
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

fn unpack(data: u64, ply: usize) -> Option<Entry> {
    let ply = ply as Points;
    let score = match Points::from((data >> SCORE) as u16 as i16) {
        score if score >= MIN_DECIDED => score - ply,
        score if score <= -MIN_DECIDED => score + ply,
        score => score,
    };
    let bound = match data >> BOUND & 3 {
        1 => Some(Bound::Upper),
        2 => Some(Bound::Lower),
        3 => Some(Bound::Exact),
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
            let entry = Entry { step, score, depth: 7, bound: Some(Bound::Lower) };
            table.put(99, 1, entry);
            assert_eq!(
                table.get(99, 5, &Validity::default()),
                Some(Entry { score: seen, ..entry })
            );
        }
        assert_eq!(table.get(98, 0, &Validity::default()), None);
    }

    #[test]
    fn a_cleared_table_knows_nothing() {
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
    fn a_torn_entry_is_none() {
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
    fn a_win_holds_where_it_comes_in_time_and_nothing_can_come_back() {
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
