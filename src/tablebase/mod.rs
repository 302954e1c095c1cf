//! A ruleset's tables, opened to be probed.
#![doc = include_str!("../../docs/probing.md")]

mod answer;
mod cache;
mod compact;
mod directory;
mod embedded;
mod error;
mod files;
mod frames;
mod lookup;
mod probe;

pub use answer::{LineAnswer, MoveAnswer, ProbeAnswer};
pub use cache::{BlockCache, CacheStatistics};
pub use error::ProbeError;
pub(crate) use files::foreign;
pub use probe::{MoveProbe, Probe, Probed};

use std::fmt;
use std::path::{Path, PathBuf};

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::index::SliceIndex;
use crate::table::{Access, Metric, Table, TableFile};

use files::{Files, OpenedTable};

/// A ruleset's tables.
///
/// Adding a directory only looks at file names; a table is opened when it is
/// first needed and stays open. A tablebase is probed from any number of
/// threads at once; decoded blocks are kept in a [`BlockCache`] that they share.
/// For the tables of another ruleset open another tablebase, with the same cache
/// if they are to share its memory.
///
/// Values say what best play leads to in a game that starts at the probed
/// position: what was played before does not matter. Under rules where a
/// repeated position loses (`berkeley`), a win or a loss stands all the same,
/// its distance is an upper bound, and [`Wdl::Draw`] means *undecided*. What that
/// means for a game that is being played is told [above](self#what-an-answer-means).
pub struct Tablebase {
    rules: Ruleset,
    files: Files,
}

/// How a [`Tablebase`] opens its tables.
#[derive(Clone, Debug)]
pub struct TablebaseOptions {
    /// How files are read: mapped, unless you say otherwise.
    pub access: Access,
    /// Where decoded blocks are kept: a cache of its own of 64 MiB, unless you say
    /// otherwise.
    pub cache: BlockCache,
    /// Whether the tables that are part of the library are there too: of every
    /// built-in ruleset those of few men, six at most; of some slices there are no
    /// distances. Files are asked first. They are there unless you say otherwise.
    pub embedded: bool,
}

impl Default for TablebaseOptions {
    fn default() -> TablebaseOptions {
        TablebaseOptions { access: Access::default(), cache: BlockCache::default(), embedded: true }
    }
}

impl Tablebase {
    /// The tables that are part of the library, and no others as yet.
    pub fn new(rules: Ruleset) -> Tablebase {
        Tablebase::with_options(rules, TablebaseOptions::default())
    }

    /// A tablebase without files, which will open them in this way.
    pub fn with_options(rules: Ruleset, options: TablebaseOptions) -> Tablebase {
        let embedded = options.embedded;
        let mut files = Files::new(options);
        if embedded {
            files.add_embedded(&rules);
        }
        Tablebase { rules, files }
    }

    /// The tables of a ruleset under a common folder: those in the folder with
    /// the ruleset's name, and those of the same fingerprint in the folders
    /// beside it. Behind them are those that are part of the library.
    ///
    /// # Errors
    /// If a folder cannot be read, or the common one is not there.
    pub fn open(rules: Ruleset, tables: &Path) -> Result<Tablebase, ProbeError> {
        Tablebase::open_with(rules, tables, TablebaseOptions::default())
    }

    /// As [`open`](Tablebase::open), in the way that the options say.
    ///
    /// # Errors
    /// As [`open`](Tablebase::open).
    pub fn open_with(
        rules: Ruleset,
        tables: &Path,
        options: TablebaseOptions,
    ) -> Result<Tablebase, ProbeError> {
        let mut base = Tablebase::with_options(rules, options);
        base.files.add_tables(&base.rules, tables)?;
        Ok(base)
    }

    /// The tables in files alone, which a build may be about to write: without those
    /// that are part of the library, and without any if there is no such folder yet.
    ///
    /// # Errors
    /// If a folder is there and cannot be read.
    pub fn open_files(rules: Ruleset, tables: &Path) -> Result<Tablebase, ProbeError> {
        let options = TablebaseOptions { embedded: false, ..TablebaseOptions::default() };
        // What is there and is no folder is an error, and so is what nobody may see.
        if files::is_there(tables)? {
            Tablebase::open_with(rules, tables, options)
        } else {
            Ok(Tablebase::with_options(rules, options))
        }
    }

    /// Adds the tables in a directory and returns how many there are; of two tables
    /// of a slice, that of the directory added last is taken. All files named like a
    /// table must be the ruleset's: a table of other rules is an error when it is
    /// first needed.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn add_directory(&mut self, directory: &Path) -> Result<usize, ProbeError> {
        self.files.add_directory(directory)
    }

    /// Takes a table that has just been written, in place of what was there.
    pub(crate) fn add_file(&mut self, slice: Slice, metric: Metric, path: PathBuf) {
        self.files.add_file((slice, metric), path);
    }

    /// The rules that the tables hold for.
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// The cache that its decoded blocks are in.
    pub fn cache(&self) -> &BlockCache {
        &self.files.options().cache
    }

    /// How many tables are open.
    pub fn tables_open(&self) -> usize {
        self.files.tables_open()
    }

    /// The most men, king included, of which there is any table. Of some there may be
    /// no distances: see [`max_men_dtw`](Tablebase::max_men_dtw).
    pub fn max_men(&self) -> usize {
        Metric::ALL.into_iter().map(|metric| self.most_men(metric)).max().unwrap_or(0)
    }

    /// The most men, king included, of which there are distances.
    pub fn max_men_dtw(&self) -> usize {
        self.most_men(Metric::Dtw)
    }

    fn most_men(&self, metric: Metric) -> usize {
        self.slices(metric).into_iter().map(Slice::men).max().unwrap_or(0)
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
    pub fn table(&self, slice: Slice, metric: Metric) -> Result<&Table<TableFile>, ProbeError> {
        self.opened(slice, metric).map(|opened| &opened.table)
    }

    /// The table of a slice that tells most: that of distances, or else that of wins,
    /// draws and losses.
    ///
    /// # Errors
    /// As [`table`](Tablebase::table).
    pub fn best_table(&self, slice: Slice) -> Result<&Table<TableFile>, ProbeError> {
        self.best_opened(slice).map(|opened| &opened.table)
    }

    /// The index of a slice of which there is a table.
    ///
    /// # Errors
    /// As [`table`](Tablebase::table).
    pub fn index(&self, slice: Slice) -> Result<&SliceIndex, ProbeError> {
        self.best_opened(slice).map(|opened| &*opened.index)
    }

    fn opened(&self, slice: Slice, metric: Metric) -> Result<&OpenedTable, ProbeError> {
        let missing = || ProbeError::MissingTable { slice, metric };
        self.files.open(&self.rules, slice, metric)?.ok_or_else(missing)
    }

    fn best_opened(&self, slice: Slice) -> Result<&OpenedTable, ProbeError> {
        match self.opened(slice, Metric::Dtw) {
            Err(missing @ ProbeError::MissingTable { .. }) => {
                self.files.open(&self.rules, slice, Metric::Wdl)?.ok_or(missing)
            }
            opened => opened,
        }
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

    /// The name of what is known of a position: `unknown` without a table.
    pub(crate) fn category_of(&self, value: Option<Probed>) -> &'static str {
        value.map_or("unknown", |value| self.category(value.wdl))
    }
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebase")
            .field("rules", &self.rules.name)
            .field("options", self.files.options())
            .field("tables_open", &self.tables_open())
            .finish_non_exhaustive()
    }
}
