//! Transfers rows from the partition that found them to the partition that needs them.

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bitvec::vec::BitVec;

use crate::solve::communicator::{Communicator, even_split};
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::row_batch::{RowBatch, exchange};
use crate::solve::rows::atomics::AtomicRows;
use crate::solve::rows::numbers::{ChunkNumber, ChunkRow, PartitionRow};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_events, encode_events};
use crate::solve::store::{ScratchError, SpillFile};
use crate::system::parallel;

/// Collects batches for all partitions.
pub(crate) struct Outbox {
    spill: Arc<SpillFile>,
    /// By partition.
    batches: Mutex<Vec<Vec<RowBatch>>>,
    /// The rows accepted so far, and the nanoseconds spent packing them.
    accepted: AtomicUsize,
    packing_nanos: AtomicU64,
}

/// The batches for one partition, ordered by their first rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbox {
    spill: Option<Arc<SpillFile>>,
    batches: Vec<RowBatch>,
}

impl Outbox {
    /// Creates an empty outbox. Several outboxes may share a spill file.
    pub(crate) fn new(spill: &Arc<SpillFile>, partitions: usize) -> Outbox {
        let (spill, batches) = (Arc::clone(spill), Mutex::new(vec![Vec::new(); partitions]));
        Outbox { spill, batches, accepted: AtomicUsize::new(0), packing_nanos: AtomicU64::new(0) }
    }

    /// Accepts events by partition, each in ascending order.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn send<const N: usize>(
        &self,
        by_partition: &[Vec<Event<N, PartitionRow>>],
    ) -> Result<(), ScratchError> {
        let started = Instant::now();
        for (partition, events) in by_partition.iter().enumerate() {
            if let [first, .., last] | [first @ last] = &events[..] {
                let record = self.spill.add(&encode_events(events))?;
                let (first, reach, rows) = (first.row, last.row, events.len());
                let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
                batches[partition].push(RowBatch { first, reach, rows, record });
            }
        }
        self.accepted.fetch_add(by_partition.iter().map(Vec::len).sum(), Ordering::Relaxed);
        self.packing_nanos.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the number of rows accepted.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Returns the time that all threads together have spent in `send`.
    pub(crate) fn packing(&self) -> Duration {
        Duration::from_nanos(self.packing_nanos.load(Ordering::Relaxed))
    }

    /// Returns the error for rows that were lost or duplicated.
    pub(crate) fn damaged(&self) -> ScratchError {
        self.spill.damaged()
    }

    /// Exchanges the batches with all ranks; returns the inboxes of this rank's partitions.
    ///
    /// # Errors
    /// If rows were lost or duplicated, the disk fails, or a rank has stopped.
    pub(crate) fn deliver(self, comm: &dyn Communicator) -> Result<Vec<Inbox>, ScratchError> {
        let accepted = self.accepted();
        let mut batches = self.batches.into_inner().unwrap_or_else(PoisonError::into_inner);
        let count = batches.len();
        let own = even_split(count, comm.rank(), comm.size());
        let mut received: Vec<Vec<RowBatch>> = batches[own.clone()].iter_mut().map(take).collect();
        if comm.size() > 1 {
            // The batches of this rank's own partitions have been taken already.
            let mut by_rank = Vec::with_capacity(comm.size());
            for rank in 0..comm.size() {
                let partitions = even_split(count, rank, comm.size());
                let to_send = partitions.flat_map(|partition| {
                    take(&mut batches[partition]).into_iter().map(move |batch| (partition, batch))
                });
                by_rank.push(to_send.collect());
            }
            exchange(&self.spill, comm, by_rank, |partition, batch| {
                received[partition - own.start].push(batch);
            })?;
        }
        let spill = self.spill;
        let inboxes: Vec<Inbox> =
            received.into_iter().map(|batches| Inbox::new(&spill, batches)).collect();
        let delivered = inboxes.iter().map(Inbox::rows).sum::<usize>();
        match comm.sum(delivered as u64)? == comm.sum(accepted as u64)? {
            true => Ok(inboxes),
            false => Err(spill.damaged()),
        }
    }
}

impl Inbox {
    /// Orders batches, and extends the reach of each to that of all before it.
    fn new(spill: &Arc<SpillFile>, mut batches: Vec<RowBatch>) -> Inbox {
        batches.sort_unstable_by_key(|batch| batch.first);
        let mut reach = PartitionRow::FIRST;
        for batch in &mut batches {
            reach = reach.max(batch.reach);
            batch.reach = reach;
        }
        Inbox { spill: Some(Arc::clone(spill)), batches }
    }

    /// Returns `true` if there are no batches.
    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.batches.iter().map(|batch| batch.rows).sum()
    }

    /// Adds all rows to those of the partition; returns the changes.
    ///
    /// # Errors
    /// If the disk fails or a batch is damaged.
    pub(crate) fn add_to<const N: usize>(
        &self,
        chunks: Chunks,
        rows: &mut [Row<N>],
    ) -> Result<Frontier, ScratchError> {
        let blocks = BitVec::<AtomicUsize>::repeat(false, chunks.blocks);
        let atomic_rows = AtomicRows::new(rows);
        parallel::try_for_each(self.batches.iter(), |_, batch| {
            for Event { row, lanes } in self.open(batch)? {
                atomic_rows.add(row.index(), lanes);
                blocks.set_aliased(row.index() / chunks.block_rows, true);
            }
            Ok::<_, ScratchError>(())
        })?;
        Ok(Frontier { blocks: blocks.into_iter().collect(), rows: self.rows() })
    }

    /// Returns the events of a chunk of the partition.
    ///
    /// # Errors
    /// If the disk fails or a batch is damaged.
    pub(crate) fn of_chunk<const N: usize>(
        &self,
        chunks: Chunks,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        let first = chunks.places_of(chunk).start * chunks.block_rows;
        let rows = first..first + chunks.chunk_rows();
        let mut events = Vec::new();
        for batch in self.near(&rows) {
            add_events(&self.open(batch)?, &rows, &mut events);
        }
        merge(&mut events);
        Ok(events)
    }

    /// Calls `visit` with the events of each chunk of the partition, some chunks at a time.
    ///
    /// # Errors
    /// If the disk fails, a batch is damaged, a row was sent twice, or `visit` fails.
    pub(crate) fn for_chunks<const N: usize>(
        &self,
        chunks: Chunks,
        visit: impl Fn(ChunkNumber, &[Event<N>]) -> Result<(), ScratchError> + Sync,
    ) -> Result<(), ScratchError> {
        let Some(spill) = &self.spill else { return Ok(()) };
        let height = chunks.chunk_rows();
        let mut visited = 0;
        for first in (0..chunks.count()).step_by(chunks.window_chunks()) {
            let end = (first + chunks.window_chunks()).min(chunks.count());
            let rows = first * height..end * height;
            let near = self.near(&rows).iter();
            let opened = parallel::try_map(near, |_, batch| self.open(batch))?;
            let counts = parallel::try_map(first..end, |_, chunk| {
                let rows = chunk * height..(chunk + 1) * height;
                let mut events: Vec<Event<N>> = Vec::new();
                opened.iter().for_each(|batch| add_events(batch, &rows, &mut events));
                merge(&mut events);
                // A row that occurs twice was sent twice.
                if events.is_sorted_by(|one, next| one.row < next.row) {
                    if !events.is_empty() {
                        visit(chunks.number(chunk), &events)?;
                    }
                    Ok(events.len())
                } else {
                    Err(spill.damaged())
                }
            })?;
            visited += counts.iter().sum::<usize>();
        }
        if visited == self.rows() { Ok(()) } else { Err(spill.damaged()) }
    }

    /// Returns a range of batches that includes all with rows in `rows`.
    fn near(&self, rows: &Range<usize>) -> &[RowBatch] {
        let end = self.batches.partition_point(|batch| batch.first.index() < rows.end);
        let start = self.batches.partition_point(|batch| batch.reach.index() < rows.start);
        self.batches.get(start..end).unwrap_or_default()
    }

    fn open<const N: usize>(
        &self,
        batch: &RowBatch,
    ) -> Result<Vec<Event<N, PartitionRow>>, ScratchError> {
        let Some(spill) = &self.spill else { return Ok(Vec::new()) };
        decode_events(&spill.read(&batch.record)?)
            .filter(|events: &Vec<_>| events.len() == batch.rows)
            .ok_or_else(|| spill.damaged())
    }
}

/// Adds the events of a batch that fall into a chunk's rows.
fn add_events<const N: usize>(
    batch: &[Event<N, PartitionRow>],
    rows: &Range<usize>,
    events: &mut Vec<Event<N>>,
) {
    let start = batch.partition_point(|event| event.row.index() < rows.start);
    let end = batch.partition_point(|event| event.row.index() < rows.end);
    events.extend(batch[start..end].iter().map(|&Event { row, lanes }| Event {
        row: ChunkRow::new(row.index() - rows.start),
        lanes,
    }));
}

/// Merges the events of ascending batches: a stable sort is fast on such runs.
fn merge<const N: usize>(events: &mut [Event<N>]) {
    events.sort_by_key(|event| event.row);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::solve::communicator::SingleProcess;
    use crate::solve::store::{Compression, ScratchFolder, ScratchOptions};
    use crate::system::filesystem::SystemFiles;

    const CHUNKS: usize = 5;

    fn chunks() -> Chunks {
        Chunks::new(2 * CHUNKS - 1, 3).of_blocks(2)
    }

    /// Sends rows, distributed over batches and partitions, and calls `then` with the outbox.
    fn sent(rows: &BTreeMap<usize, (usize, usize)>, then: impl Fn(Outbox, [usize; 2])) {
        let folder = tempfile::tempdir().unwrap();
        let sync_every = Duration::MAX;
        let (files, compression) = (Arc::new(SystemFiles), Compression::ALWAYS);
        let options = ScratchOptions { files, sync_every, compression, progress: &() };
        let scratch = ScratchFolder::open(folder.path(), [0; 32], options).unwrap();
        let outbox = Outbox::new(&Arc::new(SpillFile::new(&scratch).unwrap()), 2);
        let mut count = [0; 2];
        for batch in 0..3 {
            let of = |partition| {
                let own = rows.iter().filter(move |(_, to)| **to == (batch, partition));
                own.map(|(&row, _)| event(row)).collect()
            };
            let by_partition: [Vec<_>; 2] = [of(0), of(1)];
            (0..2).for_each(|partition| count[partition] += by_partition[partition].len());
            outbox.send(&by_partition).unwrap();
        }
        then(outbox, count);
    }

    fn event(row: usize) -> Event<1, PartitionRow> {
        Event { row: PartitionRow::new(row), lanes: Row([row as u64 + 1]) }
    }

    /// Returns all rows that `for_chunks` visits, or `None` if it fails.
    fn visited(inbox: &Inbox) -> Option<Vec<(usize, Row<1>)>> {
        let visited = Mutex::new(Vec::new());
        let visit = inbox.for_chunks(chunks(), |chunk, events: &[Event<1>]| {
            let first = chunk.index() * chunks().chunk_rows();
            let rows = events.iter().map(|event| (first + event.row.index(), event.lanes));
            visited.lock().unwrap().extend(rows);
            Ok(())
        });
        let mut visited = visited.into_inner().unwrap();
        visited.sort_unstable_by_key(|&(row, _)| row);
        visit.ok().map(|()| visited)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_partition_receives_its_rows(
            rows in prop::collection::btree_map(0..chunks().rows(), (0..3_usize, 0..2_usize), 1..20),
        ) {
            sent(&rows, |outbox, count| {
                for (partition, inbox) in outbox.deliver(&SingleProcess).unwrap().iter().enumerate() {
                    let own = rows.iter().filter(|(_, to)| to.1 == partition);
                    let own: Vec<(usize, Row<1>)> =
                        own.map(|(&row, _)| (row, event(row).lanes)).collect();
                    assert_eq!(visited(inbox).as_ref(), Some(&own));
                    let mut again = Vec::new();
                    for chunk in chunks().numbers() {
                        let first = chunk.index() * chunks().chunk_rows();
                        let events: Vec<Event<1>> = inbox.of_chunk(chunks(), chunk).unwrap();
                        again.extend(events.iter().map(|e| (first + e.row.index(), e.lanes)));
                    }
                    assert_eq!(again, own);
                    let mut table = vec![Row::EMPTY; chunks().rows()];
                    let changed = inbox.add_to(chunks(), &mut table).unwrap();
                    assert_eq!(changed.rows, count[partition]);
                    for (row, &lanes) in table.iter().enumerate() {
                        let there = own.iter().find(|(own, _)| *own == row);
                        assert_eq!(lanes, there.map_or(Row::EMPTY, |there| there.1));
                        let block = row / chunks().block_rows;
                        assert!(lanes.is_empty() || changed.blocks[block]);
                    }
                }
            });
        }

        #[test]
        fn lost_and_duplicated_rows_are_detected(
            rows in prop::collection::btree_map(0..chunks().rows(), (0..3_usize, 0..2_usize), 1..20),
            duplicates in any::<bool>(),
        ) {
            sent(&rows, |outbox, _| {
                {
                    let mut batches = outbox.batches.lock().unwrap();
                    let partition = batches.iter_mut().find(|batches| !batches.is_empty()).unwrap();
                    let batch = partition.pop().unwrap();
                    if duplicates {
                        partition.extend([batch, batch]);
                    }
                }
                let there: usize =
                    outbox.batches.lock().unwrap().iter().flatten().map(|batch| batch.rows).sum();
                assert!(there != rows.len());
                assert_eq!(outbox.accepted(), rows.len());
                if duplicates {
                    outbox.accepted.store(there, Ordering::Relaxed);
                    let inbox = outbox.deliver(&SingleProcess).unwrap();
                    assert!(inbox.iter().any(|inbox| visited(inbox).is_none()));
                } else {
                    assert!(outbox.deliver(&SingleProcess).is_err());
                }
            });
        }
    }
}
