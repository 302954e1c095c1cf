//! Where things are in a table file, by its description (`src/table/FORMAT.md`) and
//! not by the library, for tests that damage files and forgers that leave no trace.

// Each test takes what it needs.
#![allow(dead_code)]

use std::ops::Range;

pub const HEADER: usize = 74;
pub const FOOTER: usize = 172;

const HEADER_SUM: usize = HEADER - 8;
const FOOTER_SUM: usize = 124;
const FILE_SUM: usize = 132;
const RECORD_HEAD: usize = 12;
const ONE_VALUE: u64 = 1 << 63;

/// The entries of the index: of attackers to move, then of defenders; nothing if
/// the file has no index.
pub fn index(bytes: &[u8]) -> Range<usize> {
    let end = bytes.len().saturating_sub(FOOTER);
    let start = number(bytes, end).and_then(|start| usize::try_from(start).ok());
    start.filter(|&start| start <= end).map_or(end..end, |start| start..end)
}

/// The payloads of the records that lie within the file, by the number of their
/// entry in the index.
pub fn payloads(bytes: &[u8]) -> Vec<(usize, Range<usize>)> {
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

/// Gives records, header, index, footer and file the checksums that their bytes ask
/// for.
pub fn put_checksums_right(bytes: &mut [u8]) {
    if bytes.len() < HEADER + FOOTER {
        return;
    }
    for (_, payload) in payloads(bytes) {
        put_sum(bytes, payload.clone(), payload.start - RECORD_HEAD);
    }
    let footer = bytes.len() - FOOTER;
    put_sum(bytes, 0..HEADER_SUM, HEADER_SUM);
    put_sum(bytes, index(bytes), footer + 8);
    put_sum(bytes, footer..footer + FOOTER_SUM, footer + FOOTER_SUM);
    let file = *blake3::hash(&bytes[..footer + FILE_SUM]).as_bytes();
    bytes[footer + FILE_SUM..][..file.len()].copy_from_slice(&file);
}

fn put_sum(bytes: &mut [u8], summed: Range<usize>, at: usize) {
    let hash = *blake3::hash(&bytes[summed]).as_bytes();
    bytes[at..at + 8].copy_from_slice(&hash[..8]);
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..)?.get(..8)?.try_into().ok()?))
}
