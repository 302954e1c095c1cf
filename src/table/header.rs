use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::bytes::{checksum, put, u16_at, u32_at, u64_at};
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::{BlockShape, Grid, Packing, SideSummary};
use crate::game::rules::Fingerprint;
use crate::game::slice::Slice;

/// The version of the format that this program writes, and the only one it reads.
pub const FORMAT_VERSION: u16 = 2;

const MAGIC: [u8; 8] = *b"\x89TAFL\r\n\x1a";

/// The one filling: don't-cares take the value before them.
const FILL_PREVIOUS: u8 = 1;
/// The one compression: zstd where that is smaller.
const ZSTD_OR_STORED: u8 = 1;

const VERSION: usize = MAGIC.len();
const METRIC: usize = VERSION + size_of::<u16>();
const PACKING: usize = METRIC + size_of::<u8>();
const FILLING: usize = PACKING + size_of::<u8>();
const COMPRESSION: usize = FILLING + size_of::<u8>();
const LANES: usize = COMPRESSION + size_of::<u8>();
const ROWS: usize = LANES + size_of::<u16>();
const LANES_PER_BLOCK: usize = ROWS + size_of::<u64>();
const ROWS_PER_BLOCK: usize = LANES_PER_BLOCK + size_of::<u16>();
const DEFENDERS: usize = ROWS_PER_BLOCK + size_of::<u32>();
const ATTACKERS: usize = DEFENDERS + size_of::<u16>();
const FINGERPRINT: usize = ATTACKERS + size_of::<u16>();
const CHECKSUM: usize = FINGERPRINT + size_of::<Fingerprint>();
pub(super) const HEADER_BYTES: usize = CHECKSUM + size_of::<u64>();

/// What the values of a table are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Distance to win: plies to the end of the game.
    Dtw,
}

impl Metric {
    /// Both metrics.
    pub const ALL: [Metric; 2] = [Metric::Wdl, Metric::Dtw];

    /// The metric's name: `wdl` or `dtw`, also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtw => "dtw",
        }
    }

    /// What a table of this metric says of a side of which this is known: a WDL
    /// table has no distances.
    #[must_use]
    pub fn summary(self, known: SideSummary) -> SideSummary {
        match self {
            Metric::Wdl => SideSummary { max_win: 0, max_loss: 0, ..known },
            Metric::Dtw => known,
        }
    }

    /// The name of the file that holds a slice: `K2v4.dtw`.
    pub fn file_name(self, slice: Slice) -> String {
        format!("{slice}.{}", self.name())
    }

    fn id(self) -> u8 {
        match self {
            Metric::Wdl => 1,
            Metric::Dtw => 2,
        }
    }
}

impl std::fmt::Display for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// What a table is: all that is known of it before its first block is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// What the values are.
    pub metric: Metric,
    /// How values become bytes.
    pub packing: Packing,
    /// The rules that the values hold for.
    pub fingerprint: Fingerprint,
    /// The material.
    pub slice: Slice,
    /// The slots, and how they are cut into blocks.
    pub grid: Grid,
}

impl Header {
    /// # Errors
    /// If the slice has more soldiers than any board has squares, or the blocks are too
    /// many.
    pub(super) fn to_bytes(self) -> KindResult<[u8; HEADER_BYTES]> {
        if !self.grid.is_cut_well() {
            return Err(TableErrorKind::Unwritable("its blocks are too many and too small"));
        }
        let soldiers = |count| {
            u16::try_from(count).map_err(|_| TableErrorKind::Unwritable("too many soldiers"))
        };
        let shape = self.grid.shape();
        let mut bytes = [0; HEADER_BYTES];
        put(&mut bytes, 0, &MAGIC);
        put(&mut bytes, VERSION, &FORMAT_VERSION.to_le_bytes());
        bytes[METRIC] = self.metric.id();
        bytes[PACKING] = self.packing.id();
        bytes[FILLING] = FILL_PREVIOUS;
        bytes[COMPRESSION] = ZSTD_OR_STORED;
        // The limits of a grid are those of its fields here.
        put(&mut bytes, LANES, &(self.grid.lanes() as u16).to_le_bytes());
        put(&mut bytes, ROWS, &self.grid.rows().to_le_bytes());
        put(&mut bytes, LANES_PER_BLOCK, &(shape.lanes_per_block as u16).to_le_bytes());
        put(&mut bytes, ROWS_PER_BLOCK, &(shape.rows_per_block as u32).to_le_bytes());
        put(&mut bytes, DEFENDERS, &soldiers(self.slice.defenders)?.to_le_bytes());
        put(&mut bytes, ATTACKERS, &soldiers(self.slice.attackers)?.to_le_bytes());
        put(&mut bytes, FINGERPRINT, &self.fingerprint.0);
        let sum = checksum(&bytes[..CHECKSUM]);
        put(&mut bytes, CHECKSUM, &sum.to_le_bytes());
        Ok(bytes)
    }

    /// The header of a file, whatever comes after it.
    ///
    /// # Errors
    /// If the file cannot be read or does not begin with the header of a known
    /// format.
    pub fn read(path: &Path) -> Result<Header, TableError> {
        let mut bytes = Vec::new();
        let read = File::open(path)
            .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut bytes));
        let read = read.map_err(TableErrorKind::io("read the table"));
        read.and_then(|_| Header::parse(&bytes)).map_err(|kind| kind.at(Some(path)))
    }

    /// The header of a table in memory.
    ///
    /// # Errors
    /// If it does not begin with the header of a known format.
    pub fn of(bytes: &[u8]) -> Result<Header, TableError> {
        Header::parse(bytes).map_err(|kind| kind.at(None))
    }

    /// Reads the first bytes of a file.
    pub(super) fn parse(file: &[u8]) -> KindResult<Header> {
        let begins = file.len().min(MAGIC.len());
        if file[..begins] != MAGIC[..begins] {
            return Err(TableErrorKind::NotATable);
        }
        if file.len() < HEADER_BYTES {
            return Err(TableErrorKind::Truncated);
        }
        // Before the checksum, whose place another version may have changed.
        let version = u16_at(file, VERSION);
        if version != 0 && version != FORMAT_VERSION {
            return Err(TableErrorKind::UnsupportedVersion(version));
        }
        let damaged = TableErrorKind::Corrupted(Part::Header);
        if version == 0 || u64_at(file, CHECKSUM) != checksum(&file[..CHECKSUM]) {
            return Err(damaged);
        }
        let unsupported = |field, at: usize| TableErrorKind::Unsupported { field, id: file[at] };
        let metric = Metric::ALL.into_iter().find(|metric| metric.id() == file[METRIC]);
        let packing = Packing::from_id(file[PACKING]);
        if file[FILLING] != FILL_PREVIOUS {
            return Err(unsupported("filling", FILLING));
        }
        if file[COMPRESSION] != ZSTD_OR_STORED {
            return Err(unsupported("compression", COMPRESSION));
        }
        let shape = BlockShape {
            lanes_per_block: usize::from(u16_at(file, LANES_PER_BLOCK)),
            rows_per_block: u64::from(u32_at(file, ROWS_PER_BLOCK)),
        };
        let lanes = usize::from(u16_at(file, LANES));
        Ok(Header {
            metric: metric.ok_or_else(|| unsupported("metric", METRIC))?,
            packing: packing.ok_or_else(|| unsupported("packing", PACKING))?,
            fingerprint: Fingerprint(std::array::from_fn(|i| file[FINGERPRINT + i])),
            slice: Slice {
                defenders: usize::from(u16_at(file, DEFENDERS)),
                attackers: usize::from(u16_at(file, ATTACKERS)),
            },
            grid: Grid::new(lanes, u64_at(file, ROWS), shape)
                .ok()
                .filter(Grid::is_cut_well)
                .ok_or(damaged)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let shape = BlockShape { lanes_per_block: 1, rows_per_block: 700 };
        Header {
            metric: Metric::Dtw,
            packing: Packing::Words,
            fingerprint: Fingerprint(std::array::from_fn(|i| i as u8)),
            slice: Slice { defenders: 2, attackers: 4 },
            grid: Grid::new(45, 123_456_789_012, shape).unwrap(),
        }
    }

    /// The header's bytes with one changed and the checksum put right.
    fn with(at: usize, byte: u8) -> [u8; HEADER_BYTES] {
        let mut bytes = header().to_bytes().unwrap();
        bytes[at] = byte;
        let sum = checksum(&bytes[..CHECKSUM]);
        put(&mut bytes, CHECKSUM, &sum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_header_goes_through_bytes() {
        let bytes = header().to_bytes().unwrap();
        assert_eq!(Header::parse(&bytes).unwrap(), header());
        assert_eq!(HEADER_BYTES, 74);
        assert_eq!(bytes[..14], *b"\x89TAFL\r\n\x1a\x02\x00\x02\x03\x01\x01");
        assert_eq!(bytes[14..16], [45, 0]);
        assert_eq!(bytes[30..34], [2, 0, 4, 0]);
        assert_eq!(header().metric.file_name(header().slice), "K2v4.dtw");
    }

    #[test]
    fn what_came_later_is_refused_by_name() {
        let newer = Header::parse(&with(VERSION, 3)).unwrap_err();
        assert!(matches!(newer, TableErrorKind::UnsupportedVersion(3)));
        assert!(newer.to_string().contains("update taflbase"));
        let older = Header::parse(&with(VERSION, 1)).unwrap_err();
        assert!(matches!(older, TableErrorKind::UnsupportedVersion(1)));
        assert!(older.to_string().contains("build the table again"));
        for (at, name) in [
            (METRIC, "metric"),
            (PACKING, "packing"),
            (FILLING, "filling"),
            (COMPRESSION, "compression"),
        ] {
            let error = Header::parse(&with(at, 9)).unwrap_err();
            let named =
                matches!(error, TableErrorKind::Unsupported { field, id: 9 } if field == name);
            assert!(named, "{error}");
        }
    }

    #[test]
    fn impossible_headers_are_damaged_ones() {
        // Of 188 rows instead of 700 the blocks are too small.
        let small = with(ROWS_PER_BLOCK + 1, 0);
        for bytes in [with(VERSION, 0), with(LANES + 1, 9), with(LANES_PER_BLOCK, 46), small] {
            let error = Header::parse(&bytes).unwrap_err();
            assert!(matches!(error, TableErrorKind::Corrupted(Part::Header)), "{error}");
        }
        assert!(matches!(Header::parse(b"\x89TAFK"), Err(TableErrorKind::NotATable)));
        assert!(matches!(Header::parse(b"\x89TAFL"), Err(TableErrorKind::Truncated)));
        let mut crowded = header();
        crowded.slice.attackers = 70_000;
        assert!(matches!(crowded.to_bytes(), Err(TableErrorKind::Unwritable(_))));
        let shape = BlockShape { lanes_per_block: 1, rows_per_block: 188 };
        let grid = Grid::new(45, header().grid.rows(), shape).unwrap();
        let error = Header { grid, ..header() }.to_bytes().unwrap_err();
        assert!(matches!(error, TableErrorKind::Unwritable(_)), "{error}");
    }
}
