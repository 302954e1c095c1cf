//! Builds on a disk on which things go wrong. Whatever happens, the next build makes
//! the same files as one that nothing happened to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use proptest::prelude::*;

use crate::filesystem::faulty::{FAULTS, Fault, FaultyFiles};
use crate::table::{Access, Code, Metric, Table, TableWriter, ValueHash, encode_block};

use super::*;

const IN_MEMORY: Placement = Placement::Memory;
const ON_DISK: Placement = Placement::Disk { own_chunks: 1, window_chunks: 1 };

/// A game and a slice of it that are built in milliseconds.
struct Case {
    rules: Ruleset,
    slice: Slice,
    /// The files of a build to which nothing happened, by name.
    whole: BTreeMap<String, Vec<u8>>,
}

impl Case {
    fn new(rules: &str, slice: &str) -> Case {
        let path = format!("{}/tests/rulesets/{rules}.toml", env!("CARGO_MANIFEST_DIR"));
        let rules = Ruleset::load(&path).unwrap();
        let mut case = Case { rules, slice: slice.parse().unwrap(), whole: BTreeMap::new() };
        let tables = tempfile::tempdir().unwrap();
        case.build(&Means::default(), tables.path()).unwrap();
        case.whole = case.files(tables.path());
        assert!(case.whole.len() >= 4);
        case
    }

    fn build(&self, means: &Means, tables: &Path) -> Result<(), BuildError> {
        // One thread, so that calls come in one order.
        let options = BuildOptions { threads: 1, ..BuildOptions::default() };
        build_by(means, &self.rules, tables, &[self.slice], &options, &(), &mut |_| {})
    }

    /// The tables in a folder.
    fn files(&self, tables: &Path) -> BTreeMap<String, Vec<u8>> {
        let paths = fs::read_dir(tables.join(&self.rules.name)).into_iter().flatten();
        let paths = paths.map(|entry| entry.unwrap().path());
        let named = paths.filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| Metric::ALL.iter().any(|m| m.name() == extension))
        });
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        named.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
    }

    /// What has its name is whole.
    fn is_sound(&self, tables: &Path, what: &str) {
        for (name, bytes) in self.files(tables) {
            assert!(self.whole[&name] == bytes, "{what}: {name} is not whole");
        }
    }

    /// The next build, to which nothing happens, makes what was to be made.
    fn goes_on(&self, placement: &Placement, tables: &Path, what: &str) {
        let means = Means { placement: Some(placement.clone()), ..Means::default() };
        let built = self.build(&means, tables);
        built.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(self.files(tables) == self.whole, "{what}: other tables");
        let work = tables.join(&self.rules.name).join(work_name(self.slice));
        assert!(!work.exists(), "{what}: work is left");
    }

    /// The folder of the work on the slice.
    fn work(&self, tables: &Path) -> PathBuf {
        tables.join(&self.rules.name).join(work_name(self.slice))
    }
}

/// A disk on which that goes wrong, with stages of all slices synced or none.
fn faulty(
    tables: &Path,
    (fault, after, seed): (Fault, usize, u64),
    placement: &Placement,
    durable: bool,
) -> (Means, FaultyFiles) {
    let files = FaultyFiles::new(tables, fault, after, seed);
    let means = Means {
        files: Arc::new(files.clone()),
        placement: Some(placement.clone()),
        durable_rows: if durable { 0 } else { usize::MAX },
    };
    (means, files)
}

/// What was done of the work, and outlasts what has happened, is not done again.
fn nothing_is_done_twice(first: &BTreeSet<PathBuf>, again: &BTreeSet<PathBuf>, what: &str) {
    let stages = |path: &&PathBuf| path.extension().is_none();
    let twice: Vec<_> = first.intersection(again).filter(stages).collect();
    assert!(twice.is_empty(), "{what}: done twice: {twice:?}");
}

/// Every call of a build goes wrong once, in every way.
fn every_call_may_go_wrong(placement: &Placement, durable: bool) {
    let case = Case::new("mini-edge", "K1v1");
    for fault in FAULTS {
        let mut strikes = 0;
        for after in 0.. {
            let what = format!("{fault:?} after {after} calls, {placement:?}, durable: {durable}");
            let root = tempfile::tempdir().unwrap();
            let (means, files) =
                faulty(root.path(), (fault, after, after as u64), placement, durable);
            let outcome = case.build(&means, root.path());
            if !files.has_struck() {
                outcome.unwrap();
                break;
            }
            strikes += 1;
            if matches!(fault, Fault::Kill | Fault::PowerCut) {
                assert!(outcome.is_err(), "{what}");
            }
            let done = files.finished();
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            case.is_sound(root.path(), &what);
            let never = (Fault::Fail, usize::MAX - 1, 0);
            let (_, again) = faulty(root.path(), never, placement, durable);
            if durable && fault != Fault::Flip {
                let means = Means { files: Arc::new(again.clone()), ..means };
                case.build(&means, root.path()).unwrap_or_else(|error| panic!("{what}: {error}"));
                nothing_is_done_twice(&done, &again.created(), &what);
            }
            case.goes_on(placement, root.path(), &what);
        }
        assert!(strikes > 100, "{fault:?}: {strikes} calls");
    }
}

#[test]
fn every_call_may_go_wrong_in_memory() {
    every_call_may_go_wrong(&IN_MEMORY, true);
}

#[test]
fn every_call_may_go_wrong_on_disk() {
    every_call_may_go_wrong(&ON_DISK, false);
}

fn placements() -> impl Strategy<Value = Placement> {
    prop_oneof![Just(IN_MEMORY), Just(ON_DISK)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// One accident after the other, each in a build that goes on after the last.
    #[test]
    fn accidents_may_follow_each_other(
        accidents in prop::collection::vec(
            (prop::sample::select(&FAULTS[..]), 0..400_usize, any::<u64>(), placements(), any::<bool>()),
            1..6,
        ),
        placement in placements(),
    ) {
        let case = Case::new("mini-corner", "K1v2");
        let root = tempfile::tempdir().unwrap();
        for (fault, after, seed, placement, durable) in accidents {
            let (means, files) = faulty(root.path(), (fault, after, seed), &placement, durable);
            let _ = case.build(&means, root.path());
            drop(means);
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            case.is_sound(root.path(), "on the way");
        }
        case.goes_on(&placement, root.path(), "in the end");
    }

    /// What is kept of a slice, damaged at rest.
    #[test]
    fn work_may_be_damaged(
        after in 100..900_usize,
        damages in prop::collection::vec((0..7_u8, any::<u64>()), 1..4),
        [before, then] in [placements(), placements()],
    ) {
        let case = Case::new("mini-corner", "K1v2");
        let root = tempfile::tempdir().unwrap();
        let (means, _) = faulty(root.path(), (Fault::Kill, after, 0), &before, false);
        let _ = case.build(&means, root.path());
        case.is_sound(root.path(), "killed");
        for &(kind, seed) in &damages {
            damage(&case.work(root.path()), kind, &mut Rng::with_seed(seed));
        }
        case.goes_on(&then, root.path(), &format!("{damages:?}"));
    }
}

/// Damages one file of a folder.
fn damage(folder: &Path, kind: u8, random: &mut Rng) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let Some(path) = random.choice(&paths) else { return };
    let other = random.choice(&paths).unwrap();
    let mut bytes = fs::read(path).unwrap();
    match kind {
        0 => return fs::remove_file(path).unwrap(),
        1 => bytes.truncate(random.usize(0..=bytes.len())),
        2 if !bytes.is_empty() => {
            let bit = random.usize(0..8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        3 => bytes.push(0),
        // One stage in the place of another one.
        4 => bytes = fs::read(other).unwrap(),
        5 if !bytes.is_empty() => {
            let start = random.usize(0..bytes.len());
            bytes[start..].iter_mut().take(64).for_each(|byte| *byte = 0);
        }
        _ => {
            fs::rename(path, other).unwrap();
            return;
        }
    }
    fs::write(path, bytes).unwrap();
}

/// Work that was done with another table of a smaller slice is not used.
#[test]
fn work_stands_on_the_smaller_slices() {
    let case = Case::new("mini-corner", "K1v2");
    let smaller = "K1v1.dtw";
    for after in (0..1200).step_by(5) {
        let root = tempfile::tempdir().unwrap();
        for slice in ["K0v1", "K0v2", "K1v1"] {
            let smaller = Case {
                slice: slice.parse().unwrap(),
                whole: BTreeMap::new(),
                rules: case.rules.clone(),
            };
            smaller.build(&Means::default(), root.path()).unwrap();
        }
        let path = root.path().join(&case.rules.name).join(smaller);
        make_wrong(&path);
        let (means, _) = faulty(root.path(), (Fault::Kill, after, 0), &IN_MEMORY, false);
        let _ = case.build(&means, root.path());
        fs::write(&path, &case.whole[smaller]).unwrap();
        // The table that is named last.
        if case.files(root.path()).contains_key("K1v2.dtw") {
            // The test means something: the wrong table makes other ones.
            assert!(after >= 100, "{after}");
            assert!(case.files(root.path()) != case.whole);
            return;
        }
        case.goes_on(&IN_MEMORY, root.path(), &format!("killed after {after} calls"));
    }
    panic!("no build was finished");
}

/// Makes a table a whole one with other values.
fn make_wrong(path: &Path) {
    let table = Table::open(path, Access::Read).unwrap();
    let header = *table.header();
    let blocks: Vec<Vec<Code>> = (0..header.grid.blocks())
        .map(|block| {
            let mut values = Vec::new();
            table.read_block(block, &mut values).unwrap();
            // Draws, which every table can have.
            values.fill(0);
            values
        })
        .collect();
    let summaries = Side::ALL.map(|side| *table.summary(side));
    drop(table);
    let mut writer = TableWriter::create(path, header).unwrap();
    for (number, values) in (0..).zip(&blocks) {
        writer.append(number, encode_block(header.packing, 1, values).unwrap()).unwrap();
    }
    writer.finish(summaries, ValueHash([7; 32])).unwrap();
}
