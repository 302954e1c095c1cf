//! A table on disk, of which only some chunks at a time are in memory.

use std::sync::Arc;

use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::ply::events_of;
use crate::solve::plies::tables::flip;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_events, decode_rows, encode_events, encode_rows};
use crate::solve::store::{ScratchError, SpillFile, SpillRecord};
use crate::system::parallel;

/// A chunk is repacked if more than one in this number of rows has been flipped: a flipped row
/// takes about twice the time of a packed one.
const ROWS_PER_FLIPPED: usize = 4;

/// A table on disk.
pub(crate) struct PackedTable {
    spill: Arc<SpillFile>,
    chunks: Vec<ChunkRows>,
}

/// A packed chunk, and its flips since it was packed.
struct ChunkRows {
    packed: SpillRecord,
    /// Only the first `used` of them are valid; the others are reused.
    flips: Vec<SpillRecord>,
    used: usize,
    /// The number of flipped rows.
    flipped: usize,
}

/// A chunk of a packed table.
pub(crate) struct PackedChunk<'p, const N: usize> {
    spill: &'p SpillFile,
    chunk: &'p mut ChunkRows,
    count: usize,
    unpacked: Option<Vec<Row<N>>>,
}

impl PackedTable {
    /// Packs a table.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn of<const N: usize>(
        rows: &[Row<N>],
        chunks: Chunks,
        spill: &Arc<SpillFile>,
    ) -> Result<PackedTable, ScratchError> {
        let chunks = parallel::try_map(rows.chunks(chunks.chunk_rows()), |_, rows| {
            let packed = spill.add(&encode_rows(rows))?;
            let flips = Vec::new();
            Ok::<_, ScratchError>(ChunkRows { packed, flips, used: 0, flipped: 0 })
        })?;
        Ok(PackedTable { spill: Arc::clone(spill), chunks })
    }

    /// Adds new lanes to the rows of changed chunks.
    ///
    /// # Errors
    /// If the disk fails, is full, or the table is damaged.
    pub(crate) fn add<const N: usize>(
        &mut self,
        chunks: Chunks,
        new: &[Row<N>],
        changed: &Frontier,
    ) -> Result<(), ScratchError> {
        let all = self.chunks(chunks).into_iter().zip(new.chunks(chunks.chunk_rows()));
        parallel::try_for_each(all, |at, (mut chunk, new)| {
            match changed.blocks[chunks.places_of(chunks.number(at))].any() {
                true => chunk.flip(&events_of(new)),
                false => Ok(()),
            }
        })
    }

    /// Unpacks all rows.
    ///
    /// # Errors
    /// If the disk fails or the table is damaged.
    pub(crate) fn unpack<const N: usize>(
        &mut self,
        chunks: Chunks,
        into: &mut Vec<Row<N>>,
    ) -> Result<(), ScratchError> {
        into.resize(chunks.rows(), Row::EMPTY);
        let all = self.chunks(chunks).into_iter().zip(into.chunks_mut(chunks.chunk_rows()));
        parallel::try_for_each(all, |_, (mut chunk, into)| {
            into.copy_from_slice(chunk.rows()?);
            Ok(())
        })
    }

    /// Returns all chunks in order.
    pub(crate) fn chunks<const N: usize>(&mut self, chunks: Chunks) -> Vec<PackedChunk<'_, N>> {
        let spill = &*self.spill;
        let all = self.chunks.iter_mut().zip(chunks.numbers().map(|chunk| chunks.rows_of(chunk)));
        all.map(|(chunk, count)| PackedChunk { spill, chunk, count, unpacked: None }).collect()
    }
}

impl<const N: usize> PackedChunk<'_, N> {
    /// Returns the rows; see [`StoredChunk::rows`](super::stored_table::StoredChunk::rows).
    pub(crate) fn rows(&mut self) -> Result<&[Row<N>], ScratchError> {
        let rows = match self.unpacked.take() {
            Some(rows) => rows,
            None => self.unpack()?,
        };
        Ok(self.unpacked.insert(rows))
    }

    /// Flips lanes; see [`StoredChunk::flip`](super::stored_table::StoredChunk::flip).
    pub(crate) fn flip(&mut self, events: &[Event<N>]) -> Result<(), ScratchError> {
        if events.is_empty() {
            return Ok(());
        }
        let spill = self.spill;
        if (self.chunk.flipped + events.len()) * ROWS_PER_FLIPPED > self.count {
            self.rows()?;
        }
        if let Some(rows) = &mut self.unpacked {
            flip(rows, events);
        }
        let ChunkRows { packed, flips, used, flipped } = self.chunk;
        *flipped += events.len();
        match &self.unpacked {
            Some(rows) if *flipped * ROWS_PER_FLIPPED > self.count => {
                spill.replace(packed, &encode_rows(rows))?;
                (*used, *flipped) = (0, 0);
            }
            _ => {
                let bytes = encode_events(events);
                match flips.get_mut(*used) {
                    Some(record) => spill.replace(record, &bytes)?,
                    None => flips.push(spill.add(&bytes)?),
                }
                *used += 1;
            }
        }
        Ok(())
    }

    fn unpack(&self) -> Result<Vec<Row<N>>, ScratchError> {
        let (spill, chunk) = (self.spill, &self.chunk);
        let bytes = spill.read(&chunk.packed)?;
        let mut rows = vec![Row::EMPTY; self.count];
        decode_rows(&bytes, &mut rows).ok_or_else(|| spill.damaged())?;
        for record in &chunk.flips[..chunk.used] {
            let events = decode_events(&spill.read(record)?).ok_or_else(|| spill.damaged())?;
            flip(&mut rows, &events);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::solve::rows::numbers::ChunkRow;
    use crate::solve::store::{Compression, ScratchFolder, ScratchOptions};
    use crate::system::filesystem::SystemFiles;

    const ROWS: usize = 24;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// A packed table equals one in memory, whatever is flipped.
        #[test]
        fn packed_rows_equal_the_rows_in_memory(
            first in prop::collection::vec(any::<u64>(), ROWS),
            flips in prop::collection::vec(
                (0..3_usize, prop::collection::btree_map(0..8_usize, any::<u64>(), 0..5), any::<bool>()),
                0..20,
            ),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let sync_every = Duration::MAX;
            let (files, compression) = (Arc::new(SystemFiles), Compression::ALWAYS);
            let options = ScratchOptions { files, sync_every, compression, progress: &() };
            let scratch = ScratchFolder::open(folder.path(), [0; 32], options).unwrap();
            let chunks = Chunks::new(ROWS / 2, 2).of_blocks(4);
            let mut rows: Vec<Row<1>> = first.into_iter().map(|word| Row([word])).collect();
            let mut packed = PackedTable::of(&rows, chunks, &Arc::new(SpillFile::new(&scratch).unwrap())).unwrap();
            for (chunk, lanes, looks) in flips {
                let events: Vec<Event<1>> = lanes
                    .into_iter()
                    .map(|(row, lanes)| Event { row: ChunkRow::new(row), lanes: Row([lanes]) })
                    .collect();
                let own = &mut rows[chunk * 8..][..8];
                let mut handles = packed.chunks::<1>(chunks);
                if looks {
                    prop_assert_eq!(handles[chunk].rows().unwrap(), &*own);
                }
                flip(own, &events);
                handles[chunk].flip(&events).unwrap();
                prop_assert_eq!(handles[chunk].rows().unwrap(), &*own);
            }
            let mut unpacked = Vec::new();
            packed.unpack(chunks, &mut unpacked).unwrap();
            prop_assert_eq!(unpacked, rows);
        }
    }
}
