//! Builds with injected faults. Whatever goes wrong, the next build writes the same files as
//! an undisturbed one.

mod damage;
mod kills;
mod ranks;
mod small_disks;
mod smaller;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use proptest::prelude::*;

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::solve::error::BuildError;
use crate::solve::plies::tables::Storage;
use crate::solve::store::Compression;
use crate::system::filesystem::faulty::{FAULTS, FROZEN, Fault, FaultyFiles, NEVER};
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::table::Metric;
use crate::table::progress::Progress;

use super::builder::{Build, BuildEnv, BuildOptions};
use super::session::work_name;

const IN_MEMORY: Storage = Storage::Memory;
const IN_PARTITIONS: Storage = Storage::Partitions(2);

/// A forked process inherits this one's file locks until it executes another program, so none
/// may be started while a build is about to release its locks.
static PROCESSES: RwLock<()> = RwLock::new(());

/// A game and a slice of it, built in milliseconds.
struct Case {
    rules: Ruleset,
    slice: Slice,
    /// The files of an undisturbed build, by name.
    whole: BTreeMap<String, Vec<u8>>,
}

impl Case {
    fn new(rules: &str, slice: &str) -> Case {
        let path = format!("{}/tests/rulesets/{rules}.toml", env!("CARGO_MANIFEST_DIR"));
        Case::of(Ruleset::load(&path).unwrap(), slice)
    }

    fn of(rules: Ruleset, slice: &str) -> Case {
        let mut case = Case { rules, slice: slice.parse().unwrap(), whole: BTreeMap::new() };
        let tables = tempfile::tempdir().unwrap();
        case.build(&BuildEnv::default(), tables.path()).unwrap();
        case.whole = case.files(tables.path());
        assert!(case.whole.len() >= 4);
        case
    }

    fn build(&self, env: &BuildEnv, tables: &Path) -> Result<(), BuildError> {
        self.build_with(env, tables, &())
    }

    fn build_with(
        &self,
        env: &BuildEnv,
        tables: &Path,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let _no_process_starts = PROCESSES.read();
        // One thread, so that the order of the calls is always the same.
        let options = BuildOptions { threads: 1, ..BuildOptions::default() };
        Build::new(&self.rules, tables, &[self.slice])
            .options(&options)
            .progress(progress)
            .env(env.clone())
            .run()
            .map(drop)
    }

    /// Returns the tables in a folder, by name.
    fn files(&self, tables: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(tables.join(&self.rules.name)).into_iter().flatten() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if extension.is_some_and(|extension| Metric::ALL.iter().any(|m| m.name() == extension))
            {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
        files
    }

    /// Asserts that every file under its final name is complete.
    fn is_sound(&self, tables: &Path, what: &str) {
        for (name, bytes) in self.files(tables) {
            assert!(self.whole[&name] == bytes, "{what}: {name} is not whole");
        }
    }

    /// Asserts that an undisturbed build resumes and writes the right files.
    fn goes_on(&self, placement: &Storage, tables: &Path, what: &str) {
        let env = BuildEnv { placement: Some(*placement), ..BuildEnv::default() };
        let built = self.build(&env, tables);
        built.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(self.files(tables) == self.whole, "{what}: other tables");
        let work = tables.join(&self.rules.name).join(work_name(self.slice));
        assert!(!work.exists(), "{what}: work is left");
    }

    /// Returns the scratch folder of the slice.
    fn work(&self, tables: &Path) -> PathBuf {
        tables.join(&self.rules.name).join(work_name(self.slice))
    }
}

/// Creates a disk with a fault and a build environment that uses it.
fn faulty(
    tables: &Path,
    (fault, after, seed): (Fault, usize, u64),
    placement: &Storage,
    sync_every: Duration,
) -> (BuildEnv<'static>, FaultyFiles) {
    let files = FaultyFiles::new(tables, fault, after, seed);
    let env = BuildEnv {
        files: Arc::new(files.clone()),
        placement: Some(*placement),
        sync_every,
        ..BuildEnv::default()
    };
    (env, files)
}

/// Asserts that finished stages that survived the fault are not computed again.
fn nothing_is_done_twice(first: &BTreeSet<PathBuf>, again: &BTreeSet<PathBuf>, what: &str) {
    let twice: Vec<_> =
        first.intersection(again).filter(|path| path.extension().is_none()).collect();
    assert!(twice.is_empty(), "{what}: done twice: {twice:?}");
}

/// Makes every call of a build fail once, in every way.
fn every_call_may_go_wrong(placement: &Storage, sync_every: Duration) {
    let case = Case::new("mini-edge", "K1v1");
    for fault in FAULTS {
        let mut strikes = 0;
        for after in 0.. {
            let what = format!(
                "{fault:?} after {after} calls, {placement:?}, synced every {sync_every:?}"
            );
            let root = tempfile::tempdir().unwrap();
            let (env, files) =
                faulty(root.path(), (fault, after, after as u64), placement, sync_every);
            let outcome = case.build(&env, root.path());
            if !files.has_struck() {
                outcome.unwrap();
                break;
            }
            strikes += 1;
            if matches!(fault, Fault::Kill | Fault::PowerCut) {
                assert!(outcome.is_err(), "{what}");
            }
            let done = files.finished();
            // Tables are synced at once, stages from time to time.
            let mut unfinished = files.unfinished().into_iter();
            let unsynced =
                unfinished.find(|path| sync_every.is_zero() || path.extension().is_some());
            assert_eq!(unsynced, None, "{what}");
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            case.is_sound(root.path(), &what);
            let never = (Fault::Fail, NEVER, 0);
            let (_, again) = faulty(root.path(), never, placement, sync_every);
            if fault != Fault::Flip {
                let env = BuildEnv { files: Arc::new(again.clone()), ..env };
                case.build(&env, root.path()).unwrap_or_else(|error| panic!("{what}: {error}"));
                nothing_is_done_twice(&done, &again.created(), &what);
            }
            case.goes_on(placement, root.path(), &what);
        }
        assert!(strikes > 100, "{fault:?}: {strikes} calls");
    }
}

#[test]
fn every_call_may_go_wrong_in_memory() {
    every_call_may_go_wrong(&IN_MEMORY, Duration::ZERO);
}

#[test]
fn every_call_may_go_wrong_in_partitions() {
    every_call_may_go_wrong(&IN_PARTITIONS, Duration::from_millis(1));
}

fn placements() -> impl Strategy<Value = Storage> {
    prop_oneof![Just(IN_MEMORY), Just(IN_PARTITIONS)]
}

/// Sync intervals of stages: always, sometimes, never.
fn delays() -> impl Strategy<Value = Duration> {
    prop::sample::select(vec![Duration::ZERO, Duration::from_millis(1), Duration::MAX])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Several faults in a row, each in a build that resumes the last one.
    #[test]
    fn faults_may_follow_each_other(
        faults in prop::collection::vec(
            (prop::sample::select(&FAULTS[..]), 0..400_usize, any::<u64>(), placements(), delays()),
            1..6,
        ),
        placement in placements(),
    ) {
        let case = Case::new("mini-corner", "K1v2");
        let root = tempfile::tempdir().unwrap();
        for (fault, after, seed, placement, sync_every) in faults {
            let (env, files) = faulty(root.path(), (fault, after, seed), &placement, sync_every);
            let _ = case.build(&env, root.path());
            drop(env);
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            case.is_sound(root.path(), "on the way");
        }
        case.goes_on(&placement, root.path(), "in the end");
    }
}
