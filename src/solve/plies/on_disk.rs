//! Plies with tables that are larger than memory: whole blocks are pulled, one
//! range of the tables after the other.

use std::fs::File;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::path::PathBuf;

use bitvec::vec::BitVec;
use memmap2::MmapMut;
use rayon::prelude::*;

use crate::rules::Side;
use crate::solve::frame::Frame;
use crate::solve::moves::by_block::{BlockMoves, Targets};
use crate::solve::plies::chunks::{Chunks, ranges};
use crate::solve::plies::frontier::{Frontier, predecessors};
use crate::solve::plies::ply::{Findings, Given, Ply};
use crate::solve::plies::tables::{Change, EachTable, Tables};
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, ScratchError, ScratchFolder, StageFile, at};
use crate::system::mapping::map_range;
use crate::value::Plies;

/// All tables in files, of which ranges are mapped into memory.
pub(crate) struct OnDisk {
    tables: EachTable<TableFile>,
    /// The ranges of chunks that are worked on, one after the other.
    own: Vec<Range<usize>>,
    /// Those that are looked at from each of them.
    windows: Vec<Range<usize>>,
}

impl OnDisk {
    /// How many tables there are.
    pub(crate) const TABLES: usize = size_of::<EachTable<TableFile>>() / size_of::<TableFile>();

    /// Tables of empty rows in the scratch folder; so many chunks are worked on, and so
    /// many looked at, at a time.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new<const N: usize>(
        chunks: Chunks,
        own_chunks: usize,
        window_chunks: usize,
        folder: &ScratchFolder,
    ) -> Result<OnDisk, ScratchError> {
        let table = || TableFile::new::<N>(chunks.rows(), folder);
        Ok(OnDisk {
            tables: EachTable { won: table()?, open: table()?, lost: table()? },
            own: ranges(chunks, own_chunks).collect(),
            windows: ranges(chunks, window_chunks).collect(),
        })
    }
}

impl<const N: usize> Tables<N> for OnDisk {
    fn change(&mut self, given: &Given<N>, change: &Change<N>) -> Result<(), ScratchError> {
        let chunks = given.chunks;
        let rows = chunks.chunk_rows();
        for own in &self.own {
            let range = chunks.rows_of(own);
            let mut won = self.tables.won.rows_mut(range.clone())?;
            let mut open = self.tables.open.rows_mut(range.clone())?;
            let mut lost = self.tables.lost.rows_mut(range)?;
            let tables = won.par_chunks_mut(rows).zip(open.par_chunks_mut(rows));
            let tables = tables.zip(lost.par_chunks_mut(rows)).enumerate();
            tables.try_for_each(|(i, ((won, open), lost))| {
                change(ChunkNumber::new(own.start + i), EachTable { won, open, lost })
            })?;
        }
        Ok(())
    }

    fn note(&mut self, _: &Given<N>, _: Plies, _: &StageFile) -> Result<(), ScratchError> {
        // No more is kept than what has been changed.
        Ok(())
    }

    fn winning_ply(
        &mut self,
        given: &Given<N>,
        ply: &Ply,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError> {
        let &Given { moves, winner, chunks, .. } = given;
        let pull = Pull {
            frame: moves.frame,
            mover: winner,
            chunks,
            windows: &self.windows,
            source: &self.tables.lost,
            complement: false,
            changed: Some(&lost.blocks),
            predecessors: predecessors(moves.frame, winner, &lost.blocks),
        };
        let begin = |_, won: &mut &mut [Row<N>], sought: &mut [Row<N>]| {
            for (sought, &won) in sought.iter_mut().zip(&**won) {
                *sought = !won;
            }
            Ok(())
        };
        let end = |chunk, won: &mut [Row<N>], sought: &mut [Row<N>]| {
            for (found, &won) in sought.iter_mut().zip(&*won) {
                *found = !(won | *found);
            }
            for Event { row, lanes } in given.events(Content::Wins, ply.number, chunk)? {
                sought[row.index()] |= lanes.without(won[row.index()]);
            }
            for (won, &now) in won.iter_mut().zip(&*sought) {
                *won |= now;
            }
            found(chunks, sought, ply).keep(given, ply, chunk)
        };
        let mut changed = Vec::new();
        for own in &self.own {
            let mut won = self.tables.won.rows_mut(chunks.rows_of(own))?;
            let parts = won.par_chunks_mut(chunks.chunk_rows());
            changed.extend(pull.run(own, parts, begin, end)?);
        }
        Ok(Frontier::joined(&changed))
    }

    fn losing_ply(
        &mut self,
        given: &Given<N>,
        ply: &Ply,
        won: &Frontier,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError> {
        let &Given { moves, winner, chunks, .. } = given;
        let loser = winner.other();
        let near = predecessors(moves.frame, loser, &won.blocks);
        let may = |block| near.as_ref().is_none_or(|blocks| blocks[block]);
        let pull = Pull {
            frame: moves.frame,
            mover: loser,
            chunks,
            windows: &self.windows,
            source: &self.tables.won,
            complement: true,
            changed: None,
            predecessors: None,
        };
        type Part<'t, const N: usize> = (&'t mut [Row<N>], &'t mut [Row<N>]);
        let begin = |chunk, (open, _): &mut Part<N>, sought: &mut [Row<N>]| {
            let first = chunks.blocks_of(chunk).start;
            let mut released = vec![false; chunks.chunk_blocks];
            for Event { row, lanes } in given.events(Content::Releases, ply.number - 1, chunk)? {
                open[row.index()] |= lanes;
                released[chunks.block_with(row)] = true;
            }
            let blocks = open.chunks(chunks.block_rows).zip(sought.chunks_mut(chunks.block_rows));
            for (i, (open, sought)) in blocks.enumerate() {
                // Nothing can be lost that has no new win within reach.
                if released[i] || may(first + i) {
                    sought.copy_from_slice(open);
                } else {
                    sought.fill(Row::EMPTY);
                }
            }
            Ok(())
        };
        // What is left of the open ones has no safe move.
        let end = |chunk, (open, now): Part<N>, sought: &mut [Row<N>]| {
            let findings = found(chunks, sought, ply);
            let first = chunks.blocks_of(chunk).start;
            for (i, changed) in findings.blocks.iter().by_vals().enumerate() {
                let rows = i * chunks.block_rows..(i + 1) * chunks.block_rows;
                if changed {
                    for (open, found) in open[rows.clone()].iter_mut().zip(&sought[rows.clone()]) {
                        *open = open.without(*found);
                    }
                }
                if changed || lost.blocks[first + i] {
                    now[rows.clone()].copy_from_slice(&sought[rows]);
                }
            }
            findings.keep(given, ply, chunk)
        };
        let mut changed = Vec::new();
        for own in &self.own {
            let rows = chunks.rows_of(own);
            let mut open = self.tables.open.rows_mut(rows.clone())?;
            let mut now = self.tables.lost.rows_mut(rows)?;
            let open = open.par_chunks_mut(chunks.chunk_rows());
            let parts = open.zip(now.par_chunks_mut(chunks.chunk_rows()));
            changed.extend(pull.run(own, parts, begin, end)?);
        }
        Ok(Frontier::joined(&changed))
    }
}

/// One pass over a table: takes out of what is sought the lanes from which a move
/// that captures nothing leads into the source.
struct Pull<'p, const N: usize> {
    frame: &'p Frame<'p, N>,
    mover: Side,
    chunks: Chunks,
    /// Ranges of chunks that are looked at, one after the other.
    windows: &'p [Range<usize>],
    source: &'p TableFile,
    /// Whether the moves sought lead to what is not in the source.
    complement: bool,
    /// The only blocks with anything in the source; `None`: all may have.
    changed: Option<&'p BitVec>,
    /// The blocks with moves to those; `None`: all may have.
    predecessors: Option<BitVec>,
}

impl<const N: usize> Pull<'_, N> {
    /// For each chunk of a range: `begin` fills in what is sought, and `end`
    /// takes what is left of it. Returns by chunk what `end` does.
    fn run<T: Send>(
        &self,
        own: &Range<usize>,
        parts: impl IndexedParallelIterator<Item = T>,
        begin: impl Fn(ChunkNumber, &mut T, &mut [Row<N>]) -> Result<(), ScratchError> + Sync,
        end: impl Fn(ChunkNumber, T, &mut [Row<N>]) -> Result<Frontier, ScratchError> + Sync,
    ) -> Result<Vec<Frontier>, ScratchError> {
        let chunks = self.chunks;
        let windows = self.windows(own);
        let number = |place: usize| ChunkNumber::new(own.start + place);
        let mut sought = vec![Row::EMPTY; chunks.rows_of(own).len()];
        let mut parts: Vec<T> = parts.collect();
        let tasks = parts.par_iter_mut().zip(sought.par_chunks_mut(chunks.chunk_rows()));
        tasks.enumerate().try_for_each(|(i, (part, sought))| begin(number(i), part, sought))?;
        for window in &windows {
            let source = self.source.rows(chunks.rows_of(window))?;
            let tasks = sought.par_chunks_mut(chunks.chunk_rows()).enumerate();
            let worker = || BlockMoves::new(self.frame);
            tasks.for_each_init(worker, |block_moves, (i, sought)| {
                self.pull(number(i), window, &source, block_moves, sought);
            });
        }
        let tasks = parts.into_par_iter().zip(sought.par_chunks_mut(chunks.chunk_rows()));
        tasks.enumerate().map(|(i, (part, sought))| end(number(i), part, sought)).collect()
    }

    /// The ranges of chunks that are read one after the other.
    fn windows(&self, own: &Range<usize>) -> Vec<Range<usize>> {
        if self.mover == Side::Defenders {
            // Their moves stay in the block.
            return vec![own.clone()];
        }
        let changed = |window: &Range<usize>| {
            let blocks = self.chunks.blocks_of_all(window);
            self.changed.is_none_or(|changed| changed[blocks].any())
        };
        self.windows.iter().filter(|window| changed(window)).cloned().collect()
    }

    fn pull(
        &self,
        chunk: ChunkNumber,
        window: &Range<usize>,
        source: &[Row<N>],
        block_moves: &mut BlockMoves<N>,
        sought: &mut [Row<N>],
    ) {
        let targets = Targets {
            rows: source,
            first_block: BlockNumber::new(self.chunks.blocks_of_all(window).start),
            complement: self.complement,
            blocks: self.changed.map(|changed| &changed[..]),
        };
        let blocks = self.chunks.blocks_of(chunk).map(BlockNumber::new);
        for (number, sought) in blocks.zip(sought.chunks_mut(self.chunks.block_rows)) {
            let may = self.predecessors.as_ref().is_none_or(|blocks| blocks[number.index()]);
            if may && sought.iter().any(|lanes| !lanes.is_empty()) {
                let block = self.frame.block(number);
                block_moves.quiet_moves(self.mover, &block, targets, sought);
            }
        }
    }
}

/// What is left in the rows of a chunk.
fn found<const N: usize>(chunks: Chunks, rows: &[Row<N>], ply: &Ply) -> Findings<N> {
    let blocks = rows.chunks(chunks.block_rows);
    let mut findings = Findings::new(blocks.len());
    blocks.enumerate().for_each(|(i, rows)| findings.note(i, rows));
    (ply.done)(rows.len());
    findings
}

/// A file of rows. Only the ranges that are asked for are in memory, as long as
/// they are in use.
#[derive(Debug)]
struct TableFile {
    file: File,
    /// Where it is; it has no name.
    folder: PathBuf,
}

impl TableFile {
    /// Empty rows in a file in the scratch folder.
    fn new<const N: usize>(rows: usize, folder: &ScratchFolder) -> Result<TableFile, ScratchError> {
        let file = folder.table((rows * size_of::<Row<N>>()) as u64)?;
        Ok(TableFile { file, folder: folder.path().to_owned() })
    }

    /// A range of rows.
    fn rows<const N: usize>(&self, rows: Range<usize>) -> Result<Mapped<'_, N>, ScratchError> {
        Ok(Mapped(self.map::<N>(rows)?, PhantomData))
    }

    /// A range of rows, to be changed.
    fn rows_mut<const N: usize>(
        &mut self,
        rows: Range<usize>,
    ) -> Result<MappedMut<'_, N>, ScratchError> {
        Ok(MappedMut(self.map::<N>(rows)?, PhantomData))
    }

    fn map<const N: usize>(&self, rows: Range<usize>) -> Result<MmapMut, ScratchError> {
        let size = size_of::<Row<N>>();
        map_range(&self.file, (rows.start * size) as u64, rows.len() * size)
            .map_err(at(&self.folder))
    }
}

/// A mapped range of a file of rows, which nobody changes meanwhile.
struct Mapped<'t, const N: usize>(MmapMut, PhantomData<&'t TableFile>);

/// A mapped range of a file of rows, which nobody else looks at meanwhile.
struct MappedMut<'t, const N: usize>(MmapMut, PhantomData<&'t mut TableFile>);

impl<const N: usize> Deref for Mapped<'_, N> {
    type Target = [Row<N>];

    fn deref(&self) -> &[Row<N>] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<const N: usize> Deref for MappedMut<'_, N> {
    type Target = [Row<N>];

    fn deref(&self) -> &[Row<N>] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<const N: usize> DerefMut for MappedMut<'_, N> {
    fn deref_mut(&mut self) -> &mut [Row<N>] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
