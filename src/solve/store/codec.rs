//! Rows and events as bytes, for the records of a stage.

use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Key, ScratchError, StageFile};

/// The bytes of events, whose rows ascend: how many, the rows as distances from
/// the one before (LEB128), then their lanes.
pub(crate) fn encode_events<const N: usize, R: Copy + Into<u64>>(
    events: &[Event<N, R>],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + events.len() * (2 + size_of::<Row<N>>()));
    bytes.extend_from_slice(&(events.len() as u32).to_le_bytes());
    let mut last = 0;
    for event in events {
        let row = event.row.into();
        let mut distance = row - last;
        last = row;
        while distance >= 0x80 {
            bytes.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        bytes.push(distance as u8);
    }
    for event in events {
        put_row(event.lanes, &mut bytes);
    }
    bytes
}

/// The events of [`encode_events`]; `None` if these bytes are none.
pub(crate) fn decode_events<const N: usize, R: TryFrom<u64>>(
    bytes: &[u8],
) -> Option<Vec<Event<N, R>>> {
    let (count, mut rest) = bytes.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    // Each event has at least one byte, so this is no more than there is.
    let mut events = Vec::with_capacity(count.min(rest.len()));
    let mut row = 0_u64;
    for _ in 0..count {
        let (mut distance, mut shift) = (0_u64, 0);
        loop {
            let (&byte, others) = rest.split_first()?;
            rest = others;
            distance |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        row = row.checked_add(distance)?;
        events.push(Event { row: R::try_from(row).ok()?, lanes: Row::EMPTY });
    }
    let rows = decode_rows(rest, count)?;
    for (event, lanes) in events.iter_mut().zip(rows) {
        event.lanes = lanes;
    }
    Some(events)
}

/// The events of a record; none if there is no such record.
///
/// # Errors
/// If the record cannot be read, or is of something else.
pub(crate) fn read_events<const N: usize>(
    file: &StageFile,
    key: Key,
) -> Result<Vec<Event<N>>, ScratchError> {
    match file.read(key)? {
        Some(bytes) => decode_events(&bytes).ok_or_else(|| file.damaged()),
        None => Ok(Vec::new()),
    }
}

/// The bytes of rows.
pub(crate) fn encode_rows<const N: usize>(rows: &[Row<N>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(rows));
    rows.iter().for_each(|&row| put_row(row, &mut bytes));
    bytes
}

/// That many rows of [`encode_rows`]; `None` if these bytes are others.
pub(crate) fn decode_rows<const N: usize>(
    bytes: &[u8],
    count: usize,
) -> Option<impl Iterator<Item = Row<N>>> {
    let (words, rest) = bytes.as_chunks::<8>();
    let fits = rest.is_empty() && words.len() == count.checked_mul(N)?;
    fits.then(|| {
        words.chunks_exact(N).map(|row| Row(std::array::from_fn(|i| u64::from_le_bytes(row[i]))))
    })
}

fn put_row<const N: usize>(row: Row<N>, bytes: &mut Vec<u8>) {
    row.0.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::rows::numbers::ChunkRow;

    proptest! {
        #[test]
        fn events_go_through_bytes(rows in prop::collection::btree_map(any::<u32>(), any::<[u64; 2]>(), 0..50)) {
            let event = |(row, lanes): (u32, _)| Event { row: ChunkRow::from(row), lanes: Row(lanes) };
            let events: Vec<Event<2>> = rows.into_iter().map(event).collect();
            let bytes = encode_events(&events);
            prop_assert_eq!(decode_events(&bytes), Some(events));
            for length in 0..bytes.len() {
                prop_assert_eq!(decode_events::<2, ChunkRow>(&bytes[..length]), None);
            }
        }

        #[test]
        fn rows_go_through_bytes(rows in prop::collection::vec(any::<[u64; 3]>(), 0..20)) {
            let rows: Vec<Row<3>> = rows.into_iter().map(Row).collect();
            let bytes = encode_rows(&rows);
            let unpacked = decode_rows(&bytes, rows.len()).map(Iterator::collect::<Vec<_>>);
            prop_assert_eq!(unpacked, Some(rows));
        }
    }
}
