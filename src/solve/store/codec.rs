//! The encoding of rows and events in stage records. The bytes of words are transposed into planes:
//! all first bytes, then all second bytes, and so on. The bytes of a plane are similar, so that
//! zstd compresses them to half the size, and faster.

use std::array;

use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Key, ScratchError, StageFile};

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
        let mut distance = row - last;
        last = row;
        while distance >= 0x80 {
            bytes.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        bytes.push(distance as u8);
    }
    put_rows(events.len(), |at| events[at].lanes, &mut bytes);
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
    take_rows(rest, count, |at, lanes| events[at].lanes = lanes)?;
    Some(events)
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

/// Encodes rows: groups of eight as planes, the remaining ones word by word.
pub(crate) fn encode_rows<const N: usize>(rows: &[Row<N>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_rows(rows.len(), |at| rows[at], &mut bytes);
    bytes
}

/// Decodes the bytes of [`encode_rows`] into as many rows; `None` if they are invalid.
pub(crate) fn decode_rows<const N: usize>(bytes: &[u8], rows: &mut [Row<N>]) -> Option<()> {
    take_rows(bytes, rows.len(), |at, row| rows[at] = row)
}

/// The bytes of a word, and the number of rows that are transposed together.
const WORD: usize = size_of::<u64>();

fn put_rows<const N: usize>(count: usize, row: impl Fn(usize) -> Row<N>, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + count * size_of::<Row<N>>(), 0);
    let (words, _) = bytes[start..].as_chunks_mut::<WORD>();
    let eights = count / WORD;
    let (planes, rest) = words.split_at_mut(eights * WORD * N);
    for at in 0..eights {
        for word in 0..N {
            let mut square = array::from_fn(|i| row(at * WORD + i).0[word]);
            transpose(&mut square);
            for (i, line) in square.iter().enumerate() {
                planes[(word * WORD + i) * eights + at] = line.to_le_bytes();
            }
        }
    }
    for (at, words) in (eights * WORD..count).zip(rest.chunks_exact_mut(N)) {
        (0..N).for_each(|i| words[i] = row(at).0[i].to_le_bytes());
    }
}

fn take_rows<const N: usize>(
    bytes: &[u8],
    count: usize,
    mut take: impl FnMut(usize, Row<N>),
) -> Option<()> {
    let (words, rest) = bytes.as_chunks::<WORD>();
    if !rest.is_empty() || words.len() != count.checked_mul(N)? {
        return None;
    }
    let eights = count / WORD;
    let (planes, rest) = words.split_at(eights * WORD * N);
    for at in 0..eights {
        let squares: [[u64; WORD]; N] = array::from_fn(|word| {
            let mut square =
                array::from_fn(|i| u64::from_le_bytes(planes[(word * WORD + i) * eights + at]));
            transpose(&mut square);
            square
        });
        (0..WORD).for_each(|i| take(at * WORD + i, Row(squares.map(|square| square[i]))));
    }
    for (at, words) in (eights * WORD..count).zip(rest.chunks_exact(N)) {
        take(at, Row(array::from_fn(|i| u64::from_le_bytes(words[i]))));
    }
    Some(())
}

/// Transposes a square of bytes with a word per line: swaps halves, quarters and single bytes
/// (Hacker's Delight, 2nd edition, section 7-3).
fn transpose(square: &mut [u64; WORD]) {
    for (step, mask) in [(4, 0xffff_ffff), (2, 0xffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)] {
        for line in (0..WORD).filter(|line| line & step == 0) {
            let bits = 8 * step;
            let moved = (square[line] >> bits ^ square[line + step]) & mask;
            square[line] ^= moved << bits;
            square[line + step] ^= moved;
        }
    }
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
            prop_assert_eq!(bytes.len(), size_of_val(&rows[..]));
            let mut back = vec![Row::EMPTY; rows.len()];
            prop_assert_eq!(decode_rows(&bytes, &mut back), Some(()));
            prop_assert_eq!(&back, &rows);
            back.push(Row::EMPTY);
            prop_assert_eq!(decode_rows(&bytes, &mut back), None);
        }

        /// Equal bytes of all rows are adjacent.
        #[test]
        fn bytes_of_a_plane_are_adjacent(row in any::<[u64; 2]>(), eights in 1..5_usize) {
            let bytes = encode_rows(&vec![Row(row); 8 * eights]);
            let own = row.iter().flat_map(|word| word.to_le_bytes());
            prop_assert!(own.zip(bytes.chunks(8 * eights)).all(|(byte, plane)| plane.iter().all(|&b| b == byte)));
        }
    }
}
