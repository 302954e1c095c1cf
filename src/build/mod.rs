//! Building tables: which slices are needed, which are there, and the way from
//! solved smaller slices to the files of the next one.

mod children;
mod error;
mod memory;
mod output;
mod plan;
mod rows;
#[cfg(test)]
mod tests;

pub use error::BuildError;
pub use plan::{SlicePlan, SliceSize, needed, plan, slices_up_to};

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::index::SliceIndex;
use crate::progress::{Phase, Progress};
use crate::retrograde::{Frame, Solver, region_side};
use crate::rules::{Ruleset, Side};
use crate::scratch::Scratch;
use crate::slice::Slice;
use crate::table::{Header, Metric, SideSummary, TableErrorKind, remove_temporaries};
use crate::tablebase::{ProbeError, Tablebase};

/// How tables are built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// `Wdl`: slices that no other one of the build needs get WDL tables only,
    /// all that they need is built with both. `Dtw`: both for all.
    pub metric: Metric,
    /// Build also what is there already.
    pub force: bool,
    /// Worker threads; 0 for one for each core.
    pub threads: usize,
    /// The bytes of memory that a build may take. Tables that do not fit are
    /// kept on disk, in the scratch folder.
    pub memory_bytes: u64,
    /// The level of zstd, 1 to 22; `None` for one that takes no longer than
    /// solving. 19 is for files that are published.
    pub level: Option<i32>,
    /// Where the work in progress is kept; by default beside the tables.
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

/// What became of one slice.
#[derive(Clone, Debug)]
pub struct SliceReport {
    /// The slice.
    pub slice: Slice,
    /// Whether it was built now; otherwise it was there.
    pub built: bool,
    /// Positions with a slot of their own, both sides to move: one for each
    /// class of mirror images, and a few more. 0 if it was there.
    pub positions: u64,
    /// Counts over all placements, by side to move.
    pub summaries: [SideSummary; 2],
    /// The files' sizes in bytes.
    pub bytes: Vec<(Metric, u64)>,
    /// How long it took to read what was needed, to solve, and to write.
    pub times: [Duration; 3],
}

/// The files of a slice as they were written.
struct SliceFiles {
    positions: u64,
    summaries: [SideSummary; 2],
    bytes: Vec<(Metric, u64)>,
}

/// Builds the slices and all that they need, smallest first, in the folder
/// `<tables>/<ruleset name>`. What is there and whole is kept; what is damaged
/// is built again. `done` is told about each slice as it is finished.
///
/// # Errors
/// If a slice is too large, a file there is not the ruleset's, or a table
/// cannot be written. What was finished stays, and the next build goes on.
pub fn build(
    rules: &Ruleset,
    tables: &Path,
    slices: &[Slice],
    options: &BuildOptions,
    progress: &dyn Progress,
    done: &mut (dyn FnMut(&SliceReport) + Send),
) -> Result<(), BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
    let threads = threads.map_err(|error| BuildError::Threads(error.to_string()))?;
    threads.install(|| {
        let folder = tables.join(&rules.name);
        let mut builder = Builder {
            base: Tablebase::open(rules.clone(), tables)?,
            folder,
            claim: None,
            options,
            progress,
        };
        let wanted = needed(slices);
        // What was asked for first: it is what messages should name.
        for &slice in slices.iter().chain(&wanted) {
            // Before anything is written.
            SliceIndex::new(rules, slice)?;
            let folder = builder.scratch_folder(slice);
            memory::check(rules, slice, builder.threads(), options.memory_bytes, &folder)?;
        }
        let read: BTreeSet<Slice> =
            wanted.iter().flat_map(|&slice| children::children(slice)).map(|(s, _)| s).collect();
        for slice in wanted {
            let with_dtw = options.metric == Metric::Dtw || read.contains(&slice);
            let metrics = if with_dtw { &Metric::ALL[..] } else { &[Metric::Wdl] };
            let report = builder.slice(slice, metrics)?;
            done(&report);
        }
        Ok(())
    })
}

struct Builder<'a> {
    base: Tablebase,
    folder: PathBuf,
    /// The locked file that keeps other builds out of the folder.
    claim: Option<File>,
    options: &'a BuildOptions,
    progress: &'a dyn Progress,
}

impl Builder<'_> {
    fn slice(&mut self, slice: Slice, metrics: &[Metric]) -> Result<SliceReport, BuildError> {
        if let Some(report) = self.found(slice, metrics)? {
            // Who is killed after his last file leaves the work that led to it. If the
            // folder is somebody's, so is the work.
            let work = self.scratch_folder(slice);
            if work.is_dir() && self.claim_folder().is_ok() {
                Scratch::clear(&work)?;
            }
            return Ok(report);
        }
        self.claim_folder()?;
        let side = region_side(self.base.rules());
        let report = match (side * side).div_ceil(64) {
            1 => self.build::<1>(slice, metrics),
            2 => self.build::<2>(slice, metrics),
            3 => self.build::<3>(slice, metrics),
            4 => self.build::<4>(slice, metrics),
            5 => self.build::<5>(slice, metrics),
            // Boards have at most 361 squares.
            _ => self.build::<6>(slice, metrics),
        }?;
        for &metric in metrics {
            self.base.add_file(slice, metric, self.folder.join(metric.file_name(slice)));
        }
        Ok(report)
    }

    /// Keeps other builds out of the folder, and clears away what killed ones left.
    fn claim_folder(&mut self) -> Result<(), BuildError> {
        if self.claim.is_none() {
            self.claim = Some(claim(&self.folder)?);
            remove_temporaries(&self.folder)?;
        }
        Ok(())
    }

    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    /// Where the work on a slice is kept until it is done.
    fn scratch_folder(&self, slice: Slice) -> PathBuf {
        let name = format!("{}.work", slice);
        match &self.options.scratch {
            Some(scratch) => scratch.join(&self.base.rules().name).join(name),
            None => self.folder.join(name),
        }
    }

    /// What the work on a slice depends on.
    fn identity(&self, slice: Slice) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.base.rules().fingerprint().0);
        hasher.update(slice.to_string().as_bytes());
        *hasher.finalize().as_bytes()
    }

    /// The report of a slice of which all files are there and whole.
    fn found(&self, slice: Slice, metrics: &[Metric]) -> Result<Option<SliceReport>, BuildError> {
        let mut bytes = Vec::new();
        let mut summaries = Default::default();
        // All of them are looked at: none may be overwritten that is not ours.
        for &metric in metrics {
            match self.base.table(slice, metric) {
                Ok(table) => {
                    bytes.push((metric, table.size_bytes()));
                    summaries = Side::ALL.map(|side| *table.summary(side));
                }
                Err(ProbeError::MissingTable { .. }) => {}
                Err(ProbeError::Corrupted(error)) if is_damaged(&error.kind) => {
                    self.refuse_foreign(&self.folder.join(metric.file_name(slice)))?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if bytes.len() < metrics.len() || self.options.force {
            return Ok(None);
        }
        let times = Default::default();
        Ok(Some(SliceReport { slice, built: false, positions: 0, summaries, bytes, times }))
    }

    /// Refuses a damaged file that was the table of another ruleset.
    fn refuse_foreign(&self, path: &Path) -> Result<(), ProbeError> {
        let rules = self.base.rules();
        match Header::read(path) {
            Ok(header) if header.fingerprint != rules.fingerprint() => {
                Err(ProbeError::WrongRules { path: path.to_owned(), rules: rules.name.clone() })
            }
            _ => Ok(()),
        }
    }

    fn build<const N: usize>(
        &self,
        slice: Slice,
        metrics: &[Metric],
    ) -> Result<SliceReport, BuildError> {
        let rules = self.base.rules();
        let started = Instant::now();
        self.progress.phase(slice, Phase::Reading, 0);
        let frame: Frame<N> = Frame::new(rules, slice)?;
        let index = SliceIndex::new(rules, slice)?;
        let folder = self.scratch_folder(slice);
        let memory_bytes = self.options.memory_bytes;
        let placement = memory::check(rules, slice, self.threads(), memory_bytes, &folder)?;
        if self.options.force {
            Scratch::clear(&folder)?;
        }
        let scratch = Scratch::open(&folder, self.identity(slice))?;
        let mut read = started.elapsed();
        let children = || {
            let children = children::read_children(&self.base, slice);
            read = started.elapsed();
            children
        };
        let solver = Solver::solve(&frame, children, &scratch, &placement, self.progress)?;
        let solved = started.elapsed();
        let target = output::Target { folder: &self.folder, metrics, level: self.options.level };
        let files = output::write(rules, &solver, &index, &target, self.progress)?;
        Scratch::clear(&folder)?;
        let times = [read, solved - read, started.elapsed() - solved];
        let SliceFiles { positions, summaries, bytes } = files;
        Ok(SliceReport { slice, built: true, positions, summaries, bytes, times })
    }
}

/// Makes the folder and locks it against other builds, until the file is closed
/// or this process ends. File systems without locks are taken as they are.
fn claim(folder: &Path) -> Result<File, BuildError> {
    let error = |source| BuildError::Folder { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(error)?;
    let file = File::create(folder.join(".lock")).map_err(error)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(BuildError::Busy { path: folder.to_owned() }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Whether a build may put a new table in the place of this one: it is the
/// rest of a table, not something else.
fn is_damaged(kind: &TableErrorKind) -> bool {
    matches!(kind, TableErrorKind::Truncated | TableErrorKind::Corrupted(_))
}
