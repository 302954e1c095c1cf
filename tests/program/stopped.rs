//! Ctrl-C.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, Run, refuse_threads};

/// Waits until a matching file exists or the program has ended.
fn wait_for(folder: &Path, is_it: impl Fn(&str) -> bool, program: &mut Child) -> Option<PathBuf> {
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| is_it(name.to_str().unwrap()));
    loop {
        let ended = program.try_wait().unwrap().is_some();
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let found = files.map(|file| file.path()).find(is_it);
        if found.is_some() || ended {
            return found;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Sends SIGINT, as Ctrl-C in a terminal does.
fn interrupt(program: &Child) {
    send("INT", program);
}

fn send(signal: &str, program: &Child) {
    let kill = ["-c", "kill -$0 \"$1\"", signal, &program.id().to_string()];
    // A process that has already ended cannot be signalled.
    Command::new("sh").args(kill).stderr(Stdio::null()).status().unwrap();
}

#[test]
fn an_interrupted_build_says_so_and_resumes_later() {
    // If the slice is finished before the interruption, a larger one is tried.
    for (slice, smaller) in [("K0v5", 4), ("K0v6", 5), ("K0v7", 6)] {
        let place = Place::new();
        let arguments = ["build", "brandubh", "--slice", slice];
        let mut build = place.command(&arguments);
        let mut build = build.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let work = place.path(&format!("tables/brandubh/{slice}.work"));
        // The rest of the name is the number of chunks.
        let is_ply = |name: &str| name.starts_with("attackers-1@") && !name.ends_with(".part");
        let ply = wait_for(&work, is_ply, &mut build);
        interrupt(&build);
        let stopped = Run::ended(build.wait_with_output().unwrap());
        if stopped.status == 0 || !ply.is_some_and(|ply| ply.exists()) {
            continue;
        }
        assert_eq!(stopped.status, 130, "{}", stopped.err);
        let last = "taflbase: stopped; the same command resumes from the last finished ply";
        assert_eq!(stopped.err.lines().last(), Some(last));
        let printed = place.run(&arguments).done();
        let kept = format!("\nslices that existed already: {smaller}\n");
        assert!(printed.contains(&kept), "{printed}");
        assert!(!work.exists());
        let proved = place.run(&["verify", "brandubh", "--slice", slice]).done();
        assert!(proved.starts_with(&format!("{slice}: proved, ")), "{proved}");
        return;
    }
    panic!("no build was interrupted");
}

#[test]
fn ctrl_c_ends_short_tafl() {
    let place = Place::new();
    // Work for many seconds.
    let mut short = place.command(&["short", "150x150", "--soldier", "closer", "--threads", "1"]);
    let short = short.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    interrupt(&short);
    let stopped = Run::ended(short.wait_with_output().unwrap());
    assert_eq!((stopped.status, stopped.out.as_str()), (130, ""), "{}", stopped.err);
}

/// The system refuses each thread, also that of the handler.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_program_without_threads() {
    let place = Place::new();
    let mut solve = place.command(&["solve", "copenhagen", "--memory", "1MiB", "--time", "20"]);
    refuse_threads(&mut solve);
    let mut solve = solve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    // Not INT, which a shell without job control lets its background processes ignore.
    send("TERM", &solve);
    assert_eq!(solve.wait().unwrap().code(), None);
}

#[test]
fn ctrl_c_ends_a_sample() {
    let place = Place::new();
    // Work for many seconds.
    let bound = ["bound", "tablut", "--sample", "100000", "--threads", "1"];
    let mut bound = place.command(&bound);
    let bound = bound.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    interrupt(&bound);
    let stopped = Run::ended(bound.wait_with_output().unwrap());
    assert_eq!((stopped.status, stopped.out.as_str()), (130, ""), "{}", stopped.err);
}

#[test]
fn stopped_commands_delete_their_temporary_folders() {
    let place = Place::new();
    let temporary = place.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let plan: &[&str] = &["plan", "tablut", "--slice", "K2v4", "--calibration", "100"];
    let bench = &["bench", "brandubh", "--slice", "K2v5", "--threads", "1"];
    let report = &["report", "brandubh", "--slice", "K0v1", "--html", "report.html"];
    for (signal, arguments) in [("INT", plan), ("TERM", bench), ("HUP", report)] {
        let mut program = place.command(arguments);
        program.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = program.spawn().unwrap();
        assert!(wait_for(&temporary, |_| true, &mut program).is_some(), "{arguments:?}");
        send(signal, &program);
        let stopped = Run::ended(program.wait_with_output().unwrap());
        assert_eq!((stopped.status, stopped.out.as_str()), (130, ""), "{}", stopped.err);
        assert_eq!(stopped.err.lines().last(), Some("taflbase: stopped"));
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{arguments:?}");
    }
}

#[test]
fn a_stopped_proof_says_how_to_go_on() {
    for (option, file, created) in
        [("--checkpoint", "numbers", "numbers.lock"), ("--store", "proof", "proof")]
    {
        let place = Place::new();
        let mut solve = place.command(&["solve", "brandubh", "--memory", "1MiB", option, file]);
        let mut solve = solve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert!(wait_for(&place.path("."), |name| name == created, &mut solve).is_some());
        interrupt(&solve);
        let stopped = Run::ended(solve.wait_with_output().unwrap());
        assert_eq!(stopped.status, 130, "{}", stopped.err);
        assert!(stopped.out.starts_with("open\n"), "{}", stopped.out);
        let hint = "taflbase: stopped; the same command continues";
        assert_eq!(stopped.err.lines().last(), Some(hint));
    }
}
