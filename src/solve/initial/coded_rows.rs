//! Rows of values: for each row the codes that occur in it, with their lanes.

use crate::solve::rows::row::Row;

/// The values of many rows for one side to move. A few codes, each with its
/// lanes, say as much as a code for each of 45 to 361 lanes, and are read at
/// once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodedRows<const N: usize> {
    /// By row: where its entries begin; they end with one that has `LAST` set.
    starts: Vec<u64>,
    codes: Vec<u16>,
    lanes: Vec<Row<N>>,
}

/// Marks a row's last entry; codes are below.
const LAST: u16 = 1 << 15;

impl<const N: usize> CodedRows<N> {
    /// Appends a row: each code that occurs in it, with its lanes.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u16, Row<N>)>) {
        let start = self.codes.len();
        self.starts.push(start as u64);
        for (code, lanes) in entries {
            self.codes.push(code);
            self.lanes.push(lanes);
        }
        if self.codes.len() == start {
            self.codes.push(0);
            self.lanes.push(Row::EMPTY);
        }
        if let Some(last) = self.codes.last_mut() {
            *last |= LAST;
        }
    }

    /// Appends a row that no position is in; it must not be read.
    pub fn push_hole(&mut self) {
        self.starts.push(self.codes.len() as u64);
    }

    /// Appends all rows of another collection.
    pub fn append(&mut self, other: CodedRows<N>) {
        let first = self.codes.len() as u64;
        self.starts.extend(other.starts.iter().map(|start| first + start));
        self.codes.extend(other.codes);
        self.lanes.extend(other.lanes);
    }

    /// The greatest code of any row.
    pub fn greatest_code(&self) -> u16 {
        self.codes.iter().map(|code| code & !LAST).max().unwrap_or(0)
    }

    /// The codes of a row with their lanes.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u16, Row<N>)> + '_ {
        let start = self.starts[row] as usize;
        let length = 1 + self.codes[start..].iter().position(|code| code & LAST != 0).unwrap_or(0);
        (start..start + length).map(|i| (self.codes[i] & !LAST, self.lanes[i]))
    }

    /// Sorts events by row: `plies` gives for each code the rows it occurs in,
    /// at most once each. Positions of `valid` rows without any code have code 0.
    pub fn from_plies(plies: &[(u16, Vec<(u32, Row<N>)>)], valid: &[Row<N>]) -> CodedRows<N> {
        let events = || plies.iter().flat_map(|(code, events)| events.iter().map(|e| (*code, e)));
        let mut rest = valid.to_vec();
        let mut counts = vec![0_u32; valid.len()];
        for (_, &(row, lanes)) in events() {
            counts[row as usize] += 1;
            rest[row as usize] = rest[row as usize].without(lanes);
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
        let mut put = |row: usize, code: u16, lanes: Row<N>| {
            rows.codes[ends[row]] = code;
            rows.lanes[ends[row]] = lanes;
            ends[row] += 1;
        };
        for (code, &(row, lanes)) in events() {
            put(row as usize, code, lanes);
        }
        for (row, &rest) in rest.iter().enumerate().filter(|(_, rest)| !rest.is_empty()) {
            put(row, 0, rest);
        }
        for (&start, &end) in rows.starts.iter().zip(&ends) {
            if start as usize != end {
                rows.codes[end - 1] |= LAST;
            }
        }
        rows
    }
}
