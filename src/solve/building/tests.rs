//! Slices have the same values however they are solved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::game::rules::{BySide, Ruleset};
use crate::game::slice::Slice;
use crate::solve::communicator::{Communicator, SingleProcess, ThreadRank, on_each_rank};
use crate::solve::convert::read::{open_sub_slices, sub_slices};
use crate::solve::error::BuildError;
use crate::solve::frame::Frame;
use crate::solve::frame::attacker_sets;
use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::initial::coded_rows::CodedRows;
use crate::solve::initial::sub_slice::SubSlices;
use crate::solve::plies::tables::Storage;
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::solver::{Solution, SolveContext};
use crate::solve::store::{Compression, ScratchFolder, ScratchOptions};
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::table::PUBLISHED_ZSTD;
use crate::table::progress::{Phase, Progress};
use crate::tablebase::Tablebase;

use super::builder::{Build, BuildOptions, SYNC_EVERY};
use super::session::zstd_notice;

/// A ruleset, a slice of it, and the tables of all sub-slices.
struct Task {
    base: Tablebase,
    slice: Slice,
    tables: tempfile::TempDir,
}

impl Task {
    fn new(rules: &str, slice: &str) -> Task {
        let tables = tempfile::tempdir().unwrap();
        let rules = Ruleset::load(rules).unwrap();
        let slice: Slice = slice.parse().unwrap();
        let smaller: Vec<Slice> = sub_slices(&rules, slice).map(|(child, _)| child).collect();
        let options = BuildOptions::default();
        Build::new(&rules, tables.path(), &smaller).options(&options).run().unwrap();
        let base = Tablebase::open_files(rules, tables.path()).unwrap();
        Task { base, slice, tables }
    }

    /// Returns all values of the slice, solved with this storage.
    fn solved<const N: usize>(&self, placement: &Storage) -> Vec<BySide<CodedRows<N>>> {
        self.solved_in(self.frame(), self.sub_slices(), placement)
    }

    /// The same with the index instead of a lookup table of attacker sets.
    fn solved_without_entries<const N: usize>(
        &self,
        placement: &Storage,
    ) -> Vec<BySide<CodedRows<N>>> {
        let (mut frame, mut smaller) = (self.frame(), self.sub_slices());
        frame.attackers = self.without_entries(self.slice);
        let children = smaller.fewer_defenders.iter_mut().chain(&mut smaller.fewer_attackers);
        for (child, (slice, _)) in children.zip(sub_slices(self.base.rules(), self.slice)) {
            child.frame.attackers = self.without_entries(slice);
        }
        self.solved_in(frame, smaller, placement)
    }

    fn frame<const N: usize>(&self) -> Frame<'_, N> {
        Frame::new(self.base.rules(), self.slice).unwrap()
    }

    fn sub_slices<const N: usize>(&self) -> SubSlices<'_, N> {
        open_sub_slices(&self.base, self.slice, u64::MAX).unwrap()
    }

    fn without_entries(&self, slice: Slice) -> Arc<BlockLookup> {
        let sets = attacker_sets(self.base.rules(), slice).unwrap();
        let lookup = BlockLookup::with_entries_up_to(0, sets).unwrap();
        assert!(lookup.entries().is_none());
        Arc::new(lookup)
    }

    fn solved_in<const N: usize>(
        &self,
        frame: Frame<'_, N>,
        sub_slices: SubSlices<'_, N>,
        placement: &Storage,
    ) -> Vec<BySide<CodedRows<N>>> {
        let folder = tempfile::tempdir().unwrap();
        self.solved_by(&SingleProcess, folder.path(), frame, sub_slices, placement)
    }

    /// Returns the values solved by one rank, in a folder that it shares with the others.
    fn solved_by<const N: usize>(
        &self,
        comm: &dyn Communicator,
        folder: &Path,
        frame: Frame<'_, N>,
        sub_slices: SubSlices<'_, N>,
        placement: &Storage,
    ) -> Vec<BySide<CodedRows<N>>> {
        let options = ScratchOptions {
            files: Arc::new(SystemFiles),
            sync_every: SYNC_EVERY,
            compression: Compression::ALWAYS,
            progress: &(),
        };
        let phases = Phases::default();
        let scratch = ScratchFolder::open(folder, [0; 32], options).unwrap();
        let sub_slices = || Ok::<_, BuildError>(sub_slices);
        let (storage, progress) = (*placement, &phases);
        let context = SolveContext { scratch: &scratch, storage, comm, progress };
        let solution = Solution::solve(&frame, sub_slices, &context).unwrap();
        // The partitions of a rank by attackers and by defenders differ in size.
        if comm.size() == 1 {
            phases.check();
        }
        let own = solution.own_chunks().map(ChunkNumber::new);
        own.map(|chunk| solution.coded_rows(&frame, chunk).unwrap()).collect()
    }

    /// Returns all values of the slice, solved by several ranks, each a thread.
    fn solved_by_ranks<const N: usize>(
        &self,
        ranks: usize,
        folder: &Path,
        placement: &Storage,
    ) -> Vec<BySide<CodedRows<N>>> {
        let solve = |member: ThreadRank| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| {
                self.solved_by(&member, folder, self.frame(), self.sub_slices(), placement)
            })
        };
        on_each_rank(ranks, solve).concat()
    }
}

/// By phase: the expected and the reported rows.
#[derive(Default)]
struct Phases(Mutex<Vec<(Phase, u64, u64)>>);

impl Phases {
    fn check(&self) {
        for (phase, rows, done) in &*self.0.lock().unwrap() {
            assert_eq!(done, rows, "{phase:?}");
        }
    }
}

impl Progress for Phases {
    fn phase(&self, _: Slice, phase: Phase, rows: u64) {
        self.0.lock().unwrap().push((phase, rows, 0));
    }

    fn advance(&self, rows: u64) {
        self.0.lock().unwrap().last_mut().unwrap().2 += rows;
    }
}

/// Every phase reports as many rows as it has announced; writing has those of the initial pass.
#[test]
fn phases_report_their_rows() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let tables = tempfile::tempdir().unwrap();
    let phases = Phases::default();
    Build::new(&rules, tables.path(), &["K1v2".parse().unwrap()]).progress(&phases).run().unwrap();
    phases.check();
    let all = phases.0.into_inner().unwrap();
    let rows_of =
        |wanted| all.iter().filter(move |(phase, ..)| *phase == wanted).map(|(_, rows, _)| rows);
    assert!(rows_of(Phase::Initial).count() > 2);
    assert!(rows_of(Phase::Initial).eq(rows_of(Phase::Writing)));
}

fn partitions_give_the_same<const N: usize>(rules: &str, slice: &str) {
    let task = Task::new(rules, slice);
    let in_memory = task.solved::<N>(&Storage::Memory);
    assert!(in_memory.len() > 2, "{} chunks", in_memory.len());
    for partitions in [1, 2, 3, 5, 1000] {
        let placement = Storage::Partitions(partitions);
        assert!(task.solved::<N>(&placement) == in_memory, "{placement:?}");
    }
}

fn ranks_give_the_same<const N: usize>(rules: &str, slice: &str) {
    let task = Task::new(rules, slice);
    let alone = task.solved::<N>(&Storage::Memory);
    for (ranks, partitions) in [(1, 1), (2, 2), (3, 3), (5, 5), (2, 5), (3, 4), (4, 2), (5, 1000)] {
        let folder = tempfile::tempdir().unwrap();
        let solve = || {
            let solved =
                task.solved_by_ranks::<N>(ranks, folder.path(), &Storage::Partitions(partitions));
            assert!(solved == alone, "{rules} {slice}: {ranks} ranks, {partitions} partitions");
        };
        solve();
        // Another number of ranks resumes.
        let parts = SystemFiles.list(folder.path()).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let is_late = |path: &&PathBuf| name(path).contains("-all") || name(path).contains("-4@");
        let late: Vec<&PathBuf> = parts.iter().filter(is_late).collect();
        assert!(!late.is_empty(), "{parts:?}");
        for path in late {
            std::fs::remove_file(path).unwrap();
        }
        let others =
            task.solved_by_ranks::<N>(7 - ranks, folder.path(), &Storage::Partitions(partitions));
        assert!(others == alone, "{rules} {slice}: {ranks} ranks, then others");
    }
}

/// Returns the tables built by several ranks, by name, and the reports without times.
fn built_by(ranks: usize, rules: &str, slice: &str) -> (BTreeMap<String, Vec<u8>>, Vec<String>) {
    let tables = tempfile::tempdir().unwrap();
    let rules = Ruleset::load(rules).unwrap();
    let slices = [slice.parse().unwrap()];
    let options = BuildOptions { threads: 1, ..BuildOptions::default() };
    let build = |member: ThreadRank| {
        let build = Build::new(&rules, tables.path(), &slices).options(&options);
        let reports = build.communicator(&member).run().unwrap();
        assert!(reports.is_empty() == (member.rank() > 0));
        reports.iter().map(|report| format!("{} {report:?}", report.slice)).collect::<Vec<_>>()
    };
    let reports = on_each_rank(ranks, build).concat();
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        Some((name, std::fs::read(&path).ok()?)).filter(|(name, _)| !name.starts_with('.'))
    };
    let paths = SystemFiles.list(&tables.path().join(&rules.name)).unwrap();
    let mut slices: Vec<String> = reports
        .iter()
        .map(|report| report[..report.find(", times").unwrap_or(report.len())].to_owned())
        .collect();
    slices.sort();
    (paths.into_iter().filter_map(named).collect(), slices)
}

#[test]
fn any_number_of_ranks_writes_the_same_files() {
    for (rules, slice) in
        [("brandubh", "K2v2"), ("tablut", "K2v1"), ("tests/rulesets/mini-corner.toml", "K2v4")]
    {
        let (alone, reports) = built_by(1, rules, slice);
        for ranks in [2, 3, 5] {
            let (files, others) = built_by(ranks, rules, slice);
            assert!(files.keys().eq(alone.keys()), "{rules} {slice}: {:?}", files.keys());
            for (name, bytes) in &files {
                assert!(*bytes == alone[name], "{rules} {name} by {ranks} ranks");
            }
            assert_eq!(others, reports);
        }
    }
}

#[test]
fn existing_tables_need_no_memory() {
    let tables = tempfile::tempdir().unwrap();
    let rules = Ruleset::load("brandubh").unwrap();
    let built_with = |memory_bytes| {
        let options = BuildOptions { threads: 1, memory_bytes, ..BuildOptions::default() };
        let slices = ["K1v1".parse().unwrap()];
        let reports = Build::new(&rules, tables.path(), &slices).options(&options).run()?;
        Ok(reports.iter().map(|report| report.built).collect::<Vec<_>>())
    };
    let refused =
        |built: &Result<Vec<bool>, BuildError>| matches!(built, Err(BuildError::Memory { .. }));
    assert!(refused(&built_with(1)));
    assert!(built_with(u64::MAX).unwrap().contains(&true));
    assert!(!built_with(1).unwrap().contains(&true));
}

#[test]
fn values_do_not_depend_on_the_number_of_ranks() {
    ranks_give_the_same::<1>("brandubh", "K2v2");
    ranks_give_the_same::<1>("brandubh", "K0v3");
    ranks_give_the_same::<2>("tablut", "K2v1");
}

#[test]
fn values_do_not_depend_on_the_storage() {
    partitions_give_the_same::<1>("brandubh", "K2v2");
    partitions_give_the_same::<1>("tests/rulesets/walls.toml", "K4v4");
    partitions_give_the_same::<1>("tests/rulesets/forts.toml", "K5v2");
    partitions_give_the_same::<1>("tests/rulesets/rings.toml", "K3v6");
    partitions_give_the_same::<2>("tablut", "K2v1");
}

#[test]
fn values_do_not_depend_on_the_cache_of_sub_slices() {
    let task = Task::new("brandubh", "K2v2");
    let all_cached = task.solved::<1>(&Storage::Memory);
    for cache_bytes in [0, 1 << 16, 1 << 18] {
        let sub_slices = open_sub_slices(&task.base, task.slice, cache_bytes).unwrap();
        assert!(task.solved_in(task.frame(), sub_slices, &Storage::Memory) == all_cached);
    }
}

#[test]
fn another_zstd_is_reported() {
    assert_eq!(zstd_notice(PUBLISHED_ZSTD), None);
    let notice = zstd_notice("1.5.6").unwrap();
    assert!(notice.contains("zstd 1.5.6") && notice.contains(PUBLISHED_ZSTD), "{notice}");
}

/// Sub-slices are read during the initial pass; its results are not kept after an error.
#[test]
fn a_smaller_slice_that_cannot_be_read_stops_the_build() {
    let task = Task::new("brandubh", "K2v2");
    let (tables, rules) = (task.tables.path(), task.base.rules());
    let build = || Build::new(rules, tables, &[task.slice]).run();
    let smaller = tables.join("brandubh/K1v2.dtw");
    let whole = std::fs::read(&smaller).unwrap();
    let mut damaged = whole.clone();
    // Between the header and the index, in the values of either side.
    damaged[100..whole.len() - 400].fill(7);
    std::fs::write(&smaller, damaged).unwrap();
    let error = build().unwrap_err();
    assert!(matches!(error, BuildError::Table(_)), "{error:?}");
    assert!(error.to_string().contains("K1v2.dtw"), "{error}");
    let table = tables.join("brandubh/K2v2.dtw");
    assert!(!table.exists());
    std::fs::write(&smaller, whole).unwrap();
    build().unwrap();
    let resumed = std::fs::read(&table).unwrap();
    let force = BuildOptions { force: true, ..BuildOptions::default() };
    Build::new(rules, tables, &[task.slice]).options(&force).run().unwrap();
    assert!(std::fs::read(&table).unwrap() == resumed);
}

fn the_index_gives_the_same<const N: usize>(rules: &str, slice: &str) {
    let task = Task::new(rules, slice);
    let by_entries = task.solved::<N>(&Storage::Memory);
    for placement in [Storage::Memory, Storage::Partitions(3)] {
        let by_index = task.solved_without_entries::<N>(&placement);
        assert!(by_index == by_entries, "{rules} {slice} {placement:?}");
    }
}

/// Slices with more attacker sets than can have entries are too large for a test.
#[test]
fn values_do_not_depend_on_the_lookup_of_attackers() {
    // Without defenders, all moves of an attacker are processed at once only if there are entries.
    for slice in ["K0v3", "K0v4", "K1v3", "K2v2"] {
        the_index_gives_the_same::<1>("brandubh", slice);
    }
    for slice in ["K0v3", "K1v2", "K2v1"] {
        the_index_gives_the_same::<2>("tablut", slice);
        the_index_gives_the_same::<1>("tests/rulesets/lopsided.toml", slice);
    }
    for slice in ["K0v4", "K2v3"] {
        the_index_gives_the_same::<1>("tests/rulesets/strange-turns.toml", slice);
    }
}
