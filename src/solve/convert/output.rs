//! One table file, as far as one rank of the build writes it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::game::rules::{BySide, Ruleset, Side};
use crate::index::SliceIndex;
use crate::solve::communicator::{Communicator, CommunicatorError, of_rank};
use crate::solve::error::BuildError;
use crate::system::filesystem::FileSystem;
use crate::table::{
    BlockShape, Code, Compression, EncodedBlock, Grid, Header, Metric, Packing, PartWriter,
    SideSummary, TableWriter, ValueHasher, WrittenPart, dtw_code_to_wdl_code, encode_block,
};

use super::pending_rows::PendingRows;
use super::tile::Tile;

/// Codes of one side that wait for their blocks, at most about.
const WAITING_CODES: usize = 1 << 25;

/// Where the files go, and how they are written.
pub(crate) struct OutputTarget<'a> {
    /// The disk.
    pub files: &'a Arc<dyn FileSystem>,
    /// The folder.
    pub folder: &'a Path,
    /// The files.
    pub metrics: &'a [Metric],
    /// The level of zstd, the same for all; otherwise what suits each file.
    pub level: Option<i32>,
}

/// The shape of a file's blocks.
pub(crate) fn block_shape(packing: Packing, index: &SliceIndex) -> BlockShape {
    let lanes = index.lanes().count();
    let values = packing.default_block_values().min(WAITING_CODES / lanes);
    BlockShape::holding(values, lanes, index.rows())
}

/// One file that is being written, as far as this rank does it.
pub(super) struct Output {
    /// What is in the file.
    pub metric: Metric,
    packing: Packing,
    compression: Compression,
    grid: Grid,
    writer: Writer,
    /// The groups of rows that are to be blocks of this rank's and are not yet.
    groups: Range<u64>,
    hasher: ValueHasher,
    /// The rows that are to be hashed and are not yet.
    hashes: Range<u64>,
}

/// Where blocks go.
enum Writer {
    /// Into the file.
    First(Box<TableWriter>),
    /// Into a file of their own, and then behind those of the ranks before this one.
    Other(Box<PartWriter>),
}

impl Output {
    /// The file of that metric, without blocks; its greatest code tells the packing.
    pub(super) fn create(
        rules: &Ruleset,
        index: &SliceIndex,
        target: &OutputTarget,
        metric: Metric,
        greatest: Code,
        comm: &dyn Communicator,
    ) -> Result<Output, BuildError> {
        let packing = match metric {
            Metric::Wdl => Packing::Base3,
            Metric::Dtw => Packing::for_codes_up_to(greatest),
        };
        let lanes = index.lanes().count();
        let shape = block_shape(packing, index);
        let grid = Grid::new(lanes, index.rows(), shape).map_err(BuildError::Grid)?;
        let slice = index.slice();
        let header = Header { metric, packing, fingerprint: rules.fingerprint(), slice, grid };
        let files = target.files;
        let writer = match comm.rank() {
            0 => {
                let path = target.folder.join(metric.file_name(slice));
                Writer::First(Box::new(TableWriter::create_on(files.clone(), &path, header)?))
            }
            _ => Writer::Other(Box::new(PartWriter::create(&**files, target.folder, header)?)),
        };
        let compression =
            target.level.map_or_else(|| Compression::for_packing(packing), Compression::Level);
        let of_rank = |rows_each| {
            let things = index.rows().div_ceil(rows_each) as usize;
            let Range { start, end } = of_rank(things, comm.rank(), comm.size());
            start as u64..end as u64
        };
        let groups = of_rank(shape.rows_per_block);
        let Range { start, end } = of_rank(ValueHasher::ROWS);
        let hashes = start * ValueHasher::ROWS..(end * ValueHasher::ROWS).min(index.rows());
        let hasher = ValueHasher::from_row(lanes, hashes.start);
        Ok(Output { metric, packing, compression, grid, writer, groups, hasher, hashes })
    }

    /// The rows that are to be in this rank's blocks, and those that are to be hashed.
    pub(super) fn rows(&self) -> [Range<u64>; 2] {
        let height = self.grid.shape().rows_per_block;
        let end = (self.groups.end * height).min(self.grid.rows());
        [self.groups.start * height..end, self.hashes.clone()]
    }

    /// The first row that is to be in a block and is not yet.
    pub(super) fn next_row(&self) -> Option<u64> {
        let [rows, _] = self.rows();
        (!rows.is_empty()).then_some(rows.start)
    }

    /// The code of this file for a code of distances.
    #[inline]
    fn code(metric: Metric, code: Code) -> Code {
        match metric {
            Metric::Dtw => code,
            Metric::Wdl => dtw_code_to_wdl_code(code),
        }
    }

    /// Hashes what is to be hashed of these tiles, which begin with that row.
    pub(super) fn hash(&mut self, tiles: &[Tile], first: u64) {
        let metric = self.metric;
        let rows = self.hashes.clone();
        for side in Side::ALL {
            let lanes = self.hasher.side(side).par_iter_mut().enumerate();
            lanes.for_each(|(lane, hasher)| {
                let mut first = first;
                for tile in tiles {
                    let end = first + tile.rows as u64;
                    let [start, end] =
                        [rows.start, rows.end].map(|row| row.clamp(first, end) - first);
                    let codes = &tile.lane(side, lane)[start as usize..end as usize];
                    hasher.update(codes.iter().map(|&code| Output::code(metric, code)));
                    first += tile.rows as u64;
                }
            });
        }
        let end = first + tiles.iter().map(|tile| tile.rows as u64).sum::<u64>();
        self.hashes.start = end.clamp(rows.start, rows.end);
    }

    /// Writes the blocks of this rank whose rows are all there.
    pub(super) fn write_blocks(&mut self, pending: &PendingRows) -> Result<(), BuildError> {
        let shape = self.grid.shape();
        let height = shape.rows_per_block;
        let there = match pending.end() == self.grid.rows() {
            true => self.groups.end,
            false => self.groups.end.min(pending.end() / height),
        };
        let groups = self.groups.start..there.max(self.groups.start);
        let lane_groups = self.grid.lanes().div_ceil(shape.lanes_per_block);
        let tasks: Vec<(u64, Side, usize)> = groups
            .clone()
            .flat_map(|group| Side::ALL.map(|side| (group, side)))
            .flat_map(|(group, side)| (0..lane_groups).map(move |lanes| (group, side, lanes)))
            .collect();
        let encoded = tasks
            .par_iter()
            .map_init(Vec::new, |values, &(group, side, lane_group)| {
                let first = lane_group * shape.lanes_per_block;
                let last = (first + shape.lanes_per_block).min(self.grid.lanes());
                let row = group * height;
                let rows = row..(row + height).min(pending.end());
                let rows = (rows.start - pending.first_row) as usize
                    ..(rows.end - pending.first_row) as usize;
                values.clear();
                for lane in &pending.codes[side][first..last] {
                    let codes = lane[rows.clone()].iter();
                    values.extend(codes.map(|&code| Output::code(self.metric, code)));
                }
                let (number, _) =
                    self.grid.locate(side, first, row).ok_or(BuildError::ForeignGrid)?;
                Ok((number, encode_block(self.packing, self.compression, values)?))
            })
            .collect::<Result<Vec<(u64, EncodedBlock)>, BuildError>>()?;
        for (number, block) in encoded {
            match &mut self.writer {
                Writer::First(writer) => writer.append_encoded(number, block)?,
                Writer::Other(writer) => writer.append_encoded(number, block)?,
            }
        }
        self.groups.start = groups.end;
        Ok(())
    }

    /// Puts together what the ranks have written, and gives the file its name. Returns the
    /// file's size in bytes; only the first rank knows it.
    pub(super) fn finish(
        self,
        summaries: BySide<SideSummary>,
        target: &OutputTarget,
        comm: &dyn Communicator,
    ) -> Result<u64, BuildError> {
        let mut hasher = self.hasher;
        if comm.size() == 1 {
            let Writer::First(writer) = self.writer else { return Ok(0) };
            return Ok(writer.finish(summaries, hasher.finish())?);
        }
        let mut writer = self.writer;
        let (name, end) = match &mut writer {
            Writer::First(writer) => {
                let (path, end) = writer.append_position()?;
                let name = path.file_name().map(|name| name.as_encoded_bytes().to_vec());
                (name.unwrap_or_default(), end)
            }
            Writer::Other(writer) => (Vec::new(), writer.length()),
        };
        let name = comm.broadcast(&name)?;
        let ends = comm.all_gather_numbers(end)?;
        match writer {
            Writer::Other(writer) => {
                let path = target.folder.join(String::from_utf8_lossy(&name).as_ref());
                let start = ends[..comm.rank()].iter().sum();
                let mut part = writer.write_to(&**target.files, &path, start)?.to_bytes();
                part.extend(hasher.to_bytes());
                comm.gather(&part)?;
                Ok(0)
            }
            Writer::First(mut writer) => {
                // What is added is freed: all of it is larger than the index.
                for bytes in comm.gather(&[])?.into_iter().skip(1) {
                    let bytes = &mut &bytes[..];
                    writer.append_part(&WrittenPart::read_from(bytes).ok_or(CommunicatorError)?)?;
                    hasher.append(bytes).ok_or(CommunicatorError)?;
                }
                Ok(writer.finish(summaries, hasher.finish())?)
            }
        }
    }
}
