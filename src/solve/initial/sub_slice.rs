//! Solved smaller slices, as rows that captures look up.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::Side;
use crate::game::value::Value;
use crate::solve::error::BuildError;
use crate::solve::frame::Frame;
use crate::solve::frame::block_lookup::BlockLocation;
use crate::solve::frame::region::Region;
use crate::solve::initial::coded_rows::{MappedRows, code_of};
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;
use crate::table::Code;

/// The value for a side to move that has no men left.
pub(super) const LOST_IN_0: Value = Value::Loss(0);

/// The solved slices that captures lead to.
pub(crate) struct SubSlices<'a, const N: usize> {
    /// The slices after 1, 2, … defenders have been captured, with the defenders to move, as far
    /// as they exist.
    pub fewer_defenders: Vec<SubSlice<'a, N>>,
    /// The slices after 1, 2, … attackers have been captured, with the attackers to move. Without
    /// attackers the game is over, so that slice is left out.
    pub fewer_attackers: Vec<SubSlice<'a, N>>,
    /// The greatest code that a capture leads to.
    greatest: Code,
    cache: Arc<RowCache<N>>,
}

/// The values of a smaller slice for one side to move, read on demand, a *segment* of blocks at a
/// time.
pub(crate) struct SubSlice<'a, const N: usize> {
    /// The slice; its blocks are the canonical attacker sets.
    pub frame: Frame<'a, N>,
    segment_blocks: usize,
    read: Box<ReadBlocks<'a, N>>,
    /// Its number in the cache's keys.
    number: u32,
    cache: Arc<RowCache<N>>,
}

/// Reads all rows of some blocks.
pub(crate) type ReadBlocks<'a, const N: usize> =
    dyn Fn(&Frame<N>, Range<usize>) -> Result<MappedRows<N>, BuildError> + Sync + 'a;

/// The rows of one set of attackers.
pub(super) struct AttackerRows<const N: usize> {
    target: BlockLocation,
    /// The segment's rows and the first of these rows; `None` if they could not be read.
    rows: Option<(Arc<MappedRows<N>>, usize)>,
}

/// The rows of sub-slices after an attacker move, by the number of captured men. All rows of a
/// block share the attackers, so one lookup serves them.
#[derive(Default)]
pub(super) struct ChildRows<const N: usize>(Vec<Option<AttackerRows<N>>>);

impl<const N: usize> ChildRows<N> {
    /// Returns the rows of this number; looks them up the first time.
    pub(super) fn rows(
        &mut self,
        number: usize,
        look_up: impl FnOnce() -> AttackerRows<N>,
    ) -> &AttackerRows<N> {
        if self.0.len() <= number {
            self.0.resize_with(number + 1, || None);
        }
        self.0[number].get_or_insert_with(look_up)
    }
}

/// A cache of segments of all smaller slices, with a limit in bytes.
struct RowCache<const N: usize> {
    segments: Cache<(u32, u32), Arc<MappedRows<N>>, ByteWeighter>,
    /// The first error that has not been reported yet.
    failure: Mutex<Option<BuildError>>,
}

/// Weighs a segment by its bytes.
#[derive(Clone)]
struct ByteWeighter;

impl<const N: usize> Weighter<(u32, u32), Arc<MappedRows<N>>> for ByteWeighter {
    fn weight(&self, _: &(u32, u32), rows: &Arc<MappedRows<N>>) -> u64 {
        rows.size_bytes() as u64
    }
}

/// A smaller slice that has no place in a cache yet.
pub(crate) struct SubSliceSource<'a, const N: usize> {
    /// The side to move after the captures that lead to it.
    pub to_move: Side,
    /// The slice.
    pub frame: Frame<'a, N>,
    /// The greatest code of its positions with that side to move.
    pub greatest: Code,
    /// The best number of blocks to read at a time.
    pub segment_blocks: usize,
    /// Reads the blocks.
    pub read: Box<ReadBlocks<'a, N>>,
}

impl<'a, const N: usize> SubSlices<'a, N> {
    /// Creates the cache for these slices. It holds at most `cache_bytes`, apart from segments in
    /// use.
    pub(crate) fn new(slices: Vec<SubSliceSource<'a, N>>, cache_bytes: u64) -> SubSlices<'a, N> {
        let greatest = slices.iter().map(|slice| slice.greatest).max().unwrap_or(0);
        let max_segments =
            slices.iter().map(|slice| slice.frame.blocks().div_ceil(slice.segment_blocks)).sum();
        let segments = Cache::with_weighter(max_segments, cache_bytes, ByteWeighter);
        let cache = Arc::new(RowCache { segments, failure: Mutex::default() });
        let mut all = SubSlices {
            fewer_defenders: Vec::new(),
            fewer_attackers: Vec::new(),
            greatest: greatest.max(code_of(LOST_IN_0)),
            cache,
        };
        for (number, SubSliceSource { to_move, frame, segment_blocks, read, .. }) in
            (0..).zip(slices)
        {
            let cache = Arc::clone(&all.cache);
            let child = SubSlice { frame, segment_blocks, read, number, cache };
            match to_move {
                Side::Defenders => all.fewer_defenders.push(child),
                Side::Attackers => all.fewer_attackers.push(child),
            }
        }
        all
    }

    /// Returns the greatest code that a capture leads to.
    pub(crate) fn greatest_code(&self) -> Code {
        self.greatest
    }

    /// Reports a read error since the last call.
    ///
    /// # Errors
    /// If a segment could not be read since the last call. The results of all workers since then
    /// must be discarded.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        self.cache.failure().take().map_or(Ok(()), Err)
    }
}

impl<const N: usize> RowCache<N> {
    fn failure(&self) -> MutexGuard<'_, Option<BuildError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<const N: usize> SubSlice<'_, N> {
    /// Returns the rows with these attackers. Read errors are reported by [`SubSlices::check`].
    pub(super) fn rows_of(&self, attackers: SquareSet) -> AttackerRows<N> {
        let target = self.frame.attackers.locate(attackers);
        let block = target.block.index();
        let segment = block / self.segment_blocks;
        let first = segment * self.segment_blocks;
        let cache = &self.cache;
        // Captures are visited deep inside the block kernels, which cannot stop at an error, so it
        // is kept for `check`.
        let rows = cache
            .segments
            .get_or_insert_with(&(self.number, segment as u32), || {
                let last = self.frame.blocks().min(first + self.segment_blocks);
                (self.read)(&self.frame, first..last).map(Arc::new)
            })
            .map_err(|error| *cache.failure() = Some(error))
            .ok();
        let first_row = (block - first) * self.frame.block_rows();
        AttackerRows { target, rows: rows.map(|rows| (rows, first_row)) }
    }
}

impl<const N: usize> AttackerRows<N> {
    /// Calls `visit` with every code that positions have on the given lanes, and with those lanes.
    /// There must be at least one lane. `image` gives the rank of the defenders' image under a
    /// symmetry.
    #[inline]
    pub(super) fn values(
        &self,
        region: &Region<N>,
        image: impl FnOnce(Symmetry) -> Rank,
        lanes: Row<N>,
        mut visit: impl FnMut(Code, Row<N>),
    ) {
        let Some((rows, first)) = &self.rows else { return };
        let row = first + image(self.target.symmetry).index();
        // Transforming the few lanes that are wanted is cheaper than transforming all lanes of the
        // row.
        let (mut lanes, mut wanted) = (lanes, region.transform(self.target.symmetry, lanes));
        for (code, with_code) in rows.row(row) {
            let found = with_code & wanted;
            if found == wanted {
                return visit(code, lanes);
            }
            if !found.is_empty() {
                let matched = region.transform(self.target.inverse, found);
                visit(code, matched);
                wanted = wanted.without(found);
                lanes = lanes.without(matched);
            }
        }
    }
}
