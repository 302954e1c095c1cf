use crate::system::random::SeededRng;

/// A random sample of a slice's blocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The percentage of blocks, above 0 and up to 100; at least one run of blocks is chosen.
    pub percent: f64,
    /// The random seed: the same slice, percentage and seed give the same blocks.
    pub seed: u64,
    /// The memory limit for values, in bytes.
    pub memory_bytes: u64,
    /// The part of the chosen blocks to check, from 0: several processes check one part each.
    pub part: usize,
    /// The number of nearly equal parts; 1 for all chosen blocks.
    pub parts: usize,
}

/// The minimum number of rows of a run of neighbouring blocks, which are chosen together: the
/// blocks that their moves lead to are neighbours, too.
const RUN_ROWS: usize = 1 << 10;
/// The minimum number of runs to choose from, if there are that many blocks.
const MIN_RUNS: usize = 1 << 10;

impl Sample {
    /// Returns whether there is such a part of such a choice.
    pub(super) fn is_possible(&self) -> bool {
        self.percent > 0.0 && self.percent <= 100.0 && self.part < self.parts
    }

    /// Chooses from `blocks` blocks of `rows` rows each, and returns this part of the choice in
    /// order.
    pub(super) fn choose(&self, blocks: usize, rows: usize) -> impl Iterator<Item = usize> + use<> {
        let run = (RUN_ROWS / rows.max(1)).min(blocks / MIN_RUNS).max(1);
        let mut left = blocks.div_ceil(run);
        let mut wanted = (self.percent / 100.0 * left as f64).round() as usize;
        wanted = wanted.clamp(1, left);
        let start = |part: usize| part * wanted / self.parts;
        let own = start(self.part)..start(self.part + 1);
        let mut random = SeededRng::new(self.seed);
        // Selection sampling: each run is chosen with the probability wanted / left.
        let runs = (0..left).filter(move |_| {
            let is_chosen = random.below(left) < wanted;
            left -= 1;
            wanted -= usize::from(is_chosen);
            is_chosen
        });
        runs.skip(own.start)
            .take(own.len())
            .flat_map(move |number| number * run..((number + 1) * run).min(blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(percent: f64, seed: u64, blocks: usize, rows: usize) -> Vec<usize> {
        let sample = Sample { percent, seed, memory_bytes: 0, part: 0, parts: 1 };
        sample.choose(blocks, rows).collect()
    }

    #[test]
    fn parts_make_up_the_choice() {
        let whole = Sample { percent: 10.0, seed: 5, memory_bytes: 0, part: 0, parts: 1 };
        // Of 100 blocks, and of runs of 10 blocks.
        for (blocks, rows) in [(1000, 5000), (100_000, 100)] {
            let all: Vec<usize> = whole.choose(blocks, rows).collect();
            for parts in [1, 2, 3, 7, 200] {
                let part = |part| Sample { part, parts, ..whole }.choose(blocks, rows);
                assert_eq!((0..parts).flat_map(part).collect::<Vec<_>>(), all);
                let sizes = (0..parts).map(|number| part(number).count());
                assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 10);
            }
        }
    }

    #[test]
    fn as_many_blocks_are_chosen_as_wanted() {
        assert_eq!(choose(100.0, 7, 12_345, 1), (0..12_345).collect::<Vec<_>>());
        assert_eq!(choose(1.0, 7, 2000, 5000).len(), 20);
        assert_eq!(choose(0.001, 7, 2000, 5000).len(), 1);
        assert_eq!(choose(0.001, 7, 1, 5000), [0]);
        assert!(choose(50.0, 7, 2000, 5000).is_sorted());
    }

    #[test]
    fn the_choice_depends_on_the_seed() {
        let one = choose(10.0, 1, 3000, 30);
        assert_eq!(one, choose(10.0, 1, 3000, 30));
        assert_ne!(one, choose(10.0, 2, 3000, 30));
    }

    #[test]
    fn blocks_of_few_rows_come_in_runs() {
        let blocks = choose(0.1, 3, 10_000_000, 1);
        assert_eq!(blocks.len(), 10 * RUN_ROWS);
        for run in blocks.chunks(RUN_ROWS) {
            assert_eq!(run[RUN_ROWS - 1] - run[0], RUN_ROWS - 1);
        }
    }
}
