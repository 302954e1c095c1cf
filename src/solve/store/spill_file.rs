//! Temporary data on disk, such as packed tables and batches of rows. It does not outlast the
//! build.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::system::filesystem::TempFile;
use crate::table::{array, decompress};

use super::ScratchFolder;
use super::compression::CompressionPolicy;
use super::error::{ScratchError, at};
use super::file::compress;
use super::index::{Checksum, checksum};

/// An unnamed temporary file of records, compressed or not. Many threads may add, replace and read
/// records.
#[derive(Debug)]
pub(crate) struct SpillFile {
    file: Box<dyn TempFile>,
    /// The end of the allocated space.
    end: AtomicU64,
    policy: Arc<CompressionPolicy>,
    /// The name in error messages.
    path: PathBuf,
}

/// The location of a record in a spill file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpillRecord {
    start: u64,
    /// The allocated bytes.
    capacity: u32,
    header: SpillHeader,
}

impl SpillRecord {
    /// Returns the stored size.
    pub(crate) fn size(&self) -> usize {
        self.header.size()
    }
}

/// The metadata needed to read the stored bytes of a record in any spill file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpillHeader {
    /// The sizes in the file and before compression. If they are equal, the record is not
    /// compressed.
    packed: u32,
    length: u32,
    /// The checksum of the stored bytes.
    sum: Checksum,
}

/// The encoded size of a header.
pub(crate) const SPILL_HEADER_BYTES: usize = 2 * size_of::<u32>() + size_of::<Checksum>();

impl SpillHeader {
    fn of(bytes: &[u8], packed: &[u8]) -> SpillHeader {
        SpillHeader {
            packed: packed.len() as u32,
            length: bytes.len() as u32,
            sum: checksum(packed),
        }
    }

    /// Returns the stored size of the record.
    pub(crate) fn size(&self) -> usize {
        self.packed as usize
    }

    /// Encodes the fields in their order, little-endian.
    pub(crate) fn to_bytes(self) -> [u8; SPILL_HEADER_BYTES] {
        let mut bytes = [0; SPILL_HEADER_BYTES];
        bytes[..4].copy_from_slice(&self.packed.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sum);
        bytes
    }

    /// Decodes the bytes of [`to_bytes`](SpillHeader::to_bytes).
    pub(crate) fn from_bytes(bytes: &[u8; SPILL_HEADER_BYTES]) -> SpillHeader {
        SpillHeader {
            packed: u32::from_le_bytes(array(bytes, 0)),
            length: u32::from_le_bytes(array(bytes, 4)),
            sum: array(bytes, 8),
        }
    }
}

impl SpillFile {
    /// Creates an empty file in a scratch folder, whose compression policy it shares.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(crate) fn new(scratch: &ScratchFolder) -> Result<SpillFile, ScratchError> {
        let file = scratch.files.temp_file(&scratch.folder).map_err(at(&scratch.folder))?;
        let path = scratch.folder.join("partitions");
        Ok(SpillFile { file, end: AtomicU64::new(0), policy: Arc::clone(&scratch.policy), path })
    }

    /// Adds a record of fewer than 2^32 bytes.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn add(&self, bytes: &[u8]) -> Result<SpillRecord, ScratchError> {
        let packed = self.compress_if_short(bytes)?;
        self.add_raw(SpillHeader::of(bytes, &packed), &packed)
    }

    /// Adds a stored record that [`read_raw`](SpillFile::read_raw) returned, possibly of another
    /// file.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn add_raw(
        &self,
        header: SpillHeader,
        bytes: &[u8],
    ) -> Result<SpillRecord, ScratchError> {
        let capacity = bytes.len() as u32;
        let start = self.allocate(capacity);
        self.file.write_at(start, bytes).map_err(at(&self.path))?;
        Ok(SpillRecord { start, capacity, header })
    }

    /// Replaces a record; moves it if it has outgrown its space.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn replace(
        &self,
        record: &mut SpillRecord,
        bytes: &[u8],
    ) -> Result<(), ScratchError> {
        let packed = self.compress_if_short(bytes)?;
        record.header = SpillHeader::of(bytes, &packed);
        let size = packed.len() as u32;
        if size > record.capacity {
            // Allocates a reserve: records that grew once may grow again.
            record.capacity = size + size / 4;
            record.start = self.allocate(record.capacity);
        }
        self.file.write_at(record.start, &packed).map_err(at(&self.path))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If the disk fails or the record is damaged.
    pub(crate) fn read(&self, record: &SpillRecord) -> Result<Vec<u8>, ScratchError> {
        let (header, packed) = self.read_raw(record)?;
        if checksum(&packed) != header.sum {
            return Err(self.damaged());
        }
        if header.packed == header.length {
            return Ok(packed);
        }
        decompress(&packed, header.length as usize).ok_or_else(|| self.damaged())
    }

    /// Reads a record in its stored form, for another spill file.
    ///
    /// # Errors
    /// If the disk fails.
    pub(crate) fn read_raw(
        &self,
        record: &SpillRecord,
    ) -> Result<(SpillHeader, Vec<u8>), ScratchError> {
        let packed = self.file.read_at(record.start, record.header.size());
        Ok((record.header, packed.map_err(at(&self.path))?))
    }

    fn compress_if_short<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, ScratchError> {
        if self.policy.should_compress(bytes.len()) {
            let packed = compress(bytes).map_err(at(&self.path))?;
            if packed.len() < bytes.len() {
                return Ok(Cow::Owned(packed));
            }
        }
        Ok(Cow::Borrowed(bytes))
    }

    /// Returns the error for a file that does not hold what was written.
    pub(crate) fn damaged(&self) -> ScratchError {
        ScratchError::damaged(&self.path)
    }

    /// Allocates space; returns its offset.
    fn allocate(&self, bytes: u32) -> u64 {
        self.end.fetch_add(bytes.into(), Ordering::Relaxed)
    }
}
