use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::game::board::{Board, Square, SquareSet, Symmetry};
use crate::index::{AttackerSets, Binomials, Walker, binomial, colex_rank};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::system::pages;
use crate::system::prefetch::prefetch;

/// The most attacker sets of which each gets an entry: 4 bytes each.
const MOST_ENTRIES: u64 = 1 << 28;

/// Where the rows of an attacker set are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLocation {
    /// The block.
    pub block: BlockNumber,
    /// What brings the set to the block's.
    pub symmetry: Symmetry,
    /// What brings the block's lanes back.
    pub inverse: Symmetry,
}

/// Finds the block of an attacker set.
///
/// Every un-move of an attacker asks for one, so while a slice is solved a
/// table by colexicographic rank answers; where it would be too large, the
/// index does, which is several times slower. Squares are numbered in the order in which
/// the sets' numbers weigh them, so that what is near in one is near in the other.
pub(crate) struct BlockLookup {
    sets: AttackerSets,
    /// Where attackers may stand: the last ones weigh most. A *place* is a number in it.
    squares: Vec<Square>,
    /// By square.
    places: Vec<u16>,
    binomials: Binomials,
    /// By rank among all sets: the block, and in the low three bits the
    /// symmetry that brings the set to it.
    entries: Option<Vec<AtomicU32>>,
    inverses: [Symmetry; 8],
}

/// A set of attackers, made ready for looking up sets with one of them elsewhere, or with
/// one more.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreparedSet {
    set: SquareSet,
    /// Their places, as if they were squares.
    places: SquareSet,
    /// By number of men, the first ones: what these add to the rank when below each of
    /// them is one man less, as many as there are, and one more.
    sums: Vec<[u64; 3]>,
}

/// What is known of where a set's rows are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PendingLookup {
    /// The number of the entry that tells.
    Entry(usize),
    /// All: the index has told.
    Found(BlockLocation),
}

impl BlockLookup {
    /// For these sets of `count` attackers.
    pub(crate) fn new(sets: AttackerSets, board: Board, count: usize) -> BlockLookup {
        BlockLookup::with_entries_up_to(MOST_ENTRIES, sets, board, count)
    }

    /// The same, with entries for so many sets at the most.
    pub(crate) fn with_entries_up_to(
        most: u64,
        sets: AttackerSets,
        board: Board,
        count: usize,
    ) -> BlockLookup {
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
        if total <= most && lookup.sets.rows() <= u64::from(u32::MAX >> 3) {
            lookup.entries = Some(lookup.all_entries(board, total));
        }
        lookup
    }

    /// Each canonical set tells its images where it is.
    fn all_entries(&self, board: Board, total: u64) -> Vec<AtomicU32> {
        let mut entries = pages::with_capacity(total as usize);
        let all = (0..total as usize).into_par_iter();
        all.map(|_| AtomicU32::new(0)).collect_into_vec(&mut entries);
        match self.squares.len() {
            ..=64 => self.fill_entries::<1>(board, &entries),
            _ => self.fill_entries::<{ SquareSet::WORDS }>(board, &entries),
        }
        entries
    }

    /// The places are bits of `W` words.
    fn fill_entries<const W: usize>(&self, board: Board, entries: &[AtomicU32]) {
        const TASK: u64 = 1 << 10;
        // Of several symmetries that bring an image back the least one stays,
        // being the last.
        let mut symmetries: Vec<Symmetry> = self.sets.group().iter().collect();
        symmetries.sort_by_key(|g| std::cmp::Reverse(g.inverse()));
        let image = |g: &Symmetry, square| {
            let place = self.place(g.apply(board, square));
            let mut bits = [0_u64; W];
            bits[place / 64] = 1 << (place % 64);
            bits
        };
        // By square, where it goes.
        let images = |square| symmetries.iter().map(|g| image(g, square)).collect();
        let images: Vec<Vec<[u64; W]>> = board.squares().map(images).collect();
        let tasks = (0..self.sets.rows().div_ceil(TASK)).into_par_iter();
        tasks.for_each_init(
            || (Walker::new(&self.sets), vec![[0; W]; symmetries.len()]),
            |(walker, all), task| {
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

    /// The bytes that the table of all sets of `count` attackers on that many
    /// squares takes; 0 if it is too large to be made.
    pub(crate) fn bytes(squares: usize, count: usize) -> u64 {
        let entries = binomial(squares, count).filter(|&entries| entries <= MOST_ENTRIES);
        entries.unwrap_or(0) * size_of::<u32>() as u64
    }

    /// The sets.
    pub(crate) fn sets(&self) -> &AttackerSets {
        &self.sets
    }

    /// The places of a set, as if they were squares.
    #[inline]
    fn places(&self, set: SquareSet) -> SquareSet {
        set.iter().map(|square| Square::new(self.place(square))).collect()
    }

    #[inline(always)]
    fn place(&self, square: Square) -> usize {
        usize::from(self.places[square.index()])
    }

    /// Where the rows of the set are.
    pub(crate) fn locate(&self, set: SquareSet) -> BlockLocation {
        match &self.entries {
            Some(entries) => {
                let places = self.places(set).iter().map(Square::index);
                let rank = colex_rank(&self.binomials, places);
                self.decode(&entries[rank as usize])
            }
            None => {
                let (offset, symmetry) = self.sets.place(set);
                let inverse = self.inverses[symmetry.index()];
                BlockLocation { block: BlockNumber::from(offset), symmetry, inverse }
            }
        }
    }

    /// Makes ready to look up sets that differ from this one in a man.
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

    /// Begins to look up the set after one of its men has moved: an entry is on its way
    /// from memory, so that other work can be done before it is asked for.
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
        let before = |square| places.count_before(Square::new(square));
        let (from, to) = (self.place(from), self.place(to));
        let (left, above) = (before(from), before(to));
        let last = sums.len() - 1;
        // Men between the two places have one man less below them, or one more.
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

    /// Where what is pending is.
    #[inline(always)]
    pub(crate) fn resolve(&self, pending: PendingLookup) -> BlockLocation {
        match (pending, &self.entries) {
            (PendingLookup::Entry(entry), Some(entries)) => self.decode(&entries[entry]),
            (PendingLookup::Found(target), _) => target,
            (PendingLookup::Entry(_), None) => {
                unreachable!("entries are pending where there are some")
            }
        }
    }

    /// The entries, if there are any.
    pub(crate) fn entries(&self) -> Option<&[AtomicU32]> {
        self.entries.as_deref()
    }

    /// The squares where attackers may stand, by place.
    pub(crate) fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Puts in by place the number of the entry of the men and one more there; 0 where one
    /// of them is.
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

    /// What an entry says.
    #[inline(always)]
    pub(crate) fn decode(&self, entry: &AtomicU32) -> BlockLocation {
        let entry = entry.load(Ordering::Relaxed);
        let number = (entry & 7) as usize;
        BlockLocation {
            block: BlockNumber::new((entry >> 3) as usize),
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

    /// A lookup with entries and one without.
    fn both(rules: &Ruleset, attackers: usize) -> [BlockLookup; 2] {
        let places = rules.places(Kind::Attacker);
        let sets = binomial(places.len(), attackers).unwrap();
        [sets, sets - 1].map(|most| {
            let canonical = attacker_sets(rules, Slice { defenders: 0, attackers }).unwrap();
            BlockLookup::with_entries_up_to(most, canonical, rules.board, attackers)
        })
    }

    fn parts(target: BlockLocation) -> (BlockNumber, Symmetry, Symmetry) {
        (target.block, target.symmetry, target.inverse)
    }

    /// Every set of three attackers, and of each one the place that is looked up.
    fn every_set_is_found(rules: &str) {
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
    fn entries_say_what_the_index_says() {
        for rules in ["brandubh", "ashton"] {
            every_set_is_found(rules);
        }
        for name in ["lopsided", "strange", "strange-turns"] {
            every_set_is_found(&format!("tests/rulesets/{name}.toml"));
        }
    }

    /// A target is what it says: the symmetry leads to the block's set, the other one
    /// back, and all images of a set have one block.
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
    fn memory_is_foretold() {
        let rules = Ruleset::load("brandubh").unwrap();
        let [by_entries, _] = both(&rules, 3);
        let bytes = size_of_val(by_entries.entries().unwrap()) as u64;
        let squares = rules.places(Kind::Attacker).len();
        assert_eq!(BlockLookup::bytes(squares, 3), bytes);
        // More sets than can have entries.
        assert_eq!(BlockLookup::bytes(361, 4), 0);
    }
}
