//! Results that nobody reads: a command whose status is its result ends with the same status.

use std::fs;
use std::io;

use crate::place::{Place, Run};

/// Runs the program with a closed standard output.
fn run_unread(place: &Place, arguments: &[&str]) -> Run {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut command = place.command(arguments);
    command.stdout(writer);
    Run::of(command)
}

/// Returns the same command with text and with JSON output.
fn both<'a>(arguments: &[&'a str]) -> [Vec<&'a str>; 2] {
    [arguments.to_vec(), [arguments, &["--json"]].concat()]
}

#[test]
fn damage_is_found_with_standard_output_closed() {
    let place = Place::with("brandubh", "3");
    place.run(&["manifest", "brandubh", "--output", "manifest.json"]).done();
    let commands = [
        &["check", "brandubh"][..],
        &["check", "brandubh", "--against", "manifest.json"],
        &["verify", "brandubh"],
        &["verify", "brandubh", "--sample", "50"],
    ];
    let commands: Vec<Vec<&str>> = commands.iter().flat_map(|command| both(command)).collect();
    for arguments in &commands {
        run_unread(&place, arguments).done();
        if cfg!(target_os = "linux") {
            place.run_full(arguments).refused(2, &["cannot write the results"]);
        }
    }
    // The last file of the last slice, so that there are results before it.
    let file = place.path("tables/brandubh/K1v1.dtw");
    let mut bytes = fs::read(&file).unwrap();
    bytes[40] ^= 1;
    fs::write(&file, bytes).unwrap();
    for arguments in &commands {
        let read = place.run(arguments);
        let unread = run_unread(&place, arguments);
        assert!(!read.out.is_empty(), "{arguments:?}");
        unread.refused(1, &[" of "]);
        assert_eq!(unread.err, read.err, "{arguments:?}");
        if cfg!(target_os = "linux") {
            assert_eq!(place.run_full(arguments).err, read.err, "{arguments:?}");
        }
    }
    fs::remove_file(&file).unwrap();
    for arguments in both(&["check", "brandubh", "--against", "manifest.json", "--complete"]) {
        run_unread(&place, &arguments).refused(1, &["1 of 6 files is missing here"]);
    }
}

#[test]
fn a_proof_is_reported_with_standard_output_closed() {
    let place = Place::new();
    let won = ["solve", "brandubh", "/7/7/7/7/7/3t3/2K4/ a", "--certificate"];
    for arguments in both(&[&won[..], &["won.cert"]].concat()) {
        run_unread(&place, &arguments).done();
        place.run(&["solve", "--check", "won.cert"]).done();
    }
    for arguments in both(&["solve", "brandubh", "--nodes", "10"]) {
        run_unread(&place, &arguments).refused(1, &["the value is open"]);
    }
    if cfg!(target_os = "linux") {
        for arguments in both(&[&won[..], &["/dev/full"]].concat()) {
            let words = ["/dev/full", "cannot write the certificate"];
            run_unread(&place, &arguments).refused(2, &words);
        }
    }
}

#[test]
fn a_build_finishes_with_standard_output_closed() {
    for arguments in both(&["build", "brandubh", "--men", "3"]) {
        let place = Place::new();
        run_unread(&place, &arguments).done();
        place.run(&["check", "brandubh"]).done();
        for file in ["K0v1.dtw", "K1v1.dtw"] {
            fs::remove_file(place.path(&format!("tables/brandubh/{file}"))).unwrap();
        }
        // In the place of the folder for the work on the last slice.
        fs::write(place.path("tables/brandubh/K1v1.work"), "my notes").unwrap();
        // It reports slices built before, too.
        let read = place.run(&arguments);
        assert!(read.status == 2 && read.out.contains("K0v1"), "{}{}", read.out, read.err);
        fs::remove_file(place.path("tables/brandubh/K0v1.dtw")).unwrap();
        let unread = run_unread(&place, &arguments);
        let message = unread.err.lines().last().unwrap();
        assert!(unread.status == 2 && message.contains("K1v1.work"), "{message}");
    }
}

/// Why a build failed matters more than that its results cannot be printed.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_hides_no_error_of_a_build() {
    for arguments in both(&["build", "brandubh", "--men", "3"]) {
        let place = Place::new();
        let last_error = || {
            let run = place.run_full(&arguments);
            assert_eq!(run.status, 2, "{}", run.err);
            run.err.lines().last().unwrap().to_owned()
        };
        let work = place.path("tables/brandubh/K1v1.work");
        fs::create_dir_all(work.parent().unwrap()).unwrap();
        fs::write(&work, "my notes").unwrap();
        let message = last_error();
        assert!(message.contains("K1v1.work"), "{message}");
        fs::remove_file(&work).unwrap();
        let message = last_error();
        assert!(message.contains("cannot write the results"), "{message}");
        place.run(&["check", "brandubh"]).done();
    }
}
