//! Rows of values: for each row the codes that occur in it, with their lanes.

use super::row::Row;

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
    /// ascending. Positions of `valid` rows without any code have code 0.
    pub fn from_plies(plies: &[(u16, Vec<(u32, Row<N>)>)], valid: &[Row<N>]) -> CodedRows<N> {
        let mut cursors = vec![0_usize; plies.len()];
        let mut rows = CodedRows::default();
        for (row, &valid) in valid.iter().enumerate() {
            if valid.is_empty() {
                rows.push_hole();
                continue;
            }
            let mut rest = valid;
            let start = rows.codes.len();
            rows.starts.push(start as u64);
            for (cursor, (code, events)) in cursors.iter_mut().zip(plies) {
                if let Some(&(_, lanes)) = events.get(*cursor).filter(|e| e.0 as usize == row) {
                    *cursor += 1;
                    rest = rest.without(lanes);
                    rows.codes.push(*code);
                    rows.lanes.push(lanes);
                }
            }
            if !rest.is_empty() {
                rows.codes.push(0);
                rows.lanes.push(rest);
            }
            if let Some(last) = rows.codes.last_mut() {
                *last |= LAST;
            }
        }
        rows
    }
}
