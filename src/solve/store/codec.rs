//! The encoding of rows and events in scratch records. Each row is combined by XOR with the one
//! before, which it resembles. The bytes of the results are transposed into planes: all first bytes,
//! then all second bytes, and so on. Most of them are zero and left out, which takes a fraction of
//! zstd's time; what is left is a third of the rows, and zstd compresses it three times as fast.

use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Key, ScratchError, StageFile, planes};

/// Encodes events in ascending order of rows: their number, the distances of the rows (LEB128),
/// then the lanes.
pub(crate) fn encode_events<const N: usize, R: Copy + Into<u64>>(
    events: &[Event<N, R>],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + events.len() * (2 + size_of::<Row<N>>()));
    bytes.extend_from_slice(&(events.len() as u32).to_le_bytes());
    let mut last = 0;
    for event in events {
        let row = event.row.into();
        put_distance(&mut bytes, row - last);
        last = row;
    }
    let lanes: Vec<Row<N>> = events.iter().map(|event| event.lanes).collect();
    planes::encode(&lanes, &mut bytes);
    bytes
}

/// Decodes the bytes of [`encode_events`]; `None` if they are invalid.
pub(crate) fn decode_events<const N: usize, R: TryFrom<u64>>(
    bytes: &[u8],
) -> Option<Vec<Event<N, R>>> {
    let (count_bytes, mut rest) = bytes.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count_bytes) as usize;
    // Each event has at least one byte, which bounds the allocation.
    let mut events = Vec::with_capacity(count.min(rest.len()));
    let mut row = 0_u64;
    for _ in 0..count {
        row = row.checked_add(take_distance(&mut rest)?)?;
        events.push(Event { row: R::try_from(row).ok()?, lanes: Row::EMPTY });
    }
    let mut lanes = vec![Row::EMPTY; count];
    planes::decode(rest, &mut lanes)?;
    events.iter_mut().zip(lanes).for_each(|(event, lanes)| event.lanes = lanes);
    Some(events)
}

/// Appends a distance (LEB128).
#[inline]
fn put_distance(bytes: &mut Vec<u8>, mut distance: u64) {
    while distance >= 0x80 {
        bytes.push(distance as u8 | 0x80);
        distance >>= 7;
    }
    bytes.push(distance as u8);
}

/// Removes a distance from the start of the bytes; `None` if they end in it or it is too large.
#[inline]
fn take_distance(bytes: &mut &[u8]) -> Option<u64> {
    let (mut distance, mut shift) = (0_u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        distance |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(distance);
        }
    }
}

/// Reads the events of a record; none if there is no such record.
///
/// # Errors
/// If the record cannot be read or decoded.
pub(crate) fn read_events<const N: usize>(
    file: &StageFile,
    key: Key,
) -> Result<Vec<Event<N>>, ScratchError> {
    match file.read(key)? {
        Some(bytes) => decode_events(&bytes).ok_or_else(|| file.damaged()),
        None => Ok(Vec::new()),
    }
}

/// Encodes rows.
pub(crate) fn encode_rows<const N: usize>(rows: &[Row<N>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    planes::encode(rows, &mut bytes);
    bytes
}

/// Decodes the bytes of [`encode_rows`] into as many rows; `None` if they are invalid.
pub(crate) fn decode_rows<const N: usize>(bytes: &[u8], rows: &mut [Row<N>]) -> Option<()> {
    planes::decode(bytes, rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::rows::numbers::ChunkRow;

    proptest! {
        #[test]
        fn events_round_trip(rows in prop::collection::btree_map(any::<u32>(), any::<[u64; 2]>(), 0..50)) {
            let event = |(row, lanes): (u32, _)| Event { row: ChunkRow::from(row), lanes: Row(lanes) };
            let events: Vec<Event<2>> = rows.into_iter().map(event).collect();
            let bytes = encode_events(&events);
            prop_assert_eq!(decode_events(&bytes), Some(events));
            for length in 0..bytes.len() {
                prop_assert_eq!(decode_events::<2, ChunkRow>(&bytes[..length]), None);
            }
        }

        #[test]
        fn rows_round_trip(rows in prop::collection::vec(any::<[u64; 3]>(), 0..20)) {
            let rows: Vec<Row<3>> = rows.into_iter().map(Row).collect();
            let bytes = encode_rows(&rows);
            let mut back = vec![Row::EMPTY; rows.len()];
            prop_assert_eq!(decode_rows(&bytes, &mut back), Some(()));
            prop_assert_eq!(&back, &rows);
            back.resize(rows.len() + 8, Row::EMPTY);
            prop_assert_eq!(decode_rows(&bytes, &mut back), None);
        }
    }
}
