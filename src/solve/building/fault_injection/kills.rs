//! Builds in separate processes, killed by `kill -9` at any call, with tables in memory or on
//! disk, and with other numbers of threads and other scratch folders in each run.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::system::random::SeededRng;

use super::*;

/// The environment variable with the task of the process.
const TASK: &str = "TAFLBASE_TEST_TASK";
const SLICE: &str = "K2v2";

/// Draws the options of a run, and the number of calls after which it is killed.
fn task(tables: &Path, calls: usize, random: &mut SeededRng) -> String {
    // 0 means in memory.
    let partitions = random.choose(&[0, 1, 2, 5]).unwrap();
    let scratch = random.choose(&["", "one", "two"]).unwrap();
    let threads = 1 + random.below(2);
    let after = random.below(calls);
    format!("{}\n{partitions}\n{scratch}\n{threads}\n{after}", tables.display())
}

fn start(task: &str) -> Child {
    let _no_build_runs = PROCESSES.write();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "solve::building::fault_injection::kills::victim_process"]);
    command.env(TASK, task).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the process reaches the call at which it is to be killed, and kills it. Returns
/// `false` if it ends before.
fn kill(mut child: Child) -> bool {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The harness has begun the line: `test … frozen`.
    let is_frozen = lines.any(|line| line.unwrap().ends_with(FROZEN));
    if is_frozen {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert!(is_frozen || status.success());
    is_frozen
}

/// Not a test in itself: the process that the other test starts and kills.
#[test]
fn victim_process() {
    let Ok(task) = env::var(TASK) else { return };
    let [tables, partitions, scratch, threads, after] =
        <[&str; 5]>::try_from(task.split('\n').collect::<Vec<_>>()).unwrap();
    let placement = match partitions.parse().unwrap() {
        0 => IN_MEMORY,
        partitions => Storage::Partitions(partitions),
    };
    let folder = Path::new(tables);
    let options = BuildOptions {
        threads: threads.parse().unwrap(),
        scratch: (!scratch.is_empty()).then(|| folder.join(scratch)),
        ..BuildOptions::default()
    };
    let frozen = (Fault::Freeze, after.parse().unwrap(), 0);
    let (env, _) = faulty(folder, frozen, &placement, Duration::ZERO);
    let rules = Ruleset::builtin("brandubh").unwrap();
    let slices = [SLICE.parse().unwrap()];
    Build::new(&rules, folder, &slices).options(&options).env(env.clone()).run().unwrap();
}

#[test]
fn a_killed_build_resumes_with_other_options() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let mut case = Case { rules, slice: SLICE.parse().unwrap(), whole: BTreeMap::new() };
    let whole = tempfile::tempdir().unwrap();
    let never = (Fault::Fail, NEVER, 0);
    let (env, files) = faulty(whole.path(), never, &IN_MEMORY, Duration::ZERO);
    case.build(&env, whole.path()).unwrap();
    case.whole = case.files(whole.path());
    let calls = files.calls();
    let mut random = SeededRng::new(20);
    for _ in 0..3 {
        let tables = tempfile::tempdir().unwrap();
        // Later builds have less to do, and finally make fewer calls than the number drawn.
        let mut kills = 0;
        while kills < 12 && kill(start(&task(tables.path(), calls, &mut random))) {
            kills += 1;
            case.is_sound(tables.path(), "killed");
        }
        assert!(kills > 0, "not one in {calls} calls");
        case.goes_on(&IN_PARTITIONS, tables.path(), "in the end");
    }
}
