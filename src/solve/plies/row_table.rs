//! Tables of rows: in memory, or on disk and mapped range by range.

use std::fs::File;
use std::ops::{Deref, DerefMut, Range};
use std::path::PathBuf;

use memmap2::MmapMut;

use crate::solve::store::{Scratch, ScratchError, at};
use crate::system::mapping::map_range;

use crate::solve::rows::row::Row;

/// One row for every placement of the soldiers.
#[derive(Debug)]
pub(crate) enum RowTable<const N: usize> {
    /// All rows in memory.
    Memory(Vec<Row<N>>),
    /// All rows in a file of the scratch folder.
    Disk(DiskRows),
}

/// A file of rows. Only the ranges that are asked for are in memory, as long as
/// they are in use.
#[derive(Debug)]
pub(crate) struct DiskRows {
    file: File,
    /// Where it is; it has no name.
    folder: PathBuf,
}

/// Rows that are in memory now.
pub(crate) enum Rows<'t, const N: usize> {
    /// A part of a table in memory.
    Memory(&'t [Row<N>]),
    /// A mapped range of a file.
    Mapped(MmapMut),
}

/// Rows that are in memory now, to be changed.
pub(crate) enum RowsMut<'t, const N: usize> {
    /// A part of a table in memory.
    Memory(&'t mut [Row<N>]),
    /// A mapped range of a file.
    Mapped(MmapMut),
}

impl<const N: usize> RowTable<N> {
    /// Empty rows in memory.
    pub(crate) fn in_memory(rows: usize) -> RowTable<N> {
        RowTable::Memory(vec![Row::EMPTY; rows])
    }

    /// Empty rows in a file in the scratch folder.
    pub(crate) fn on_disk(rows: usize, scratch: &Scratch) -> Result<RowTable<N>, ScratchError> {
        let file = scratch.table((rows * size_of::<Row<N>>()) as u64)?;
        Ok(RowTable::Disk(DiskRows { file, folder: scratch.folder().to_owned() }))
    }

    /// A range of rows.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Result<Rows<'_, N>, ScratchError> {
        match self {
            RowTable::Memory(all) => Ok(Rows::Memory(&all[rows])),
            RowTable::Disk(disk) => disk.map::<N>(rows).map(Rows::Mapped),
        }
    }

    /// A range of rows, to be changed.
    pub(crate) fn rows_mut(&mut self, rows: Range<usize>) -> Result<RowsMut<'_, N>, ScratchError> {
        match self {
            RowTable::Memory(all) => Ok(RowsMut::Memory(&mut all[rows])),
            RowTable::Disk(disk) => disk.map::<N>(rows).map(RowsMut::Mapped),
        }
    }
}

impl DiskRows {
    fn map<const N: usize>(&self, rows: Range<usize>) -> Result<MmapMut, ScratchError> {
        let size = size_of::<Row<N>>();
        map_range(&self.file, (rows.start * size) as u64, rows.len() * size)
            .map_err(at(&self.folder))
    }
}

impl<const N: usize> Deref for Rows<'_, N> {
    type Target = [Row<N>];

    fn deref(&self) -> &[Row<N>] {
        match self {
            Rows::Memory(rows) => rows,
            Rows::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl<const N: usize> Deref for RowsMut<'_, N> {
    type Target = [Row<N>];

    fn deref(&self) -> &[Row<N>] {
        match self {
            RowsMut::Memory(rows) => rows,
            RowsMut::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl<const N: usize> DerefMut for RowsMut<'_, N> {
    fn deref_mut(&mut self) -> &mut [Row<N>] {
        match self {
            RowsMut::Memory(rows) => rows,
            RowsMut::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }
}
