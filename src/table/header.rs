use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::bytes::{array, checksum, put, u16_at, u32_at, u64_at};
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::format::{FORMAT_VERSION, Metric};
use super::grid::{BlockShape, Grid};
use super::packing::Packing;
use crate::game::rules::Fingerprint;
use crate::game::slice::Slice;

const MAGIC: [u8; 8] = *b"\x89TAFL\r\n\x1a";

/// The only filling: a don't-care takes the value before it.
const FILL_PREVIOUS: u8 = 1;
/// The only compression: zstd where that is smaller.
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

/// The header of a table: all that is known before its first block is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The meaning of the values.
    pub metric: Metric,
    /// The encoding of values as bytes.
    pub packing: Packing,
    /// The fingerprint of the rules.
    pub fingerprint: Fingerprint,
    /// The material.
    pub slice: Slice,
    /// The slots and their division into blocks.
    pub grid: Grid,
}

impl Header {
    /// Returns the header's bytes.
    ///
    /// # Errors
    /// If the slice has more soldiers than fit 16 bits, or there are too many blocks.
    pub(super) fn to_bytes(self) -> KindResult<[u8; HEADER_BYTES]> {
        if !self.grid.has_valid_block_count() {
            return Err(TableErrorKind::Unwritable("the blocks are too small, and too many"));
        }
        let shape = self.grid.shape();
        let mut bytes = [0; HEADER_BYTES];
        put(&mut bytes, 0, &MAGIC);
        put(&mut bytes, VERSION, &FORMAT_VERSION.to_le_bytes());
        bytes[METRIC] = self.metric.id();
        bytes[PACKING] = self.packing.id();
        bytes[FILLING] = FILL_PREVIOUS;
        bytes[COMPRESSION] = ZSTD_OR_STORED;
        // The limits of a grid ensure that its numbers fit these fields.
        put(&mut bytes, LANES, &(self.grid.lanes() as u16).to_le_bytes());
        put(&mut bytes, ROWS, &self.grid.rows().to_le_bytes());
        put(&mut bytes, LANES_PER_BLOCK, &(shape.lanes_per_block as u16).to_le_bytes());
        put(&mut bytes, ROWS_PER_BLOCK, &(shape.rows_per_block as u32).to_le_bytes());
        put(&mut bytes, DEFENDERS, &soldier_count(self.slice.defenders)?.to_le_bytes());
        put(&mut bytes, ATTACKERS, &soldier_count(self.slice.attackers)?.to_le_bytes());
        put(&mut bytes, FINGERPRINT, &self.fingerprint.0);
        let sum = checksum(&bytes[..CHECKSUM]);
        put(&mut bytes, CHECKSUM, &sum.to_le_bytes());
        Ok(bytes)
    }

    /// Reads the header of a file, without checking the rest.
    ///
    /// # Errors
    /// If the file cannot be read or does not begin with the header of a known format.
    pub fn read(path: &Path) -> Result<Header, TableError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut bytes))
            .map_err(TableErrorKind::io("read the table"))
            .and_then(|_| Header::parse(&bytes))
            .map_err(|kind| kind.at(Some(path)))
    }

    /// Parses the header of a table in memory.
    ///
    /// # Errors
    /// If the bytes do not begin with the header of a known format.
    pub fn of(bytes: &[u8]) -> Result<Header, TableError> {
        Header::parse(bytes).map_err(|kind| kind.at(None))
    }

    /// Parses the header at the start of a file.
    pub(super) fn parse(file: &[u8]) -> KindResult<Header> {
        let begins = file.len().min(MAGIC.len());
        if file[..begins] != MAGIC[..begins] {
            return Err(TableErrorKind::NotATable);
        }
        if file.len() < HEADER_BYTES {
            return Err(TableErrorKind::Truncated);
        }
        // Checked before the checksum, which other versions may have elsewhere.
        let version = u16_at(file, VERSION);
        if version != 0 && version != FORMAT_VERSION {
            return Err(TableErrorKind::UnsupportedVersion(version));
        }
        let damaged = TableErrorKind::Corrupted(Part::Header);
        if version == 0 || u64_at(file, CHECKSUM) != checksum(&file[..CHECKSUM]) {
            return Err(damaged);
        }
        if file[FILLING] != FILL_PREVIOUS {
            return Err(unsupported("filling", file[FILLING]));
        }
        if file[COMPRESSION] != ZSTD_OR_STORED {
            return Err(unsupported("compression", file[COMPRESSION]));
        }
        let shape = BlockShape {
            lanes_per_block: usize::from(u16_at(file, LANES_PER_BLOCK)),
            rows_per_block: u64::from(u32_at(file, ROWS_PER_BLOCK)),
        };
        let lanes = usize::from(u16_at(file, LANES));
        Ok(Header {
            metric: Metric::from_id(file[METRIC])
                .ok_or_else(|| unsupported("metric", file[METRIC]))?,
            packing: Packing::from_id(file[PACKING])
                .ok_or_else(|| unsupported("packing", file[PACKING]))?,
            fingerprint: Fingerprint(array(file, FINGERPRINT)),
            slice: Slice {
                defenders: usize::from(u16_at(file, DEFENDERS)),
                attackers: usize::from(u16_at(file, ATTACKERS)),
            },
            grid: Grid::new(lanes, u64_at(file, ROWS), shape)
                .ok()
                .filter(Grid::has_valid_block_count)
                .ok_or(damaged)?,
        })
    }
}

fn soldier_count(count: usize) -> KindResult<u16> {
    u16::try_from(count).map_err(|_| TableErrorKind::Unwritable("too many soldiers"))
}

fn unsupported(field: &'static str, id: u8) -> TableErrorKind {
    TableErrorKind::Unsupported { field, id }
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

    /// Returns the header's bytes with one byte changed and a valid checksum.
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
    fn unknown_versions_and_fields_are_refused_by_name() {
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
        // 188 rows per block instead of 700 make too many blocks.
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
