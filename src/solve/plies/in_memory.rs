//! Plies with all tables in memory; winner and loser use the same tables.

use std::io;

use bitvec::vec::BitVec;

use crate::solve::advance::advance;
use crate::solve::plies::frontier::{Frontier, clear, clear_all};
use crate::solve::plies::history::{History, LogIo, fill_with_invalid};
use crate::solve::plies::losing::{LossTables, WonTable, losing_ply};
use crate::solve::plies::ply::{Domain, Ply};
use crate::solve::plies::stored_table::ChunkedTable;
use crate::solve::plies::tables::{PlyStats, Tables};
use crate::solve::plies::winning::{WinTables, winning_ply};
use crate::solve::rows::row::Row;
use crate::solve::store::{ScratchError, StageWriter};
use crate::system::{pages, parallel};
use crate::table::progress::Progress;

/// The number of tables of an outcome.
pub(crate) const TABLES: usize = 4;

/// The tables of an outcome.
pub(crate) struct InMemory<'a, const N: usize> {
    domain: Domain<'a, N>,
    won: Vec<Row<N>>,
    open: Vec<Row<N>>,
    /// Between plies: the losses of the last ply. During a ply of losses: first its candidates.
    lost: Vec<Row<N>>,
    /// The wins of the last ply, with the winner to move. During a ply of wins: first its
    /// candidates.
    newly_won: Vec<Row<N>>,
    /// The changes of the last ply and of the one before.
    changed: [Frontier; 2],
}

impl<'a, const N: usize> InMemory<'a, N> {
    /// Allocates empty tables.
    ///
    /// # Errors
    /// If the memory is exhausted.
    pub(crate) fn new(domain: Domain<'a, N>) -> io::Result<InMemory<'a, N>> {
        let rows = domain.chunks.rows();
        Ok(InMemory {
            domain,
            won: empty_table(rows)?,
            open: empty_table(rows)?,
            lost: empty_table(rows)?,
            newly_won: empty_table(rows)?,
            changed: Default::default(),
        })
    }
}

fn empty_table<const N: usize>(rows: usize) -> io::Result<Vec<Row<N>>> {
    let mut table = pages::with_capacity(rows)?;
    table.resize(rows, Row::EMPTY);
    Ok(table)
}

impl<const N: usize> Tables for InMemory<'_, N> {
    fn passes(&self) -> u64 {
        1
    }

    fn begin(&mut self, history: &History, progress: &dyn Progress) -> Result<(), ScratchError> {
        let chunks = self.domain.chunks;
        fill_with_invalid(&self.domain, &mut self.won);
        let rows = chunks.chunk_rows();
        clear_all(&mut self.lost);
        clear_all(&mut self.newly_won);
        let changed = if history.wins_next() { &mut self.lost } else { &mut self.newly_won };
        let tables = self.won.chunks_mut(rows).zip(self.open.chunks_mut(rows));
        let chunk_tables = tables.zip(changed.chunks_mut(rows));
        let frontiers = parallel::try_map(chunk_tables, |at, ((won, open), changed)| {
            let chunk = chunks.number(at);
            history.won_before(history.next_ply(), chunk, won)?;
            history.open(chunk, open)?;
            advance(progress, changed.len() as u64)?;
            let events = history.last_found(chunk)?;
            Ok::<_, ScratchError>(Frontier::of(&events, chunks, at, changed))
        })?;
        let last = Frontier::joined(&frontiers);
        let none = Frontier { blocks: BitVec::repeat(false, chunks.blocks), rows: 0 };
        self.changed = [last, none];
        Ok(())
    }

    fn ply(
        &mut self,
        history: &History,
        log: Option<&StageWriter>,
        progress: &dyn Progress,
    ) -> Result<PlyStats, ScratchError> {
        let Some(log) = log else { return Ok(PlyStats::default()) };
        let InMemory { domain, won, open, lost, newly_won, changed: [last, before] } = self;
        let ply = Ply {
            number: history.next_ply(),
            io: &LogIo { history, log, partitions: None },
            progress,
        };
        let now = if history.wins_next() {
            let won = ChunkedTable::InMemory(won);
            winning_ply(domain, &ply, WinTables { won, lost, newly_won }, last)?
        } else {
            clear(domain.chunks, lost, &before.blocks);
            let open = ChunkedTable::InMemory(open);
            let tables = LossTables { open, won: WonTable::Whole(won), newly_won, lost };
            let now = losing_ply(domain, &ply, tables, last)?;
            clear(domain.chunks, newly_won, &last.blocks);
            now
        };
        *before = std::mem::replace(last, now);
        Ok(PlyStats { rows: last.rows, ..PlyStats::default() })
    }
}
