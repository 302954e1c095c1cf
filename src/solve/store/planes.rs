//! Byte planes without zeros, the encoding of rows in scratch records (see [`store`](super)).

use crate::solve::rows::row::Row;
use crate::solve::rows::simd::{self, Kernel, Processor};

/// The bytes of a word, and the number of rows whose bytes are transposed together.
const WORD: usize = size_of::<u64>();

/// The number of squares of bytes that are transposed together, for the sake of the processor.
const SQUARES: usize = 8;

/// Appends the encoded rows to `bytes`.
pub(super) fn encode<const N: usize>(rows: &[Row<N>], bytes: &mut Vec<u8>) {
    simd::run(Encode { rows, bytes });
}

/// Decodes the bytes of [`encode`] into as many rows; `None` if they are invalid.
pub(super) fn decode<const N: usize>(bytes: &[u8], rows: &mut [Row<N>]) -> Option<()> {
    let (masks, bytes) = bytes.split_at_checked(plane_words(rows.len()) * WORD * N)?;
    let mut valid = false;
    simd::run(Decode { masks, bytes, rows, valid: &mut valid });
    valid.then_some(())
}

/// Returns the number of words of a plane: each has a byte of eight rows.
fn plane_words(rows: usize) -> usize {
    rows.div_ceil(WORD)
}

struct Encode<'a, const N: usize> {
    rows: &'a [Row<N>],
    bytes: &'a mut Vec<u8>,
}

impl<const N: usize> Kernel for Encode<'_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        let Encode { rows, bytes } = self;
        let planes = planes_of(rows);
        let (start, mut at) = (bytes.len(), 0);
        // Each line is written as a whole; the next one overwrites the bytes that it does not need.
        bytes.resize(start + planes.len() * (1 + WORD), 0);
        let (masks, rest) = bytes[start..].split_at_mut(planes.len());
        for (&line, masks) in planes.as_chunks::<SQUARES>().0.iter().zip(masks.as_chunks_mut().0) {
            // There are at least as many bytes as in the lines from here on.
            let Some(to) = rest[at..].first_chunk_mut() else { break };
            let mask = processor.gather_bytes(line, to);
            *masks = mask.to_le_bytes();
            at += mask.count_ones() as usize;
        }
        bytes.truncate(start + planes.len() + at);
    }
}

/// Returns the planes of the changes from row to row.
#[inline(always)]
fn planes_of<const N: usize>(rows: &[Row<N>]) -> Vec<u64> {
    let length = plane_words(rows.len());
    let mut planes = vec![0; length * WORD * N];
    for word in 0..N {
        let own = &mut planes[word * WORD * length..][..WORD * length];
        let mut last = 0;
        for (first, rows) in (0..).step_by(SQUARES).zip(rows.chunks(WORD * SQUARES)) {
            let mut squares = [[0; SQUARES]; WORD];
            for (at, row) in rows.iter().enumerate() {
                squares[at % WORD][at / WORD] = row.0[word] ^ last;
                last = row.0[word];
            }
            transpose(&mut squares);
            for (line, plane) in squares.iter().zip(own.chunks_exact_mut(length)) {
                let to = &mut plane[first..];
                let count = to.len().min(SQUARES);
                to[..count].copy_from_slice(&line[..count]);
            }
        }
    }
    planes
}

struct Decode<'a, const N: usize> {
    masks: &'a [u8],
    bytes: &'a [u8],
    rows: &'a mut [Row<N>],
    /// Set if the bytes are as many as the masks say.
    valid: &'a mut bool,
}

impl<const N: usize> Kernel for Decode<'_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        let Decode { masks, bytes, rows, valid } = self;
        let length = plane_words(rows.len());
        let mut rest = bytes;
        for word in 0..N {
            let own = &masks[word * WORD * length..][..WORD * length];
            // The planes are read side by side.
            let mut planes = [(&own[..0], &rest[..0]); WORD];
            for (plane, masks) in planes.iter_mut().zip(own.chunks_exact(length.max(1))) {
                let count = masks.iter().map(|mask| mask.count_ones() as usize).sum();
                let Some((bytes, others)) = rest.split_at_checked(count) else { return };
                *plane = (masks, bytes);
                rest = others;
            }
            let mut last = 0;
            for (first, rows) in (0..).step_by(SQUARES).zip(rows.chunks_mut(WORD * SQUARES)) {
                let mut squares = [[0; SQUARES]; WORD];
                for (line, (masks, bytes)) in squares.iter_mut().zip(&mut planes) {
                    let mask = next_word(&masks[first..]);
                    // Most changes are few: nothing is kept of many words in a row.
                    if mask != 0 {
                        *line = processor.scatter_bytes(bytes, mask);
                        *bytes = &bytes[mask.count_ones() as usize..];
                    }
                }
                transpose(&mut squares);
                for (at, row) in rows.iter_mut().enumerate() {
                    last ^= squares[at % WORD][at / WORD];
                    row.0[word] = last;
                }
            }
        }
        *valid = rest.is_empty();
    }
}

/// Returns the first bytes as a word; missing ones are zero.
#[inline(always)]
fn next_word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(&word) => u64::from_le_bytes(word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Transposes squares of bytes, whose lines are words: swaps halves, quarters and single bytes
/// (Hacker's Delight, 2nd edition, section 7-3).
#[inline(always)]
fn transpose(squares: &mut [[u64; SQUARES]; WORD]) {
    for (step, mask) in [(4, 0xffff_ffff), (2, 0xffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)] {
        for line in (0..WORD).filter(|line| line & step == 0) {
            let bits = 8 * step;
            let (lower, upper) = squares.split_at_mut(line + step);
            for (low, high) in lower[line].iter_mut().zip(&mut upper[0]) {
                let moved = (*low >> bits ^ *high) & mask;
                *low ^= moved << bits;
                *high ^= moved;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::rows::simd::Portable;

    /// Rows in which bytes equal those of the row before as often as not.
    fn rows() -> impl Strategy<Value = Vec<Row<3>>> {
        let byte = prop_oneof![2 => Just(0), 1 => any::<u8>()];
        let word = prop::array::uniform8(byte).prop_map(u64::from_le_bytes);
        prop::collection::vec(prop::array::uniform3(word), 0..200).prop_map(|changes| {
            let rows = changes.into_iter().scan(Row::EMPTY, |row, change| {
                *row = *row ^ Row(change);
                Some(*row)
            });
            rows.collect()
        })
    }

    proptest! {
        #[test]
        fn rows_are_restored(rows in rows(), before in prop::collection::vec(any::<u8>(), 0..3)) {
            let mut bytes = before.clone();
            encode(&rows, &mut bytes);
            let (kept, own) = bytes.split_at(before.len());
            prop_assert_eq!(kept, before);
            let mut back = vec![!Row::EMPTY; rows.len()];
            prop_assert_eq!(decode(own, &mut back), Some(()));
            prop_assert_eq!(&back, &rows);
            for length in 0..own.len() {
                prop_assert_eq!(decode(&own[..length], &mut back), None);
            }
            prop_assert_eq!(decode(&[own, &[1]].concat(), &mut back), None);
        }

        #[test]
        fn every_processor_gives_the_same_bytes(rows in rows()) {
            let (mut portable, mut own) = (Vec::new(), Vec::new());
            Encode { rows: &rows, bytes: &mut portable }.run(Portable);
            encode(&rows, &mut own);
            prop_assert_eq!(&portable, &own);
            let (masks, bytes) = own.split_at(plane_words(rows.len()) * WORD * 3);
            let (mut back, mut valid) = (vec![!Row::EMPTY; rows.len()], false);
            Decode { masks, bytes, rows: &mut back, valid: &mut valid }.run(Portable);
            prop_assert!(valid);
            prop_assert_eq!(back, rows);
        }

        /// Rows that equal the one before take a byte for each word.
        #[test]
        fn equal_rows_are_short(row in any::<[u64; 2]>(), eights in 1..20_usize) {
            let mut bytes = Vec::new();
            encode(&vec![Row(row); WORD * eights], &mut bytes);
            prop_assert!(bytes.len() <= (WORD * eights + WORD) * row.len());
        }
    }
}
