//! What a slice takes of memory and of the disk, and how it is made to fit.

use std::fs;
use std::path::Path;

use crate::index::{IndexError, binomial};
use crate::retrograde::{BlockLookup, Chunks, Placement, counted_sets, region_side};
use crate::rules::{Kind, Ruleset};
use crate::slice::Slice;

use super::BuildError;
use super::children::children;

/// Bit tables of the outcome in progress: won, open, lost, and in memory those
/// won at the last ply.
const TABLES_IN_MEMORY: u64 = 4;
const TABLES_ON_DISK: u64 = 3;
/// Codes that occur in a row of a smaller slice, about.
const CODES_PER_ROW: u64 = 4;
/// Different codes that captures of one block lead to, about.
const CODES_PER_BLOCK: u64 = 32;
/// Bytes of the stage files for each row and word of lanes, about.
const STAGE_BYTES_PER_WORD: u64 = 20;
/// What a worker takes besides its rows, and the program besides its workers.
const WORKER_BYTES: u64 = 8 << 20;
const PROGRAM_BYTES: u64 = 24 << 20;
/// Rows of a smaller slice that a worker reads at a time, and bytes of a value.
const READ_ROWS: u64 = 1 << 18;
const CODE_BYTES: u64 = 2;
/// A part of what has been given back stays with the allocator.
const HEAP_SHARE: u64 = 16;
/// Values that are on their way to the compressor.
const OUTPUT_BYTES: u64 = 192 << 20;

/// What solving a slice takes, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// What is there all the time: numberings, buffers, the program.
    pub fixed_bytes: u64,
    /// The smaller slices, for the initial pass.
    pub children_bytes: u64,
    /// A table with all rows.
    table_bytes: u64,
    /// What is kept on disk of the work done.
    pub stages_bytes: u64,
    /// Tables and buffers of one chunk, worked on or looked at.
    chunk_bytes: [u64; 2],
}

impl Needs {
    /// The needs of a slice, with that many threads.
    ///
    /// # Errors
    /// If the slice is too large for the solver's numbers.
    pub fn of(rules: &Ruleset, slice: Slice, threads: usize) -> Result<Needs, BuildError> {
        let row_bytes = row_bytes(rules);
        let sets = defender_sets(rules, slice)?;
        let blocks = counted_sets(rules, slice)?.rows();
        let rows = blocks.checked_mul(sets).ok_or(IndexError::TooLarge(slice))?;
        let chunk_rows = Chunks::new(blocks as usize, sets as usize).chunk_rows() as u64;
        let chunk_rows = chunk_rows.min(rows);
        let threads = threads as u64;
        // Two sides' options by code, and a score of other rows for the block.
        let worker =
            WORKER_BYTES + row_bytes * (8 * chunk_rows + sets * (20 + 2 * CODES_PER_BLOCK));
        let lanes = rules.places(Kind::King).len() as u64;
        let mut children_bytes = threads * lanes * READ_ROWS.min(rows) * CODE_BYTES;
        for (child, _) in children(slice) {
            let sets = defender_sets(rules, child)?;
            let rows = counted_sets(rules, child)?.rows().saturating_mul(sets);
            let coded = rows.saturating_mul(8 + CODES_PER_ROW * (2 + row_bytes));
            children_bytes += coded + lookup_bytes(rules, child) + sets_bytes(rules, child)?;
        }
        let fixed = lookup_bytes(rules, slice) + sets_bytes(rules, slice)? + PROGRAM_BYTES;
        Ok(Needs {
            fixed_bytes: fixed + threads * worker,
            children_bytes,
            table_bytes: rows.saturating_mul(row_bytes),
            stages_bytes: rows.saturating_mul(STAGE_BYTES_PER_WORD * row_bytes / 8),
            // What is sought takes as much as a table.
            chunk_bytes: [(TABLES_ON_DISK + 1) * row_bytes * chunk_rows, row_bytes * chunk_rows],
        })
    }

    /// The most memory in use at a time, if all tables are in memory.
    pub fn memory_bytes(&self) -> u64 {
        let tables = self.table_bytes.saturating_mul(TABLES_IN_MEMORY);
        let all = self.fixed_bytes + self.children_bytes.max(tables).max(OUTPUT_BYTES);
        all.saturating_add(all / HEAP_SHARE)
    }

    /// The least memory with which the slice can be solved.
    pub fn least_memory_bytes(&self) -> u64 {
        let chunks = self.chunk_bytes.iter().sum::<u64>();
        self.fixed_bytes + self.children_bytes.max(chunks).max(OUTPUT_BYTES)
    }

    /// Where the tables go, if there is that much memory; `None` if it is too
    /// little even with tables on disk.
    pub fn placement(&self, memory_bytes: u64) -> Option<Placement> {
        if self.memory_bytes() <= memory_bytes {
            return Some(Placement::Memory);
        }
        if self.least_memory_bytes() > memory_bytes {
            return None;
        }
        let room = memory_bytes - self.fixed_bytes;
        // The more is worked on at a time, the less often all is read; what is
        // looked at only has to come in long runs.
        let [own, window] = self.chunk_bytes;
        let window_chunks = (room / 8 / window).max(1);
        let own_chunks = ((room - window_chunks * window) / own).max(1);
        Some(Placement::Disk {
            own_chunks: own_chunks as usize,
            window_chunks: window_chunks as usize,
        })
    }

    /// The disk that the scratch folder takes.
    pub fn scratch_bytes(&self, placement: &Placement) -> u64 {
        match placement {
            Placement::Memory => self.stages_bytes,
            Placement::Disk { .. } => self.stages_bytes + TABLES_ON_DISK * self.table_bytes,
        }
    }
}

/// Refuses a slice that cannot be solved with so much memory, or for which the
/// disk of its scratch folder has no room.
pub fn check(
    rules: &Ruleset,
    slice: Slice,
    threads: usize,
    memory_bytes: u64,
    folder: &Path,
) -> Result<Placement, BuildError> {
    let needs = Needs::of(rules, slice, threads)?;
    let placement = needs.placement(memory_bytes).ok_or(BuildError::Memory {
        slice,
        needed: needs.least_memory_bytes(),
        allowed: memory_bytes,
    })?;
    let needed = needs.scratch_bytes(&placement);
    // Where the system does not say, the work itself will find out.
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    match fs4::available_space(existing).map(|bytes| bytes.saturating_add(kept_bytes(folder))) {
        Ok(available) if available < needed => {
            Err(BuildError::Disk { slice, path: folder.to_owned(), needed, available })
        }
        _ => Ok(placement),
    }
}

/// What an interrupted build has left in its folder and will use.
fn kept_bytes(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

fn row_bytes(rules: &Ruleset) -> u64 {
    8 * (region_side(rules) * region_side(rules)).div_ceil(64) as u64
}

fn defender_sets(rules: &Ruleset, slice: Slice) -> Result<u64, BuildError> {
    binomial(rules.places(Kind::Defender).len(), slice.defenders)
        .filter(|&sets| sets < 1 << 31)
        .ok_or(BuildError::TooLarge(slice))
}

fn lookup_bytes(rules: &Ruleset, slice: Slice) -> u64 {
    BlockLookup::bytes(rules.places(Kind::Attacker).len(), slice.attackers)
}

/// The numbering of the sets of defenders: places, ranks by square, lanes, and
/// images under the symmetries.
fn sets_bytes(rules: &Ruleset, slice: Slice) -> Result<u64, BuildError> {
    let images = 4 * rules.symmetries().order() as u64;
    let each = 6 * slice.defenders as u64 + row_bytes(rules) + images;
    Ok(defender_sets(rules, slice)? * each)
}
