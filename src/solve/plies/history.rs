//! The state of an outcome before a ply, as stored in the stage files.

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::frame::Block;
use crate::solve::plies::layout::PartitionLayout;
use crate::solve::plies::outbox::Outbox;
use crate::solve::plies::ply::{Domain, PlyIo, finds_wins, mover};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_rows, encode_events, read_events};
use crate::solve::store::{Content, Key, Parts, ScratchError, StageWriter};
use crate::system::parallel;

/// The seeds of the initial pass and the findings of the plies so far.
#[derive(Clone, Copy)]
pub(crate) struct History<'a> {
    /// The winner of the outcome.
    pub winner: Side,
    /// The seeds of the initial pass.
    pub initial: &'a Parts<'a>,
    /// The last ply with seeds.
    pub last_event: Plies,
    /// The findings of the plies, from the first one on.
    pub plies: &'a [Parts<'a>],
}

impl History<'_> {
    /// Returns the number of the next ply.
    pub(crate) fn next_ply(&self) -> Plies {
        self.plies.len() as Plies + 1
    }

    /// Adds to the rows of a chunk the wins found before a ply.
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

    /// Sets the rows of a chunk to the open positions of the loser.
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

    /// Returns the findings of the last ply in a chunk; before the first ply, the loser's
    /// stalemates.
    pub(crate) fn last_found<const N: usize>(
        &self,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        match self.plies.len() as Plies {
            0 => self.seeds(Content::Stalemates, 0, chunk),
            last => self.found(last, chunk),
        }
    }

    /// Returns the seeds of a chunk at a ply.
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

    /// Writes the findings of the next ply in a chunk to its log.
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

    /// Returns the side to move in the positions that the next ply finds.
    pub(crate) fn mover(&self) -> Side {
        mover(self.winner, self.next_ply())
    }

    /// Returns `true` if the next ply finds wins.
    pub(crate) fn wins_next(&self) -> bool {
        finds_wins(self.next_ply())
    }
}

/// Reads seeds from the history, and writes findings to the log of the current ply and, if the
/// slice is divided, to the partitions by defenders.
pub(crate) struct LogIo<'a> {
    /// The state before the ply.
    pub history: &'a History<'a>,
    /// The stage file of the ply.
    pub log: &'a StageWriter<'a>,
    /// The layout of the partitions, and where their rows are collected.
    pub partitions: Option<(&'a PartitionLayout, &'a Outbox)>,
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
        self.history.log(self.log, chunk, events)?;
        if let Some((layout, outbox)) = self.partitions {
            outbox.send(&layout.by_defenders(chunk, events))?;
        }
        Ok(())
    }
}

/// Sets exactly the lanes that have no position, and those on which the winner, to move, has lost
/// already: a move that leads there wins at once, so that nobody looks for it here.
pub(crate) fn fill_with_invalid<const N: usize>(domain: &Domain<N>, rows: &mut [Row<N>]) {
    let Domain { moves, chunks, .. } = domain;
    parallel::for_each_init(
        rows.chunks_mut(chunks.chunk_rows()),
        || (moves.frame.walker(), Block::default()),
        |(walker, block), chunk, rows| {
            let places = chunks.places_of(chunks.number(chunk));
            for (place, rows) in places.zip(rows.chunks_mut(chunks.block_rows)) {
                let number = chunks.block(place);
                moves.frame.load_block(number, walker.set(number.into()).0, block);
                for (row, &valid) in rows.iter_mut().zip(&block.valid) {
                    *row = !valid;
                }
                moves.frame.add_finished(block, domain.winner, rows);
            }
        },
    );
}

fn add<const N: usize>(events: &[Event<N>], rows: &mut [Row<N>]) {
    for event in events {
        rows[event.row.index()] |= event.lanes;
    }
}
