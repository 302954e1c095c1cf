//! Plies with all tables in memory: the winner's and the loser's are the same.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::solve::plies::frontier::{Frontier, clear};
use crate::solve::plies::known::{Known, Logged, no_positions};
use crate::solve::plies::losing::{Losing, Won, losing_ply};
use crate::solve::plies::ply::{Done, Given, Ply};
use crate::solve::plies::tables::{PlyStats, Tables};
use crate::solve::plies::winning::{Winning, winning_ply};
use crate::solve::rows::row::Row;
use crate::solve::store::{ScratchError, StageWriter};
use crate::system::pages;

/// All rows of all tables.
pub(crate) struct InMemory<'a, const N: usize> {
    given: Given<'a, N>,
    won: Vec<Row<N>>,
    open: Vec<Row<N>>,
    /// Between the plies, those lost at the last one; while a ply of losses is worked
    /// out, first where something may be lost.
    lost: Vec<Row<N>>,
    /// The winner to move and found to win at the last ply; while a ply of wins is
    /// worked out, first where something may be won.
    newly_won: Vec<Row<N>>,
    /// What the last ply changed, and the one before.
    changed: [Frontier; 2],
}

impl<'a, const N: usize> InMemory<'a, N> {
    /// How many tables there are.
    pub(crate) const TABLES: usize = 4;

    /// Tables of empty rows.
    pub(crate) fn new(given: Given<'a, N>) -> InMemory<'a, N> {
        let empty = || {
            let mut rows = pages::with_capacity(given.chunks.rows());
            rows.resize(given.chunks.rows(), Row::EMPTY);
            rows
        };
        let changed = Default::default();
        InMemory { given, won: empty(), open: empty(), lost: empty(), newly_won: empty(), changed }
    }
}

impl<const N: usize> Tables for InMemory<'_, N> {
    fn passes(&self) -> u64 {
        1
    }

    fn begin(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        let chunks = self.given.chunks;
        no_positions(&self.given, &mut self.won);
        let rows = chunks.chunk_rows();
        self.lost.par_iter_mut().chain(&mut self.newly_won).for_each(|row| *row = Row::EMPTY);
        let changed = if known.wins_next() { &mut self.lost } else { &mut self.newly_won };
        let tables = self.won.par_chunks_mut(rows).zip(self.open.par_chunks_mut(rows));
        let tables = tables.zip(changed.par_chunks_mut(rows)).enumerate();
        let changed = tables.map(|(at, ((won, open), changed))| {
            let chunk = chunks.number(at);
            known.won_before(known.next_ply(), chunk, won)?;
            known.open(chunk, open)?;
            done(changed.len())?;
            Ok(Frontier::of(&known.last_found(chunk)?, chunks, at, changed))
        });
        let changed = Frontier::joined(&changed.collect::<Result<Vec<_>, ScratchError>>()?);
        let none = Frontier { blocks: BitVec::repeat(false, chunks.blocks), rows: 0 };
        self.changed = [changed, none];
        Ok(())
    }

    fn ply(
        &mut self,
        known: &Known,
        log: Option<&StageWriter>,
        done: Done,
    ) -> Result<PlyStats, ScratchError> {
        let Some(log) = log else { return Ok(PlyStats::default()) };
        let InMemory { given, won, open, lost, newly_won, changed: [last, before] } = self;
        let ply = Ply { number: known.next_ply(), records: &Logged { known, log }, done };
        let now = if known.wins_next() {
            winning_ply(given, &ply, Winning { won, lost, newly_won }, last)?
        } else {
            clear(given.chunks, lost, &before.blocks);
            let won = Won::Whole(won);
            let now = losing_ply(given, &ply, Losing { open, won, newly_won, lost }, last)?;
            clear(given.chunks, newly_won, &last.blocks);
            now
        };
        *before = std::mem::replace(last, now);
        Ok(PlyStats { rows: last.rows, ..PlyStats::default() })
    }
}
