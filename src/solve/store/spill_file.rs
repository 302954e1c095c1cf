//! What waits on the disk for as long as it is asked for: nothing of it outlasts the
//! build.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::system::filesystem::TempFile;
use crate::table::decompress;

use super::ScratchFolder;
use super::compression::CompressionPolicy;
use super::error::{ScratchError, at};
use super::file::compress;
use super::index::{Checksum, checksum};

/// Bytes, packed or as they are; they may be added, changed and read by many threads.
#[derive(Debug)]
pub(crate) struct SpillFile {
    file: Box<dyn TempFile>,
    /// Where the room that nobody has begins.
    end: AtomicU64,
    policy: Arc<CompressionPolicy>,
    /// What messages call it.
    path: PathBuf,
}

/// Bytes in a heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpillRecord {
    start: u64,
    /// Bytes that there is room for.
    capacity: u32,
    header: SpillHeader,
}

impl SpillRecord {
    /// How many bytes there are.
    pub(crate) fn size(&self) -> usize {
        self.header.size()
    }
}

/// What must be known of bytes to take them out of a heap, as they are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpillHeader {
    /// How many they are in the heap, and before they were packed: if these are the same,
    /// they have not been.
    packed: u32,
    length: u32,
    /// Of what is in the heap.
    sum: Checksum,
}

/// The bytes of a header.
pub(crate) const SPILL_HEADER_BYTES: usize = 2 * size_of::<u32>() + size_of::<Checksum>();

impl SpillHeader {
    fn of(bytes: &[u8], packed: &[u8]) -> SpillHeader {
        SpillHeader {
            packed: packed.len() as u32,
            length: bytes.len() as u32,
            sum: checksum(packed),
        }
    }

    /// How many bytes it is the header of.
    pub(crate) fn size(&self) -> usize {
        self.packed as usize
    }

    /// Its fields in their order, little-endian.
    pub(crate) fn to_bytes(self) -> [u8; SPILL_HEADER_BYTES] {
        let mut bytes = [0; SPILL_HEADER_BYTES];
        bytes[..4].copy_from_slice(&self.packed.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sum);
        bytes
    }

    /// The header of [`to_bytes`](SpillHeader::to_bytes).
    pub(crate) fn from_bytes(bytes: &[u8; SPILL_HEADER_BYTES]) -> SpillHeader {
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let sum = std::array::from_fn(|i| bytes[8 + i]);
        SpillHeader { packed: number(0), length: number(4), sum }
    }
}

impl SpillFile {
    /// An empty one in a scratch folder, which should_compress when that does.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(scratch: &ScratchFolder) -> Result<SpillFile, ScratchError> {
        let file = scratch.files.temp_file(&scratch.folder).map_err(at(&scratch.folder))?;
        let path = scratch.folder.join("partitions");
        Ok(SpillFile { file, end: AtomicU64::new(0), policy: Arc::clone(&scratch.policy), path })
    }

    /// Adds bytes, fewer than 2^31.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn add(&self, bytes: &[u8]) -> Result<SpillRecord, ScratchError> {
        let packed = self.compress_if_short(bytes)?;
        self.add_raw(SpillHeader::of(bytes, &packed), &packed)
    }

    /// Adds what [`read_raw`](SpillFile::read_raw) took out of a heap.
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

    /// Puts other bytes in the place of some, if need be elsewhere.
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
            // More room than is needed now: what grew once may grow again.
            record.capacity = size + size / 4;
            record.start = self.allocate(record.capacity);
        }
        self.file.write_at(record.start, &packed).map_err(at(&self.path))
    }

    /// The bytes.
    ///
    /// # Errors
    /// If the disk fails, or has changed them.
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

    /// The bytes as they are here, for another heap.
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

    /// The error of a heap that does not hold what was added.
    pub(crate) fn damaged(&self) -> ScratchError {
        ScratchError::damaged(&self.path)
    }

    /// The start of so many bytes that nobody else has.
    fn allocate(&self, bytes: u32) -> u64 {
        self.end.fetch_add(bytes.into(), Ordering::Relaxed)
    }
}
