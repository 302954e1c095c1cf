//! Interrupted builds, and folders with files of others.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use taflbase::Tablebase;
use taflbase::build::{Build, BuildError, BuildOptions, plan};
use taflbase::progress::{Phase, Progress};
use taflbase::random::SeededRng;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric, Table};
use taflbase::tablebase::ProbeError;
use tempfile::TempDir;

/// The slice that is built, and the file that is damaged.
const WANTED: &str = "K2v1";
const VICTIM: &str = "K1v1.dtw";

fn rules(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    })
}

fn slice(name: &str) -> Slice {
    name.parse().unwrap()
}

/// Builds; returns the slices that did not exist.
fn build_in(tables: &Path, ruleset: &str, wanted: &str) -> Result<Vec<Slice>, BuildError> {
    let reports = Build::new(&rules(ruleset), tables, &[slice(wanted)]).run()?;
    Ok(reports.iter().filter(|report| report.built).map(|report| report.slice).collect())
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Folders with work in progress may remain.
    let files = paths.filter(|path| path.is_file()).map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), fs::read(&path).unwrap())
    });
    files.collect()
}

/// Returns a folder with a complete build, and the folder of its ruleset.
fn clean(ruleset: &str) -> (TempDir, PathBuf) {
    let tables = tempfile::tempdir().unwrap();
    build_in(tables.path(), ruleset, WANTED).unwrap();
    let folder = tables.path().join(ruleset);
    (tables, folder)
}

fn is_refused(outcome: Result<Vec<Slice>, BuildError>, because: fn(&ProbeError) -> bool) {
    match outcome {
        Err(BuildError::Probe(error)) if because(&error) => {}
        other => panic!("{other:?}"),
    }
}

/// Stops a build after this number of progress reports: cancels it, or panics.
struct Stop {
    cancels: bool,
    after: usize,
    reports: AtomicUsize,
}

impl Progress for Stop {
    fn phase(&self, _: Slice, _: Phase, _: u64) {
        self.advance(0);
    }

    fn advance(&self, _: u64) {
        if self.reports.fetch_add(1, Ordering::Relaxed) == self.after && !self.cancels {
            // A panic without a message on the terminal.
            std::panic::resume_unwind(Box::new("stopped"));
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancels && self.reports.load(Ordering::Relaxed) > self.after
    }
}

#[test]
fn a_stopped_build_is_resumed() {
    is_resumed(false);
}

#[test]
fn a_cancelled_build_is_resumed() {
    is_resumed(true);
}

fn is_resumed(cancels: bool) {
    let (_tables, folder) = clean("mini-edge");
    let whole = files(&folder);
    let tables = tempfile::tempdir().unwrap();
    let folder = tables.path().join("mini-edge");
    let rules = rules("mini-edge");
    let mut stops = 0;
    loop {
        let progress = Stop {
            cancels,
            // Later each time, so that the loop ends.
            after: 3 + stops,
            reports: AtomicUsize::new(0),
        };
        let wanted = [slice(WANTED)];
        let run = || Build::new(&rules, tables.path(), &wanted).progress(&progress).run();
        let outcome = catch_unwind(AssertUnwindSafe(run));
        // A file under its final name is complete.
        for (name, bytes) in files(&folder) {
            assert!(whole[&name] == bytes, "{name} after {stops} stops");
        }
        match outcome {
            Ok(Ok(_)) => break,
            Ok(Err(BuildError::Cancelled)) if cancels => stops += 1,
            Err(_) if !cancels => stops += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(stops > 5, "only {stops} stops");
    assert!(files(&folder) == whole);
}

/// Returns a command that builds the slice in a folder.
fn program(tables: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command.args(["build", "brandubh", "--slice", "K2v2", "--tables"]).arg(tables);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn a_killed_program_resumes_and_writes_the_same_files() {
    let whole = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    assert!(program(whole.path()).status().unwrap().success());
    let takes = begun.elapsed().as_micros() as u64;
    let tables = tempfile::tempdir().unwrap();
    let folder = tables.path().join("brandubh");
    let work = folder.join("K2v2.work");
    let (mut kills, mut at_work) = (0, 0);
    let mut random = SeededRng::new(1);
    loop {
        let mut child = program(tables.path()).spawn().unwrap();
        // The first ones are killed while the slice is in progress, however short that is and
        // whatever else the machine does; later ones after a growing time.
        while kills < 4 && !work.is_dir() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        let limit = if kills < 4 { takes / 64 } else { takes / 8 + takes / 40 * kills };
        std::thread::sleep(Duration::from_micros(random.next_u64() % limit));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "after {kills} kills");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        at_work += u64::from(work.is_dir());
    }
    assert!(at_work >= 3, "killed {at_work} times of {kills} while a ply was in progress");
    assert!(!work.exists());
    assert!(files(&folder) == files(&whole.path().join("brandubh")));
}

/// Stops a build at the second ply of a slice: cancels it, or panics.
struct StopAtPly {
    cancels: bool,
    slice: Slice,
    is_there: AtomicBool,
}

impl Progress for StopAtPly {
    fn phase(&self, slice: Slice, phase: Phase, _: u64) {
        if slice == self.slice && matches!(phase, Phase::Ply { ply: 2, .. }) {
            if !self.cancels {
                std::panic::resume_unwind(Box::new("stopped"));
            }
            self.is_there.store(true, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }
}

/// Records the slices whose initial pass is done.
struct InitialPasses(Mutex<Vec<Slice>>);

impl Progress for InitialPasses {
    fn phase(&self, slice: Slice, phase: Phase, _: u64) {
        if phase == Phase::Initial {
            self.0.lock().unwrap().push(slice);
        }
    }
}

#[test]
fn finished_work_of_a_slice_is_not_repeated() {
    let (_tables, whole) = clean("mini-edge");
    for (force, cancels) in [(false, false), (true, false), (false, true)] {
        let tables = if force { clean("mini-edge").0 } else { tempfile::tempdir().unwrap() };
        let folder = tables.path().join("mini-edge");
        let (rules, wanted) = (rules("mini-edge"), [slice(WANTED)]);
        let options = BuildOptions { force, ..BuildOptions::default() };
        let build = |progress: &dyn Progress| {
            Build::new(&rules, tables.path(), &wanted).options(&options).progress(progress).run()
        };
        let stop = StopAtPly { cancels, slice: wanted[0], is_there: AtomicBool::new(false) };
        match catch_unwind(AssertUnwindSafe(|| build(&stop))) {
            Err(_) if !cancels => {}
            Ok(Err(BuildError::Cancelled)) if cancels => {}
            other => panic!("{other:?}"),
        }
        let mut kept = files(&folder.join(format!("{WANTED}.work")));
        // Unfinished work is discarded.
        kept.retain(|name, _| !name.ends_with(".part"));
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["attackers-1@0-1", "initial@0-1"]);
        let again = InitialPasses(Mutex::default());
        build(&again).unwrap();
        let again = again.0.into_inner().unwrap();
        // The smaller slices exist, and are only built again with `force`.
        assert!(again.is_empty() != force && !again.contains(&wanted[0]), "{force} {again:?}");
        assert!(files(&folder) == files(&whole));
    }
}

#[test]
fn leftovers_of_a_killed_build_are_removed() {
    let (tables, folder) = clean("mini-edge");
    let whole = files(&folder);
    let table = &whole[VICTIM];
    for length in [0, 1, 8, 60, 100, table.len() / 2, table.len() - 1] {
        fs::write(folder.join(VICTIM), &table[..length]).unwrap();
        fs::write(folder.join("K1v1.dtw.123-0.tmp"), &table[..length]).unwrap();
        fs::write(folder.join("K2v1.wdl.4711-3.tmp"), "").unwrap();
        assert!(Table::open(&folder.join(VICTIM), Access::Mapped).is_err(), "{length} bytes");
        let base = Tablebase::open_files(rules("mini-edge"), tables.path()).unwrap();
        let probed = base.table(slice("K1v1"), Metric::Dtw);
        assert!(matches!(probed, Err(ProbeError::Corrupted(_))), "{length} bytes: {probed:?}");
        let built = build_in(tables.path(), "mini-edge", WANTED).unwrap();
        assert_eq!(built, [slice("K1v1")], "{length} bytes");
        assert!(files(&folder) == whole, "{length} bytes");
    }
    // A build that had only this left to do.
    let work = folder.join("K1v1.work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("initial@0-1"), table).unwrap();
    assert_eq!(build_in(tables.path(), "mini-edge", WANTED).unwrap(), []);
    assert!(!work.exists());
}

#[test]
fn a_missing_file_of_a_pair_is_built() {
    let (tables, folder) = clean("mini-edge");
    let whole = files(&folder);
    for missing in ["K1v1.wdl", "K1v1.dtw"] {
        fs::remove_file(folder.join(missing)).unwrap();
        let built = build_in(tables.path(), "mini-edge", WANTED).unwrap();
        assert_eq!(built, [slice("K1v1")], "{missing}");
        assert!(files(&folder) == whole, "{missing}");
    }
    assert_eq!(build_in(tables.path(), "mini-edge", WANTED).unwrap(), []);
}

#[test]
fn files_of_others_are_never_overwritten() {
    let (tables, folder) = clean("mini-edge");
    let (_others, other_folder) = clean("mini-corner");
    let wrong_rules = |error: &ProbeError| matches!(error, ProbeError::WrongRules { .. });
    let no_table = |error: &ProbeError| matches!(error, ProbeError::Corrupted(_));
    let wrong_name = |error: &ProbeError| matches!(error, ProbeError::WrongName { .. });
    type Because = fn(&ProbeError) -> bool;
    let foreign = fs::read(other_folder.join(VICTIM)).unwrap();
    let half = foreign[..foreign.len() / 2].to_vec();
    let smaller = fs::read(folder.join("K0v1.dtw")).unwrap();
    let cases: [(Vec<u8>, Because); 4] = [
        (foreign, wrong_rules),
        (half, wrong_rules),
        (smaller, wrong_name),
        (b"not a table, but somebody's only copy".to_vec(), no_table),
    ];
    for (bytes, because) in cases {
        fs::write(folder.join(VICTIM), &bytes).unwrap();
        let before = files(&folder);
        is_refused(build_in(tables.path(), "mini-edge", WANTED), because);
        // A plan refuses what the build refuses.
        let base = Tablebase::open_files(rules("mini-edge"), tables.path()).unwrap();
        is_refused(plan(&base, &[slice(WANTED)]).map(|_| Vec::new()), because);
        assert!(files(&folder) == before);
        // Not when its partner has to be built.
        let partner = fs::read(folder.join("K1v1.wdl")).unwrap();
        fs::remove_file(folder.join("K1v1.wdl")).unwrap();
        is_refused(build_in(tables.path(), "mini-edge", WANTED), because);
        assert_eq!(fs::read(folder.join(VICTIM)).unwrap(), bytes);
        fs::write(folder.join("K1v1.wdl"), partner).unwrap();
        // Not even with `force`.
        let options = BuildOptions { force: true, ..BuildOptions::default() };
        let wanted = [slice(WANTED)];
        let rules = rules("mini-edge");
        let forced = Build::new(&rules, tables.path(), &wanted).options(&options).run();
        is_refused(forced.map(|_| Vec::new()), because);
        assert_eq!(fs::read(folder.join(VICTIM)).unwrap(), bytes);
    }
}

#[test]
fn one_game_under_two_names_has_one_set_of_tables() {
    let tables = tempfile::tempdir().unwrap();
    let built = build_in(tables.path(), "tablut", "K1v1").unwrap();
    assert_eq!(built, ["K0v1", "K1v1"].map(slice));
    let whole = files(&tables.path().join("tablut"));
    assert_eq!(build_in(tables.path(), "mcgill", "K1v1").unwrap(), []);
    assert!(!tables.path().join("mcgill").exists());
    assert!(files(&tables.path().join("tablut")) == whole);
    let base = Tablebase::open_files(rules("mcgill"), tables.path()).unwrap();
    assert_eq!(base.slices(Metric::Dtw), ["K0v1", "K1v1"].map(slice));
    assert_eq!(base.max_men(), 3);
    // A different game beside them shares nothing with them.
    let built = build_in(tables.path(), "berkeley", "K0v1").unwrap();
    assert_eq!(built, [slice("K0v1")]);
}

#[test]
fn two_builds_do_not_interfere() {
    let (tables, folder) = clean("mini-corner");
    let other = fs::File::open(folder.join(".lock")).unwrap();
    other.lock().unwrap();
    // There is nothing to do, so nothing is locked.
    assert_eq!(build_in(tables.path(), "mini-corner", WANTED).unwrap(), []);
    fs::remove_file(folder.join(VICTIM)).unwrap();
    let refused = build_in(tables.path(), "mini-corner", WANTED).unwrap_err();
    assert!(matches!(refused, BuildError::Busy { .. }), "{refused}");
    drop(other);
    assert_eq!(build_in(tables.path(), "mini-corner", WANTED).unwrap(), [slice("K1v1")]);
}

/// Builds with the work in progress in another folder.
fn build_with_scratch(tables: &Path, scratch: &Path) -> Result<(), BuildError> {
    let options = BuildOptions { scratch: Some(scratch.to_owned()), ..BuildOptions::default() };
    let wanted = [slice(WANTED)];
    Build::new(&rules("mini-corner"), tables, &wanted).options(&options).run().map(drop)
}

#[test]
fn builds_of_two_table_folders_do_not_share_their_work() {
    let (tables, folder) = clean("mini-corner");
    let scratch = tempfile::tempdir().unwrap();
    let work = scratch.path().join("mini-corner").join(format!("{WANTED}.work"));
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join("attackers-1@0-1"), "another build's").unwrap();
    let other = fs::File::create(scratch.path().join("mini-corner/.lock")).unwrap();
    other.lock().unwrap();
    // Nothing to do: existing work belongs to another build or to none.
    build_with_scratch(tables.path(), scratch.path()).unwrap();
    assert!(work.join("attackers-1@0-1").exists());
    fs::remove_file(folder.join(VICTIM)).unwrap();
    let refused = build_with_scratch(tables.path(), scratch.path()).unwrap_err();
    assert!(matches!(&refused, BuildError::Busy { path } if path.starts_with(scratch.path())));
    drop(other);
    build_with_scratch(tables.path(), scratch.path()).unwrap();
    assert!(folder.join(VICTIM).exists() && !work.exists());
}

#[cfg(unix)]
#[test]
fn tables_and_work_may_be_in_one_folder_of_two_names() {
    let tables = tempfile::tempdir().unwrap();
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("link");
    std::os::unix::fs::symlink(tables.path(), &link).unwrap();
    build_with_scratch(tables.path(), &link).unwrap();
    let (_whole, folder) = clean("mini-corner");
    assert!(files(&folder) == files(&tables.path().join("mini-corner")));
}

/// Collects the notices.
#[derive(Default)]
struct Notices(Mutex<Vec<String>>);

impl Progress for Notices {
    fn notice(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

#[test]
fn repeated_work_is_reported() {
    let (_whole, whole) = clean("mini-edge");
    for damaged in ["attackers-1@0-1", "initial@0-1"] {
        let tables = tempfile::tempdir().unwrap();
        let (rules, wanted) = (rules("mini-edge"), [slice(WANTED)]);
        let build = |progress: &dyn Progress| {
            Build::new(&rules, tables.path(), &wanted).progress(progress).run()
        };
        let stop = StopAtPly { cancels: true, slice: wanted[0], is_there: AtomicBool::new(false) };
        assert!(matches!(build(&stop), Err(BuildError::Cancelled)));
        let path = tables.path().join(format!("mini-edge/{WANTED}.work/{damaged}"));
        let mut bytes = fs::read(&path).unwrap();
        // In the middle of the records.
        bytes[80] ^= 1;
        fs::write(&path, bytes).unwrap();
        let notices = Notices::default();
        build(&notices).unwrap();
        let notices = notices.0.into_inner().unwrap();
        assert!(
            matches!(&notices[..], [one] if one.contains(damaged) && one.contains("done again"))
        );
        assert!(files(&tables.path().join("mini-edge")) == files(&whole));
    }
}

/// Builds mini-edge up to the second ply of the last slice.
fn interrupt(tables: &Path, options: &BuildOptions) {
    let wanted = [slice(WANTED)];
    let stop = StopAtPly { cancels: true, slice: wanted[0], is_there: AtomicBool::new(false) };
    let rules = rules("mini-edge");
    let stopped = Build::new(&rules, tables, &wanted).options(options).progress(&stop).run();
    assert!(matches!(stopped, Err(BuildError::Cancelled)), "{stopped:?}");
}

/// Builds mini-edge and returns the notices.
fn notices(tables: &Path, options: &BuildOptions) -> Vec<String> {
    let notices = Notices::default();
    let (rules, wanted) = (rules("mini-edge"), [slice(WANTED)]);
    Build::new(&rules, tables, &wanted).options(options).progress(&notices).run().unwrap();
    notices.0.into_inner().unwrap()
}

/// Builds mini-edge and returns the slices whose work began anew.
fn begun(tables: &Path, options: &BuildOptions) -> Vec<Slice> {
    let passes = InitialPasses(Mutex::default());
    let (rules, wanted) = (rules("mini-edge"), [slice(WANTED)]);
    Build::new(&rules, tables, &wanted).options(options).progress(&passes).run().unwrap();
    passes.0.into_inner().unwrap()
}

#[test]
fn work_for_distances_is_kept_by_builds_without_them() {
    let (_whole, whole) = clean("mini-edge");
    let tables = tempfile::tempdir().unwrap();
    let folder = tables.path().join("mini-edge");
    let work = folder.join(format!("{WANTED}.work"));
    let (dtw, wdl) =
        (BuildOptions::default(), BuildOptions { metric: Metric::Wdl, ..BuildOptions::default() });
    assert_eq!(notices(tables.path(), &wdl), [""; 0]);
    interrupt(tables.path(), &dtw);
    let kept = files(&work);
    assert!(kept.contains_key("attackers-1@0-1"), "{:?}", kept.keys());
    let notices = notices(tables.path(), &wdl);
    assert!(
        matches!(&notices[..], [one] if one.contains(&format!("{WANTED}.work: ")) && one.contains("kept"))
    );
    assert!(files(&work) == kept);
    // Nothing is done again.
    assert_eq!(begun(tables.path(), &dtw), []);
    assert!(!work.exists() && files(&folder) == files(&whole));
}

#[test]
fn deleted_work_is_reported() {
    let (tables, folder) = clean("mini-edge");
    let work = folder.join(format!("{WANTED}.work"));
    interrupt(tables.path(), &BuildOptions { force: true, ..BuildOptions::default() });
    assert!(work.is_dir());
    let options = BuildOptions::default();
    let notices_of = || notices(tables.path(), &options);
    let reported = notices_of();
    assert!(
        matches!(&reported[..], [one] if one.contains(&format!("{WANTED}.work: ")) && one.contains("deleted"))
    );
    assert!(!work.exists());
    // Without work there is nothing to report.
    fs::create_dir(&work).unwrap();
    assert_eq!(notices_of(), [""; 0]);
    assert!(!work.exists());
}

#[test]
fn work_beside_the_tables_can_be_moved_to_the_scratch_folder() {
    let (_whole, whole) = clean("mini-edge");
    let scratch = tempfile::tempdir().unwrap();
    let elsewhere =
        BuildOptions { scratch: Some(scratch.path().to_owned()), ..BuildOptions::default() };
    for moves in [false, true] {
        let tables = tempfile::tempdir().unwrap();
        let folder = tables.path().join("mini-edge");
        interrupt(tables.path(), &BuildOptions::default());
        let [work, moved] = [folder.clone(), scratch.path().join("mini-edge")]
            .map(|f| f.join(format!("{WANTED}.work")));
        if moves {
            fs::rename(&work, &moved).unwrap();
            assert_eq!(begun(tables.path(), &elsewhere), []);
        } else {
            // It is not used, which is reported.
            let notices = notices(tables.path(), &elsewhere);
            let [notice] = &notices[..] else { panic!("{notices:?}") };
            for folder in [&work, &moved] {
                assert!(notice.contains(folder.to_str().unwrap()), "{notice}");
            }
            assert!(work.is_dir());
        }
        assert!(!moved.exists());
        assert!(files(&folder) == files(&whole));
    }
}

#[test]
fn tables_of_other_rules_do_not_count() {
    let (tables, _folder) = clean("mini-corner");
    let base = Tablebase::open_files(rules("mini-edge"), tables.path()).unwrap();
    assert_eq!((base.max_men(), base.slices(Metric::Dtw)), (0, vec![]));
    let own = Tablebase::open_files(rules("mini-corner"), tables.path()).unwrap();
    assert_eq!(own.max_men(), slice(WANTED).men());
}
