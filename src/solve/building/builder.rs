use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::solve::communicator::{Communicator, SingleProcess};
use crate::solve::error::BuildError;
use crate::solve::plies::tables::Storage;
use crate::solve::store::Compression;
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::table::Metric;
use crate::table::progress::{Progress, SliceReport};

use super::session;

/// The options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// `Dtw` writes both tables for every slice. `Wdl` writes the WDL table alone for slices
    /// that no other slice of the build needs.
    pub metric: Metric,
    /// Rebuild existing tables. Work in progress is still resumed.
    pub force: bool,
    /// Worker threads; 0 for one for each core.
    pub threads: usize,
    /// Memory limit in bytes. Tables that do not fit are divided into partitions; all but the
    /// current one are stored in the scratch folder.
    pub memory_bytes: u64,
    /// zstd level, 1 to 22; `None` for a level that takes no longer than solving. Published files
    /// use 19.
    pub level: Option<i32>,
    /// Folder for work in progress, in a folder for each ruleset; `None` for a folder beside the
    /// tables. Work that is elsewhere is only resumed if it is moved there.
    pub scratch: Option<PathBuf>,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            metric: Metric::Dtw,
            force: false,
            threads: 0,
            memory_bytes: u64::MAX,
            level: None,
            scratch: None,
        }
    }
}

/// The build's environment; tests substitute their own.
#[derive(Clone)]
pub(super) struct BuildEnv<'a> {
    pub comm: &'a dyn Communicator,
    pub files: Arc<dyn FileSystem>,
    /// Storage of the tables of a slice in progress, with all ranks working on every slice; `None`
    /// to decide by memory and size.
    pub placement: Option<Storage>,
    /// Compression of scratch files; `None` to compress if free memory or disk is short.
    pub compression: Option<Compression>,
    /// The maximum time of work that a power cut may lose.
    pub sync_every: Duration,
}

/// Syncing every stage takes 7 % of the time of a slice that is solved in seconds.
pub(super) const SYNC_EVERY: Duration = Duration::from_secs(10);

impl Default for BuildEnv<'_> {
    fn default() -> Self {
        let files = Arc::new(SystemFiles);
        let sync_every = SYNC_EVERY;
        BuildEnv { comm: &SingleProcess, files, placement: None, compression: None, sync_every }
    }
}

/// A build of some slices and of all smaller slices that they need.
///
/// ```
/// use taflbase::Ruleset;
/// use taflbase::build::{Build, BuildOptions, slices_up_to};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let rules = Ruleset::load("brandubh")?;
/// let options = BuildOptions { threads: 1, ..BuildOptions::default() };
/// let reports = Build::new(&rules, folder.path(), &slices_up_to(&rules, 3))
///     .options(&options)
///     .run()?;
/// assert_eq!(reports.len(), 3);
/// # Ok(())
/// # }
/// ```
#[must_use = "a build does nothing until it is run"]
pub struct Build<'a> {
    pub(super) rules: &'a Ruleset,
    pub(super) tables: &'a Path,
    pub(super) slices: &'a [Slice],
    pub(super) options: BuildOptions,
    pub(super) progress: &'a dyn Progress,
    pub(super) env: BuildEnv<'a>,
}

impl<'a> Build<'a> {
    /// Creates a build of these slices in the folder `<tables>/<ruleset name>`, with default
    /// options, by this process alone, without progress reports.
    pub fn new(rules: &'a Ruleset, tables: &'a Path, slices: &'a [Slice]) -> Build<'a> {
        let (options, env) = (BuildOptions::default(), BuildEnv::default());
        Build { rules, tables, slices, options, progress: &(), env }
    }

    /// Sets the options.
    pub fn options(self, options: &BuildOptions) -> Build<'a> {
        Build { options: options.clone(), ..self }
    }

    /// Sets the progress, which receives reports and can cancel the build.
    pub fn progress(self, progress: &'a dyn Progress) -> Build<'a> {
        Build { progress, ..self }
    }

    /// Lets several ranks (processes or threads) build together. Each runs the same build
    /// on the same folders; the options are those of one rank.
    pub fn communicator(self, comm: &'a dyn Communicator) -> Build<'a> {
        Build { env: BuildEnv { comm, ..self.env }, ..self }
    }

    #[cfg(test)]
    pub(super) fn env(self, env: BuildEnv<'a>) -> Build<'a> {
        Build { env, ..self }
    }

    /// Builds the tables, smallest slices first, and returns a report for each slice. Existing
    /// tables are reused; those that cannot be opened because they are damaged are rebuilt. Blocks
    /// are not read to find damage: [`Table::check`](crate::table::Table::check) does that. Of
    /// several ranks, only rank 0 reports slices, to its progress and as the result.
    ///
    /// # Errors
    /// If a slice is too large, an existing file belongs to other rules, a block of a smaller
    /// slice is damaged, a table cannot be written, the progress cancels the build, or another
    /// rank has stopped. Finished work is kept, and the next build resumes it. After an error the
    /// caller must make sure that other ranks stop, too.
    pub fn run(self) -> Result<Vec<SliceReport>, BuildError> {
        session::run(&self)
    }
}
