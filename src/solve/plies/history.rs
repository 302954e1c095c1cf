//! What is known of an outcome before a ply.

use rayon::prelude::*;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::frame::Block;
use crate::solve::plies::ply::{Domain, PlyIo, finds_wins, mover};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_rows, encode_events, read_events};
use crate::solve::store::{Content, Key, Parts, ScratchError, StageWriter};

/// What the initial pass said, and what the plies so far have found.
#[derive(Clone, Copy)]
pub(crate) struct History<'a> {
    /// The side that wins.
    pub winner: Side,
    /// What the initial pass said.
    pub initial: &'a Parts<'a>,
    /// The last ply at which captures decide something.
    pub last_event: Plies,
    /// What the plies found, from the first one on.
    pub plies: &'a [Parts<'a>],
}

impl History<'_> {
    /// The number of the next ply.
    pub(crate) fn next_ply(&self) -> Plies {
        self.plies.len() as Plies + 1
    }

    /// Adds to the rows of a chunk which of the winner's positions were found to be won
    /// before that ply.
    pub(crate) fn won_before<const N: usize>(
        &self,
        ply: Plies,
        chunk: ChunkNumber,
        rows: &mut [Row<N>],
    ) -> Result<(), ScratchError> {
        for ply in (1..ply).step_by(2) {
            add(&self.found(ply, chunk)?, rows);
        }
        Ok(())
    }

    /// Puts into the rows of a chunk which of the loser's positions are open.
    pub(crate) fn open<const N: usize>(
        &self,
        chunk: ChunkNumber,
        rows: &mut [Row<N>],
    ) -> Result<(), ScratchError> {
        rows.fill(Row::EMPTY);
        let seeds = self.initial.of(chunk);
        if let Some(bytes) = seeds.read(self.key(Content::Open, 0, chunk))? {
            decode_rows(&bytes, rows).ok_or_else(|| seeds.damaged())?;
        }
        for ply in (2..self.next_ply()).step_by(2) {
            add(&self.seeds(Content::Releases, ply - 1, chunk)?, rows);
            for Event { row, lanes } in self.found(ply, chunk)? {
                rows[row.index()] = rows[row.index()].without(lanes);
            }
        }
        Ok(())
    }

    /// What the last ply found in a chunk, or before the first one, where the loser has
    /// no move.
    pub(crate) fn last_found<const N: usize>(
        &self,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        match self.plies.len() as Plies {
            0 => self.seeds(Content::Stalemates, 0, chunk),
            last => self.found(last, chunk),
        }
    }

    /// What captures, or the rules, do to a chunk at a ply.
    pub(crate) fn seeds<const N: usize>(
        &self,
        content: Content,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        read_events(self.initial.of(chunk), self.key(content, ply, chunk))
    }

    fn found<const N: usize>(
        &self,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        let key = self.key(Content::Found, ply, chunk);
        read_events(self.plies[usize::from(ply) - 1].of(chunk), key)
    }

    fn key(&self, content: Content, ply: Plies, chunk: ChunkNumber) -> Key {
        Key { content, winner: self.winner, ply, chunk }
    }

    /// Keeps what the next ply has found in a chunk.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn log<const N: usize>(
        &self,
        log: &StageWriter,
        chunk: ChunkNumber,
        events: &[Event<N>],
    ) -> Result<(), ScratchError> {
        log.add(self.key(Content::Found, self.next_ply(), chunk), &encode_events(events))
    }

    /// Who is to move in the positions that the next ply finds.
    pub(crate) fn mover(&self) -> Side {
        mover(self.winner, self.next_ply())
    }

    /// Whether the next ply finds wins.
    pub(crate) fn wins_next(&self) -> bool {
        finds_wins(self.next_ply())
    }
}

/// What is known, and the log of the ply at hand.
pub(crate) struct LogIo<'a> {
    /// What is known.
    pub history: &'a History<'a>,
    /// Where what the ply finds goes.
    pub log: &'a StageWriter<'a>,
}

impl<const N: usize> PlyIo<N> for LogIo<'_> {
    fn seeds(
        &self,
        content: Content,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        self.history.seeds(content, ply, chunk)
    }

    fn save(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        self.history.log(self.log, chunk, events)
    }
}

/// Puts into all rows the lanes that have no position.
pub(crate) fn fill_with_invalid<const N: usize>(domain: &Domain<N>, rows: &mut [Row<N>]) {
    let Domain { moves, chunks, .. } = domain;
    let rows = rows.par_chunks_mut(chunks.chunk_rows()).zip(0..chunks.count());
    let worker = || (moves.frame.walker(), Block::default());
    rows.for_each_init(worker, |(walker, block), (rows, chunk)| {
        let places = chunks.places_of(chunks.number(chunk));
        for (place, rows) in places.zip(rows.chunks_mut(chunks.block_rows)) {
            let number = chunks.block(place);
            moves.frame.load_block(number, walker.set(number.into()).0, block);
            for (row, &valid) in rows.iter_mut().zip(&block.valid) {
                *row = !valid;
            }
        }
    });
}

fn add<const N: usize>(events: &[Event<N>], rows: &mut [Row<N>]) {
    for event in events {
        rows[event.row.index()] |= event.lanes;
    }
}
