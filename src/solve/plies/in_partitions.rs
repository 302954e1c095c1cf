//! Plies with tables larger than memory. Each rank has some partitions and works on one after the
//! other. The winner's moves stay inside the partitions of one kind, the loser's inside those of
//! the other kind. A ply's findings are sent once, to the partitions in which the other side's next
//! ply needs them.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use crate::game::rules::{BySide, Side};
use crate::game::value::Plies;
use crate::solve::advance::advance;
use crate::solve::communicator::{Communicator, even_split};
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::dispatch::Dispatch;
use crate::solve::plies::frontier::{Frontier, clear, clear_all};
use crate::solve::plies::history::{History, LogIo, fill_with_invalid};
use crate::solve::plies::layout::PartitionLayout;
use crate::solve::plies::losing::{LossTables, WonTable, losing_ply};
use crate::solve::plies::outbox::{Inbox, Outbox};
use crate::solve::plies::ply::{Domain, Ply, PlyIo};
use crate::solve::plies::stored_table::StoredTable;
use crate::solve::plies::tables::{PlyStats, Storage, Tables};
use crate::solve::plies::winning::{WinTables, winning_ply};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{
    Content, ScratchError, ScratchErrorKind, ScratchFolder, SpillFile, StageWriter, Stages,
};
use crate::system::{pages, parallel};
use crate::table::progress::Progress;

/// The number of tables of the current partition in memory.
pub(crate) const TABLES: usize = 3;

/// The number of tables if the rank has only one partition: two buffers, the wins of both kinds
/// of partition, and the open positions.
pub(crate) const TABLES_OF_ONLY_PARTITION: usize = 5;

/// The tables of an outcome on this rank. If a rank has several partitions, all but the current one
/// are packed on the disk.
pub(crate) struct InPartitions<'a, const N: usize> {
    layout: &'a PartitionLayout,
    comm: &'a dyn Communicator,
    scratch: &'a ScratchFolder<'a>,
    /// The file of packed tables, if there is one. All tables share it, since processes may have a
    /// limited number of open files.
    spill: Option<Arc<SpillFile>>,
    /// The indices of this rank's partitions.
    own: Range<usize>,
    /// By the side whose moves stay inside: those of the attackers are partitions by defenders,
    /// those of the defenders partitions by attackers.
    partitions: BySide<Vec<Partition<'a, N>>>,
    /// Tables of the current partition; all rows are empty between plies.
    buffers: [Vec<Row<N>>; TABLES],
}

/// The stored state of a partition.
struct Partition<'a, const N: usize> {
    /// The side whose moves stay inside.
    inside: Side,
    domain: Domain<'a, N>,
    won: StoredTable<N>,
    /// The open positions; used only in the loser's partitions.
    open: StoredTable<N>,
    /// The findings of the last ply; unused in partitions by attackers, which read the log.
    inbox: Inbox,
    /// The seeds by ply; unused in partitions by attackers, which read the initial pass.
    seeds: Vec<Inbox>,
}

impl<'a, const N: usize> InPartitions<'a, N> {
    /// Allocates the partitions of this rank, with empty tables.
    ///
    /// # Errors
    /// If the disk fails or the memory is exhausted.
    pub(crate) fn new(
        layout: &'a PartitionLayout,
        domains: BySide<Vec<Domain<'a, N>>>,
        stages: &Stages<'a>,
    ) -> Result<InPartitions<'a, N>, ScratchError> {
        let partitions = BySide::from_fn(|inside| {
            domains[inside].iter().map(|&domain| Partition::new(inside, domain)).collect()
        });
        let max_rows = domains.0.iter().flatten().map(|domain| domain.chunks.rows()).max();
        let buffer = || pages::with_capacity(max_rows.unwrap_or(0)).map_err(ScratchErrorKind::Io);
        let buffers = [buffer()?, buffer()?, buffer()?];
        let (comm, scratch) = (stages.comm(), stages.scratch());
        let own = even_split(layout.count(), comm.rank(), comm.size());
        let is_packed = Storage::Partitions(layout.count()).is_packed(comm.size());
        let spill = is_packed.then(|| SpillFile::new(scratch).map(Arc::new)).transpose()?;
        Ok(InPartitions { layout, comm, scratch, spill, own, partitions, buffers })
    }

    /// Loads the state of the partitions by attackers from the stage files.
    fn begin_by_attackers(
        &mut self,
        history: &History,
        progress: &dyn Progress,
    ) -> Result<(), ScratchError> {
        let (packed, [buffer, ..]) = (self.spill.as_ref(), &mut self.buffers);
        for partition in &mut self.partitions[Side::Defenders] {
            let chunks = partition.domain.chunks;
            let next_unknown = wins_before(history, partition.is_losers());
            let rows = emptied(buffer, chunks);
            fill_with_invalid(&partition.domain, rows);
            parallel::try_for_each(rows.chunks_mut(chunks.chunk_rows()), |at, won| {
                history.won_before(next_unknown, chunks.number(at), won)?;
                advance(progress, won.len() as u64)
            })?;
            partition.won = StoredTable::of(rows, chunks, packed)?;
            if partition.is_losers() {
                let all_open = rows.chunks_mut(chunks.chunk_rows());
                parallel::try_for_each(all_open, |at, open| history.open(chunks.number(at), open))?;
                partition.open = StoredTable::of(rows, chunks, packed)?;
            }
        }
        Ok(())
    }

    /// Loads the state of the partitions by defenders, which other partitions send.
    fn begin_by_defenders(
        &mut self,
        history: &History,
        progress: &dyn Progress,
    ) -> Result<(), ScratchError> {
        let (layout, comm, packed) = (self.layout, self.comm, self.spill.as_ref());
        let next_unknown = wins_before(history, history.winner != Side::Attackers);
        // The log is stored by attackers. Each rank reads its own part and sends the rows to the
        // ranks that need them.
        let dispatch = Dispatch::new(history, next_unknown, self.scratch, layout.count())?;
        for domain in self.partitions[Side::Defenders].iter().map(|partition| partition.domain) {
            parallel::try_for_each(domain.chunks.numbers(), |_, chunk| {
                let mut rows = vec![Row::<N>::EMPTY; domain.chunks.rows_of(chunk)];
                dispatch.chunk(history, layout, chunk, &mut rows)?;
                advance(progress, rows.len() as u64)
            })?;
        }
        let (partitions, [buffer, ..]) = (&mut self.partitions[Side::Attackers], &mut self.buffers);
        // One kind of rows after the other, since a single buffer holds the rows of a partition.
        let Dispatch { won, open, last, seeds, .. } = dispatch;
        for (partition, inbox) in partitions.iter_mut().zip(won.deliver(comm)?) {
            let chunks = partition.domain.chunks;
            let rows = emptied(buffer, chunks);
            fill_with_invalid(&partition.domain, rows);
            inbox.add_to(chunks, rows)?;
            partition.won = StoredTable::of(rows, chunks, packed)?;
            advance(progress, chunks.rows() as u64)?;
        }
        for (partition, inbox) in partitions.iter_mut().zip(open.deliver(comm)?) {
            if partition.is_losers() {
                let chunks = partition.domain.chunks;
                let rows = emptied(buffer, chunks);
                inbox.add_to(chunks, rows)?;
                partition.open = StoredTable::of(rows, chunks, packed)?;
            }
        }
        for (partition, inbox) in partitions.iter_mut().zip(last.deliver(comm)?) {
            partition.inbox = inbox;
            partition.seeds.clear();
        }
        for outbox in seeds {
            let inbox = outbox.map(|outbox| outbox.deliver(comm)).transpose()?;
            for (at, partition) in partitions.iter_mut().enumerate() {
                let own = inbox.as_ref().map(|inbox| inbox[at].clone());
                partition.seeds.push(own.unwrap_or_default());
            }
        }
        Ok(())
    }
}

impl<const N: usize> Tables for InPartitions<'_, N> {
    fn passes(&self) -> u64 {
        // The stage files are read for the partitions by attackers, sent to those by defenders, and
        // received there.
        3
    }

    fn begin(&mut self, history: &History, progress: &dyn Progress) -> Result<(), ScratchError> {
        self.begin_by_attackers(history, progress)?;
        self.begin_by_defenders(history, progress)?;
        let [used, ..] = &mut self.buffers;
        clear_all(used);
        Ok(())
    }

    fn ply(
        &mut self,
        history: &History,
        log: Option<&StageWriter>,
        progress: &dyn Progress,
    ) -> Result<PlyStats, ScratchError> {
        let mover = history.mover();
        let outbox = Outbox::new(&Arc::new(SpillFile::new(self.scratch)?), self.layout.count());
        let (layout, number, buffers) = (self.layout, history.next_ply(), &mut self.buffers);
        // A rank without a log has no partitions.
        let logs = iter::repeat(log).flatten();
        let mut found = 0;
        for ((from, partition), log) in
            self.own.clone().zip(&mut self.partitions[mover]).zip(logs.clone())
        {
            let domain = partition.domain;
            let changed = match mover {
                Side::Attackers => {
                    let inbox = partition.seeds.get(usize::from(number));
                    // Without changes and seeds the ply finds nothing here: the tables of the
                    // partition need not be read from the disk.
                    if partition.inbox.is_empty() && inbox.is_none_or(Inbox::is_empty) {
                        advance(progress, domain.chunks.rows() as u64)?;
                        continue;
                    }
                    let seeds = inbox.cloned().unwrap_or_default();
                    let io = OutboxIo { seeds, from, layout, domain, outbox: &outbox };
                    partition.ply(history, &Ply { number, io: &io, progress }, buffers)?
                }
                Side::Defenders => {
                    let io = LogIo { history, log, partitions: Some((layout, &outbox)) };
                    partition.ply(history, &Ply { number, io: &io, progress }, buffers)?
                }
            };
            found += changed.rows;
        }
        if outbox.accepted() != found {
            return Err(outbox.damaged());
        }
        let stats = PlyStats { rows: found, packing: outbox.packing() };
        let inboxes = outbox.deliver(self.comm)?;
        // Findings of attackers are logged by the ranks that receive them: the log is stored by
        // attackers.
        for ((partition, inbox), log) in
            self.partitions[mover.other()].iter_mut().zip(inboxes).zip(logs)
        {
            match mover {
                Side::Attackers => inbox
                    .for_chunks(partition.domain.chunks, |chunk, events: &[Event<N>]| {
                        history.log(log, chunk, events)
                    })?,
                Side::Defenders => partition.inbox = inbox,
            }
        }
        Ok(stats)
    }
}

impl<'a, const N: usize> Partition<'a, N> {
    /// Creates a partition with empty tables.
    fn new(inside: Side, domain: Domain<'a, N>) -> Partition<'a, N> {
        let (won, open) = (StoredTable::default(), StoredTable::default());
        Partition { inside, domain, won, open, inbox: Inbox::default(), seeds: Vec::new() }
    }

    /// Returns `true` if the loser's moves stay inside.
    fn is_losers(&self) -> bool {
        self.inside != self.domain.winner
    }

    /// Computes the ply in this partition; returns its changes.
    fn ply(
        &mut self,
        history: &History,
        ply: &Ply<N>,
        [last, now, won]: &mut [Vec<Row<N>>; TABLES],
    ) -> Result<Frontier, ScratchError> {
        let chunks = self.domain.chunks;
        last.resize(chunks.rows(), Row::EMPTY);
        now.resize(chunks.rows(), Row::EMPTY);
        let changed = self.last_found(history, last)?;
        let found = if history.wins_next() {
            let tables = WinTables { won: self.won.by_chunk(), lost: last, newly_won: now };
            winning_ply(&self.domain, ply, tables, &changed)?
        } else {
            self.won.add(chunks, last, &changed)?;
            let won = match self.domain.winner {
                Side::Attackers => WonTable::ByChunk(self.won.by_chunk()),
                Side::Defenders => WonTable::Whole(self.won.rows(chunks, won)?),
            };
            let open = self.open.by_chunk();
            let tables = LossTables { open, won, newly_won: last, lost: now };
            losing_ply(&self.domain, ply, tables, &changed)?
        };
        clear(chunks, last, &changed.blocks);
        clear(chunks, now, &found.blocks);
        Ok(found)
    }

    /// Adds the findings of the last ply to the rows; returns the changes.
    fn last_found(&self, history: &History, rows: &mut [Row<N>]) -> Result<Frontier, ScratchError> {
        let chunks = self.domain.chunks;
        if self.inside == Side::Attackers {
            return self.inbox.add_to(chunks, rows);
        }
        let changed = parallel::try_map(rows.chunks_mut(chunks.chunk_rows()), |at, rows| {
            let events = history.last_found(chunks.number(at))?;
            Ok::<_, ScratchError>(Frontier::of(&events, chunks, at, rows))
        })?;
        Ok(Frontier::joined(&changed))
    }
}

/// Resizes a buffer to the rows of a partition and clears it.
fn emptied<const N: usize>(buffer: &mut Vec<Row<N>>, chunks: Chunks) -> &mut [Row<N>] {
    clear_all(buffer);
    buffer.resize(chunks.rows(), Row::EMPTY);
    buffer
}

/// Returns the ply before which a partition knows all wins: the loser receives the wins of the last
/// ply at the next one.
fn wins_before(history: &History, is_losers: bool) -> Plies {
    history.next_ply() - Plies::from(is_losers && !history.wins_next())
}

/// A ply in a partition by defenders: receives seeds from an inbox, and sends findings to the
/// partitions by attackers, which log them.
struct OutboxIo<'p, const N: usize> {
    seeds: Inbox,
    /// The index of this partition.
    from: usize,
    layout: &'p PartitionLayout,
    domain: Domain<'p, N>,
    outbox: &'p Outbox,
}

impl<const N: usize> PlyIo<N> for OutboxIo<'_, N> {
    fn seeds(
        &self,
        _: Content,
        _: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        self.seeds.of_chunk(self.domain.chunks, chunk)
    }

    fn save(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        let chunks = self.domain.chunks;
        self.outbox.send(&self.layout.by_attackers(self.from, chunks, chunk, events))
    }
}
