use crate::system::random::SeededRng;

/// Which part of a slice is to be proved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// How many of the blocks, above 0 up to 100; one run of them at least.
    pub percent: f64,
    /// What the choice depends on, and nothing else: the same slice and seed
    /// give the same blocks.
    pub seed: u64,
    /// The bytes of memory that the values may take at a time.
    pub memory_bytes: u64,
}

/// Rows that neighbouring blocks are chosen together for: what their moves lead
/// to lies together, too.
const RUN_ROWS: usize = 1 << 10;
/// Runs that are chosen from at least, if there are as many blocks.
const RUNS: usize = 1 << 10;

impl Sample {
    /// The blocks chosen from so many, of so many rows each, in order.
    pub(super) fn choose(&self, blocks: usize, rows: usize) -> impl Iterator<Item = usize> + use<> {
        let run = (RUN_ROWS / rows.max(1)).min(blocks / RUNS).max(1);
        let mut left = blocks.div_ceil(run);
        let mut wanted = (self.percent / 100.0 * left as f64).round() as usize;
        wanted = wanted.clamp(1, left);
        let mut random = SeededRng::new(self.seed);
        // One run after the other, each as likely as those still wanted are
        // among those left.
        let chosen = (0..left).filter(move |_| {
            let chosen = random.below(left) < wanted;
            left -= 1;
            wanted -= usize::from(chosen);
            chosen
        });
        chosen.flat_map(move |number| number * run..((number + 1) * run).min(blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(percent: f64, seed: u64, blocks: usize, rows: usize) -> Vec<usize> {
        Sample { percent, seed, memory_bytes: 0 }.choose(blocks, rows).collect()
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
