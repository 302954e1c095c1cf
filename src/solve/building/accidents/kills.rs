//! Builds that are killed for good, in a process of their own: `kill -9` among the
//! plies, with tables in memory or on disk, with other threads and other scratch
//! folders in each run.

use std::env;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use fastrand::Rng;

use super::*;

/// Names the folder in which the process is to build, and how.
const TASK: &str = "TAFLBASE_TEST_TASK";
const SLICE: &str = "K2v2";

/// How one run builds.
fn task(tables: &Path, random: &mut Rng) -> String {
    let windows = random.choice(["memory", "1 1", "3 2", "1 1000"]).unwrap();
    let scratch = random.choice(["", "one", "two"]).unwrap();
    format!("{}\n{windows}\n{scratch}\n{}", tables.display(), random.usize(1..=2))
}

fn start(task: &str) -> Child {
    let _nobody_builds = PROCESSES.write();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "solve::building::accidents::kills::the_one_that_is_killed"]);
    command.env(TASK, task).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Not a test in itself: what the other test starts and kills.
#[test]
fn the_one_that_is_killed() {
    let Ok(task) = env::var(TASK) else { return };
    let [tables, windows, scratch, threads] =
        <[&str; 4]>::try_from(task.split('\n').collect::<Vec<_>>()).unwrap();
    let placement = windows.split_once(' ').map_or(IN_MEMORY, |(own, window)| Storage::Disk {
        own_chunks: own.parse().unwrap(),
        window_chunks: window.parse().unwrap(),
    });
    let tables = Path::new(tables);
    let scratch = (!scratch.is_empty()).then(|| tables.join(scratch));
    let threads = threads.parse().unwrap();
    let options = BuildOptions { threads, scratch, ..BuildOptions::default() };
    let means = Means { placement: Some(placement), ..Means::default() };
    let rules = Ruleset::builtin("brandubh").unwrap();
    let slices = [SLICE.parse().unwrap()];
    build_by(&means, &rules, tables, &slices, &options, &(), &mut |_| {}).unwrap();
}

#[test]
fn a_killed_build_goes_on_with_other_means() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let mut case = Case { rules, slice: SLICE.parse().unwrap(), whole: BTreeMap::new() };
    let whole = tempfile::tempdir().unwrap();
    case.build(&Means::default(), whole.path()).unwrap();
    case.whole = case.files(whole.path());
    let mut random = Rng::with_seed(20);
    for _ in 0..3 {
        let tables = tempfile::tempdir().unwrap();
        let works = ["", "one", "two"].map(|scratch| {
            tables.path().join(scratch).join(&case.rules.name).join(work_name(case.slice))
        });
        let mut kills = 0;
        while kills < 12 {
            let mut child = start(&task(tables.path(), &mut random));
            while !works.iter().any(|work| work.is_dir()) && child.try_wait().unwrap().is_none() {
                sleep(Duration::from_micros(200));
            }
            sleep(Duration::from_micros(random.u64(0..200_000)));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success());
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            case.is_sound(tables.path(), "killed");
        }
        assert!(kills > 1, "{kills} kills");
        case.goes_on(&ON_DISK, tables.path(), "in the end");
    }
}
