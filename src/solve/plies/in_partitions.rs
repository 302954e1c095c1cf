//! Plies with tables that are larger than memory: each rank of the build has some partitions,
//! and works on one after the other. The winner's moves
//! stay in the partitions of one cut, the loser's in those of the other one; what one side's
//! ply finds is sent, once, to the partitions in which the other side's next ply looks it up.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::game::rules::{BySide, Side};
use crate::game::value::Plies;
use crate::solve::communicator::{Communicator, of_rank};
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::dispatch::Dispatch;
use crate::solve::plies::frontier::{Frontier, clear};
use crate::solve::plies::known::{Known, Logged, no_positions};
use crate::solve::plies::losing::{Losing, Won, losing_ply};
use crate::solve::plies::outbox::{Inbox, Outbox};
use crate::solve::plies::partitions::Partitions;
use crate::solve::plies::ply::{Done, Given, Ply, Records};
use crate::solve::plies::stored_table::StoredTable;
use crate::solve::plies::tables::{PlyStats, Storage, Tables};
use crate::solve::plies::winning::{Winning, winning_ply};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, ScratchError, ScratchFolder, SpillFile, StageWriter, Stages};
use crate::system::pages;

/// The tables of an outcome, as far as this rank of the build has them. If a rank has more
/// than one partition, all wait packed on the disk but the one that is worked on.
pub(crate) struct InPartitions<'a, const N: usize> {
    cut: &'a Partitions,
    ranks: &'a dyn Communicator,
    scratch: &'a ScratchFolder<'a>,
    /// Where tables are packed, if they are: one file for all, of which a process may not
    /// have many.
    spill: Option<Arc<SpillFile>>,
    /// The numbers of the rank's partitions.
    own: Range<usize>,
    /// By the side whose moves stay inside: the attackers' are cut by defenders, the
    /// defenders' by attackers.
    partitions: BySide<Vec<Partition<'a, N>>>,
    /// Tables of the partition that is worked on; all rows are empty between the plies.
    rooms: [Vec<Row<N>>; InPartitions::<1>::TABLES],
}

/// The rows of a partition while another one is worked on.
struct Partition<'a, const N: usize> {
    /// The side whose moves stay inside.
    inside: Side,
    given: Given<'a, N>,
    won: StoredTable<N>,
    /// In the loser's partitions: what is open.
    open: StoredTable<N>,
    /// What was found at the last ply; by attackers, that is in its log.
    inbox: Inbox,
    /// By ply: what captures decide; by attackers, the initial pass has said that.
    said: Vec<Inbox>,
}

impl<'a, const N: usize> InPartitions<'a, N> {
    /// How many tables of a partition there are in memory at a time.
    pub(crate) const TABLES: usize = 3;
    /// How many there are if the rank has no other partition: two, and what is won either way
    /// and open.
    pub(crate) const TABLES_OF_ONLY_PARTITION: usize = 5;

    /// The partitions that a rank has of a cut, without tables.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(
        cut: &'a Partitions,
        given: BySide<Vec<Given<'a, N>>>,
        stages: &Stages<'a>,
    ) -> Result<InPartitions<'a, N>, ScratchError> {
        let partition = |inside, given| Partition {
            inside,
            given,
            won: StoredTable::default(),
            open: StoredTable::default(),
            inbox: Inbox::default(),
            said: Vec::new(),
        };
        let partitions =
            |inside| given[inside].iter().map(move |&given| partition(inside, given)).collect();
        let partitions = BySide::from_fn(partitions);
        let largest = given.0.iter().flatten().map(|given| given.chunks.rows()).max().unwrap_or(0);
        let rooms = std::array::from_fn(|_| pages::with_capacity(largest));
        let (ranks, scratch) = (stages.ranks(), stages.scratch());
        let own = of_rank(cut.count(), ranks.rank(), ranks.size());
        let is_packed = Storage::Partitions(cut.count()).is_packed(ranks.size());
        let spill = is_packed.then(|| SpillFile::new(scratch).map(Arc::new)).transpose()?;
        Ok(InPartitions { cut, ranks, scratch, spill, own, partitions, rooms })
    }

    /// The partitions by attackers have what was kept chunk by chunk.
    fn begin_by_attackers(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        let (packed, [room, ..]) = (self.spill.as_ref(), &mut self.rooms);
        for partition in &mut self.partitions[Side::Defenders] {
            let chunks = partition.given.chunks;
            let told = told_before(known, partition.is_losers());
            let rows = emptied(room, chunks);
            no_positions(&partition.given, rows);
            let won = rows.par_chunks_mut(chunks.chunk_rows()).enumerate();
            won.try_for_each(|(at, won)| {
                known.won_before(told, chunks.number(at), won)?;
                done(won.len())
            })?;
            partition.won = StoredTable::of(rows, chunks, packed)?;
            if partition.is_losers() {
                let open = rows.par_chunks_mut(chunks.chunk_rows()).enumerate();
                open.try_for_each(|(at, open)| known.open(chunks.number(at), open))?;
                partition.open = StoredTable::of(rows, chunks, packed)?;
            }
        }
        Ok(())
    }

    /// The partitions by defenders get the same by outbox.
    fn begin_by_defenders(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        let (cut, ranks, packed) = (self.cut, self.ranks, self.spill.as_ref());
        let told_before = told_before(known, known.winner != Side::Attackers);
        let dispatch = Dispatch::new(known, told_before, self.scratch, cut.count())?;
        for given in self.partitions[Side::Defenders].iter().map(|partition| partition.given) {
            let numbers: Vec<ChunkNumber> = given.chunks.numbers().collect();
            numbers.into_par_iter().try_for_each(|chunk| {
                let mut rows = vec![Row::<N>::EMPTY; given.chunks.rows_of(chunk)];
                dispatch.chunk(known, cut, chunk, &mut rows)?;
                done(rows.len())
            })?;
        }
        let (partitions, [room, ..]) = (&mut self.partitions[Side::Attackers], &mut self.rooms);
        let Dispatch { won, open, last, said, .. } = dispatch;
        for (partition, inbox) in partitions.iter_mut().zip(won.deliver(ranks)?) {
            let chunks = partition.given.chunks;
            let rows = emptied(room, chunks);
            no_positions(&partition.given, rows);
            inbox.add_to(chunks, rows)?;
            partition.won = StoredTable::of(rows, chunks, packed)?;
            done(chunks.rows())?;
        }
        for (partition, inbox) in partitions.iter_mut().zip(open.deliver(ranks)?) {
            if partition.is_losers() {
                let chunks = partition.given.chunks;
                let rows = emptied(room, chunks);
                inbox.add_to(chunks, rows)?;
                partition.open = StoredTable::of(rows, chunks, packed)?;
            }
        }
        for (partition, inbox) in partitions.iter_mut().zip(last.deliver(ranks)?) {
            partition.inbox = inbox;
            partition.said.clear();
        }
        for outbox in said {
            let inbox = outbox.map(|outbox| outbox.deliver(ranks)).transpose()?;
            for (at, partition) in partitions.iter_mut().enumerate() {
                let own = inbox.as_ref().map(|inbox| inbox[at].clone());
                partition.said.push(own.unwrap_or_default());
            }
        }
        Ok(())
    }
}

impl<const N: usize> Tables for InPartitions<'_, N> {
    fn passes(&self) -> u64 {
        // What is kept is read for the partitions by attackers, and sent to the others, which
        // take it.
        3
    }

    fn begin(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        self.begin_by_attackers(known, done)?;
        self.begin_by_defenders(known, done)?;
        let [used, ..] = &mut self.rooms;
        empty(used);
        Ok(())
    }

    fn ply(
        &mut self,
        known: &Known,
        log: Option<&StageWriter>,
        done: Done,
    ) -> Result<PlyStats, ScratchError> {
        let mover = known.mover();
        let outbox = Outbox::new(&Arc::new(SpillFile::new(self.scratch)?), self.cut.count());
        let rooms = &mut self.rooms;
        // Who has no log has no partitions.
        let logs = || iter::repeat(log).flatten();
        let mut found = 0;
        for ((number, partition), log) in
            self.own.clone().zip(&mut self.partitions[mover]).zip(logs())
        {
            let chunks = partition.given.chunks;
            let mut ply = |records: &dyn Records<N>, partition: &mut Partition<N>| {
                let ply = Ply { number: known.next_ply(), records, done };
                found += partition.ply(known, &ply, rooms)?.rows;
                Ok::<_, ScratchError>(())
            };
            match mover {
                Side::Attackers => {
                    let said = partition.said.get(usize::from(known.next_ply()));
                    if partition.inbox.is_empty() && said.is_none_or(Inbox::is_empty) {
                        done(chunks.rows())?;
                        continue;
                    }
                    let said = said.cloned().unwrap_or_default();
                    let records = Sent {
                        said,
                        number,
                        cut: self.cut,
                        given: partition.given,
                        outbox: &outbox,
                    };
                    ply(&records, partition)?;
                }
                Side::Defenders => {
                    let logged = Logged { known, log };
                    ply(&LoggedAndSent { logged, cut: self.cut, outbox: &outbox }, partition)?;
                }
            }
        }
        if outbox.taken() != found {
            return Err(outbox.damaged());
        }
        let worked = PlyStats { rows: found, packing: outbox.packing() };
        let inbox = outbox.deliver(self.ranks)?;
        for ((partition, inbox), log) in
            self.partitions[mover.other()].iter_mut().zip(inbox).zip(logs())
        {
            match mover {
                Side::Attackers => inbox
                    .for_chunks(partition.given.chunks, |chunk, events: &[Event<N>]| {
                        known.keep(log, chunk, events)
                    })?,
                Side::Defenders => partition.inbox = inbox,
            }
        }
        Ok(worked)
    }
}

impl<const N: usize> Partition<'_, N> {
    /// Whether the loser's moves stay inside.
    fn is_losers(&self) -> bool {
        self.inside != self.given.winner
    }

    /// Works out the ply; returns what it found.
    fn ply(
        &mut self,
        known: &Known,
        ply: &Ply<N>,
        [last, now, won]: &mut [Vec<Row<N>>; InPartitions::<1>::TABLES],
    ) -> Result<Frontier, ScratchError> {
        let chunks = self.given.chunks;
        last.resize(chunks.rows(), Row::EMPTY);
        now.resize(chunks.rows(), Row::EMPTY);
        let changed = self.last_found(known, last)?;
        let found = if known.wins_next() {
            let tables = Winning { won: &mut self.won, lost: last, newly_won: now };
            winning_ply(&self.given, ply, tables, &changed)?
        } else {
            self.won.add(chunks, last, &changed)?;
            let won = match self.given.winner {
                Side::Attackers => Won::ByChunk(&mut self.won),
                Side::Defenders => Won::Whole(self.won.rows(chunks, won)?),
            };
            let tables = Losing { open: &mut self.open, won, newly_won: last, lost: now };
            losing_ply(&self.given, ply, tables, &changed)?
        };
        clear(chunks, last, &changed.blocks);
        clear(chunks, now, &found.blocks);
        Ok(found)
    }

    /// Adds to the rows what the last ply found, and tells where that is.
    fn last_found(&self, known: &Known, rows: &mut [Row<N>]) -> Result<Frontier, ScratchError> {
        let chunks = self.given.chunks;
        if self.inside == Side::Attackers {
            return self.inbox.add_to(chunks, rows);
        }
        let changed = rows.par_chunks_mut(chunks.chunk_rows()).enumerate().map(|(at, rows)| {
            let events = known.last_found(chunks.number(at))?;
            Ok(Frontier::of(&events, chunks, at, rows))
        });
        Ok(Frontier::joined(&changed.collect::<Result<Vec<_>, ScratchError>>()?))
    }
}

/// The room, with as many empty rows as the partition has.
fn emptied<const N: usize>(room: &mut Vec<Row<N>>, chunks: Chunks) -> &mut [Row<N>] {
    empty(room);
    room.resize(chunks.rows(), Row::EMPTY);
    room
}

/// Makes all rows empty.
fn empty<const N: usize>(rows: &mut [Row<N>]) {
    rows.par_iter_mut().for_each(|row| *row = Row::EMPTY);
}

/// The ply before which a partition knows all wins: the loser is told those of the last ply
/// at the next one.
fn told_before(known: &Known, is_losers: bool) -> Plies {
    known.next_ply() - Plies::from(is_losers && !known.wins_next())
}

/// A ply in a partition by defenders: it is told by outbox, and what it finds is sent to the
/// partitions by attackers, which log it.
struct Sent<'p, const N: usize> {
    said: Inbox,
    number: usize,
    cut: &'p Partitions,
    given: Given<'p, N>,
    outbox: &'p Outbox,
}

impl<const N: usize> Records<N> for Sent<'_, N> {
    fn said(
        &self,
        _: Content,
        _: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        self.said.of_chunk(self.given.chunks, chunk)
    }

    fn found(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        let chunks = self.given.chunks;
        self.outbox.send(&self.cut.by_attackers(self.number, chunks, chunk, events))
    }
}

/// A ply in a partition by attackers: it is told by what was kept, and what it finds is logged,
/// and sent to the partitions by defenders.
struct LoggedAndSent<'p> {
    logged: Logged<'p>,
    cut: &'p Partitions,
    outbox: &'p Outbox,
}

impl<const N: usize> Records<N> for LoggedAndSent<'_> {
    fn said(
        &self,
        content: Content,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        self.logged.said(content, ply, chunk)
    }

    fn found(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        self.logged.found(chunk, events)?;
        self.outbox.send(&self.cut.by_defenders(chunk, events))
    }
}
