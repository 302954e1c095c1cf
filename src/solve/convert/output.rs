//! One table file: the part that one process of the build writes.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::game::rules::{BySide, Ruleset, Side};
use crate::index::SliceIndex;
use crate::solve::communicator::{Communicator, CommunicatorError, even_split};
use crate::solve::error::BuildError;
use crate::system::filesystem::FileSystem;
use crate::system::parallel;
use crate::table::{
    BlockShape, Code, Compression, Grid, Header, Metric, Packing, PartWriter, SideSummary,
    TableWriter, ValueHasher, WrittenPart, dtw_code_to_wdl_code, encode_block,
};

use super::pending_rows::PendingRows;
use super::tile::Tile;

/// The approximate maximum number of one side's codes that wait for their blocks.
const WAITING_CODES: usize = 1 << 25;

/// The destination of the files, and how they are written.
pub(crate) struct OutputTarget<'a> {
    /// The file system.
    pub files: &'a Arc<dyn FileSystem>,
    /// The folder.
    pub folder: &'a Path,
    /// The files to write.
    pub metrics: &'a [Metric],
    /// The zstd level of all files; `None` for each file's default.
    pub level: Option<i32>,
}

/// Returns the shape of a file's blocks.
pub(crate) fn block_shape(packing: Packing, index: &SliceIndex) -> BlockShape {
    let lanes = index.lanes().count();
    let values = packing.default_block_values().min(WAITING_CODES / lanes);
    BlockShape::holding(values, lanes, index.rows())
}

/// A file being written: the part of this process.
pub(super) struct Output {
    /// The kind of values in the file.
    pub metric: Metric,
    packing: Packing,
    compression: Compression,
    grid: Grid,
    writer: Writer,
    /// The groups of rows that this process has yet to write as blocks.
    groups: Range<u64>,
    hasher: ValueHasher,
    /// The rows that it has yet to hash.
    hashes: Range<u64>,
}

/// Returns the groups, of `height` rows each, that this process handles.
fn own_groups(index: &SliceIndex, height: u64, comm: &dyn Communicator) -> Range<u64> {
    let groups = index.rows().div_ceil(height) as usize;
    let Range { start, end } = even_split(groups, comm.rank(), comm.size());
    start as u64..end as u64
}

/// The destination of blocks.
enum Writer {
    /// The table file itself.
    First(Box<TableWriter>),
    /// A file of its own, later appended to the blocks of lower ranks.
    Other(Box<PartWriter>),
}

impl Output {
    /// Creates the file of a metric, without blocks; the greatest code decides the packing.
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
        let groups = own_groups(index, shape.rows_per_block, comm);
        let Range { start, end } = own_groups(index, ValueHasher::ROWS, comm);
        let hashes = start * ValueHasher::ROWS..(end * ValueHasher::ROWS).min(index.rows());
        let hasher = ValueHasher::from_row(lanes, hashes.start);
        Ok(Output { metric, packing, compression, grid, writer, groups, hasher, hashes })
    }

    /// Returns the rows yet to be written in this process's blocks, and those yet to be hashed.
    pub(super) fn rows(&self) -> [Range<u64>; 2] {
        let height = self.grid.shape().rows_per_block;
        let end = (self.groups.end * height).min(self.grid.rows());
        [self.groups.start * height..end, self.hashes.clone()]
    }

    /// Returns the first row that has yet to be written in a block.
    pub(super) fn next_row(&self) -> Option<u64> {
        let [rows, _] = self.rows();
        (!rows.is_empty()).then_some(rows.start)
    }

    /// Converts a code of distances to this file's code.
    #[inline]
    fn code(metric: Metric, code: Code) -> Code {
        match metric {
            Metric::Dtw => code,
            Metric::Wdl => dtw_code_to_wdl_code(code),
        }
    }

    /// Hashes this process's rows of the tiles, of which the first starts with row `first`.
    pub(super) fn hash(&mut self, tiles: &[Tile], first: u64) {
        let metric = self.metric;
        let rows = self.hashes.clone();
        for side in Side::ALL {
            parallel::for_each(self.hasher.side(side).iter_mut(), |lane, hasher| {
                let mut tile_start = first;
                for tile in tiles {
                    let tile_end = tile_start + tile.rows as u64;
                    let [start, end] = [rows.start, rows.end]
                        .map(|row| row.clamp(tile_start, tile_end) - tile_start);
                    let codes = &tile.lane(side, lane)[start as usize..end as usize];
                    hasher.update(codes.iter().map(|&code| Output::code(metric, code)));
                    tile_start = tile_end;
                }
            });
        }
        let end = first + tiles.iter().map(|tile| tile.rows as u64).sum::<u64>();
        self.hashes.start = end.clamp(rows.start, rows.end);
    }

    /// Writes those blocks of this process whose rows are complete.
    pub(super) fn write_blocks(&mut self, pending: &PendingRows) -> Result<(), BuildError> {
        let shape = self.grid.shape();
        let height = shape.rows_per_block;
        // The last group of rows may be lower than the others.
        let complete = match pending.end() == self.grid.rows() {
            true => self.groups.end,
            false => self.groups.end.min(pending.end() / height),
        };
        let groups = self.groups.start..complete.max(self.groups.start);
        let lane_groups = self.grid.lanes().div_ceil(shape.lanes_per_block);
        let tasks: Vec<(u64, Side, usize)> = groups
            .clone()
            .flat_map(|group| Side::ALL.map(|side| (group, side)))
            .flat_map(|(group, side)| (0..lane_groups).map(move |lanes| (group, side, lanes)))
            .collect();
        // All threads encode blocks, which are then appended in the order of the file.
        let encoded = parallel::try_map_init(
            tasks.iter(),
            Vec::new,
            |values, _, &(group, side, lane_group)| {
                let first = lane_group * shape.lanes_per_block;
                let last = (first + shape.lanes_per_block).min(self.grid.lanes());
                let row = group * height;
                let end = (row + height).min(pending.end());
                let rows = (row - pending.first_row) as usize..(end - pending.first_row) as usize;
                values.clear();
                for lane in &pending.codes[side][first..last] {
                    let codes = lane[rows.clone()].iter();
                    values.extend(codes.map(|&code| Output::code(self.metric, code)));
                }
                let (number, _) =
                    self.grid.locate(side, first, row).ok_or(BuildError::ForeignGrid)?;
                let block = encode_block(self.packing, self.compression, values)?;
                Ok::<_, BuildError>((number, block))
            },
        )?;
        for (number, block) in encoded {
            match &mut self.writer {
                Writer::First(writer) => writer.append_encoded(number, block)?,
                Writer::Other(writer) => writer.append_encoded(number, block)?,
            }
        }
        self.groups.start = groups.end;
        Ok(())
    }

    /// Joins the parts of all processes and renames the file. Returns its size in bytes on
    /// rank 0, and 0 on the others.
    pub(super) fn finish(
        self,
        summaries: BySide<SideSummary>,
        target: &OutputTarget,
        comm: &dyn Communicator,
    ) -> Result<u64, BuildError> {
        let Output { mut hasher, mut writer, .. } = self;
        let (name, end) = match &mut writer {
            Writer::First(writer) => {
                let (path, end) = writer.append_position()?;
                let bytes = path.file_name().map(|name| name.as_encoded_bytes().to_vec());
                (bytes.unwrap_or_default(), end)
            }
            Writer::Other(writer) => (Vec::new(), writer.length()),
        };
        // The other ranks write their parts into rank 0's file, each after those of lower ranks.
        let shared_name = comm.broadcast(&name)?;
        let ends = comm.all_gather_numbers(end)?;
        match writer {
            Writer::Other(writer) => {
                let path = target.folder.join(String::from_utf8_lossy(&shared_name).as_ref());
                let start = ends[..comm.rank()].iter().sum();
                let mut part = writer.write_to(&**target.files, &path, start)?.to_bytes();
                part.extend(hasher.to_bytes());
                comm.gather(&part)?;
                Ok(0)
            }
            Writer::First(mut writer) => {
                // Each part is freed once appended, since together they are larger than the index.
                for part in comm.gather(&[])?.into_iter().skip(1) {
                    let bytes = &mut &part[..];
                    writer.append_part(&WrittenPart::read_from(bytes).ok_or(CommunicatorError)?)?;
                    hasher.append(bytes).ok_or(CommunicatorError)?;
                }
                Ok(writer.finish(summaries, hasher.finish())?)
            }
        }
    }
}
