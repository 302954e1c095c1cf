//! Positions that fit, before they are made of their slots.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::index::Slot;
use crate::system::random::mix;
use crate::table::Code;

/// A slot that fits; ordered row by row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub row: u64,
    pub lane: u16,
    pub to_move: Side,
    pub code: Code,
    /// The value with the other side to move, where that matters.
    pub other: Code,
    pub images: u8,
}

impl Hit {
    pub(super) fn slot(&self) -> Slot {
        Slot { lane: self.lane, row: self.row }
    }
}

/// The hits with the largest codes, for each side to move: of one outcome, the longest.
#[derive(Default)]
pub(super) struct Longest(BySide<Vec<Hit>>);

impl Longest {
    pub(super) fn of(hits: Vec<Hit>) -> Longest {
        let mut largest = BySide::<Code>::default();
        for hit in &hits {
            largest[hit.to_move] = largest[hit.to_move].max(hit.code);
        }
        let mut longest = Longest::default();
        for hit in hits.into_iter().filter(|hit| hit.code == largest[hit.to_move]) {
            longest.0[hit.to_move].push(hit);
        }
        longest
    }

    pub(super) fn join(&mut self, other: Longest) {
        for (side, hits) in Side::ALL.into_iter().zip(other.0) {
            self.keep(side, hits);
        }
    }

    /// Takes hits of one code, which come after those that are there.
    fn keep(&mut self, side: Side, hits: Vec<Hit>) {
        let kept = &mut self.0[side];
        let code = |hits: &[Hit]| hits.first().map(|hit| hit.code);
        match code(&hits).cmp(&code(kept)) {
            Ordering::Less => {}
            Ordering::Equal => kept.extend(hits),
            Ordering::Greater => *kept = hits,
        }
    }

    /// Row by row.
    pub(super) fn into_hits(self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.0.into_iter().flatten().collect();
        hits.sort_unstable();
        hits
    }
}

/// Hits drawn at random: those with the least numbers, of which each hit has one that
/// depends on the seed and on its place alone. So neither threads nor the cut of a table
/// change what is drawn, and who draws fewer draws the first of them.
pub(super) struct Drawn {
    count: usize,
    kept: BinaryHeap<(u64, Hit)>,
}

impl Drawn {
    /// None as yet, and never more than so many.
    pub(super) fn new(count: usize) -> Drawn {
        Drawn { count, kept: BinaryHeap::new() }
    }

    /// So many of the hits of a slice.
    pub(super) fn of(hits: Vec<Hit>, slice: Slice, count: usize, seed: u64) -> Drawn {
        let mut drawn = Drawn::new(count);
        hits.into_iter().for_each(|hit| drawn.keep(number(&hit, slice, seed), hit));
        drawn
    }

    pub(super) fn join(&mut self, other: Drawn) {
        other.kept.into_iter().for_each(|(number, hit)| self.keep(number, hit));
    }

    fn keep(&mut self, number: u64, hit: Hit) {
        if self.kept.len() < self.count {
            self.kept.push((number, hit));
        } else if let Some(mut last) = self.kept.peek_mut()
            && (number, hit) < *last
        {
            *last = (number, hit);
        }
    }

    /// With their numbers, in the order in which they are drawn.
    pub(super) fn into_hits(self) -> Vec<(u64, Hit)> {
        self.kept.into_sorted_vec()
    }
}

/// The number of a hit.
fn number(hit: &Hit, slice: Slice, seed: u64) -> u64 {
    let men = (slice.defenders as u64) << 32 | slice.attackers as u64;
    let place = u64::from(hit.lane) << 1 | hit.to_move as u64;
    [men, hit.row, place].into_iter().fold(mix(seed), |state, part| mix(state ^ mix(part)))
}
