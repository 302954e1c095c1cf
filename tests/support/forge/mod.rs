//! The layout of a table file, by its specification (`src/table/FORMAT.md`) and not by the
//! library, for tests that damage files or forge them without a trace.

// Each test uses a part of it.
#![allow(dead_code)]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

pub(super) const HEADER: usize = 74;
pub(super) const FOOTER: usize = 172;

const LANES: usize = 14;
const ROWS: usize = 16;
const LANES_PER_BLOCK: usize = 24;
const ROWS_PER_BLOCK: usize = 26;
const DEFENDERS: usize = 30;
const ATTACKERS: usize = 32;
const HEADER_SUM: usize = HEADER - 8;
const INDEX_OFFSET: usize = 0;
const INDEX_SUM: usize = 8;
/// The single value of each side.
const ONE_VALUES: [usize; 2] = [16 + 36, 54 + 36];
const FOOTER_SUM: usize = 124;
const FILE_SUM: usize = 132;
const RECORD_HEAD: usize = 12;
const ONE_VALUE: u64 = 1 << 63;

/// Returns the entries of the index: of attackers to move, then of defenders; nothing if the
/// file has no index.
pub(super) fn index(bytes: &[u8]) -> Range<usize> {
    let end = bytes.len().saturating_sub(FOOTER);
    let start = number(bytes, end).and_then(|start| usize::try_from(start).ok());
    start.filter(|&start| start <= end).map_or(end..end, |start| start..end)
}

/// Returns the payloads of the records that lie within the file, with the number of their entry
/// in the index.
pub(super) fn payloads(bytes: &[u8]) -> Vec<(usize, Range<usize>)> {
    let index = index(bytes);
    let payload = |entry: u64| {
        let start = usize::try_from(entry).ok().filter(|_| entry & ONE_VALUE == 0)?;
        let length =
            u32::from_le_bytes(bytes.get(start.checked_add(8)?..)?.get(..4)?.try_into().ok()?);
        let payload = start + RECORD_HEAD..start.checked_add(RECORD_HEAD + length as usize)?;
        (payload.end <= index.start).then_some(payload)
    };
    let entries = bytes[index.clone()].chunks_exact(8).enumerate();
    entries.filter_map(|(i, entry)| Some((i, payload(number(entry, 0)?)?))).collect()
}

/// Gives records, header, index, footer and file correct checksums.
pub(super) fn put_checksums_right(bytes: &mut [u8]) {
    if bytes.len() < HEADER + FOOTER {
        return;
    }
    for (_, payload) in payloads(bytes) {
        put_sum(bytes, payload.clone(), payload.start - RECORD_HEAD);
    }
    let footer = bytes.len() - FOOTER;
    put_sum(bytes, 0..HEADER_SUM, HEADER_SUM);
    put_sum(bytes, index(bytes), footer + INDEX_SUM);
    put_sum(bytes, footer..footer + FOOTER_SUM, footer + FOOTER_SUM);
    let file = *blake3::hash(&bytes[..footer + FILE_SUM]).as_bytes();
    bytes[footer + FILE_SUM..][..file.len()].copy_from_slice(&file);
}

/// Returns the table of a sound one's slice in which each value has this code, so that it has neither
/// records nor an index.
pub(super) fn uniform(sound: &[u8], code: u16) -> Vec<u8> {
    let mut bytes = [&sound[..HEADER], &sound[sound.len() - FOOTER..]].concat();
    bytes[HEADER + INDEX_OFFSET..][..8].copy_from_slice(&(HEADER as u64).to_le_bytes());
    for one_value in ONE_VALUES {
        // The longest win and loss are before it.
        let codes = [code.to_le_bytes(); 3].concat();
        bytes[HEADER + one_value - 4..][..6].copy_from_slice(&codes);
    }
    put_checksums_right(&mut bytes);
    bytes
}

/// Changes a uniform table to be that of another slice with this grid.
pub(super) fn claim(bytes: &mut [u8], men: [u16; 2], lanes: u16, rows: u64) {
    bytes[LANES..][..2].copy_from_slice(&lanes.to_le_bytes());
    bytes[ROWS..][..8].copy_from_slice(&rows.to_le_bytes());
    bytes[LANES_PER_BLOCK..][..2].copy_from_slice(&1_u16.to_le_bytes());
    bytes[ROWS_PER_BLOCK..][..4].copy_from_slice(&(rows.min(1 << 16) as u32).to_le_bytes());
    for (at, men) in [DEFENDERS, ATTACKERS].into_iter().zip(men) {
        bytes[at..][..2].copy_from_slice(&men.to_le_bytes());
    }
    put_checksums_right(bytes);
}

/// A table of which only the ends exist. Between them, in place of the index, is a hole, which
/// takes no disk space and reads as zeros.
pub(super) struct Hollow {
    pub header: Vec<u8>,
    pub footer: Vec<u8>,
    pub hole_bytes: u64,
}

impl Hollow {
    /// Takes the ends of a sound table, and changes them to claim this many rows, divided into
    /// blocks of one lane and this many rows.
    pub(super) fn new(sound: &[u8], rows: u64, rows_per_block: u32) -> Hollow {
        let mut header = sound[..HEADER].to_vec();
        header[ROWS..][..8].copy_from_slice(&rows.to_le_bytes());
        header[LANES_PER_BLOCK..][..2].copy_from_slice(&1_u16.to_le_bytes());
        header[ROWS_PER_BLOCK..][..4].copy_from_slice(&rows_per_block.to_le_bytes());
        put_sum(&mut header, 0..HEADER_SUM, HEADER_SUM);
        let mut footer = sound[sound.len() - FOOTER..].to_vec();
        footer[INDEX_OFFSET..][..8].copy_from_slice(&(HEADER as u64).to_le_bytes());
        for one_value in ONE_VALUES {
            footer[one_value..][..2].copy_from_slice(&[0xff; 2]);
        }
        put_sum(&mut footer, 0..FOOTER_SUM, FOOTER_SUM);
        let lanes = u16::from_le_bytes([header[LANES], header[LANES + 1]]);
        let blocks = 2 * u64::from(lanes) * rows.div_ceil(rows_per_block.into());
        Hollow { header, footer, hole_bytes: 8 * blocks }
    }

    /// Writes it as a sparse file with the correct checksum of the index.
    pub(super) fn write(mut self, path: &Path) {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut std::io::Read::take(std::io::repeat(0), self.hole_bytes), &mut hasher)
            .unwrap();
        self.footer[INDEX_SUM..][..8].copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        put_sum(&mut self.footer, 0..FOOTER_SUM, FOOTER_SUM);
        let mut file = File::create(path).unwrap();
        file.write_all(&self.header).unwrap();
        file.seek(SeekFrom::Current(self.hole_bytes as i64)).unwrap();
        file.write_all(&self.footer).unwrap();
    }
}

fn put_sum(bytes: &mut [u8], summed: Range<usize>, at: usize) {
    let hash = *blake3::hash(&bytes[summed]).as_bytes();
    bytes[at..at + 8].copy_from_slice(&hash[..8]);
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..)?.get(..8)?.try_into().ok()?))
}
