//! Tables of a share while others are worked on: in memory, or packed on the disk.

use std::sync::Arc;

use rayon::prelude::*;

use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::packed::{Packed, PackedChunk};
use crate::solve::plies::tables::{Table, TableChunk};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Heap, ScratchError};
use crate::system::pages;

/// A table.
pub(crate) enum AtRest<const N: usize> {
    /// As it is.
    InMemory(Vec<Row<N>>),
    /// On the disk.
    Packed(Packed),
}

impl<const N: usize> Default for AtRest<N> {
    fn default() -> AtRest<N> {
        AtRest::InMemory(Vec::new())
    }
}

impl<const N: usize> AtRest<N> {
    /// Of these rows; in memory if there is nowhere to pack them.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn of(
        rows: &[Row<N>],
        chunks: Chunks,
        heap: Option<&Arc<Heap>>,
    ) -> Result<AtRest<N>, ScratchError> {
        match heap {
            Some(heap) => Packed::of(rows, chunks, heap).map(AtRest::Packed),
            None => {
                let mut own = pages::with_capacity(rows.len());
                own.extend_from_slice(rows);
                Ok(AtRest::InMemory(own))
            }
        }
    }

    /// Adds lanes that are not there yet to the rows of the blocks that have some.
    ///
    /// # Errors
    /// If the disk fails, is full, or has changed the table.
    pub(crate) fn add(
        &mut self,
        chunks: Chunks,
        new: &[Row<N>],
        changed: &Frontier,
    ) -> Result<(), ScratchError> {
        let all = match self {
            AtRest::Packed(packed) => return packed.add(chunks, new, changed),
            AtRest::InMemory(rows) => rows.par_chunks_mut(chunks.chunk_rows()),
        };
        let all = all.zip(new.par_chunks(chunks.chunk_rows())).enumerate();
        all.for_each(|(at, (rows, new))| {
            if changed.blocks[chunks.places_of(chunks.number(at))].any() {
                rows.iter_mut().zip(new).for_each(|(row, &new)| *row |= new);
            }
        });
        Ok(())
    }

    /// All rows; `room` is for them if they are not in memory.
    ///
    /// # Errors
    /// If the disk fails, or has changed the table.
    pub(crate) fn rows<'t>(
        &'t mut self,
        chunks: Chunks,
        room: &'t mut Vec<Row<N>>,
    ) -> Result<&'t [Row<N>], ScratchError> {
        match self {
            AtRest::InMemory(rows) => Ok(rows),
            AtRest::Packed(packed) => {
                packed.unpack(chunks, room)?;
                Ok(room)
            }
        }
    }
}

/// A chunk of a table.
pub(crate) enum AtRestChunk<'t, const N: usize> {
    /// As it is.
    InMemory(&'t mut [Row<N>]),
    /// On the disk.
    Packed(PackedChunk<'t, N>),
}

impl<const N: usize> Table<N> for AtRest<N> {
    type Chunk<'t> = AtRestChunk<'t, N>;

    fn chunks(&mut self, chunks: Chunks) -> Vec<AtRestChunk<'_, N>> {
        match self {
            AtRest::InMemory(rows) => {
                let all = rows.chunks_mut(chunks.chunk_rows());
                all.map(AtRestChunk::InMemory).collect()
            }
            AtRest::Packed(packed) => {
                packed.chunks(chunks).into_iter().map(AtRestChunk::Packed).collect()
            }
        }
    }
}

impl<const N: usize> TableChunk<N> for AtRestChunk<'_, N> {
    fn rows(&mut self) -> Result<&[Row<N>], ScratchError> {
        match self {
            AtRestChunk::InMemory(rows) => Ok(rows),
            AtRestChunk::Packed(chunk) => chunk.rows(),
        }
    }

    fn flip(&mut self, events: &[Event<N>]) -> Result<(), ScratchError> {
        match self {
            AtRestChunk::InMemory(rows) => rows.flip(events),
            AtRestChunk::Packed(chunk) => chunk.flip(events),
        }
    }
}
