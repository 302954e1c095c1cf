//! Building tables: which slices are needed, which are there, and the way from
//! solved smaller slices to the files of the next one.

#[cfg(test)]
mod accidents;
mod claim;
mod plan;
mod reports;
#[cfg(test)]
mod tests;
mod work;

#[cfg(feature = "mpi")]
pub use crate::solve::communicator::Mpi;
pub use crate::solve::communicator::{
    Communicator, CommunicatorError, SingleProcess, ThreadRank, Traffic, thread_ranks,
};
pub use crate::solve::error::{BuildError, BuildLimit};
pub use crate::solve::resources::available_disk;
pub use plan::{RankPlan, SlicePlan, SliceSize, needed, plan, plan_among, slices_up_to};

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::rules::{BySide, Ruleset};
use crate::game::slice::Slice;
use crate::index::SliceIndex;
use crate::solve::advance::go_on;
use crate::solve::communicator::MeteredCommunicator;
use crate::solve::convert::output::OutputTarget;
use crate::solve::convert::read::{open_sub_slices, sub_slices};
use crate::solve::convert::write::{self, SliceFiles};
use crate::solve::frame::Frame;
use crate::solve::frame::region::row_words;
use crate::solve::plies::tables::Storage;
use crate::solve::resources::{self, Fit, Limits};
use crate::solve::solver::{SolveContext, Solver};
use crate::solve::store::{
    Compression, Hash, ScratchError, ScratchErrorKind, ScratchFolder, ScratchOptions,
};
use crate::system::bytes::Bytes;
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::system::progress::{Phase, Progress};
use crate::table::{
    Header, Metric, PUBLISHED_ZSTD, SideSummary, TableErrorKind, remove_temporaries, zstd_version,
};
use crate::tablebase::{ProbeError, Tablebase};

use claim::Claims;
use work::Work;

/// How tables are built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// `Wdl`: slices that no other one of the build needs get WDL tables only,
    /// all that they need is built with both. `Dtw`: both for all.
    pub metric: Metric,
    /// Build also what is there already. Work in progress is gone on with all the same.
    pub force: bool,
    /// Worker threads; 0 for one for each core.
    pub threads: usize,
    /// The bytes of memory that a build may take. Tables that do not fit are worked on in
    /// partitions, of which all but one are kept in the scratch folder.
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
    pub summaries: BySide<SideSummary>,
    /// The files' sizes in bytes.
    pub bytes: Vec<(Metric, u64)>,
    /// How long it took to open what was needed, to solve, and to write.
    pub times: [Duration; 3],
}

/// Who builds, the disk that he uses, and how he uses it: other than the usual in tests.
struct BuildEnv<'a> {
    ranks: &'a dyn Communicator,
    files: Arc<dyn FileSystem>,
    /// Where the tables of a slice in progress are, and that all ranks work on them; `None`:
    /// wherever they fit, and those for whom it is enough work.
    placement: Option<Storage>,
    /// What is compressed; `None`: what memory and disk have no room for.
    compression: Option<Compression>,
    /// How much work a power cut may take.
    sync_every: Duration,
}

impl Default for BuildEnv<'_> {
    fn default() -> Self {
        let (files, sync_every) = (Arc::new(SystemFiles), SYNC_EVERY);
        BuildEnv { ranks: &SingleProcess, files, placement: None, compression: None, sync_every }
    }
}

/// Syncing every stage takes 7 % of the time of a slice that is solved in seconds.
const SYNC_EVERY: Duration = Duration::from_secs(10);

/// Builds the slices and all that they need, smallest first, in the folder
/// `<tables>/<ruleset name>`. What is there and whole is kept; what is damaged
/// is built again. `done` is told about each slice as it is finished.
///
/// # Errors
/// If a slice is too large, a file there is not the ruleset's, a table cannot be written,
/// or `progress` cancels the build. What was finished stays, and the next build goes on.
pub fn build(
    rules: &Ruleset,
    tables: &Path,
    slices: &[Slice],
    options: &BuildOptions,
    progress: &dyn Progress,
    done: &mut (dyn FnMut(&SliceReport) + Send),
) -> Result<(), BuildError> {
    build_among(&SingleProcess, rules, tables, slices, options, progress, done)
}

/// The same by several ranks together: processes or threads, of which each calls this with
/// the same arguments, and which have the folders in common. `options` are those of a
/// rank. Only the first rank tells `done` of the slices.
///
/// # Errors
/// As for [`build`], or if another rank has stopped. Who gets an error must see to it
/// that the others stop, too.
pub fn build_among(
    ranks: &dyn Communicator,
    rules: &Ruleset,
    tables: &Path,
    slices: &[Slice],
    options: &BuildOptions,
    progress: &dyn Progress,
    done: &mut (dyn FnMut(&SliceReport) + Send),
) -> Result<(), BuildError> {
    let means = BuildEnv { ranks, ..BuildEnv::default() };
    build_by(&means, rules, tables, slices, options, progress, done)
}

/// What users are told if tables are compressed with that version of zstd.
fn zstd_notice(version: &str) -> Option<String> {
    (version != PUBLISHED_ZSTD).then(|| {
        format!(
            "tables are compressed with zstd {version}, and published ones with {PUBLISHED_ZSTD}: \
             their values can be compared, and their bytes cannot"
        )
    })
}

fn build_by(
    means: &BuildEnv,
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
        // All must come to the same decisions.
        let ranks = means.ranks;
        let threads = ranks.max(rayon::current_num_threads() as u64)? as usize;
        let memory_bytes = ranks.min(options.memory_bytes)?;
        if let Some(notice) = zstd_notice(zstd_version()).filter(|_| ranks.rank() == 0) {
            progress.notice(&notice);
        }
        let folder = tables.join(&rules.name);
        let base = Tablebase::open_files(rules.clone(), tables)?;
        let claims = Claims::default();
        let mut builder =
            Builder { base, folder, claims, means, options, threads, memory_bytes, progress };
        let wanted = needed(slices);
        // What was asked for first: it is what messages should name.
        let first_wanted = || slices.iter().chain(&wanted);
        first_wanted().try_for_each(|&slice| SliceIndex::new(rules, slice).map(|_| ()))?;
        let read: BTreeSet<Slice> =
            wanted.iter().flat_map(|&slice| sub_slices(slice)).map(|(s, _)| s).collect();
        let task = |&slice: &Slice| match options.metric == Metric::Dtw || read.contains(&slice) {
            true => (slice, &Metric::ALL[..]),
            false => (slice, &[Metric::Wdl][..]),
        };
        let tasks: Vec<_> = wanted.iter().map(task).collect();
        // Before anything is written.
        for (slice, _) in first_wanted().map(task).filter(|task| !builder.is_there(task)) {
            builder.fit(slice, 1).or_else(|_| builder.fit(slice, ranks.size()))?;
        }
        for tasks in tasks.chunk_by(|(one, _), (next, _)| one.men() == next.men()) {
            builder.slices(tasks, done)?;
        }
        Ok(())
    })
}

/// The name of the folder in which the work on a slice is kept until it is done.
fn work_name(slice: Slice) -> String {
    format!("{slice}.work")
}

struct Builder<'a> {
    base: Tablebase,
    folder: PathBuf,
    /// What keeps other builds out of this one's folders.
    claims: Claims,
    means: &'a BuildEnv<'a>,
    options: &'a BuildOptions,
    /// Threads and memory of a rank.
    threads: usize,
    memory_bytes: u64,
    progress: &'a dyn Progress,
}

impl Builder<'_> {
    /// Builds slices of as many men, none of which needs another one, each with its files.
    fn slices(
        &mut self,
        tasks: &[(Slice, &[Metric])],
        done: &mut (dyn FnMut(&SliceReport) + Send),
    ) -> Result<(), BuildError> {
        let ranks = self.means.ranks;
        let mut found = self.all_found(tasks)?;
        let missing: Vec<Slice> =
            tasks.iter().map(|(slice, _)| *slice).filter(|s| !found.contains_key(s)).collect();
        if !missing.is_empty() {
            if ranks.rank() == 0 {
                self.claim_folders()?;
            }
            ranks.barrier()?;
        }
        let (rules, count) = (self.base.rules(), ranks.size());
        let work = match self.means.placement {
            Some(_) if count > 1 => missing.iter().map(|&slice| (slice, Work::OfAll)).collect(),
            _ => plan::deal(rules, &missing, count, self.threads, self.memory_bytes)?,
        };
        let mut reports = Vec::new();
        for &(slice, metrics) in tasks {
            let report = match found.remove(&slice) {
                Some(report) => report,
                None if work[&slice] == Work::Of(ranks.rank()) => {
                    Some(self.solve(slice, metrics, &SingleProcess)?)
                }
                None => continue,
            };
            match ranks.rank() {
                0 => report.iter().for_each(&mut *done),
                _ => reports.extend(report),
            }
        }
        for report in reports::to_first(&reports, ranks)? {
            done(&report);
        }
        for &(slice, metrics) in tasks.iter().filter(|(slice, _)| missing.contains(slice)) {
            if work[&slice] == Work::OfAll {
                let report = self.solve(slice, metrics, &MeteredCommunicator::new(ranks))?;
                if ranks.rank() == 0 {
                    done(&report);
                }
            }
            for &metric in metrics {
                self.base.add_file(slice, metric, self.folder.join(metric.file_name(slice)));
            }
        }
        Ok(())
    }

    /// Whether a slice needs nothing, as its tables are there.
    fn is_there(&self, &(slice, metrics): &(Slice, &[Metric])) -> bool {
        let is_there = |&metric: &Metric| self.base.table(slice, metric).is_ok();
        !self.options.force && metrics.iter().all(is_there)
    }

    /// The slices that need not be built; only the first rank looks, and has their reports.
    fn all_found(
        &mut self,
        tasks: &[(Slice, &[Metric])],
    ) -> Result<BTreeMap<Slice, Option<SliceReport>>, BuildError> {
        let ranks = self.means.ranks;
        let mut reports = Vec::new();
        if ranks.rank() == 0 {
            for &(slice, metrics) in tasks {
                reports.push(self.found(slice, metrics)?);
            }
        }
        let found: Vec<u8> = reports.iter().map(|report| report.is_some().into()).collect();
        let found = ranks.broadcast(&found)?;
        reports.resize(tasks.len(), None);
        let all = tasks.iter().zip(reports).zip(found).filter(|(_, found)| *found > 0);
        Ok(all.map(|((&(slice, _), report), _)| (slice, report)).collect())
    }

    /// How a slice is made to fit, by one rank or by all.
    fn fit(&self, slice: Slice, ranks: usize) -> Result<Fit, BuildError> {
        let folder = self.scratch_folder().join(work_name(slice));
        let (threads, memory_bytes, files) = (self.threads, self.memory_bytes, &*self.means.files);
        let means = Limits { threads, memory_bytes, ranks, files };
        resources::check(self.base.rules(), slice, &means, &folder)
    }

    /// Solves a slice, with some ranks, and writes its files.
    fn solve(
        &self,
        slice: Slice,
        metrics: &[Metric],
        ranks: &dyn Communicator,
    ) -> Result<SliceReport, BuildError> {
        match row_words(self.base.rules()) {
            1 => self.build::<1>(slice, metrics, ranks),
            2 => self.build::<2>(slice, metrics, ranks),
            3 => self.build::<3>(slice, metrics, ranks),
            4 => self.build::<4>(slice, metrics, ranks),
            5 => self.build::<5>(slice, metrics, ranks),
            // Boards have at most 361 squares.
            _ => self.build::<6>(slice, metrics, ranks),
        }
    }

    /// Keeps other builds out of the folders of the tables and of the work, and clears
    /// away what killed ones left.
    fn claim_folders(&mut self) -> Result<(), BuildError> {
        let files = &*self.means.files;
        let (tables, scratch) = (self.folder.clone(), self.scratch_folder());
        for folder in [&tables, &scratch] {
            if self.claims.claim(files, folder)? && folder == &tables {
                remove_temporaries(files, folder)?;
            }
        }
        Ok(())
    }

    /// Where the work on slices of this ruleset is kept.
    fn scratch_folder(&self) -> PathBuf {
        match &self.options.scratch {
            Some(scratch) => scratch.join(&self.base.rules().name),
            None => self.folder.clone(),
        }
    }

    /// What the work on a slice depends on: this program, the rules, and the values of
    /// the smaller slices, each as it is now.
    fn identity(&self, slice: Slice) -> Result<Hash, BuildError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.update(&self.base.rules().fingerprint().0);
        hasher.update(slice.to_string().as_bytes());
        for (child, _) in sub_slices(slice) {
            hasher.update(&self.base.table(child, Metric::Dtw)?.value_hash().0);
        }
        Ok(*hasher.finalize().as_bytes())
    }

    /// The report of a slice of which all files are there and whole.
    fn found(
        &mut self,
        slice: Slice,
        metrics: &[Metric],
    ) -> Result<Option<SliceReport>, BuildError> {
        let mut bytes = Vec::new();
        let mut summaries = Default::default();
        // All of them are looked at: none may be overwritten that is not ours.
        for &metric in metrics {
            match self.base.table(slice, metric) {
                Ok(table) => {
                    bytes.push((metric, table.size_bytes()));
                    summaries = BySide::from_fn(|side| *table.summary(side));
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
        // Who is killed after his last file leaves the work that led to it. If the
        // folder is somebody's, so is the work.
        let work = self.scratch_folder().join(work_name(slice));
        if work.is_dir() && self.claim_folders().is_ok() {
            ScratchFolder::clear(&*self.means.files, &work)?;
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
        ranks: &dyn Communicator,
    ) -> Result<SliceReport, BuildError> {
        let rules = self.base.rules();
        let started = Instant::now();
        go_on(self.progress)?;
        self.progress.phase(slice, Phase::Reading, 0);
        let frame: Frame<N> = Frame::new(rules, slice)?;
        let index = SliceIndex::new(rules, slice)?;
        let folder = self.scratch_folder().join(work_name(slice));
        let Fit { storage, compression, cache_bytes, short_disk } =
            self.fit(slice, ranks.size())?;
        let placement = self.means.placement.unwrap_or(storage);
        let compression = self.means.compression.unwrap_or(compression);
        let files = &self.means.files;
        let is_first = ranks.rank() == 0;
        if let Some([needed, available]) = short_disk.filter(|_| is_first) {
            self.progress.notice(&format!(
                "{}: {slice} takes about {} of disk and {} are free: it may stop with a full disk",
                folder.display(),
                Bytes(needed),
                Bytes(available)
            ));
        }
        let (sync_every, progress) = (self.means.sync_every, self.progress);
        let keeping =
            ScratchOptions { files: Arc::clone(files), sync_every, compression, progress };
        let scratch = ScratchFolder::open(&folder, self.identity(slice)?, keeping)?;
        let mut discarded = BTreeSet::new();
        loop {
            let task = Task { slice, metrics, frame: &frame, index: &index, cache_bytes, started };
            let workplace = SolveContext { scratch: &scratch, storage: placement, ranks, progress };
            match self.solve_and_write(&task, &workplace) {
                // A file that does not hold what was written is made again, once: a disk
                // that goes on like that is of no use.
                Err(BuildError::Scratch(ScratchError {
                    path,
                    kind: ScratchErrorKind::Damaged,
                })) if discarded.insert(path.clone()) => {
                    scratch.discard(&path)?;
                    if ranks.size() > 1 {
                        // The others are at work on what comes after it.
                        return Err(BuildError::Again(path));
                    }
                }
                // With less on the disk the work may go on. Other ranks write there, too: the
                // next build makes room for all.
                Err(error) if error.is_disk_full() && ranks.size() == 1 => {
                    if !scratch.make_room()? {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
                Ok(report) => {
                    if is_first {
                        ScratchFolder::clear(&**files, &folder)?;
                    }
                    return Ok(report);
                }
            }
        }
    }

    fn solve_and_write<const N: usize>(
        &self,
        task: &Task<'_, N>,
        workplace: &SolveContext,
    ) -> Result<SliceReport, BuildError> {
        let &Task { slice, metrics, frame, index, cache_bytes, started } = task;
        let mut opened = started.elapsed();
        let sub_slices = || {
            let sub_slices = open_sub_slices(&self.base, slice, cache_bytes);
            opened = started.elapsed();
            sub_slices
        };
        let solver = Solver::solve(frame, sub_slices, workplace)?;
        let solved = started.elapsed();
        let files = &self.means.files;
        let target =
            OutputTarget { files, folder: &self.folder, metrics, level: self.options.level };
        let written = write::write(self.base.rules(), solver, index, &target, self.progress)?;
        let times = [opened, solved - opened, started.elapsed() - solved];
        let SliceFiles { positions, summaries, bytes } = written;
        Ok(SliceReport { slice, built: true, positions, summaries, bytes, times })
    }
}

/// A slice to be solved and written.
struct Task<'a, const N: usize> {
    slice: Slice,
    metrics: &'a [Metric],
    frame: &'a Frame<'a, N>,
    index: &'a SliceIndex,
    cache_bytes: u64,
    started: Instant,
}

/// Whether a build may put a new table in the place of this one: it is the
/// rest of a table, not something else.
fn is_damaged(kind: &TableErrorKind) -> bool {
    matches!(kind, TableErrorKind::Truncated | TableErrorKind::Corrupted(_))
}
