//! Solved smaller slices, as rows for the captures that lead to them.

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

/// What a side to move has that has no men left.
pub(super) const LOST_IN_0: Value = Value::Loss(0);

/// The solved slices that captures lead to.
pub(crate) struct SubSlices<'a, const N: usize> {
    /// After 1, 2 and 3 defenders have been captured, the defenders to move; as far as
    /// there are any.
    pub fewer_defenders: Vec<SubSlice<'a, N>>,
    /// After 1, 2 and 3 attackers have been captured, the attackers to move.
    /// Without attackers the game is over, so that slice is not here.
    pub fewer_attackers: Vec<SubSlice<'a, N>>,
    /// The greatest code that a capture leads to.
    greatest: Code,
    cache: Arc<RowCache<N>>,
}

/// The values of a smaller slice for one side to move. They are read when they are wanted
/// for, some blocks at a time: a *segment*.
pub(crate) struct SubSlice<'a, const N: usize> {
    /// The slice; its blocks are the canonical attacker sets.
    pub frame: Frame<'a, N>,
    segment_blocks: usize,
    read: Box<ReadBlocks<'a, N>>,
    /// Its number among all in the cache.
    number: u32,
    cache: Arc<RowCache<N>>,
}

/// Reads all rows of some blocks.
pub(crate) type ReadBlocks<'a, const N: usize> =
    dyn Fn(&Frame<N>, Range<usize>) -> Result<MappedRows<N>, BuildError> + Sync + 'a;

/// The rows with one set of attackers.
pub(super) struct AttackerRows<const N: usize> {
    target: BlockLocation,
    /// Those of the segment, and which is the first; `None` if they cannot be read.
    rows: Option<(Arc<MappedRows<N>>, usize)>,
}

/// Segments of all smaller slices, no more than so many bytes, least wanted ones dropped.
struct RowCache<const N: usize> {
    segments: Cache<(u32, u32), Arc<MappedRows<N>>, ByteWeighter>,
    /// Why one could not be read, if nobody has been told yet.
    failure: Mutex<Option<BuildError>>,
}

/// How much of the cache a segment takes.
#[derive(Clone)]
struct ByteWeighter;

impl<const N: usize> Weighter<(u32, u32), Arc<MappedRows<N>>> for ByteWeighter {
    fn weight(&self, _: &(u32, u32), rows: &Arc<MappedRows<N>>) -> u64 {
        rows.size_bytes() as u64
    }
}

/// A smaller slice, before it has a place in a cache.
pub(crate) struct SubSliceSource<'a, const N: usize> {
    /// The side to move after the captures that lead to it.
    pub to_move: Side,
    /// The slice.
    pub frame: Frame<'a, N>,
    /// The greatest code of its positions with that side to move.
    pub greatest: Code,
    /// How many blocks are best read at a time.
    pub segment_blocks: usize,
    /// How they are.
    pub read: Box<ReadBlocks<'a, N>>,
}

impl<'a, const N: usize> SubSlices<'a, N> {
    /// Of these slices; of what has been read, no more than so many bytes are kept, and
    /// what is being used.
    pub(crate) fn new(slices: Vec<SubSliceSource<'a, N>>, cache_bytes: u64) -> SubSlices<'a, N> {
        let greatest = slices.iter().map(|slice| slice.greatest).max().unwrap_or(0);
        let segments =
            |slice: &SubSliceSource<N>| slice.frame.blocks().div_ceil(slice.segment_blocks);
        let segments = slices.iter().map(segments).sum();
        let segments = Cache::with_weighter(segments, cache_bytes, ByteWeighter);
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

    /// The greatest code that a capture leads to.
    pub(crate) fn greatest_code(&self) -> Code {
        self.greatest
    }

    /// Says whether what was wanted for was all there.
    ///
    /// # Errors
    /// If something could not be read since the last time that anybody was told: nothing
    /// that was made since is to be used, whoever made it.
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
    /// The rows with these attackers. Whether they could be read [`SubSlices::check`]
    /// says.
    pub(super) fn of(&self, attackers: SquareSet) -> AttackerRows<N> {
        let target = self.frame.attackers.locate(attackers);
        let block = target.block.index();
        let segment = block / self.segment_blocks;
        let first = segment * self.segment_blocks;
        let cache = &self.cache;
        let read = || {
            let last = self.frame.blocks().min(first + self.segment_blocks);
            (self.read)(&self.frame, first..last).map(Arc::new)
        };
        let rows = cache.segments.get_or_insert_with(&(self.number, segment as u32), read);
        let rows = rows.map_err(|error| *cache.failure() = Some(error)).ok();
        let first_row = (block - first) * self.frame.block_rows();
        AttackerRows { target, rows: rows.map(|rows| (rows, first_row)) }
    }
}

impl<const N: usize> AttackerRows<N> {
    /// Calls `visit` with every code that positions have on some of the lanes,
    /// and those lanes, of which there must be some. `image` gives the rank of the
    /// defenders' image under a symmetry.
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
        // Few lanes are wanted for: they go to the row, not the row to them.
        let (mut lanes, mut wanted) = (lanes, region.transform(self.target.symmetry, lanes));
        for (code, there) in rows.row(row) {
            let found = there & wanted;
            if found == wanted {
                return visit(code, lanes);
            }
            if !found.is_empty() {
                let here = region.transform(self.target.inverse, found);
                visit(code, here);
                wanted = wanted.without(found);
                lanes = lanes.without(here);
            }
        }
    }
}
