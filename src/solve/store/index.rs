//! What a stage file says of itself: its header, where its records are, and the
//! hash that stands for all of them.

use std::io;
use std::path::Path;

use crate::system::filesystem::FileSystem;

use super::stage::{KEY_BYTES, Key, Part};

/// Stands for all that a stage depends on, or for all that it holds.
pub(crate) type Hash = [u8; 32];

/// The first bytes of a stage file; the last one counts versions.
const MAGIC: [u8; 8] = *b"TAFLWRK\x05";

pub(super) const HEADER_BYTES: usize = MAGIC.len() + 2 * size_of::<Hash>();
const FOOTER_BYTES: usize = size_of::<u64>() + size_of::<Hash>();
const CHECKSUM_BYTES: usize = 16;
const ENTRY_BYTES: usize = KEY_BYTES + size_of::<u32>() + CHECKSUM_BYTES;
const PLACE_BYTES: usize = size_of::<u64>() + size_of::<u32>();

/// What a stage file begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// Of the work on the slice.
    pub identity: Hash,
    /// The hash of the stage, or the stages, that this one began with.
    pub base: Hash,
}

/// One record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IndexEntry {
    pub key: Key,
    /// Bytes before packing.
    pub length: u32,
    /// Of these bytes.
    pub sum: Checksum,
    /// Where the packed bytes begin in the file.
    pub start: u64,
    /// How many there are.
    pub packed: u32,
}

/// What is kept in memory of a record.
pub(crate) const RECORD_BYTES: usize = size_of::<IndexEntry>();

/// The first half of a blake3 hash.
pub(super) type Checksum = [u8; CHECKSUM_BYTES];

/// The sum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> Checksum {
    let hash = blake3::hash(bytes);
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// The records of a stage, in the order of their keys, and their hash.
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

    /// The header of a file; `None` if it has none of this version.
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
    /// The index of records that were written in any order.
    pub(super) fn new(part: &Part, header: Header, mut entries: Vec<IndexEntry>) -> Index {
        entries.sort_unstable_by_key(|entry| entry.key);
        let hash = hash(part, header, &entries_bytes(&entries));
        Index { entries, hash }
    }

    /// What stands after the last record.
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

    /// The index of a file with that header; `None` if it is not whole, or not that
    /// stage's.
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
        let bytes = count.checked_mul((ENTRY_BYTES + PLACE_BYTES) as u64);
        let start = bytes.and_then(|bytes| footer.checked_sub(bytes));
        let Some(start) = start.filter(|&start| start >= HEADER_BYTES as u64) else {
            return Ok(None);
        };
        let bytes = files.read(path, start, (footer - start) as usize)?;
        let (entries, places) = bytes.split_at(count as usize * ENTRY_BYTES);
        if hash(part, header, entries) != array(&end, 8) {
            return Ok(None);
        }
        let entries = entries.chunks_exact(ENTRY_BYTES).zip(places.chunks_exact(PLACE_BYTES));
        let entries: Option<Vec<IndexEntry>> =
            entries.map(|(entry, place)| IndexEntry::parse(entry, place, start)).collect();
        Ok(entries.map(|entries| Index { entries, hash: array(&end, 8) }))
    }

    /// The record of that name.
    pub(super) fn find(&self, key: Key) -> Option<&IndexEntry> {
        let found = self.entries.binary_search_by_key(&key, |entry| entry.key);
        found.ok().map(|at| &self.entries[at])
    }
}

impl IndexEntry {
    /// From its two parts; `None` if it is not within the records, which end there.
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

/// What is hashed of the entries: not where they are, which depends on chance, nor
/// how they are packed.
fn entries_bytes(entries: &[IndexEntry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * (ENTRY_BYTES + PLACE_BYTES) + FOOTER_BYTES);
    for entry in entries {
        bytes.extend(entry.key.to_bytes());
        bytes.extend(entry.length.to_le_bytes());
        bytes.extend(entry.sum);
    }
    bytes
}

/// The hash of a part of a stage: of its name, what it stands on, and the sums of its records.
fn hash(part: &Part, header: Header, entries: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header.to_bytes());
    hasher.update(part.to_string().as_bytes());
    hasher.update(&[0]);
    hasher.update(entries);
    *hasher.finalize().as_bytes()
}

/// The bytes at that place, of which there are enough.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}
