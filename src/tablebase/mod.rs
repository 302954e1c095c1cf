//! A ruleset's tables, opened to be probed.

mod error;
mod files;
mod probe;

pub use error::ProbeError;
pub use probe::{MoveProbe, Probe, Probed};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::dont_care::is_decided;
use crate::index::SliceIndex;
use crate::position::Position;
use crate::rules::Ruleset;
use crate::slice::Slice;
use crate::table::{Code, Metric, Table, dtw_value, wdl_value};
use crate::value::{Value, Wdl};

use files::{Files, Opened};

/// Decoded blocks are kept up to this many bytes.
const CACHE_BYTES: u64 = 64 << 20;

/// A ruleset's tables.
///
/// Adding a directory only looks at file names; a table is opened when it is
/// first needed and stays open. A tablebase is probed from any number of
/// threads at once; decoded blocks are kept in a cache that they share.
///
/// Values say what best play leads to in a game that starts at the probed
/// position: what was played before does not matter. Under rules where a
/// repeated position loses (`berkeley`), a win or a loss stands all the same,
/// its distance is an upper bound, and [`Wdl::Draw`] means *undecided*.
#[derive(Debug)]
pub struct Tablebase {
    rules: Ruleset,
    files: Files,
    cache: Cache<(u64, u64), Arc<Vec<Code>>, Bytes>,
}

/// Weighs cached blocks by their size.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<(u64, u64), Arc<Vec<Code>>> for Bytes {
    fn weight(&self, _: &(u64, u64), block: &Arc<Vec<Code>>) -> u64 {
        (block.len() * size_of::<Code>()) as u64
    }
}

impl Tablebase {
    /// A tablebase without tables.
    pub fn new(rules: Ruleset) -> Tablebase {
        let blocks = (CACHE_BYTES / (1 << 15)) as usize;
        let cache = Cache::with_weighter(blocks, CACHE_BYTES, Bytes);
        Tablebase { rules, files: Files::default(), cache }
    }

    /// The tables of a ruleset under a common folder: those in the folder with
    /// the ruleset's name, and those of the same fingerprint in the folders
    /// beside it. Folders that are not there have no tables.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open(rules: Ruleset, tables: &Path) -> Result<Tablebase, ProbeError> {
        let mut base = Tablebase::new(rules);
        let own = tables.join(&base.rules.name);
        // What is there and is no folder is an error, too.
        if own.exists() {
            base.add_directory(&own)?;
        }
        base.files.add_beside(&base.rules, tables, &own)?;
        Ok(base)
    }

    /// Adds the tables in a directory and returns how many there are. All files
    /// named like a table must be the ruleset's: a table of other rules is an
    /// error when it is first needed.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn add_directory(&mut self, directory: &Path) -> Result<usize, ProbeError> {
        self.files.add_directory(directory)
    }

    /// Takes a table that has just been written, in place of what was there.
    pub(crate) fn add_file(&mut self, slice: Slice, metric: Metric, path: PathBuf) {
        self.files.add_file((slice, metric), path, true);
    }

    /// The rules that the tables hold for.
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// The most men, king included, of which there is any table.
    pub fn max_men(&self) -> usize {
        let slices = Metric::ALL.into_iter().flat_map(|metric| self.slices(metric));
        slices.map(Slice::men).max().unwrap_or(0)
    }

    /// The slices of which there seems to be a table of that metric, smallest
    /// first, going by file names.
    pub fn slices(&self, metric: Metric) -> Vec<Slice> {
        self.files.slices(metric)
    }

    /// The table of a slice.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`] if there is none; otherwise if it is damaged
    /// or not the ruleset's.
    pub fn table(&self, slice: Slice, metric: Metric) -> Result<&Table<Mmap>, ProbeError> {
        self.opened(slice, metric).map(|opened| &opened.table)
    }

    /// The index of a slice of which there is a table.
    ///
    /// # Errors
    /// As [`table`](Tablebase::table).
    pub fn index(&self, slice: Slice, metric: Metric) -> Result<&SliceIndex, ProbeError> {
        self.opened(slice, metric).map(|opened| &*opened.index)
    }

    fn opened(&self, slice: Slice, metric: Metric) -> Result<&Opened, ProbeError> {
        let missing = ProbeError::MissingTable { slice, metric };
        self.files.open(&self.rules, slice, metric)?.ok_or(missing)
    }

    /// Win, draw or loss for the side to move.
    ///
    /// # Errors
    /// If the position is none of a running game, or its table is missing or
    /// damaged.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        let Some(slice) = self.stored_slice(position)? else {
            return Ok(Wdl::Loss);
        };
        if is_decided(&self.rules, position) {
            return Ok(Wdl::Win);
        }
        match self.code(position, slice, Metric::Wdl) {
            Err(ProbeError::MissingTable { .. }) => match self.probe_dtw(position) {
                // Both are missing: name what was asked for.
                Err(ProbeError::MissingTable { slice, .. }) => {
                    Err(ProbeError::MissingTable { slice, metric: Metric::Wdl })
                }
                other => other.map(Value::wdl),
            },
            code => wdl_value(code?).ok_or(ProbeError::Foreign { slice, metric: Metric::Wdl }),
        }
    }

    /// The value with the distance to the end of the game in plies.
    ///
    /// # Errors
    /// As [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_dtw(&self, position: &Position) -> Result<Value, ProbeError> {
        let Some(slice) = self.stored_slice(position)? else {
            return Ok(Value::Loss(0));
        };
        if is_decided(&self.rules, position) {
            return Ok(Value::Win(1));
        }
        let code = self.code(position, slice, Metric::Dtw)?;
        dtw_value(code).ok_or(ProbeError::Foreign { slice, metric: Metric::Dtw })
    }

    /// The position's slice; `None` if the attackers, to move, have no men left
    /// and have lost.
    fn stored_slice(&self, position: &Position) -> Result<Option<Slice>, ProbeError> {
        position.check(&self.rules).map_err(ProbeError::Position)?;
        let slice = position.slice();
        Ok((slice.attackers > 0).then_some(slice))
    }

    fn code(&self, position: &Position, slice: Slice, metric: Metric) -> Result<Code, ProbeError> {
        let opened = self.opened(slice, metric)?;
        let foreign = || ProbeError::Foreign { slice, metric };
        let slot = opened.index.rank(position).ok_or_else(foreign)?;
        let grid = opened.table.header().grid;
        let (block, offset) =
            grid.locate(position.to_move, usize::from(slot.lane), slot.row).ok_or_else(foreign)?;
        let values = self.cache.get_or_insert_with(&(opened.id, block), || {
            let mut values = Vec::new();
            opened.table.read_block(block, &mut values).map(|()| Arc::new(values))
        })?;
        values.get(offset).copied().ok_or_else(foreign)
    }

    /// The name of an outcome under these rules: `win`, `loss`, and `draw` or
    /// `undecided`.
    pub fn category(&self, wdl: Wdl) -> &'static str {
        match wdl {
            Wdl::Win => "win",
            Wdl::Loss => "loss",
            Wdl::Draw => self.rules.endless.name(),
        }
    }
}
