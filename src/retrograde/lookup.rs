use rayon::prelude::*;

use crate::board::{Square, SquareSet, Symmetry};
use crate::index::{AttackerSets, Binomials, binomial, colex_next, colex_unrank};

/// The most attacker sets of which each gets an entry: 4 bytes each.
const MOST_ENTRIES: u64 = 1 << 28;

/// Where the rows of an attacker set are.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The block.
    pub block: usize,
    /// What brings the set to the block's.
    pub symmetry: Symmetry,
    /// What brings the block's lanes back.
    pub back: Symmetry,
}

/// Finds the block of an attacker set.
///
/// Every un-move of an attacker asks for one, so while a slice is solved a
/// table by colexicographic rank answers; where it would be too large, the
/// index does, which is several times slower.
pub struct BlockLookup {
    sets: AttackerSets,
    squares: Vec<Square>,
    places: Vec<u16>,
    binomials: Binomials,
    /// By rank among all sets: the block, and in the low three bits the
    /// symmetry that brings the set to it.
    entries: Option<Vec<u32>>,
    inverse: [Symmetry; 8],
}

impl BlockLookup {
    /// For these sets of `count` attackers on `squares`.
    pub fn new(sets: AttackerSets, squares: SquareSet, count: usize) -> BlockLookup {
        let squares: Vec<Square> = squares.iter().collect();
        let mut places = vec![0; SquareSet::CAPACITY];
        for (place, square) in squares.iter().enumerate() {
            places[square.index()] = place as u16;
        }
        let mut lookup = BlockLookup {
            binomials: Binomials::new(squares.len(), count + 1),
            sets,
            squares,
            places,
            entries: None,
            inverse: Symmetry::ALL.map(Symmetry::inverse),
        };
        let total = binomial(lookup.squares.len(), count).unwrap_or(u64::MAX);
        if total <= MOST_ENTRIES && lookup.sets.rows() <= u64::from(u32::MAX >> 3) {
            lookup.entries = Some(lookup.all_entries(total, count));
        }
        lookup
    }

    fn all_entries(&self, total: u64, count: usize) -> Vec<u32> {
        const TASK: u64 = 1 << 12;
        let mut entries = vec![0; total as usize];
        entries.par_chunks_mut(TASK as usize).enumerate().for_each(|(task, entries)| {
            let first = task as u64 * TASK;
            let limit = self.squares.len();
            let mut places = colex_unrank(&self.binomials, limit, count, first);
            for entry in entries {
                let set: SquareSet = places.iter().map(|&place| self.squares[place]).collect();
                let canonical = self.sets.canonical(set);
                *entry = (canonical.offset as u32) << 3 | canonical.symmetry.index() as u32;
                colex_next(&mut places, limit);
            }
        });
        entries
    }

    /// The bytes that the table of all sets of `count` attackers on that many
    /// squares takes; 0 if it is too large to be made.
    pub fn bytes(squares: usize, count: usize) -> u64 {
        let entries = binomial(squares, count).filter(|&entries| entries <= MOST_ENTRIES);
        entries.unwrap_or(0) * size_of::<u32>() as u64
    }

    /// The sets.
    pub fn sets(&self) -> &AttackerSets {
        &self.sets
    }

    /// Where the rows of the set are.
    pub fn target(&self, set: SquareSet) -> Target {
        match &self.entries {
            Some(entries) => {
                let places = set.iter().map(|square| usize::from(self.places[square.index()]));
                let terms = places.enumerate().map(|(i, place)| self.binomials.get(place, i + 1));
                self.unpacked(entries[terms.sum::<u64>() as usize])
            }
            None => {
                let canonical = self.sets.canonical(set);
                let back = self.inverse[canonical.symmetry.index()];
                let block = canonical.offset as usize;
                Target { block, symmetry: canonical.symmetry, back }
            }
        }
    }

    fn unpacked(&self, entry: u32) -> Target {
        let number = (entry & 7) as usize;
        Target {
            block: (entry >> 3) as usize,
            symmetry: Symmetry::ALL[number],
            back: self.inverse[number],
        }
    }
}
