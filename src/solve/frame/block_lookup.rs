use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::game::board::{Square, SquareSet, Symmetry};
use crate::index::{AttackerSets, Binomials, Walker, binomial, colex_rank};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::system::prefetch::prefetch;
use crate::system::{pages, parallel};

/// The largest number of attacker sets for which a table is made, at 4 bytes each.
const MAX_ENTRIES: u64 = 1 << 28;

/// The block that holds an attacker set's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLocation {
    /// The block.
    pub block: BlockNumber,
    /// Maps the set to the block's set.
    pub symmetry: Symmetry,
    /// Maps the block's lanes back to the set's.
    pub inverse: Symmetry,
}

/// Finds the block of an attacker set.
///
/// Every un-move of an attacker needs a lookup, so the blocks of all sets are kept in a table, by
/// colexicographic rank, while a slice is solved. If that table would be too large, the index
/// answers instead, which is several times slower. Squares are numbered in the order of their
/// weight in the sets' numbers, so that sets with near numbers have near entries.
pub(crate) struct BlockLookup {
    sets: AttackerSets,
    /// The squares where attackers may stand; the last ones weigh most. A *place* is a position in
    /// this list.
    squares: Vec<Square>,
    /// By square.
    places: Vec<u16>,
    binomials: Binomials,
    /// By rank among all sets: the block number, with the symmetry that maps the set to the block
    /// in the low three bits.
    entries: Option<Vec<AtomicU32>>,
    inverses: [Symmetry; 8],
}

/// A set of attackers, prepared for lookups of the set with one man moved or added.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreparedSet {
    set: SquareSet,
    /// The men's places, stored as if they were squares.
    places: SquareSet,
    /// By number of men, from the lowest place: the sum of their terms of the rank, if each of them
    /// has one man fewer below it, as many as now, and one more.
    sums: Vec<[u64; 3]>,
}

/// A lookup that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PendingLookup {
    /// The number of the table entry, which is being prefetched.
    Entry(usize),
    /// The result: the index has answered already.
    Found(BlockLocation),
}

impl BlockLookup {
    /// Creates the lookup for these sets.
    ///
    /// # Errors
    /// If the memory is exhausted.
    pub(crate) fn new(sets: AttackerSets) -> io::Result<BlockLookup> {
        BlockLookup::with_entries_up_to(MAX_ENTRIES, sets)
    }

    /// Creates the lookup, with a table if there are at most `max_entries` sets.
    pub(crate) fn with_entries_up_to(
        max_entries: u64,
        sets: AttackerSets,
    ) -> io::Result<BlockLookup> {
        let count = sets.count;
        let mut squares: Vec<Square> = sets.squares().collect();
        squares.reverse();
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
            inverses: Symmetry::ALL.map(Symmetry::inverse),
        };
        let total = binomial(lookup.squares.len(), count).unwrap_or(u64::MAX);
        if total <= max_entries && lookup.sets.rows() <= u64::from(u32::MAX >> 3) {
            lookup.entries = Some(lookup.all_entries(total)?);
        }
        Ok(lookup)
    }

    /// Builds the table: each canonical set fills the entries of its images.
    fn all_entries(&self, total: u64) -> io::Result<Vec<AtomicU32>> {
        let mut entries = pages::with_capacity(total as usize)?;
        entries.resize_with(total as usize, AtomicU32::default);
        match self.squares.len() {
            ..=64 => self.fill_entries::<1>(&entries),
            _ => self.fill_entries::<{ SquareSet::WORDS }>(&entries),
        }
        Ok(entries)
    }

    /// Fills the entries; places are bits of `W` words.
    fn fill_entries<const W: usize>(&self, entries: &[AtomicU32]) {
        const TASK: u64 = 1 << 10;
        // If several symmetries bring an image back, the last one written counts, so the least
        // comes last.
        let mut symmetries: Vec<Symmetry> = self.sets.group.iter().collect();
        symmetries.sort_by_key(|g| std::cmp::Reverse(g.inverse()));
        let board = self.sets.board;
        // By square, its image under each symmetry.
        let images: Vec<Vec<[u64; W]>> = board
            .squares()
            .map(|square| symmetries.iter().map(|g| self.bit(g.apply(board, square))).collect())
            .collect();
        parallel::for_each_index_init(
            self.sets.rows().div_ceil(TASK) as usize,
            || (Walker::new(&self.sets), vec![[0; W]; symmetries.len()]),
            |(walker, all), index| {
                let task = index as u64;
                for number in task * TASK..self.sets.rows().min((task + 1) * TASK) {
                    all.fill([0; W]);
                    for square in walker.set(number).0 {
                        for (all, image) in all.iter_mut().zip(&images[square.index()]) {
                            (0..W).for_each(|word| all[word] |= image[word]);
                        }
                    }
                    for (g, image) in symmetries.iter().zip(&*all) {
                        let rank = colex_rank(&self.binomials, Row(*image).lanes());
                        let entry = (number as u32) << 3 | g.inverse().index() as u32;
                        entries[rank as usize].store(entry, Ordering::Relaxed);
                    }
                }
            },
        );
    }

    /// Returns the bit of a square's place in `W` words.
    fn bit<const W: usize>(&self, square: Square) -> [u64; W] {
        let place = self.place(square);
        let mut bits = [0; W];
        bits[place / 64] = 1 << (place % 64);
        bits
    }

    /// Returns the bytes of the table of all sets of `count` attackers on that many squares, or 0
    /// if it is too large to be made.
    pub(crate) fn bytes(squares: usize, count: usize) -> u64 {
        let sets = binomial(squares, count).filter(|&sets| sets <= MAX_ENTRIES);
        sets.unwrap_or(0) * size_of::<u32>() as u64
    }

    /// Returns the canonical sets.
    pub(crate) fn sets(&self) -> &AttackerSets {
        &self.sets
    }

    /// Returns the places of a set, stored as if they were squares.
    #[inline]
    fn places(&self, set: SquareSet) -> SquareSet {
        set.iter().map(|square| Square::new(self.place(square))).collect()
    }

    #[inline(always)]
    fn place(&self, square: Square) -> usize {
        usize::from(self.places[square.index()])
    }

    /// Returns the location of the set's rows.
    pub(crate) fn locate(&self, set: SquareSet) -> BlockLocation {
        match &self.entries {
            Some(entries) => {
                let places = self.places(set).iter().map(Square::index);
                let rank = colex_rank(&self.binomials, places);
                self.decode(&entries[rank as usize])
            }
            None => {
                let (offset, symmetry) = self.sets.canonicalize(set);
                let inverse = self.inverses[symmetry.index()];
                BlockLocation { block: BlockNumber::from(offset), symmetry, inverse }
            }
        }
    }

    /// Prepares lookups of sets that differ from this one by a man.
    pub(crate) fn prepare(&self, set: SquareSet, prepared: &mut PreparedSet) {
        prepared.set = set;
        if self.entries.is_none() {
            return;
        }
        prepared.places = self.places(set);
        prepared.sums.clear();
        let mut sums = [0; 3];
        prepared.sums.push(sums);
        for (below, place) in prepared.places.iter().enumerate() {
            for (fewer, sum) in sums.iter_mut().enumerate() {
                *sum += self.binomials.get(place.index(), below + fewer);
            }
            prepared.sums.push(sums);
        }
    }

    /// Begins the lookup of the set with one man moved, and prefetches its entry, so that other
    /// work can hide the latency of memory.
    #[inline]
    pub(crate) fn begin_lookup(
        &self,
        prepared: &PreparedSet,
        from: Square,
        to: Square,
    ) -> PendingLookup {
        let Some(entries) = &self.entries else {
            return PendingLookup::Found(self.locate(prepared.set.without(from).with(to)));
        };
        let PreparedSet { places, sums, .. } = prepared;
        let (from, to) = (self.place(from), self.place(to));
        let left = places.count_before(Square::new(from));
        let above = places.count_before(Square::new(to));
        let last = sums.len() - 1;
        // Men between the two places now have one man fewer, or one more, below them. Only their
        // terms change, so prefix sums give the rank without a loop over the men.
        let rank = if left < above {
            let between = sums[above][0] - sums[left + 1][0];
            let own = self.binomials.get(to, above);
            sums[left][1] + between + own + (sums[last][1] - sums[above][1])
        } else {
            let between = sums[left][2] - sums[above][2];
            let own = self.binomials.get(to, above + 1);
            sums[above][1] + own + between + (sums[last][1] - sums[left + 1][1])
        };
        prefetch(&entries[rank as usize]);
        PendingLookup::Entry(rank as usize)
    }

    /// Completes a lookup.
    #[inline(always)]
    pub(crate) fn resolve(&self, pending: PendingLookup) -> BlockLocation {
        match (pending, &self.entries) {
            (PendingLookup::Entry(entry), Some(entries)) => self.decode(&entries[entry]),
            (PendingLookup::Found(target), _) => target,
            (PendingLookup::Entry(_), None) => {
                unreachable!("an entry is pending only with a table")
            }
        }
    }

    /// Returns the table, if there is one.
    pub(crate) fn entries(&self) -> Option<&[AtomicU32]> {
        self.entries.as_deref()
    }

    /// Returns the squares where attackers may stand, by place.
    pub(crate) fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Fills in, by place, the entry number of the set with one more man there; 0 on the men's own
    /// places.
    #[inline(always)]
    pub(crate) fn extended_entries(&self, prepared: &PreparedSet, numbers: &mut Vec<u32>) {
        let PreparedSet { places, sums, .. } = prepared;
        let all = sums[sums.len() - 1][2];
        numbers.clear();
        let mut first = 0;
        let ends = places.iter().map(Square::index).chain([self.squares.len()]);
        for (below, (end, sums)) in ends.zip(sums).enumerate() {
            let others = sums[1] + (all - sums[2]);
            let terms = &self.binomials.of(below + 1)[first..end];
            numbers.extend(terms.iter().map(|term| (others + term) as u32));
            numbers.push(0);
            first = end + 1;
        }
        numbers.truncate(self.squares.len());
    }

    /// Decodes an entry.
    #[inline(always)]
    pub(crate) fn decode(&self, entry: &AtomicU32) -> BlockLocation {
        let packed = entry.load(Ordering::Relaxed);
        let number = (packed & 7) as usize;
        BlockLocation {
            block: BlockNumber::new((packed >> 3) as usize),
            symmetry: Symmetry::ALL[number],
            inverse: self.inverses[number],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;
    use crate::game::rules::{Kind, Ruleset};
    use crate::game::slice::Slice;
    use crate::solve::frame::attacker_sets;
    use crate::solve::test_support::RULESETS;

    /// Returns a lookup with a table and one without.
    fn both(rules: &Ruleset, attackers: usize) -> [BlockLookup; 2] {
        let places = rules.places(Kind::Attacker);
        let sets = binomial(places.len(), attackers).unwrap();
        [sets, sets - 1].map(|most| {
            let canonical = attacker_sets(rules, Slice { defenders: 0, attackers }).unwrap();
            BlockLookup::with_entries_up_to(most, canonical).unwrap()
        })
    }

    fn parts(target: BlockLocation) -> (BlockNumber, Symmetry, Symmetry) {
        (target.block, target.symmetry, target.inverse)
    }

    /// Looks up every set of three attackers, and every move of each of its men.
    fn check_every_set(rules: &str) {
        let rules = Ruleset::load(rules).unwrap();
        let [by_entries, by_index] = both(&rules, 3);
        assert!(by_entries.entries().is_some() && by_index.entries().is_none());
        let places: Vec<Square> = rules.places(Kind::Attacker).iter().collect();
        let mut prepared = [PreparedSet::default(), PreparedSet::default()];
        for (i, &first) in places.iter().enumerate() {
            for &second in &places[..i] {
                let others = SquareSet::of(first).with(second);
                by_entries.prepare(others, &mut prepared[0]);
                let mut numbers = Vec::new();
                by_entries.extended_entries(&prepared[0], &mut numbers);
                assert_eq!(numbers.len(), places.len());
                for (&square, entry) in by_entries.squares().iter().zip(numbers) {
                    if others.contains(square) {
                        assert_eq!(entry, 0);
                        continue;
                    }
                    let target = parts(by_index.locate(others.with(square)));
                    assert_eq!(parts(by_entries.locate(others.with(square))), target);
                    let entries = by_entries.entries().unwrap();
                    assert_eq!(parts(by_entries.decode(&entries[entry as usize])), target);
                    by_entries.prepare(others.with(square), &mut prepared[0]);
                    by_index.prepare(others.with(square), &mut prepared[1]);
                    for &to in places.iter().filter(|&&to| to != first && to != second) {
                        let target = parts(by_index.locate(others.with(to)));
                        for (lookup, prepared) in
                            [&by_entries, &by_index].into_iter().zip(&prepared)
                        {
                            let found = lookup.resolve(lookup.begin_lookup(prepared, square, to));
                            assert_eq!(parts(found), target);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_table_agrees_with_the_index() {
        for rules in ["brandubh", "ashton"] {
            check_every_set(rules);
        }
        for name in ["lopsided", "strange", "strange-turns"] {
            check_every_set(&format!("tests/rulesets/{name}.toml"));
        }
    }

    /// Checks that the symmetry maps the set to the block's set, that the inverse maps it back, and
    /// that all images of a set have one block.
    fn check_targets(rules: &Ruleset, attackers: usize) {
        let lookups = both(rules, attackers);
        let places: Vec<Square> = rules.places(Kind::Attacker).iter().collect();
        let sets = subsequence(places, attackers);
        proptest!(ProptestConfig::with_cases(50), |(squares in sets)| {
            let set: SquareSet = squares.into_iter().collect();
            for lookup in &lookups {
                let target = lookup.locate(set);
                let (canonical, _) = lookup.sets().unrank(target.block.into());
                assert_eq!(target.symmetry.apply_set(rules.board, set), canonical);
                assert_eq!(target.inverse.apply_set(rules.board, canonical), set);
                assert_eq!(target.symmetry.then(target.inverse), Symmetry::IDENTITY);
                assert!(rules.symmetries().contains(target.symmetry));
                for g in rules.symmetries().iter() {
                    let image = g.apply_set(rules.board, set);
                    assert_eq!(lookup.locate(image).block, target.block, "{g:?}");
                }
                let mut prepared = PreparedSet::default();
                lookup.prepare(set, &mut prepared);
                for square in set {
                    let again = lookup.resolve(lookup.begin_lookup(&prepared, square, square));
                    assert_eq!(parts(again), parts(target));
                }
            }
        });
    }

    #[test]
    fn targets_are_blocks_and_symmetries_that_lead_there() {
        for rules in &*RULESETS {
            let most = if rules.board.size() > 9 { 2 } else { 4 };
            for attackers in 1..=most.min(rules.places(Kind::Attacker).len()) {
                check_targets(rules, attackers);
            }
        }
    }

    #[test]
    fn the_predicted_memory_is_the_tables() {
        let rules = Ruleset::load("brandubh").unwrap();
        let [by_entries, _] = both(&rules, 3);
        let bytes = size_of_val(by_entries.entries().unwrap()) as u64;
        let squares = rules.places(Kind::Attacker).len();
        assert_eq!(BlockLookup::bytes(squares, 3), bytes);
        // More sets than a table may have entries.
        assert_eq!(BlockLookup::bytes(361, 4), 0);
    }
}
