use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::game::rules::BySide;
use crate::game::slice::Slice;
use crate::index::SliceIndex;
use crate::solve::advance::go_on;
use crate::solve::communicator::{Communicator, MeteredCommunicator, SingleProcess};
use crate::solve::convert::output::OutputTarget;
use crate::solve::convert::read::{open_sub_slices, sub_slices};
use crate::solve::convert::table_rows::SolverRows;
use crate::solve::convert::write::{self, SliceFiles};
use crate::solve::error::BuildError;
use crate::solve::frame::Frame;
use crate::solve::frame::region::with_row_words;
use crate::solve::resources::{Allocation, Resources};
use crate::solve::solver::{Solution, SolveContext};
use crate::solve::store::{
    Hash, ScratchError, ScratchErrorKind, ScratchFolder, ScratchOptions, WORK_EXTENSION,
};
use crate::system::bytes::Bytes;
use crate::system::memory;
use crate::table::progress::{Phase, Progress, SliceReport};
use crate::table::{Metric, PUBLISHED_ZSTD, remove_temporaries, zstd_version};
use crate::tablebase::Tablebase;

use super::assignment::Assignment;
use super::builder::{Build, BuildEnv, BuildOptions};
use super::folder_lock::FolderLocks;
use super::plan::{self, TableChoice, needed};
use super::reports;

/// Runs a build.
pub(super) fn run(build: &Build) -> Result<Vec<SliceReport>, BuildError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(build.options.threads)
        .build()
        .map_err(|error| BuildError::Threads(error.to_string()))?;
    pool.install(|| {
        let mut session = Session::open(build)?;
        session.build_all()?;
        Ok(session.reports)
    })
}

/// Returns a notice if the zstd version is not that of published tables.
pub(super) fn zstd_notice(version: &str) -> Option<String> {
    (version != PUBLISHED_ZSTD).then(|| {
        format!(
            "tables are compressed with zstd {version}, but published ones with {PUBLISHED_ZSTD}: \
             their values can be compared, but their bytes cannot"
        )
    })
}

/// Returns the name of the folder for the work in progress on a slice.
pub(super) fn work_name(slice: Slice) -> String {
    format!("{slice}.{WORK_EXTENSION}")
}

/// A slice to build and the metrics of its files.
type Task = (Slice, &'static [Metric]);

/// A running build.
struct Session<'a> {
    base: Tablebase,
    folder: PathBuf,
    locks: FolderLocks,
    slices: &'a [Slice],
    env: &'a BuildEnv<'a>,
    options: &'a BuildOptions,
    /// Threads and memory of each rank.
    threads: usize,
    memory_bytes: u64,
    progress: &'a dyn Progress,
    /// The slices reported so far; on rank 0 only.
    reports: Vec<SliceReport>,
}

impl<'a> Session<'a> {
    fn open(build: &'a Build<'a>) -> Result<Session<'a>, BuildError> {
        let Build { rules, tables, slices, ref options, progress, ref env } = *build;
        // All ranks must make the same decisions.
        let threads = env.comm.max(rayon::current_num_threads() as u64)? as usize;
        let memory_bytes = env.comm.min(options.memory_bytes)?;
        Ok(Session {
            base: Tablebase::open_files(rules.clone(), tables)?,
            folder: tables.join(&rules.name),
            locks: FolderLocks::default(),
            slices,
            env,
            options,
            threads,
            memory_bytes,
            progress,
            reports: Vec::new(),
        })
    }

    fn build_all(&mut self) -> Result<(), BuildError> {
        let comm = self.env.comm;
        if let Some(notice) = zstd_notice(zstd_version()).filter(|_| comm.rank() == 0) {
            self.progress.notice(&notice);
        }
        plan::check_known(self.base.rules(), self.slices)?;
        let needed_slices = needed(self.slices);
        // Requested slices come first, so that errors name them.
        let requested_first: Vec<Slice> =
            self.slices.iter().chain(&needed_slices).copied().collect();
        for &slice in &requested_first {
            SliceIndex::new(self.base.rules(), slice)?;
        }
        let tables = TableChoice::new(self.base.rules(), &needed_slices, self.options.metric);
        // Slices that do not fit are refused before anything is written.
        for &slice in &requested_first {
            if self.options.force || !self.are_intact(slice, tables.metrics(slice)) {
                self.allocate(slice, 1).or_else(|_| self.allocate(slice, comm.size()))?;
            }
        }
        let tasks: Vec<Task> =
            needed_slices.iter().map(|&slice| (slice, tables.metrics(slice))).collect();
        for tasks in tasks.chunk_by(|(one, _), (next, _)| one.men() == next.men()) {
            self.build_equal_men(tasks)?;
        }
        Ok(())
    }

    /// Builds slices with the same number of men; none of them needs another one.
    fn build_equal_men(&mut self, tasks: &[Task]) -> Result<(), BuildError> {
        let comm = self.env.comm;
        let mut found = self.all_found(tasks)?;
        let missing: Vec<Slice> =
            tasks.iter().map(|(slice, _)| *slice).filter(|s| !found.contains_key(s)).collect();
        if !missing.is_empty() {
            if comm.rank() == 0 {
                self.lock_folders()?;
            }
            comm.barrier()?;
        }
        let assignments = self.assign(&missing)?;
        // Small slices first, each by one rank, in parallel.
        let mut own_reports = Vec::new();
        for &(slice, metrics) in tasks {
            let report = match found.remove(&slice) {
                Some(report) => report,
                None if assignments[&slice] == Assignment::OneRank(comm.rank()) => {
                    Some(self.build_slice(slice, metrics, &SingleProcess)?)
                }
                None => continue,
            };
            match (report, comm.rank()) {
                (Some(report), 0) => self.report(report),
                (Some(report), _) => own_reports.push(report),
                (None, _) => {}
            }
        }
        for report in reports::gather(&own_reports, comm)? {
            self.report(report);
        }
        // Then the large ones, each by all ranks together.
        for &(slice, metrics) in tasks.iter().filter(|(slice, _)| missing.contains(slice)) {
            if assignments[&slice] == Assignment::AllRanks {
                let report = self.build_slice(slice, metrics, &MeteredCommunicator::new(comm))?;
                if comm.rank() == 0 {
                    self.report(report);
                }
            }
            for &metric in metrics {
                self.base.add_file(slice, metric, self.folder.join(metric.file_name(slice)));
            }
        }
        Ok(())
    }

    /// Decides which ranks build which slices.
    fn assign(&self, missing: &[Slice]) -> Result<BTreeMap<Slice, Assignment>, BuildError> {
        let ranks = self.env.comm.size();
        if self.env.placement.is_some() && ranks > 1 {
            return Ok(missing.iter().map(|&slice| (slice, Assignment::AllRanks)).collect());
        }
        let slices = plan::with_resources(self.base.rules(), missing, self.threads)?;
        Ok(plan::assign(&slices, ranks, self.memory_bytes))
    }

    fn report(&mut self, report: SliceReport) {
        self.progress.slice_done(&report);
        self.reports.push(report);
    }

    /// Returns `true` if a slice has these tables.
    fn are_intact(&self, slice: Slice, metrics: &[Metric]) -> bool {
        metrics.iter().all(|&metric| self.base.table(slice, metric).is_ok())
    }

    /// Returns the slices that need not be built. Only rank 0 reads the folder and has the reports.
    fn all_found(
        &mut self,
        tasks: &[Task],
    ) -> Result<BTreeMap<Slice, Option<SliceReport>>, BuildError> {
        let comm = self.env.comm;
        let mut reports = Vec::new();
        if comm.rank() == 0 {
            for &(slice, metrics) in tasks {
                reports.push(self.found(slice, metrics)?);
            }
        }
        let own_found: Vec<u8> = reports.iter().map(|report| report.is_some().into()).collect();
        let found = comm.broadcast(&own_found)?;
        reports.resize(tasks.len(), None);
        let all = tasks.iter().zip(reports).zip(found).filter(|(_, found)| *found > 0);
        Ok(all.map(|((&(slice, _), report), _)| (slice, report)).collect())
    }

    /// Allocates memory and disk to a slice built by that number of ranks.
    fn allocate(&self, slice: Slice, ranks: usize) -> Result<Allocation, BuildError> {
        let resources = Resources::of(self.base.rules(), slice, self.threads)?;
        let (files, folder) = (&*self.env.files, self.work_folder(slice));
        let free_memory = memory::available_bytes().unwrap_or(0);
        resources.allocate(slice, ranks, self.memory_bytes, free_memory, files, &folder)
    }

    /// Solves a slice together with the ranks of `comm` and writes its files.
    fn build_slice(
        &self,
        slice: Slice,
        metrics: &[Metric],
        comm: &dyn Communicator,
    ) -> Result<SliceReport, BuildError> {
        let rules = self.base.rules();
        let started = Instant::now();
        go_on(self.progress)?;
        self.progress.phase(slice, Phase::Reading, 0);
        let index = SliceIndex::new(rules, slice)?;
        let folder = self.work_folder(slice);
        let allocation = self.allocate(slice, comm.size())?;
        let is_first = comm.rank() == 0;
        if is_first {
            self.notice_other_work(slice, &folder);
        }
        if let Some([needed, available]) = allocation.short_disk.filter(|_| is_first) {
            self.progress.notice(&format!(
                "{}: {slice} takes about {} of disk, but only {} are free: the disk may become full",
                folder.display(),
                Bytes(needed),
                Bytes(available)
            ));
        }
        let files = &self.env.files;
        let options = ScratchOptions {
            files: Arc::clone(files),
            sync_every: self.env.sync_every,
            compression: self.env.compression.unwrap_or(allocation.compression),
            progress: self.progress,
        };
        let scratch = ScratchFolder::open(&folder, self.identity(slice)?, options)?;
        let context = SolveContext {
            scratch: &scratch,
            storage: self.env.placement.unwrap_or(allocation.storage),
            comm,
            progress: self.progress,
        };
        let cache_bytes = allocation.cache_bytes;
        let work = SliceWork { slice, metrics, index: &index, cache_bytes, started };
        let mut discarded = BTreeSet::new();
        loop {
            let outcome = match with_row_words!(rules, self.solve_and_write(&work, &context)) {
                // Compressing finished stages may free enough space. With several ranks the next
                // build does this, since other ranks may be writing there.
                Err(error) if error.is_disk_full() && comm.size() == 1 => {
                    match scratch.make_room() {
                        Ok(true) => continue,
                        Ok(false) => Err(error),
                        Err(error) => Err(error.into()),
                    }
                }
                outcome => outcome,
            };
            match outcome {
                // A damaged file is recomputed once. If it is damaged again, the disk is faulty.
                Err(BuildError::Scratch(ScratchError {
                    path,
                    kind: ScratchErrorKind::Damaged,
                })) if discarded.insert(path.clone()) => {
                    scratch.discard(&path)?;
                    if comm.size() > 1 {
                        // The other ranks have already used it.
                        return Err(BuildError::Again(path));
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

    /// Locks the table and scratch folders against other builds, and removes temporary files of
    /// killed builds.
    fn lock_folders(&mut self) -> Result<(), BuildError> {
        let files = &*self.env.files;
        let (tables, scratch) = (self.folder.clone(), self.scratch_folder());
        for folder in [&tables, &scratch] {
            if self.locks.lock(files, folder)? && folder == &tables {
                remove_temporaries(files, folder)?;
            }
        }
        Ok(())
    }

    /// Returns the folder for work in progress on this ruleset's slices.
    fn scratch_folder(&self) -> PathBuf {
        match &self.options.scratch {
            Some(scratch) => scratch.join(&self.base.rules().name),
            None => self.folder.clone(),
        }
    }

    /// Returns the folder for work in progress on a slice.
    fn work_folder(&self, slice: Slice) -> PathBuf {
        self.scratch_folder().join(work_name(slice))
    }

    /// Hashes everything that the work on a slice depends on: this program's version, the rules,
    /// and the current values of the smaller slices.
    fn identity(&self, slice: Slice) -> Result<Hash, BuildError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.update(&self.base.rules().fingerprint().0);
        hasher.update(slice.to_string().as_bytes());
        for (child, _) in sub_slices(self.base.rules(), slice) {
            hasher.update(&self.base.table(child, Metric::Dtw)?.value_hash().0);
        }
        Ok(*hasher.finalize().as_bytes())
    }

    /// Returns the report of a slice if all its files exist and are intact. Then deletes the work
    /// that an earlier build has left of it, after locking the folders.
    fn found(
        &mut self,
        slice: Slice,
        metrics: &[Metric],
    ) -> Result<Option<SliceReport>, BuildError> {
        let mut bytes = Vec::new();
        let mut summaries = Default::default();
        // All files are checked, so that none that belongs to something else is overwritten.
        for &metric in metrics {
            if let Some(table) = self.base.intact_table(slice, metric)? {
                bytes.push((metric, table.size_bytes()));
                summaries = BySide::from_fn(|side| *table.summary(side));
            }
        }
        if bytes.len() < metrics.len() || self.options.force {
            return Ok(None);
        }
        let work = self.work_folder(slice);
        if work.is_dir() {
            match self.lock_folders() {
                Ok(()) => self.clear_leftover(slice, &work)?,
                // The work belongs to the build that has locked the folder.
                Err(BuildError::Busy { .. }) => {}
                // The slice is complete all the same.
                Err(error) => self.progress.notice(&error.to_string()),
            }
        }
        let times = Default::default();
        Ok(Some(SliceReport { slice, built: false, positions: 0, summaries, bytes, times }))
    }

    /// Deletes the work that an earlier build has left of a slice whose files exist, unless a build
    /// of its distances can resume from it.
    fn clear_leftover(&self, slice: Slice, work: &Path) -> Result<(), BuildError> {
        let files = &*self.env.files;
        let has_work = ScratchFolder::has_work(files, work)?;
        let is_complete = self.are_intact(slice, &Metric::ALL);
        if is_complete || !has_work {
            ScratchFolder::clear(files, work)?;
        }
        if has_work {
            // The same work is left by a build that was killed after its last file and by an
            // interrupted one that was to replace or add files.
            let path = work.display();
            self.progress.notice(&match is_complete {
                true => format!(
                    "{path}: the work that an earlier build left here is deleted, since the tables \
                     of {slice} are complete"
                ),
                false => format!(
                    "{path}: the work that an earlier build left here is kept, since a build of \
                     the distances of {slice} resumes from it; delete the folder if you do not \
                     want them"
                ),
            });
        }
        Ok(())
    }

    /// Gives notice of work on a slice that is beside the tables and not in its folder elsewhere.
    fn notice_other_work(&self, slice: Slice, folder: &Path) {
        let other = self.folder.join(work_name(slice));
        // One folder may have two names.
        let is_same = match (other.canonicalize(), folder.canonicalize()) {
            (Ok(other), Ok(own)) => other == own,
            _ => other == folder,
        };
        if !is_same && ScratchFolder::has_work(&*self.env.files, &other).is_ok_and(|has| has) {
            self.progress.notice(&format!(
                "{other}: an earlier build has left work here, which this one does not use: to \
                 resume it, stop, put it in the place of {folder}, and build again; otherwise \
                 delete it",
                other = other.display(),
                folder = folder.display()
            ));
        }
    }

    fn solve_and_write<const N: usize>(
        &self,
        work: &SliceWork,
        context: &SolveContext,
    ) -> Result<SliceReport, BuildError> {
        let &SliceWork { slice, metrics, index, cache_bytes, started } = work;
        let frame: Frame<N> = Frame::new(self.base.rules(), slice)?;
        let mut opened = started.elapsed();
        let solution = Solution::solve(
            &frame,
            || {
                let sub_slices = open_sub_slices(&self.base, slice, cache_bytes);
                opened = started.elapsed();
                sub_slices
            },
            context,
        )?;
        let solved = started.elapsed();
        let files = &self.env.files;
        let target =
            OutputTarget { files, folder: &self.folder, metrics, level: self.options.level };
        let rows = SolverRows { frame: &frame, index };
        let written = write::write(&rows, solution, &target, self.progress)?;
        let times = [opened, solved - opened, started.elapsed() - solved];
        let SliceFiles { positions, summaries, bytes } = written;
        Ok(SliceReport { slice, built: true, positions, summaries, bytes, times })
    }
}

/// A slice to solve and write.
struct SliceWork<'a> {
    slice: Slice,
    metrics: &'a [Metric],
    index: &'a SliceIndex,
    cache_bytes: u64,
    started: Instant,
}
