//! The metadata of a stage file: its header, the index of its records, and the hash over all of
//! them.

use std::io;
use std::path::Path;

use crate::system::filesystem::FileSystem;
use crate::table::array;

use super::stage::{KEY_BYTES, Key, Part};

/// A hash of everything that a stage depends on, or of everything that it holds.
pub(crate) type Hash = [u8; 32];

/// The first bytes of a stage file; the last one is the version.
const MAGIC: [u8; 8] = *b"TAFLWRK\x07";

pub(super) const HEADER_BYTES: usize = MAGIC.len() + 2 * size_of::<Hash>();
const FOOTER_BYTES: usize = size_of::<u64>() + size_of::<Hash>();
const CHECKSUM_BYTES: usize = 16;
const ENTRY_BYTES: usize = KEY_BYTES + size_of::<u32>() + CHECKSUM_BYTES;
const PLACE_BYTES: usize = size_of::<u64>() + size_of::<u32>();

/// The header of a stage file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// The identity of the work on the slice.
    pub identity: Hash,
    /// The hash of the stage that this one is based on.
    pub base: Hash,
}

/// The index entry of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IndexEntry {
    pub key: Key,
    /// Bytes before compression.
    pub length: u32,
    /// The checksum of these bytes.
    pub sum: Checksum,
    /// The offset of the stored bytes in the file.
    pub start: u64,
    /// The number of stored bytes.
    pub packed: u32,
}

/// The memory that the index takes for each record.
pub(crate) const RECORD_BYTES: usize = size_of::<IndexEntry>();

/// The first half of a blake3 hash.
pub(super) type Checksum = [u8; CHECKSUM_BYTES];

/// Returns the checksum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> Checksum {
    let hash = blake3::hash(bytes);
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// The index of a stage file, ordered by key, and its hash.
#[derive(Debug)]
pub(super) struct Index {
    pub entries: Vec<IndexEntry>,
    pub hash: Hash,
}

impl Header {
    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..40].copy_from_slice(&self.identity);
        bytes[40..].copy_from_slice(&self.base);
        bytes
    }

    /// Reads the header of a file; `None` if it has none of this version.
    pub(super) fn read(files: &dyn FileSystem, path: &Path) -> io::Result<Option<Header>> {
        if files.length(path)? < HEADER_BYTES as u64 {
            return Ok(None);
        }
        let bytes = files.read(path, 0, HEADER_BYTES)?;
        let (magic, rest) = bytes.split_at(MAGIC.len());
        Ok((magic == MAGIC).then(|| Header { identity: array(rest, 0), base: array(rest, 32) }))
    }
}

impl Index {
    /// Builds the index of records that were written in any order.
    pub(super) fn new(part: &Part, header: Header, mut entries: Vec<IndexEntry>) -> Index {
        entries.sort_unstable_by_key(|entry| entry.key);
        Index { hash: hash(part, header, &entries_bytes(&entries)), entries }
    }

    /// Encodes everything that follows the last record.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = entries_bytes(&self.entries);
        for entry in &self.entries {
            bytes.extend(entry.start.to_le_bytes());
            bytes.extend(entry.packed.to_le_bytes());
        }
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(self.hash);
        bytes
    }

    /// Reads the index of a file with that header; `None` if it is damaged or belongs to another
    /// part.
    pub(super) fn read(
        files: &dyn FileSystem,
        path: &Path,
        part: &Part,
        header: Header,
    ) -> io::Result<Option<Index>> {
        let length = files.length(path)?;
        let Some(footer) = length.checked_sub(FOOTER_BYTES as u64) else { return Ok(None) };
        let end = files.read(path, footer, FOOTER_BYTES)?;
        let count = u64::from_le_bytes(array(&end, 0));
        let start = count
            .checked_mul((ENTRY_BYTES + PLACE_BYTES) as u64)
            .and_then(|bytes| footer.checked_sub(bytes))
            .filter(|&start| start >= HEADER_BYTES as u64);
        let Some(start) = start else { return Ok(None) };
        let bytes = files.read(path, start, (footer - start) as usize)?;
        let (entries, places) = bytes.split_at(count as usize * ENTRY_BYTES);
        if hash(part, header, entries) != array(&end, 8) {
            return Ok(None);
        }
        let pairs = entries.chunks_exact(ENTRY_BYTES).zip(places.chunks_exact(PLACE_BYTES));
        let parsed: Option<Vec<IndexEntry>> =
            pairs.map(|(entry, place)| IndexEntry::parse(entry, place, start)).collect();
        Ok(parsed.map(|entries| Index { entries, hash: array(&end, 8) }))
    }

    /// Finds a record by its key.
    pub(super) fn find(&self, key: Key) -> Option<&IndexEntry> {
        let found = self.entries.binary_search_by_key(&key, |entry| entry.key);
        found.ok().map(|at| &self.entries[at])
    }
}

impl IndexEntry {
    /// Decodes an entry from its two parts; `None` if its record does not lie between the header
    /// and `end`.
    fn parse(entry: &[u8], place: &[u8], end: u64) -> Option<IndexEntry> {
        let (start, packed) =
            (u64::from_le_bytes(array(place, 0)), u32::from_le_bytes(array(place, 8)));
        let inside = start >= HEADER_BYTES as u64
            && start.checked_add(packed.into()).is_some_and(|last| last <= end);
        Some(IndexEntry {
            key: Key::from_bytes(array(entry, 0)).filter(|_| inside)?,
            length: u32::from_le_bytes(array(entry, KEY_BYTES)),
            sum: array(entry, KEY_BYTES + size_of::<u32>()),
            start,
            packed,
        })
    }
}

/// Encodes the hashed fields of the entries. Offsets depend on the order of writing and stored
/// sizes on the compressor, so neither is hashed.
fn entries_bytes(entries: &[IndexEntry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * (ENTRY_BYTES + PLACE_BYTES) + FOOTER_BYTES);
    for entry in entries {
        bytes.extend(entry.key.to_bytes());
        bytes.extend(entry.length.to_le_bytes());
        bytes.extend(entry.sum);
    }
    bytes
}

/// Hashes a part of a stage: its header, its name, and the checksums of its records.
fn hash(part: &Part, header: Header, entries: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header.to_bytes());
    hasher.update(part.to_string().as_bytes());
    hasher.update(&[0]);
    hasher.update(entries);
    *hasher.finalize().as_bytes()
}
