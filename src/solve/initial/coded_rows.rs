//! Rows of values: the codes that occur in each row, with their lanes, as compressed sparse rows
//! (CSR).

use std::io;

use memmap2::MmapMut;

use crate::game::value::Value;
use crate::solve::rows::row::{Event, Row};
use crate::table::{Code, dtw_code};

/// Returns the code of a value. It cannot overflow: smaller slices use at most half of all codes
/// ([`convert::read`](crate::solve::convert::read)), and no slice adds as many plies as the other
/// half has.
#[inline]
pub(crate) fn code_of(value: Value) -> Code {
    dtw_code(value).expect("wins are at odd plies, and no game is 32,000 plies long")
}

/// The values of many rows for one side to move. A few codes, each with its lanes, replace a code
/// for each of 45 to 361 lanes, and are quick to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CodedRows<const N: usize> {
    /// By row: the start of its entries, where those of the previous row end.
    starts: Vec<u64>,
    codes: Vec<Code>,
    lanes: Vec<Row<N>>,
}

impl<const N: usize> CodedRows<N> {
    /// Appends a row: each code that occurs in it, with its lanes. A row without positions has no
    /// entries.
    pub(crate) fn push(&mut self, entries: impl IntoIterator<Item = (Code, Row<N>)>) {
        self.starts.push(self.codes.len() as u64);
        for (code, lanes) in entries {
            self.codes.push(code);
            self.lanes.push(lanes);
        }
    }

    /// Returns the codes of a row with their lanes.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (Code, Row<N>)> + '_ {
        entries(&self.starts, &self.codes, &self.lanes, row)
    }

    /// Sorts events by row: `plies` gives, for each code, the rows in which it occurs, at most once
    /// each. Positions of `valid` rows without a code are draws.
    pub(crate) fn from_plies(plies: &[(Code, Vec<Event<N>>)], valid: &[Row<N>]) -> CodedRows<N> {
        let events =
            plies.iter().flat_map(|(code, in_ply)| in_ply.iter().map(|event| (*code, event)));
        let draw = code_of(Value::Draw);
        let mut rest = valid.to_vec();
        let mut counts = vec![0_u32; valid.len()];
        for (_, event) in events.clone() {
            let row = event.row.index();
            counts[row] += 1;
            rest[row] = rest[row].without(event.lanes);
        }
        let mut rows = CodedRows::default();
        let mut next = 0;
        for (count, rest) in counts.iter().zip(&rest) {
            rows.starts.push(next);
            next += u64::from(*count) + u64::from(!rest.is_empty());
        }
        rows.codes = vec![0; next as usize];
        rows.lanes = vec![Row::EMPTY; next as usize];
        let mut ends: Vec<usize> = rows.starts.iter().map(|&start| start as usize).collect();
        // A counting sort: each row's entries are adjacent, draws last.
        let draws = rest
            .iter()
            .enumerate()
            .filter(|(_, lanes)| !lanes.is_empty())
            .map(|(row, &lanes)| (row, draw, lanes));
        let entries = events.map(|(code, event)| (event.row.index(), code, event.lanes));
        entries.chain(draws).for_each(|(row, code, lanes)| {
            rows.codes[ends[row]] = code;
            rows.lanes[ends[row]] = lanes;
            ends[row] += 1;
        });
        rows
    }
}

/// Returns the codes of a row with their lanes, from the parts of [`CodedRows`].
#[inline]
fn entries<'r, const N: usize>(
    starts: &[u64],
    codes: &'r [Code],
    lanes: &'r [Row<N>],
    row: usize,
) -> impl Iterator<Item = (Code, Row<N>)> + 'r {
    let next = starts.get(row + 1).map_or(codes.len(), |&next| next as usize);
    let entries = starts[row] as usize..next;
    let row_lanes = lanes[entries.clone()].iter();
    codes[entries].iter().zip(row_lanes).map(|(&code, &lanes)| (code, lanes))
}

/// The same rows in anonymous mapped memory, which returns to the system when dropped. An allocator
/// would hold on to much of it: several threads allocate and free pieces of megabytes.
pub(crate) struct MappedRows<const N: usize> {
    /// The lanes, then the starts, then the codes.
    map: MmapMut,
    rows: usize,
    entries: usize,
}

impl<const N: usize> MappedRows<N> {
    /// Copies the rows.
    ///
    /// # Errors
    /// If the system has no memory for them.
    pub(crate) fn new(rows: &CodedRows<N>) -> io::Result<MappedRows<N>> {
        let CodedRows { starts, codes, lanes } = rows;
        let parts: [&[u8]; 3] = [
            bytemuck::cast_slice(lanes),
            bytemuck::cast_slice(starts),
            bytemuck::cast_slice(codes),
        ];
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        let mut map = MmapMut::map_anon(bytes.max(1))?;
        let mut rest = &mut map[..];
        for part in parts {
            let (target, after) = rest.split_at_mut(part.len());
            target.copy_from_slice(part);
            rest = after;
        }
        Ok(MappedRows { map, rows: starts.len(), entries: codes.len() })
    }

    /// Returns the memory that the rows take.
    pub(crate) fn size_bytes(&self) -> usize {
        self.map.len()
    }

    /// Returns the codes of a row with their lanes.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (Code, Row<N>)> + '_ {
        let (lanes, rest) = self.map.split_at(self.entries * size_of::<Row<N>>());
        let (starts, padded) = rest.split_at(self.rows * size_of::<u64>());
        let codes = bytemuck::cast_slice(&padded[..self.entries * size_of::<Code>()]);
        entries(bytemuck::cast_slice(starts), codes, bytemuck::cast_slice(lanes), row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::rows::numbers::ChunkRow;

    /// Returns the entries of all rows.
    fn entries(rows: &CodedRows<1>) -> Vec<Vec<(Code, Row<1>)>> {
        (0..rows.starts.len()).map(|row| rows.row(row).collect()).collect()
    }

    #[test]
    fn rows_keep_their_codes() {
        let lanes = |lanes| Row([lanes]);
        let rows = [
            vec![(0, lanes(1)), (32767, lanes(2)), (32768, lanes(4))],
            vec![],
            vec![(u16::MAX, lanes(8))],
            vec![],
        ];
        let mut all = CodedRows::default();
        rows.iter().for_each(|row| all.push(row.iter().copied()));
        assert_eq!(entries(&all), rows);
        let fixed = MappedRows::new(&all).unwrap();
        assert_eq!(fixed.size_bytes(), 4 * 8 + 4 * (2 + 8));
        assert!((0..4).all(|row| fixed.row(row).eq(all.row(row))));
        assert!(MappedRows::new(&CodedRows::<1>::default()).is_ok());
    }

    #[test]
    fn plies_become_rows() {
        let event = |row, lanes| Event { row: ChunkRow::new(row), lanes: Row([lanes]) };
        let plies = [(32767, vec![event(0, 1), event(2, 6)]), (32768, vec![event(2, 1)])];
        let rows = CodedRows::from_plies(&plies, &[Row([3]), Row::EMPTY, Row([7])]);
        let expected = [
            vec![(32767, Row([1])), (0, Row([2]))],
            vec![],
            vec![(32767, Row([6])), (32768, Row([1]))],
        ];
        assert_eq!(entries(&rows), expected);
    }
}
