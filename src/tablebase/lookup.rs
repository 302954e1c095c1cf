//! Values of positions, one by one or many at once.

use rayon::prelude::*;

use crate::game::position::Position;
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::table::dont_care::is_decided;
use crate::table::{Code, Metric, PackedBlock, TableError, dtw_value, wdl_value};

use super::files::OpenedTable;
use super::{ProbeError, Probed, Tablebase};

/// What can be asked of a table.
pub(crate) trait Answer: Sized + Send {
    /// The table that is asked first.
    const METRIC: Metric;

    /// The answer that the rules give.
    fn by_rule(value: Value) -> Self;

    /// What a code in a table of that metric says; `None` if it says nothing.
    fn decode(metric: Metric, code: Code) -> Option<Self>;
}

impl Answer for Wdl {
    const METRIC: Metric = Metric::Wdl;

    fn by_rule(value: Value) -> Wdl {
        value.wdl()
    }

    #[inline]
    fn decode(metric: Metric, code: Code) -> Option<Wdl> {
        match metric {
            Metric::Wdl => wdl_value(code),
            Metric::Dtw => dtw_value(code).map(Value::wdl),
        }
    }
}

impl Answer for Value {
    const METRIC: Metric = Metric::Dtw;

    fn by_rule(value: Value) -> Value {
        value
    }

    #[inline]
    fn decode(metric: Metric, code: Code) -> Option<Value> {
        match metric {
            Metric::Wdl => None,
            Metric::Dtw => dtw_value(code),
        }
    }
}

/// Where the value of a position is found.
enum ValuePlace<'a> {
    /// The rules tell.
    ByRule(Value),
    /// The index of the table tells.
    InIndex(&'a OpenedTable, Code),
    /// It must be looked up.
    InBlock(BlockPlace<'a>),
}

/// A place in a block of a table.
#[derive(Clone, Copy)]
struct BlockPlace<'a> {
    opened: &'a OpenedTable,
    block: u64,
    at: usize,
}

impl BlockPlace<'_> {
    /// The same for all slots of a block, and for no others.
    fn block_key(&self) -> (usize, u64) {
        (std::ptr::from_ref(self.opened).addr(), self.block)
    }

    /// What the table has there: from the block if it was `decoded`, or from the
    /// cache, or from the block after decoding and caching it.
    #[inline]
    fn code(&self, decoded: &mut Option<PackedBlock>) -> Result<Code, TableError> {
        let BlockPlace { opened: OpenedTable { table, blocks, .. }, block, at } = *self;
        if let Some(decoded) = decoded {
            return table.value_of(decoded, at);
        }
        let number = table.entry_number(block);
        if let Some(bytes) = blocks.bytes_at(number, table.byte_of(at)) {
            return table.value_in(block, bytes, at);
        }
        let decoded = decoded.insert(table.read_packed(block)?);
        blocks.keep(number, decoded.bytes());
        table.value_of(decoded, at)
    }
}

#[inline]
fn answer<A: Answer>(opened: &OpenedTable, code: Code) -> Result<A, ProbeError> {
    A::decode(opened.table.header().metric, code).ok_or_else(|| opened.foreign())
}

#[inline]
fn answer_at<A: Answer>(place: ValuePlace<'_>) -> Result<A, ProbeError> {
    match place {
        ValuePlace::ByRule(value) => Ok(A::by_rule(value)),
        ValuePlace::InIndex(opened, code) => answer(opened, code),
        ValuePlace::InBlock(slot) => answer(slot.opened, slot.code(&mut None)?),
    }
}

impl Tablebase {
    /// Win, draw or loss for the side to move; asks the DTW table where there is no
    /// WDL table.
    ///
    /// # Errors
    /// If the position is none of a running game, or its table is missing or
    /// damaged.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.probe_one(position)
    }

    /// The value with the distance to the end of the game in plies.
    ///
    /// # Errors
    /// As [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_dtw(&self, position: &Position) -> Result<Value, ProbeError> {
        self.probe_one(position)
    }

    /// The answers of [`probe_wdl`](Tablebase::probe_wdl) to many positions, in
    /// their order. Reads each block once and uses rayon's current threads: for
    /// bulk work, where it is much faster than probes one by one.
    pub fn probe_many_wdl(&self, positions: &[Position]) -> Vec<Result<Wdl, ProbeError>> {
        self.probe_all(positions)
    }

    /// The answers of [`probe_dtw`](Tablebase::probe_dtw) to many positions; see
    /// [`probe_many_wdl`](Tablebase::probe_many_wdl).
    pub fn probe_many_dtw(&self, positions: &[Position]) -> Vec<Result<Value, ProbeError>> {
        self.probe_all(positions)
    }

    /// What is known of many positions, in their order: the outcome, and the distance
    /// where there is a table of distances. For bulk work, as
    /// [`probe_many_wdl`](Tablebase::probe_many_wdl).
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Probed, ProbeError>> {
        let values = self.probe_all::<Value>(positions);
        let mut answers: Vec<Result<Probed, ProbeError>> =
            values.into_iter().map(|value| value.map(Probed::from)).collect();
        let is_missing = |answer: &_| matches!(answer, Err(ProbeError::MissingTable { .. }));
        let missing: Vec<usize> = (0..answers.len()).filter(|&i| is_missing(&answers[i])).collect();
        let without: Vec<Position> = missing.iter().map(|&i| positions[i]).collect();
        for (i, wdl) in missing.into_iter().zip(self.probe_all::<Wdl>(&without)) {
            answers[i] = wdl.map(|wdl| Probed { wdl, plies: None });
        }
        answers
    }

    /// The answer for who knows the position's slice, that the position is legal with
    /// attackers on the board, and that the mover does not decide it at once: an engine
    /// sees all that before it asks.
    #[cfg(feature = "engine")]
    #[inline]
    pub(crate) fn probe_undecided<A: Answer>(
        &self,
        position: &Position,
        slice: Slice,
    ) -> Result<A, ProbeError> {
        answer_at(self.place_undecided(position, slice, A::METRIC)?)
    }

    #[inline]
    fn probe_one<A: Answer>(&self, position: &Position) -> Result<A, ProbeError> {
        answer_at(self.place(position, A::METRIC)?)
    }

    fn probe_all<A: Answer>(&self, positions: &[Position]) -> Vec<Result<A, ProbeError>> {
        let places = positions.par_iter().map(|position| self.place(position, A::METRIC));
        let places: Vec<Result<ValuePlace<'_>, ProbeError>> = places.collect();
        let slots = places.iter().enumerate().filter_map(|(number, place)| match place {
            Ok(ValuePlace::InBlock(slot)) => Some((number, *slot)),
            _ => None,
        });
        let mut slots: Vec<(usize, BlockPlace<'_>)> = slots.collect();
        slots.par_sort_unstable_by_key(|(number, slot)| (slot.block_key(), *number));
        let found: Vec<(usize, Result<A, ProbeError>)> = slots
            .par_chunk_by(|(_, one), (_, other)| one.block_key() == other.block_key())
            .flat_map_iter(read_group)
            .collect();
        let known = |place: Result<ValuePlace<'_>, ProbeError>| match place {
            Ok(ValuePlace::ByRule(value)) => Some(Ok(A::by_rule(value))),
            Ok(ValuePlace::InIndex(opened, code)) => Some(answer(opened, code)),
            Ok(ValuePlace::InBlock(_)) => None,
            Err(error) => Some(Err(error)),
        };
        let mut answers: Vec<Option<Result<A, ProbeError>>> =
            places.into_iter().map(known).collect();
        for (number, answer) in found {
            answers[number] = Some(answer);
        }
        answers.into_iter().flatten().collect()
    }

    #[inline]
    fn place(&self, position: &Position, metric: Metric) -> Result<ValuePlace<'_>, ProbeError> {
        position.check(&self.rules).map_err(ProbeError::Position)?;
        if position.attackers.is_empty() {
            // They are to move, and have lost.
            return Ok(ValuePlace::ByRule(Value::Loss(0)));
        }
        if is_decided(&self.rules, position) {
            return Ok(ValuePlace::ByRule(Value::Win(1)));
        }
        self.place_undecided(position, position.slice(), metric)
    }

    /// The place of what the rules do not tell.
    #[inline]
    fn place_undecided(
        &self,
        position: &Position,
        slice: Slice,
        metric: Metric,
    ) -> Result<ValuePlace<'_>, ProbeError> {
        let opened = match self.opened(slice, metric) {
            // Name what was asked for if both are missing.
            Err(error @ ProbeError::MissingTable { metric: Metric::Wdl, .. }) => {
                self.files.open(&self.rules, slice, Metric::Dtw)?.ok_or(error)?
            }
            opened => opened?,
        };
        let foreign = || opened.foreign();
        let slot = opened.index.rank_legal(position).ok_or_else(foreign)?;
        let grid = &opened.table.header().grid;
        let place = grid.locate(position.to_move, usize::from(slot.lane), slot.row);
        let (block, at) = place.ok_or_else(foreign)?;
        Ok(match opened.table.one_value(block)? {
            Some(code) => ValuePlace::InIndex(opened, code),
            None => ValuePlace::InBlock(BlockPlace { opened, block, at }),
        })
    }
}

/// The answers to all positions of one block.
fn read_group<A: Answer>(group: &[(usize, BlockPlace<'_>)]) -> Vec<(usize, Result<A, ProbeError>)> {
    let mut decoded = None;
    let mut read = |slot: &BlockPlace<'_>| answer(slot.opened, slot.code(&mut decoded)?);
    group.iter().map(|(number, slot)| (*number, read(slot))).collect()
}
