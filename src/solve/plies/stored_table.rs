//! Tables of a partition while others are worked on: in memory, or packed on disk.

use std::sync::Arc;

use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::packed_table::{PackedChunk, PackedTable};
use crate::solve::plies::tables::flip;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{ScratchError, ScratchErrorKind, SpillFile};
use crate::system::{pages, parallel};

/// A stored table.
pub(crate) enum StoredTable<const N: usize> {
    /// In memory.
    InMemory(Vec<Row<N>>),
    /// Packed on disk.
    Packed(PackedTable),
}

impl<const N: usize> Default for StoredTable<N> {
    fn default() -> StoredTable<N> {
        StoredTable::InMemory(Vec::new())
    }
}

impl<const N: usize> StoredTable<N> {
    /// Stores these rows: in `spill` if there is one, otherwise in memory.
    ///
    /// # Errors
    /// If the disk fails or is full, or the memory is exhausted.
    pub(crate) fn of(
        rows: &[Row<N>],
        chunks: Chunks,
        spill: Option<&Arc<SpillFile>>,
    ) -> Result<StoredTable<N>, ScratchError> {
        match spill {
            Some(spill) => PackedTable::of(rows, chunks, spill).map(StoredTable::Packed),
            None => {
                let mut own = pages::with_capacity(rows.len()).map_err(ScratchErrorKind::Io)?;
                own.extend_from_slice(rows);
                Ok(StoredTable::InMemory(own))
            }
        }
    }

    /// Adds new lanes to the rows of changed chunks.
    ///
    /// # Errors
    /// If the disk fails, is full, or the table is damaged.
    pub(crate) fn add(
        &mut self,
        chunks: Chunks,
        new: &[Row<N>],
        changed: &Frontier,
    ) -> Result<(), ScratchError> {
        let all = match self {
            StoredTable::Packed(packed) => return packed.add(chunks, new, changed),
            StoredTable::InMemory(rows) => rows.chunks_mut(chunks.chunk_rows()),
        };
        parallel::for_each(all.zip(new.chunks(chunks.chunk_rows())), |at, (rows, new)| {
            if changed.blocks[chunks.places_of(chunks.number(at))].any() {
                rows.iter_mut().zip(new).for_each(|(row, &new)| *row |= new);
            }
        });
        Ok(())
    }

    /// Returns all rows; packed ones are unpacked into `buffer`.
    ///
    /// # Errors
    /// If the disk fails or the table is damaged.
    pub(crate) fn rows<'t>(
        &'t mut self,
        chunks: Chunks,
        buffer: &'t mut Vec<Row<N>>,
    ) -> Result<&'t [Row<N>], ScratchError> {
        match self {
            StoredTable::InMemory(rows) => Ok(rows),
            StoredTable::Packed(packed) => {
                packed.unpack(chunks, buffer)?;
                Ok(buffer)
            }
        }
    }

    /// Gives access to the chunks.
    pub(crate) fn by_chunk(&mut self) -> ChunkedTable<'_, N> {
        match self {
            StoredTable::InMemory(rows) => ChunkedTable::InMemory(rows),
            StoredTable::Packed(packed) => ChunkedTable::Packed(packed),
        }
    }
}

/// A table that is accessed chunk by chunk, so that it need not be in memory.
pub(crate) enum ChunkedTable<'t, const N: usize> {
    /// In memory.
    InMemory(&'t mut [Row<N>]),
    /// Packed on disk.
    Packed(&'t mut PackedTable),
}

impl<const N: usize> ChunkedTable<'_, N> {
    /// Returns all chunks in order.
    pub(crate) fn chunks(&mut self, chunks: Chunks) -> Vec<StoredChunk<'_, N>> {
        match self {
            ChunkedTable::InMemory(rows) => {
                let all = rows.chunks_mut(chunks.chunk_rows());
                all.map(StoredChunk::InMemory).collect()
            }
            ChunkedTable::Packed(packed) => {
                packed.chunks(chunks).into_iter().map(StoredChunk::Packed).collect()
            }
        }
    }
}

/// A chunk of a stored table.
pub(crate) enum StoredChunk<'t, const N: usize> {
    /// In memory.
    InMemory(&'t mut [Row<N>]),
    /// Packed on disk.
    Packed(PackedChunk<'t, N>),
}

impl<const N: usize> StoredChunk<'_, N> {
    /// Returns the rows.
    ///
    /// # Errors
    /// If the disk fails or the rows are damaged.
    pub(crate) fn rows(&mut self) -> Result<&[Row<N>], ScratchError> {
        match self {
            StoredChunk::InMemory(rows) => Ok(rows),
            StoredChunk::Packed(chunk) => chunk.rows(),
        }
    }

    /// Flips lanes: sets those that are not set and clears those that are.
    ///
    /// # Errors
    /// If the disk fails, is full, or the rows are damaged.
    pub(crate) fn flip(&mut self, events: &[Event<N>]) -> Result<(), ScratchError> {
        match self {
            StoredChunk::InMemory(rows) => {
                flip(rows, events);
                Ok(())
            }
            StoredChunk::Packed(chunk) => chunk.flip(events),
        }
    }
}
