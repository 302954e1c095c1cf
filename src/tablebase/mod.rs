//! Probing a ruleset's tables.
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

pub use answer::{LineAnswer, MoveAnswer, PositionProof, ProbeAnswer, ProvedBounds};
pub use cache::{BlockCache, CacheStatistics};
pub use error::ProbeError;
pub(crate) use files::foreign;
#[cfg(feature = "engine")]
pub(crate) use probe::sort_best_first;
pub use probe::{MoveProbe, Probe, Probed};

use std::fmt;
use std::path::{Path, PathBuf};
#[cfg(feature = "engine")]
use std::sync::OnceLock;

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::index::SliceIndex;
use crate::table::{Access, Header, Metric, Table, TableFile};

use files::{Files, OpenedTable};

/// A ruleset's tables.
///
/// Adding a directory only reads file names; a table is opened when it is first needed and
/// stays open. Any number of threads may probe a tablebase at once; they share a
/// [`BlockCache`] of decoded blocks. For another ruleset, open another tablebase, which may
/// use the same cache.
///
/// A value is the result of best play in a game that starts at the probed position, whatever
/// was played before. Under rules where a repeated position loses (`berkeley`), wins and
/// losses still hold, their distances are upper bounds, and [`Wdl::Draw`] means *undecided*. Where
/// the attackers win endless play, it means *endless*: they win, but at no certain ply. The
/// consequences for a game in progress are described [above](self#what-a-value-means).
pub struct Tablebase {
    rules: Ruleset,
    files: Files,
    /// The first error of a probe by a search.
    #[cfg(feature = "engine")]
    search_error: OnceLock<ProbeError>,
}

/// The function that is called with the first search error of each tablebase.
#[cfg(feature = "engine")]
static SEARCH_ERROR_HOOK: OnceLock<fn(&ProbeError)> = OnceLock::new();

/// Sets the function that is called with the first [`search_error`](Tablebase::search_error) of each
/// tablebase of this process, by the thread that searches. Only the first call has an effect.
#[cfg(feature = "engine")]
pub fn set_search_error_hook(hook: fn(&ProbeError)) {
    let _ = SEARCH_ERROR_HOOK.set(hook);
}

/// Options of a [`Tablebase`].
#[derive(Clone, Debug)]
pub struct TablebaseOptions {
    /// The way files are read. Default: mapped.
    pub access: Access,
    /// The cache of decoded blocks. Default: a new one of 64 MiB.
    pub cache: BlockCache,
    /// Whether to use the tables embedded in the library, over which files take precedence.
    /// They are tables of few men, at most six, for every built-in ruleset; some have no
    /// distances. Default: true.
    pub embedded: bool,
}

impl Default for TablebaseOptions {
    fn default() -> TablebaseOptions {
        TablebaseOptions { access: Access::default(), cache: BlockCache::default(), embedded: true }
    }
}

impl Tablebase {
    /// Creates a tablebase of the embedded tables only.
    pub fn new(rules: Ruleset) -> Tablebase {
        Tablebase::with_options(rules, TablebaseOptions::default())
    }

    /// Creates a tablebase without files, with these options.
    pub fn with_options(rules: Ruleset, options: TablebaseOptions) -> Tablebase {
        let embedded = options.embedded;
        let mut files = Files::new(options);
        if embedded {
            files.add_embedded(&rules);
        }
        Tablebase {
            rules,
            files,
            #[cfg(feature = "engine")]
            search_error: OnceLock::new(),
        }
    }

    /// Opens a ruleset's tables under a common folder: those in the folder with the ruleset's
    /// name, and those with its fingerprint in the folders beside it. The embedded tables are
    /// used for slices without a file.
    ///
    /// # Errors
    /// If a folder cannot be read, or the common one does not exist or has tables itself where
    /// the folder with the ruleset's name is missing.
    pub fn open(rules: Ruleset, tables: &Path) -> Result<Tablebase, ProbeError> {
        Tablebase::open_with(rules, tables, TablebaseOptions::default())
    }

    /// As [`open`](Tablebase::open), with these options.
    ///
    /// # Errors
    /// See [`open`](Tablebase::open).
    pub fn open_with(
        rules: Ruleset,
        tables: &Path,
        options: TablebaseOptions,
    ) -> Result<Tablebase, ProbeError> {
        let mut base = Tablebase::with_options(rules, options);
        base.files.add_tables(&base.rules, tables)?;
        Ok(base)
    }

    /// As [`open`](Tablebase::open), without the embedded tables. The folder need not exist
    /// yet: a build may be about to create it.
    ///
    /// # Errors
    /// As [`open`](Tablebase::open), but for a common folder that does not exist.
    pub fn open_files(rules: Ruleset, tables: &Path) -> Result<Tablebase, ProbeError> {
        let options = TablebaseOptions { embedded: false, ..TablebaseOptions::default() };
        if files::exists(tables)? {
            Tablebase::open_with(rules, tables, options)
        } else {
            Ok(Tablebase::with_options(rules, options))
        }
    }

    /// Adds the tables in a directory and returns their number. For a slice in several
    /// directories, the one added last is used. All files named like a table must be of this
    /// ruleset: a table of other rules is an error when it is first needed.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn add_directory(&mut self, directory: &Path) -> Result<usize, ProbeError> {
        self.files.add_directory(directory)
    }

    /// Adds a table that has just been written, replacing an earlier one.
    pub(crate) fn add_file(&mut self, slice: Slice, metric: Metric, path: PathBuf) {
        self.files.add_file((slice, metric), path);
    }

    /// Returns the ruleset.
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// Returns the cache of decoded blocks.
    pub fn cache(&self) -> &BlockCache {
        &self.files.options().cache
    }

    /// Returns the number of open tables.
    pub fn tables_open(&self) -> usize {
        self.files.tables_open()
    }

    /// Returns the maximum number of men, king included, of any table. Not all tables have
    /// distances: see [`max_men_dtw`](Tablebase::max_men_dtw).
    pub fn max_men(&self) -> usize {
        Metric::ALL.into_iter().map(|metric| self.max_men_of(metric)).max().unwrap_or(0)
    }

    /// Returns the maximum number of men, king included, of a DTW table.
    pub fn max_men_dtw(&self) -> usize {
        self.max_men_of(Metric::Dtw)
    }

    fn max_men_of(&self, metric: Metric) -> usize {
        self.slices(metric).into_iter().map(Slice::men).max().unwrap_or(0)
    }

    /// Returns the slices with a table of a metric according to file names, smallest first.
    pub fn slices(&self, metric: Metric) -> Vec<Slice> {
        self.files.slices(metric)
    }

    /// Opens all table files, which are otherwise opened when they are first needed: an error of a long
    /// search or game is then met before it.
    ///
    /// # Errors
    /// That of the first file that cannot be opened.
    pub fn open_all_tables(&self) -> Result<(), ProbeError> {
        for metric in Metric::ALL {
            for slice in self.slices(metric) {
                self.files.open_file(&self.rules, slice, metric)?;
            }
        }
        Ok(())
    }

    /// Returns the first error that a search of an engine or for a proof has met in these tables, such
    /// as a damaged block. The search has gone on without the values that it could not read.
    #[cfg(feature = "engine")]
    pub fn search_error(&self) -> Option<&ProbeError> {
        self.search_error.get()
    }

    /// Returns the slices with a table of a metric that can be opened, smallest first.
    #[cfg(feature = "engine")]
    pub(crate) fn usable_slices(&self, metric: Metric) -> Vec<Slice> {
        let mut slices = self.slices(metric);
        slices.retain(|&slice| self.files.open_file(&self.rules, slice, metric).is_ok());
        slices
    }

    /// Returns the table of a slice.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`] if there is none; others if it is damaged or of another
    /// ruleset.
    pub fn table(&self, slice: Slice, metric: Metric) -> Result<&Table<TableFile>, ProbeError> {
        self.opened(slice, metric).map(|opened| &opened.table)
    }

    /// Returns the table of a slice; `None` if there is none, or only a damaged one of this
    /// ruleset, which may be replaced.
    ///
    /// # Errors
    /// If its file cannot be read or holds something else, which must not be overwritten.
    pub(crate) fn intact_table(
        &self,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&Table<TableFile>>, ProbeError> {
        match self.table(slice, metric) {
            Ok(table) => Ok(Some(table)),
            Err(ProbeError::MissingTable { .. }) => Ok(None),
            Err(ProbeError::Corrupted(error)) if error.kind.is_damage() => {
                let path = error.path.unwrap_or_default();
                match Header::read(&path) {
                    Ok(header) if header.fingerprint != self.rules.fingerprint() => {
                        Err(ProbeError::WrongRules { path, rules: self.rules.name.clone() })
                    }
                    _ => Ok(None),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the DTW table of a slice, or else its WDL table.
    ///
    /// # Errors
    /// See [`table`](Tablebase::table).
    pub fn best_table(&self, slice: Slice) -> Result<&Table<TableFile>, ProbeError> {
        self.best_opened(slice).map(|opened| &opened.table)
    }

    /// Returns the tables of a slice, WDL before DTW.
    ///
    /// # Errors
    /// If one is damaged or of another ruleset.
    #[cfg(feature = "build")]
    pub(crate) fn tables_of(&self, slice: Slice) -> Result<Vec<&Table<TableFile>>, ProbeError> {
        let mut tables = Vec::new();
        for metric in Metric::ALL {
            let opened = self.files.open(&self.rules, slice, metric)?;
            tables.extend(opened.map(|opened| &opened.table));
        }
        Ok(tables)
    }

    /// Returns the index of a slice that has a table.
    ///
    /// # Errors
    /// See [`table`](Tablebase::table).
    pub fn index(&self, slice: Slice) -> Result<&SliceIndex, ProbeError> {
        self.best_opened(slice).map(|opened| &*opened.index)
    }

    fn opened(&self, slice: Slice, metric: Metric) -> Result<&OpenedTable, ProbeError> {
        self.files
            .open(&self.rules, slice, metric)?
            .ok_or(ProbeError::MissingTable { slice, metric })
    }

    fn best_opened(&self, slice: Slice) -> Result<&OpenedTable, ProbeError> {
        match self.opened(slice, Metric::Dtw) {
            Err(missing @ ProbeError::MissingTable { .. }) => {
                self.files.open(&self.rules, slice, Metric::Wdl)?.ok_or(missing)
            }
            opened => opened,
        }
    }

    /// Returns the name of an outcome under these rules: `win`, `loss`, and `draw`,
    /// `undecided` or `endless`.
    pub fn category(&self, wdl: Wdl) -> &'static str {
        category(&self.rules, wdl)
    }

    /// Returns the name of a probed outcome: `unknown` if the table is missing.
    pub(crate) fn category_of(&self, value: Option<Probed>) -> &'static str {
        value.map_or("unknown", |value| self.category(value.wdl))
    }
}

/// As [`Tablebase::category`], without tables.
pub(crate) fn category(rules: &Ruleset, wdl: Wdl) -> &'static str {
    match wdl {
        Wdl::Win => "win",
        Wdl::Loss => "loss",
        Wdl::Draw => rules.endless.name(),
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
