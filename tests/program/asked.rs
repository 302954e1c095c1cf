//! What users try first: many positions at once, positions beyond the tables, table folders,
//! completions and manual pages.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::place::{Place, Run};

const WIN: &str = "/7/4t2/7/7/2K4/7/2t4/ d";
const START: &str = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a";

/// Runs the program with lines on its standard input.
fn run_with_input(place: &Place, arguments: &[&str], lines: &str) -> Run {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    Run::ended(child.wait_with_output().unwrap())
}

#[test]
fn many_positions_are_probed_line_by_line() {
    let place = Place::new();
    let draw = "/7/7/7/7/2K4/7/7/ d";
    let lines = format!("{WIN}\nnonsense\n\n{START}\n{draw}\n{WIN}");
    fs::write(place.path("positions.txt"), &lines).unwrap();
    let batch = ["probe", "brandubh", "--batch", "positions.txt"];
    let run = place.run(&batch);
    run.refused(1, &["3 of 6 lines are not positions", "1 of 6 lines has no table"]);
    let rows: Vec<Vec<&str>> = run.out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[0], [WIN, "win", "3"]);
    assert_eq!(rows[1][..2], ["nonsense", "invalid"]);
    assert_eq!(rows[3], [START, "unknown", ""]);
    assert_eq!(rows[5], rows[0]);
    let piped = run_with_input(&place, &["probe", "brandubh", "--batch", "-", "--json"], &lines);
    assert_eq!(piped.out.lines().count(), 6);
    let first = format!(r#"{{"position":"{WIN}","category":"win","dtw":3}}"#);
    assert_eq!(piped.out.lines().next().unwrap(), first);
    let good = run_with_input(&place, &["probe", "brandubh", "--batch", "-"], &format!("{WIN}\n"));
    assert_eq!(good.done(), format!("{WIN}\twin\t3\n"));
    place.run(&["probe", "brandubh", "--batch", "nowhere"]).refused(2, &["nowhere"]);
    place.run(&["probe", "brandubh", WIN, "--batch", "-"]).refused(2, &["--batch"]);
    let tabs = run_with_input(&place, &["probe", "brandubh", "--batch", "-"], "no\tsuch\tthing\n");
    assert!(tabs.out.starts_with("no such thing\tinvalid\t"), "{}", tabs.out);
    assert_eq!(tabs.out.matches('\t').count(), 2, "{}", tabs.out);
    let one = run_with_input(&place, &["probe", "brandubh", "--batch", "-"], "nonsense\n");
    one.refused(1, &["1 of 1 line is not a position"]);
}

#[test]
fn a_line_that_is_too_long_has_one_result() {
    let place = Place::new();
    let batch = |long: &str| {
        let lines = format!("{WIN}\n{long}\n{WIN}\n{long}");
        run_with_input(&place, &["probe", "brandubh", "--batch", "-"], &lines)
    };
    let run = batch(&"t".repeat(10_000));
    run.refused(1, &["2 of 4 lines are not positions"]);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, lines[2]));
    assert!(lines[3].ends_with("t\tinvalid\tlonger than 4096 bytes"), "{}", lines[3]);
    // Blanks count.
    let blanks = |count| format!("{WIN}{}", " ".repeat(count - WIN.len()));
    assert_eq!(batch(&blanks(4096)).done(), format!("{WIN}\twin\t3\n").repeat(4));
    batch(&blanks(4097)).refused(1, &["2 of 4 lines"]);
}

#[test]
fn a_batch_agrees_with_single_probes() {
    let place = Place::with("brandubh", "4");
    let boards = ["/7/4t2/7/2K2T1/7/7/2t4/", "/7/4t2/7/1K3t1/7/7/2t4/", "/7/4t2/7/3K3/7/7/7/"];
    let lines: Vec<String> =
        boards.iter().flat_map(|board| ["a", "d"].map(|side| format!("{board} {side}"))).collect();
    let batch = run_with_input(&place, &["probe", "brandubh", "--batch", "-"], &lines.join("\n"));
    for (line, printed) in lines.iter().zip(batch.done().lines()) {
        let single = &place.run(&["probe", "brandubh", line, "--json"]).json()[0];
        let dtw = single["dtw"].as_u64().map_or(String::new(), |plies| plies.to_string());
        assert_eq!(printed, format!("{line}\t{}\t{dtw}", single["category"].as_str().unwrap()));
    }
}

#[test]
fn positions_after_moves_are_printed() {
    let place = Place::new();
    let probe = &place.run(&["probe", "brandubh", WIN, "--json"]).json()[0];
    assert_eq!(probe["moves"][0]["position"], "/2K4/4t2/7/7/7/7/2t4/ a");
    let line = &place.run(&["line", "brandubh", WIN, "--json"]).json()[0];
    let positions = line["positions"].as_array().unwrap();
    assert_eq!(positions.len(), line["moves"].as_array().unwrap().len() + 1);
    assert_eq!(positions[0], WIN);
    assert_eq!(positions[1], probe["moves"][0]["position"]);
    assert_eq!(positions[3], "/K3t2/7/7/7/7/7/2t4/ a");
}

#[test]
fn slices_beyond_this_machine_are_reported() {
    let place = Place::new();
    let words = ["13 men", "taflbase plan brandubh --slice K4v8", "reach 6 men"];
    let start = place.run(&["probe", "brandubh", START]);
    start.refused(1, &words);
    // Without a position, the start position is probed.
    assert_eq!(place.run(&["probe", "brandubh"]).err, start.err);
    place.run(&["line", "brandubh"]).refused(1, &["K4v8"]);
}

#[test]
fn only_builds_accept_a_missing_folder() {
    let place = Place::new();
    for command in ["probe", "line"] {
        let run = place.run(&[command, "brandubh", WIN, "--tables", "typo"]);
        run.refused(2, &["typo", "no such table folder"]);
    }
    for command in ["stats", "report", "verify", "check", "manifest"] {
        let run = place.run(&[command, "brandubh", "--tables", "typo"]);
        run.refused(2, &["typo", "no such table folder"]);
    }
    place.run(&["plan", "brandubh", "--men", "2", "--tables", "typo"]).done();
    place.run(&["build", "brandubh", "--men", "2", "--tables", "typo"]).done();
    assert!(place.path("typo/brandubh/K0v1.dtw").exists());
}

#[test]
fn a_build_reports_a_folder_that_cannot_be_created() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    let run = place.run(&["build", "brandubh", "--men", "3", "--tables", "file/tables"]);
    run.refused(2, &["file/tables", "cannot create the folder"]);
    assert_eq!(run.out, "");
}

#[test]
fn slices_may_be_listed_with_commas() {
    let place = Place::new();
    let build = ["build", "brandubh", "--slice", "K0v1,K0v2", "--json"];
    assert_eq!(place.run(&build).json().len(), 2);
}

#[test]
fn missing_files_are_faults_only_with_complete() {
    let place = Place::with("brandubh", "3");
    place.run(&["manifest", "brandubh", "--output", "all.json"]).done();
    fs::remove_file(place.path("tables/brandubh/K1v1.dtw")).unwrap();
    let check = ["check", "brandubh", "--against", "all.json"];
    let printed = place.run(&check).done();
    assert!(printed.contains("1 of 6 files is missing here"), "{printed}");
    let complete = ["check", "brandubh", "--against", "all.json", "--complete"];
    place.run(&complete).refused(1, &["1 of 6 files is missing here"]);
    place.run(&["check", "brandubh", "--complete"]).refused(2, &["--against"]);
}

#[test]
fn a_manifest_can_be_written_to_standard_output_and_devices() {
    let place = Place::with("brandubh", "2");
    let text = place.run(&["manifest", "brandubh"]).done();
    for output in ["-", "/dev/stdout"] {
        assert_eq!(place.run(&["manifest", "brandubh", "--output", output]).done(), text);
    }
    assert!(!place.path("-").exists());
    let full = place.run(&["manifest", "brandubh", "--output", "/dev/full"]);
    full.refused(2, &["/dev/full"]);
    place.run(&["check", "brandubh", "--against", "/dev/zero"]).refused(2, &["/dev/zero"]);
}

#[test]
fn completions_and_manual_pages_name_all_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = place.run(&["completions", shell]).done();
        assert!(text.contains("manifest") && text.contains("tables"), "{shell}");
    }
    place.run(&["completions", "dos"]).refused(2, &["dos", "bash"]);
    // Missing folders are created, and existing ones are accepted.
    for _ in 0..2 {
        place.run(&["man", "share/man"]).done();
    }
    for page in ["taflbase", "taflbase-build", "taflbase-probe"] {
        let text = fs::read_to_string(place.path(&format!("share/man/{page}.1"))).unwrap();
        assert!(text.starts_with(".ie") || text.contains(".TH"), "{page}");
    }
    fs::write(place.path("file"), "").unwrap();
    place.run(&["man", "file/man"]).refused(2, &["file/man", "cannot write the pages"]);
}
