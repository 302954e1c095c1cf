//! Tables that are not in memory but for some chunks at a time.

use rayon::prelude::*;

use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::tables::TableChunk;
use crate::solve::rows::row::Row;
use crate::solve::store::codec::{decode_rows, encode_rows};
use crate::solve::store::{Heap, Kept, ScratchError, ScratchFolder};

/// A table on the disk, each chunk packed on its own.
#[derive(Default)]
pub(crate) struct Packed {
    heap: Option<Heap>,
    chunks: Vec<Kept>,
}

impl Packed {
    /// Of these rows.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn of<const N: usize>(
        rows: &[Row<N>],
        chunks: Chunks,
        scratch: &ScratchFolder,
    ) -> Result<Packed, ScratchError> {
        let heap = Heap::new(scratch)?;
        let chunks = rows.par_chunks(chunks.chunk_rows()).map(|rows| heap.add(&encode_rows(rows)));
        let chunks = chunks.collect::<Result<_, _>>()?;
        Ok(Packed { heap: Some(heap), chunks })
    }

    /// By chunk: its rows, when they are asked for.
    pub(crate) fn chunks<const N: usize>(&mut self, chunks: Chunks) -> Vec<PackedChunk<'_, N>> {
        let Packed { heap, chunks: all } = self;
        let all = heap.iter().flat_map(|heap| std::iter::repeat(heap)).zip(all);
        let numbers = chunks.numbers().map(|number| chunks.places_of(number).len());
        let all = all.zip(numbers.map(|blocks| blocks * chunks.block_rows));
        all.map(|((heap, kept), rows)| PackedChunk { heap, kept, rows, unpacked: None }).collect()
    }

    /// Adds lanes to the rows of the blocks that are said to have some, and unpacks all.
    ///
    /// # Errors
    /// If the disk fails, is full, or has changed the table.
    pub(crate) fn add_and_unpack<const N: usize>(
        &mut self,
        chunks: Chunks,
        new: &[Row<N>],
        changed: &Frontier,
        into: &mut [Row<N>],
    ) -> Result<(), ScratchError> {
        let height = chunks.chunk_rows();
        let all = self.chunks(chunks).into_par_iter();
        let all = all.zip(into.par_chunks_mut(height)).zip(new.par_chunks(height)).enumerate();
        all.try_for_each(|(at, ((mut chunk, into), new))| {
            let places = chunks.places_of(chunks.number(at));
            let changes = changed.blocks[places].any();
            let rows = chunk.rows()?;
            if changes {
                rows.iter_mut().zip(new).for_each(|(row, &new)| *row |= new);
            }
            into.copy_from_slice(rows);
            chunk.put_back(changes)
        })
    }
}

/// A chunk of a packed table.
pub(crate) struct PackedChunk<'p, const N: usize> {
    heap: &'p Heap,
    kept: &'p mut Kept,
    rows: usize,
    unpacked: Option<Vec<Row<N>>>,
}

impl<const N: usize> TableChunk<N> for PackedChunk<'_, N> {
    fn rows(&mut self) -> Result<&mut [Row<N>], ScratchError> {
        let rows = match self.unpacked.take() {
            Some(rows) => rows,
            None => {
                let bytes = self.heap.read(self.kept)?;
                let rows = decode_rows(&bytes, self.rows).ok_or_else(|| self.heap.damaged())?;
                rows.collect()
            }
        };
        Ok(self.unpacked.insert(rows))
    }

    fn put_back(&mut self, changed: bool) -> Result<(), ScratchError> {
        match self.unpacked.take() {
            Some(rows) if changed => self.heap.replace(self.kept, &encode_rows(&rows)),
            _ => Ok(()),
        }
    }
}
