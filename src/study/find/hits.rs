//! Slots that match a query, before they are unranked to positions.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::index::Slot;
use crate::system::random::mix;
use crate::table::Code;

/// A slot that matches; ordered row by row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub row: u64,
    pub lane: u16,
    pub to_move: Side,
    pub code: Code,
    /// The value with the other side to move, in searches for zugzwangs.
    pub other: Code,
    /// The number of mirror images that the slot stands for.
    pub images: u8,
}

impl Hit {
    pub(super) fn slot(&self) -> Slot {
        Slot { lane: self.lane, row: self.row }
    }
}

/// The hits with the largest code, for each side to move: among hits of one outcome, those with
/// the longest distance. Of equally long ones only the first are kept, up to a maximum per side.
pub(super) struct Longest {
    count: usize,
    /// Row by row.
    kept: BySide<Vec<Hit>>,
}

impl Longest {
    /// Creates an empty collection that will keep up to `count` hits of each side.
    pub(super) fn new(count: usize) -> Longest {
        Longest { count, kept: BySide::default() }
    }

    /// Collects up to `count` of the longest hits of each side.
    pub(super) fn of(hits: Vec<Hit>, count: usize) -> Longest {
        let mut largest = BySide::<Code>::default();
        for hit in &hits {
            largest[hit.to_move] = largest[hit.to_move].max(hit.code);
        }
        let mut longest = Longest::new(count);
        for hit in hits.into_iter().filter(|hit| hit.code == largest[hit.to_move]) {
            longest.kept[hit.to_move].push(hit);
        }
        for kept in longest.kept.iter_mut() {
            kept.sort_unstable();
            kept.truncate(count);
        }
        longest
    }

    /// Adds hits of later rows.
    pub(super) fn join(&mut self, later: Longest) {
        for (kept, hits) in self.kept.iter_mut().zip(later.kept) {
            match first_code(&hits).cmp(&first_code(kept)) {
                Ordering::Less => {}
                Ordering::Equal => kept.extend(hits.into_iter().take(self.count - kept.len())),
                Ordering::Greater => *kept = hits,
            }
        }
    }

    /// Returns the hits, row by row, up to the maximum for both sides together.
    pub(super) fn into_hits(self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.kept.into_iter().flatten().collect();
        hits.sort_unstable();
        hits.truncate(self.count);
        hits
    }
}

fn first_code(hits: &[Hit]) -> Option<Code> {
    hits.first().map(|hit| hit.code)
}

/// A random sample of hits: those with the smallest keys. A hit's key is a hash of the seed and
/// its slot, so that the sample depends neither on the threads nor on the division of the
/// table into tasks, and a smaller sample is a prefix of a larger one.
pub(super) struct RandomHits {
    count: usize,
    kept: BinaryHeap<(u64, Hit)>,
}

impl RandomHits {
    /// Creates an empty sample that will keep up to `count` hits.
    pub(super) fn new(count: usize) -> RandomHits {
        RandomHits { count, kept: BinaryHeap::new() }
    }

    /// Samples up to `count` of the hits of a slice.
    pub(super) fn of(hits: Vec<Hit>, slice: Slice, count: usize, seed: u64) -> RandomHits {
        let mut sample = RandomHits::new(count);
        hits.into_iter().for_each(|hit| sample.keep(key(&hit, slice, seed), hit));
        sample
    }

    pub(super) fn join(&mut self, other: RandomHits) {
        other.kept.into_iter().for_each(|(key, hit)| self.keep(key, hit));
    }

    fn keep(&mut self, key: u64, hit: Hit) {
        if self.kept.len() < self.count {
            self.kept.push((key, hit));
        } else if let Some(mut last) = self.kept.peek_mut()
            && (key, hit) < *last
        {
            *last = (key, hit);
        }
    }

    /// Returns the hits with their keys, in ascending order of the keys.
    pub(super) fn into_hits(self) -> Vec<(u64, Hit)> {
        self.kept.into_sorted_vec()
    }
}

/// Hashes a hit's slot with the seed.
fn key(hit: &Hit, slice: Slice, seed: u64) -> u64 {
    let men = (slice.defenders as u64) << 32 | slice.attackers as u64;
    let place = u64::from(hit.lane) << 1 | hit.to_move as u64;
    [men, hit.row, place].into_iter().fold(mix(seed), |state, part| mix(state ^ mix(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(rows: std::ops::Range<u64>, code: Code) -> Vec<Hit> {
        let side = |row, to_move| Hit { row, lane: 0, to_move, code, other: 0, images: 1 };
        // Within a task the order is another.
        rows.rev().flat_map(|row| Side::ALL.map(|to_move| side(row, to_move))).collect()
    }

    #[test]
    fn no_more_of_the_longest_are_kept_than_are_wanted() {
        let mut longest = Longest::new(3);
        for (rows, code) in [(0..2, 7), (2..9, 9), (9..10, 8), (10..20, 9)] {
            longest.join(Longest::of(hits(rows, code), 3));
            assert!(longest.kept.iter().all(|kept| kept.len() <= 3));
        }
        let rows: Vec<u64> = longest.into_hits().iter().map(|hit| hit.row).collect();
        assert_eq!(rows, [2, 2, 3]);
    }
}
