//! Probing the values of positions, one by one or in bulk.

#[cfg(feature = "engine")]
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::game::moves::value_by_moves;
use crate::game::position::Position;
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::table::dont_care::is_decided;
use crate::table::{Code, Metric, PackedBlock, TableError, dtw_value, wdl_value};

use super::files::OpenedTable;
use super::{ProbeError, Probed, Tablebase};

/// A value that can be probed: an outcome, or an outcome with its distance.
pub(crate) trait ProbeValue: From<Value> + Send {
    /// The metric of the table that is probed first.
    const METRIC: Metric;

    /// Decodes a code of a table of that metric; `None` if the code is invalid or has no
    /// distance.
    fn decode(metric: Metric, code: Code) -> Option<Self>;
}

impl ProbeValue for Wdl {
    const METRIC: Metric = Metric::Wdl;

    #[inline]
    fn decode(metric: Metric, code: Code) -> Option<Wdl> {
        match metric {
            Metric::Wdl => wdl_value(code),
            Metric::Dtw => dtw_value(code).map(Value::wdl),
        }
    }
}

impl ProbeValue for Value {
    const METRIC: Metric = Metric::Dtw;

    #[inline]
    fn decode(metric: Metric, code: Code) -> Option<Value> {
        match metric {
            Metric::Wdl => None,
            Metric::Dtw => dtw_value(code),
        }
    }
}

/// The source of a position's value.
enum ValueSource<'a> {
    /// The value follows from the rules.
    Rules(Value),
    /// The code is known: it is in the table's index, or has been read from a block.
    Code(&'a OpenedTable, Code),
    /// The code is in a block.
    Block(BlockSlot<'a>),
}

/// A slot, by its position in a block of a table.
#[derive(Clone, Copy)]
struct BlockSlot<'a> {
    opened: &'a OpenedTable,
    block: u64,
    at: usize,
}

impl BlockSlot<'_> {
    /// Returns a key that identifies the block.
    fn block_key(&self) -> (usize, u64) {
        (std::ptr::from_ref(self.opened).addr(), self.block)
    }

    /// Reads the code from the `decoded` block if there is one, or else from the cache, or else
    /// after decoding and caching the block.
    #[inline]
    fn code(&self, decoded: &mut Option<PackedBlock>) -> Result<Code, TableError> {
        let BlockSlot { opened: OpenedTable { table, blocks, .. }, block, at } = *self;
        if let Some(packed) = decoded {
            return table.value_of(packed, at);
        }
        let number = table.entry_number(block);
        if let Some(bytes) = blocks.bytes_at(number, table.byte_of(at)) {
            return table.value_in(block, bytes, at);
        }
        let packed = decoded.insert(table.read_packed(block)?);
        blocks.insert(number, packed.bytes());
        table.value_of(packed, at)
    }
}

#[inline]
fn decode<V: ProbeValue>(opened: &OpenedTable, code: Code) -> Result<V, ProbeError> {
    V::decode(opened.table.header().metric, code).ok_or_else(|| opened.foreign())
}

#[inline]
fn read<V: ProbeValue>(source: ValueSource<'_>) -> Result<V, ProbeError> {
    match source {
        ValueSource::Rules(value) => Ok(value.into()),
        ValueSource::Code(opened, code) => decode(opened, code),
        ValueSource::Block(slot) => decode(slot.opened, slot.code(&mut None)?),
    }
}

impl Tablebase {
    /// Probes win, draw or loss for the side to move; uses the DTW table if there is no WDL
    /// table.
    ///
    /// # Errors
    /// If the position is invalid or the game is over, or its table is missing or damaged. A position
    /// that its moves alone decide needs no table: a win in 1, or a loss in 0.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.or_by_moves(position, self.probe_one(position))
    }

    /// Probes the value with the distance to the end of the game in plies.
    ///
    /// # Errors
    /// See [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_dtw(&self, position: &Position) -> Result<Value, ProbeError> {
        self.or_by_moves(position, self.probe_one(position))
    }

    /// Probes the value, with its distance if there is a DTW table.
    ///
    /// # Errors
    /// See [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_value(&self, position: &Position) -> Result<Probed, ProbeError> {
        self.or_by_moves(position, self.probe_best_table(position))
    }

    /// Probes the DTW table or, if it is missing, the WDL table, without a look at the moves.
    pub(super) fn probe_best_table(&self, position: &Position) -> Result<Probed, ProbeError> {
        match self.probe_one::<Value>(position) {
            Err(ProbeError::MissingTable { .. }) => {
                self.probe_one(position).map(|wdl| Probed { wdl, plies: None })
            }
            value => value.map(Probed::from),
        }
    }

    /// Probes many positions as [`probe_wdl`](Tablebase::probe_wdl) does, and returns the
    /// results in their order. Much faster for bulk work than single probes: it reads each
    /// block once and uses the threads of rayon's current pool.
    pub fn probe_many_wdl(&self, positions: &[Position]) -> Vec<Result<Wdl, ProbeError>> {
        self.all_or_by_moves(positions, self.probe_all(positions))
    }

    /// Probes many positions as [`probe_dtw`](Tablebase::probe_dtw) does; see
    /// [`probe_many_wdl`](Tablebase::probe_many_wdl).
    pub fn probe_many_dtw(&self, positions: &[Position]) -> Vec<Result<Value, ProbeError>> {
        self.all_or_by_moves(positions, self.probe_all(positions))
    }

    /// Probes the outcomes of many positions, with their distances where there are DTW tables;
    /// see [`probe_many_wdl`](Tablebase::probe_many_wdl).
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Probed, ProbeError>> {
        let values = self.probe_all::<Value>(positions);
        let mut results: Vec<Result<Probed, ProbeError>> =
            values.into_iter().map(|value| value.map(Probed::from)).collect();
        // Positions without a DTW table may have a WDL table.
        let missing: Vec<usize> = (0..results.len())
            .filter(|&i| matches!(results[i], Err(ProbeError::MissingTable { .. })))
            .collect();
        let missing_positions: Vec<Position> = missing.iter().map(|&i| positions[i]).collect();
        for (i, wdl) in missing.into_iter().zip(self.probe_all::<Wdl>(&missing_positions)) {
            results[i] = wdl.map(|wdl| Probed { wdl, plies: None });
        }
        self.all_or_by_moves(positions, results)
    }

    /// Probes a position that is known to be in `slice`, to be legal with attackers on the
    /// board, and not to be decided in one move: an engine has checked that already. A table that
    /// cannot be read decides nothing; see [`Tablebase::search_error`].
    #[cfg(feature = "engine")]
    #[inline]
    pub(crate) fn probe_undecided<V: ProbeValue>(
        &self,
        position: &Position,
        slice: Slice,
    ) -> Option<V> {
        self.for_search(self.locate_undecided(position, slice, V::METRIC).and_then(read))
    }

    /// Returns what a probe by a search has found; keeps and reports the first error, unless
    /// the table is missing or the position has no value.
    #[cfg(feature = "engine")]
    #[inline]
    pub(crate) fn for_search<T>(&self, found: Result<T, ProbeError>) -> Option<T> {
        #[cold]
        fn keep(kept: &OnceLock<ProbeError>, error: ProbeError) {
            if !matches!(error, ProbeError::MissingTable { .. } | ProbeError::Position(_)) {
                let is_first = kept.set(error).is_ok();
                if let (true, Some(hook), Some(error)) =
                    (is_first, super::SEARCH_ERROR_HOOK.get(), kept.get())
                {
                    hook(error);
                }
            }
        }
        found.map_err(|error| keep(&self.search_error, error)).ok()
    }

    /// Returns what was found or, if the table is missing, what the position's moves alone decide.
    #[inline]
    fn or_by_moves<V: From<Value>>(
        &self,
        position: &Position,
        mut found: Result<V, ProbeError>,
    ) -> Result<V, ProbeError> {
        self.decide_by_moves(position, &mut found);
        found
    }

    /// As [`or_by_moves`](Tablebase::or_by_moves), of many positions.
    fn all_or_by_moves<V: From<Value> + Send>(
        &self,
        positions: &[Position],
        mut found: Vec<Result<V, ProbeError>>,
    ) -> Vec<Result<V, ProbeError>> {
        let each = found.par_iter_mut().zip(positions);
        each.for_each(|(found, position)| self.decide_by_moves(position, found));
        found
    }

    #[inline]
    fn decide_by_moves<V: From<Value>>(
        &self,
        position: &Position,
        found: &mut Result<V, ProbeError>,
    ) {
        if let Err(ProbeError::MissingTable { .. }) = found
            && let Some(value) = value_by_moves(&self.rules, position)
        {
            *found = Ok(value.into());
        }
    }

    /// Probes a position without a look at its moves, for callers that ask about very many.
    #[inline]
    pub(crate) fn probe_one<V: ProbeValue>(&self, position: &Position) -> Result<V, ProbeError> {
        read(self.locate(position, V::METRIC)?)
    }

    fn probe_all<V: ProbeValue>(&self, positions: &[Position]) -> Vec<Result<V, ProbeError>> {
        self.codes(positions, V::METRIC).into_iter().map(|source| read(source?)).collect()
    }

    /// Locates the values of positions, and reads their codes from blocks.
    fn codes(
        &self,
        positions: &[Position],
        metric: Metric,
    ) -> Vec<Result<ValueSource<'_>, ProbeError>> {
        let mut sources: Vec<Result<ValueSource<'_>, ProbeError>> =
            positions.par_iter().map(|position| self.locate(position, metric)).collect();
        let mut slots: Vec<(usize, BlockSlot<'_>)> = (0..)
            .zip(&sources)
            .filter_map(|(number, source)| match source {
                Ok(ValueSource::Block(slot)) => Some((number, *slot)),
                _ => None,
            })
            .collect();
        // Sorted by block, so that each block is decoded once.
        slots.par_sort_unstable_by_key(|(number, slot)| (slot.block_key(), *number));
        let read: Vec<(usize, Result<ValueSource<'_>, ProbeError>)> = slots
            .par_chunk_by(|(_, one), (_, other)| one.block_key() == other.block_key())
            .flat_map_iter(read_block)
            .collect();
        for (number, source) in read {
            sources[number] = source;
        }
        sources
    }

    #[inline]
    fn locate(&self, position: &Position, metric: Metric) -> Result<ValueSource<'_>, ProbeError> {
        position.check(&self.rules).map_err(ProbeError::Position)?;
        if position.attackers.is_empty() {
            // The attackers are to move and have lost.
            return Ok(ValueSource::Rules(Value::Loss(0)));
        }
        if is_decided(&self.rules, position) {
            return Ok(ValueSource::Rules(Value::Win(1)));
        }
        self.locate_undecided(position, position.slice(), metric)
    }

    /// Locates the value of a position that the rules do not decide.
    #[inline]
    fn locate_undecided(
        &self,
        position: &Position,
        slice: Slice,
        metric: Metric,
    ) -> Result<ValueSource<'_>, ProbeError> {
        let opened = match self.opened(slice, metric) {
            // If both tables are missing, the error names the WDL table.
            Err(error @ ProbeError::MissingTable { metric: Metric::Wdl, .. }) => {
                self.files.open(&self.rules, slice, Metric::Dtw)?.ok_or(error)?
            }
            opened => opened?,
        };
        let slot = opened.index.rank_legal(position).ok_or_else(|| opened.foreign())?;
        let grid = &opened.table.header().grid;
        let (block, at) = grid
            .locate(position.to_move, usize::from(slot.lane), slot.row)
            .ok_or_else(|| opened.foreign())?;
        Ok(match opened.table.one_value(block)? {
            Some(code) => ValueSource::Code(opened, code),
            None => ValueSource::Block(BlockSlot { opened, block, at }),
        })
    }
}

/// Reads the codes of slots of one block, each with the number of its position.
fn read_block<'a>(
    slots: &[(usize, BlockSlot<'a>)],
) -> Vec<(usize, Result<ValueSource<'a>, ProbeError>)> {
    let mut decoded = None;
    slots
        .iter()
        .map(|(number, slot)| {
            let code = slot.code(&mut decoded).map_err(ProbeError::from);
            (*number, code.map(|code| ValueSource::Code(slot.opened, code)))
        })
        .collect()
}
