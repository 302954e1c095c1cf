//! Arguments, help, and commands that need no tables.

use std::fs;
use std::process::Stdio;

use serde_json::Value;
use taflbase::rules::Ruleset;
use taflbase::version::commit;

use crate::place::{Place, Run, refuse_threads, ruleset};

fn first_line_keys(text: &str) -> Vec<String> {
    match serde_json::from_str(text.trim()).unwrap() {
        Value::Object(fields) => fields.keys().cloned().collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn usage_errors_are_one_line() {
    let place = Place::new();
    for (arguments, words) in [
        (&["--json"][..], &["subcommand"][..]),
        (&["prob", "brandubh"], &["'prob'", "similar", "'probe'"]),
        (&["perft", "brandubh"], &["<DEPTH>", "usage: taflbase perft"]),
        (&["perft", "brandubh", "0"], &["DEPTH", "from 1 to 100"]),
        (&["perft", "brandubh", "-1"], &["'-1'", "DEPTH", "from 1 to 100"]),
        (&["play", "brandubh", "--nodes", "0"], &["--nodes", "from 1 up"]),
        (&["build", "brandubh"], &["--men", "--slice", "--start"]),
        (&["build", "brandubh", "--men", "3", "--slice", "K0v1"], &["cannot be used with"]),
        (&["build", "brandubh", "--start", "--men", "3"], &["'--start'", "cannot be used with"]),
        (&["build", "brandubh", "--slice", "K0v1", "--start"], &["--slice", "cannot be used with"]),
        (&["plan", "brandubh", "--start", "--men", "3"], &["'--start'", "cannot be used with"]),
        (&["build", "brandubh", "--men", "1"], &["'1'", "--men", "K0v1"]),
        (&["build", "brandubh", "--slice", "K1v0"], &["K1v0", "K2v4"]),
        (&["build", "brandubh", "--men", "3", "--memory", "lots"], &["lots", "16GiB"]),
        (&["build", "brandubh", "--men", "3", "--metric", "dtm"], &["dtm", "wdl or dtw"]),
        (&["build", "brandubh", "--slice", "K30v5"], &["K30v5", "build slices with fewer men"]),
        (&["build", "brandubh", "--slice", "K40v5"], &["K40v5", "more pieces than"]),
        (&["rules", "chess"], &["\"chess\"", "(ashton, ", "brandubh"]),
        (&["probe", "brandub"], &["\"brandub\"", "did you mean brandubh?"]),
        (&["rules", "Brandubh"], &["\"Brandubh\"", "did you mean brandubh?"]),
        (&["build", "brandubh", "--men", "-3"], &["'-3'", "--men"]),
        (&["build", "brandubh", "--men", "3", "--threads", "99999"], &["99999", "1024"]),
        (&["stats", "brandubh", "--threads", "many"], &["--threads", "many"]),
        (&["play", "brandubh", "--nodes", "99999999999999999999"], &["from 1 to 184467440737095"]),
        (&["analyse", "brandubh", "--time", "1e9"], &["--time", "from 0.001 to 2097151"]),
        (&["analyse", "brandubh", "--contempt", "abc"], &["from -1000 to 1000"]),
        (&["analyse", "brandubh", "--contempt", "-1001"], &["from -1000 to 1000"]),
        (&["build", "brandubh", "--men", "3", "--memory", "16EiB"], &["too large", "16EiB"]),
        (&["bench", "brandubh", "--quick"], &["--quick", "RULES"]),
        (&["match", "brandubh", "random", "random", "--output", "-"], &["--output", "name a file"]),
        (&["solve", "brandubh", "--certificate", "-"], &["--certificate", "name a file"]),
        (&["solve", "brandubh", "--checkpoint", "-"], &["--checkpoint", "name a file"]),
        (&["match", "brandubh", "random", "random", "--output", "/dev/null"], &["read again"]),
        (&["solve", "brandubh", "--checkpoint", "/dev/null"], &["--checkpoint", "read again"]),
        (&["--json", "stats", "brandubh", "--csv"], &["--csv", "--json"]),
        (&["stats", "brandubh", "--json", "--csv"], &["--csv", "--json"]),
    ] {
        let run = place.run(arguments);
        run.refused(2, words);
        assert_eq!(run.out, "", "{arguments:?}");
    }
    assert!(!place.path("tables").exists());
}

#[test]
fn a_game_that_is_joined_or_resumed_has_no_proposal() {
    let place = Place::new();
    for entry in ["--join", "--resume"] {
        for proposal in
            [&["--clock", "5+0"][..], &["--untimed"], &["--board-size", "7"], &["--rated"]]
        {
            let game = ["hnefatafl-org", "attacker", "--name", "hnefi", entry, "17"];
            let arguments = [&game[..], proposal, &["--password-file", "missing"]].concat();
            place.run(&arguments).refused(2, &[entry, proposal[0], "cannot be used with"]);
        }
    }
    let resumed = ["hnefatafl-org", "attacker", "--name", "hnefi", "--resume", "17"];
    let waiting = ["--patience", "5", "--password-file", "missing"];
    place
        .run(&[&resumed[..], &waiting].concat())
        .refused(2, &["--patience", "cannot be used with"]);
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let place = Place::with("brandubh", "2");
    let mut check = place.command(&["check", "brandubh"]);
    check.env("TAFLBASE_TABLES", "").env("TAFLBASE_PROOFS", "");
    assert!(Run::of(check).done().contains("K0v1"));
    place.run(&["check", "brandubh", "--tables", ""]).refused(2, &["--tables"]);
}

#[test]
fn without_a_command_help_is_an_error() {
    let place = Place::new();
    let bare = place.run(&[]);
    assert_eq!((bare.status, &*bare.out), (2, ""));
    assert_eq!(bare.err, place.run(&["-h"]).done());
}

#[test]
fn every_command_has_complete_help() {
    let place = Place::new();
    let help = place.run(&["--help"]).done();
    for command in [
        "rules",
        "perft",
        "plan",
        "build",
        "probe",
        "line",
        "find",
        "stats",
        "compare",
        "report",
        "verify",
        "check",
        "manifest",
        "pull",
        "bound",
        "short",
        "bench",
        "analyse",
        "play",
        "match",
        "otep",
        "htp",
        "hnefatafl-org",
        "challenge",
        "berkeley",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
        let help = place.run(&[command, "--help"]);
        assert_eq!(help.err, "");
        let help = help.done();
        for part in ["Examples:\n  taflbase ", "--json", "--tables"] {
            assert!(help.contains(part), "{command}: {part}");
        }
        // These commands use their own protocols.
        if !["play", "otep", "htp", "berkeley"].contains(&command) {
            assert!(help.contains("JSON") && help.contains("\n  {\""), "{command}");
        }
    }
    let version = place.run(&["--version"]).done();
    let expected = match commit() {
        Some(commit) => format!("taflbase {} ({commit})\n", env!("CARGO_PKG_VERSION")),
        None => format!("taflbase {}\n", env!("CARGO_PKG_VERSION")),
    };
    assert_eq!(version, expected);
}

#[test]
fn json_has_the_fields_that_the_help_names() {
    let place = Place::new();
    let position = "/7/4t2/7/7/2K4/7/2t4/ d";
    for arguments in [
        &["build", "brandubh", "--men", "3"][..],
        &["plan", "brandubh", "--men", "3"],
        &["rules"],
        &["perft", "brandubh", "1"],
        &["probe", "brandubh", position],
        &["line", "brandubh", position],
        &["find", "brandubh", "--limit", "3"],
        &["stats", "brandubh", "--slice", "K0v2"],
        &["compare", "brandubh", "brandubh-online", "--slice", "K0v2"],
        &["report", "brandubh", "--slice", "K0v2", "--no-estimates"],
        &["verify", "brandubh"],
        &["check", "brandubh"],
        &["manifest", "brandubh"],
        &["bound", "brandubh"],
        &["short", "2x2", "--grundy"],
    ] {
        let help = place.run(&[arguments[0], "--help"]).done();
        let example = help.lines().find(|line| line.starts_with("  {")).unwrap();
        let found = place.run(&[arguments, &["--json"]].concat()).done();
        for line in found.lines() {
            assert_eq!(first_line_keys(line), first_line_keys(example), "{arguments:?}");
        }
    }
}

#[test]
fn rulesets_are_listed_and_shown() {
    let place = Place::new();
    let list = place.run(&["rules"]).done();
    for name in Ruleset::builtin_names() {
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}");
        let rules = Ruleset::builtin(name).unwrap();
        assert_eq!(place.run(&["rules", name]).done(), rules.describe());
        assert_eq!(place.run(&["rules", name, "--json"]).json(), [rules.describe_json()]);
    }
}

#[test]
fn a_ruleset_file_with_an_unknown_key_is_refused() {
    let place = Place::new();
    let text = fs::read_to_string(ruleset("mini-corner")).unwrap();
    fs::write(place.path("mine.toml"), text.replace("goals =", "gaols =")).unwrap();
    place.run(&["rules", "mine.toml"]).refused(2, &["mine.toml", "line ", "gaols"]);
    fs::write(place.path("mine.toml"), text.replace("goals =", "# ")).unwrap();
    place.run(&["rules", "mine.toml"]).refused(2, &["mine.toml: end.goals: required but missing"]);
}

#[test]
fn nodes_are_counted() {
    let place = Place::new();
    assert_eq!(place.run(&["perft", "brandubh", "3"]).done(), "1 40\n2 960\n3 39512\n");
    let json = place.run(&["perft", "brandubh", "2", "--json"]).done();
    assert_eq!(json, "{\"depth\":1,\"nodes\":40}\n{\"depth\":2,\"nodes\":960}\n");
    let board = "/3K3/tt5/5Tt/2t4/3TT2/1t1t3/2Tt1t1/";
    let quoted = format!("{board} a");
    for arguments in [
        &["perft", "brandubh", "2", "--position", &quoted][..],
        &["perft", "brandubh", "2", "--position", board, "a"],
        &["perft", "--position", board, "a", "brandubh", "2"],
    ] {
        assert_eq!(place.run(arguments).done(), "1 42\n2 1446\n", "{arguments:?}");
    }
}

#[test]
fn invalid_positions_are_refused_by_square_and_row() {
    let place = Place::new();
    for (position, words) in [
        ("/7/4t2/7/7/2K4/7/2t4/", &["a (attackers)", "d (defenders)"][..]),
        ("/7/4t2/7/7/2K4/7/2t4/ w", &["\"w\"", "a (attackers)"]),
        ("/7/4t2/7/7/2K4/7/ d", &["6 instead of 7 ranks"]),
        ("/7/4t2/7/7/2K4/8/2t4/ d", &["rank 6", "8", "7"]),
        ("/7/4t2/7/7/2x4/7/2t4/ d", &["rank 5", "\"x\"", "t, T, K"]),
        ("/7/4t2/7/7/7/7/2t4/ d", &["no king"]),
        ("/7/4t2/7/7/2K4/7/2tK3/ d", &["two kings", "c5", "d7"]),
        ("/7/4t2/7/3t3/2K4/7/2t4/ d", &["an attacker", "d4", "throne"]),
        ("/K6/4t2/7/7/7/7/2t4/ d", &["a1", "over"]),
        ("/7/7/7/7/2K4/7/7/ d", &["no attackers", "over"]),
    ] {
        place.run(&["probe", "brandubh", position]).refused(2, words);
        place.run(&["line", "brandubh", position]).refused(2, words);
        place.run(&["perft", "brandubh", "1", "--position", position]).refused(2, words);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_refused_thread_is_reported_on_one_line() {
    let place = Place::new();
    fs::write(place.path("positions"), "/7/4t2/7/7/2K4/7/2t4/ d\n").unwrap();
    for arguments in [
        &["plan", "brandubh", "--men", "3"][..],
        &["build", "brandubh", "--men", "3"],
        &["probe", "brandubh", "--batch", "positions"],
        &["probe", "brandubh"],
        &["stats", "brandubh", "--slice", "K0v2"],
    ] {
        let mut command = place.command(arguments);
        refuse_threads(&mut command);
        Run::of(command).refused(2, &["cannot start a thread: "]);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_does_not_panic() {
    let place = Place::new();
    for arguments in [&["rules"][..], &["perft", "brandubh", "3"], &["--help"]] {
        let mut command = place.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(output.stderr, b"", "{arguments:?}");
    }
}

#[test]
fn one_of_a_thing_is_singular() {
    let place = Place::new();
    let threat = "/7/7/7/7/7/3t3/2K4/ a";
    place.run(&["solve", "brandubh", threat, "--certificate", "won.cert"]).done();
    let no_defenders =
        format!("{}/examples/rulesets/5x5-corners-4v0.toml", env!("CARGO_MANIFEST_DIR"));
    for (arguments, words) in [
        (&["solve", "--check", "won.cert"][..], "after at most 1 ply the winner"),
        (&["solve", "--check", "won.cert"], "by 1 table "),
        (&["stats", "brandubh", "--slice", "K0v1"], "longest win   1 ply      /"),
        (&["short", "1x2"], ": 1 position, 1 of them a P-position\n"),
        (
            &["short", "1x2", "--soldier", "stationary", "--at", "0,0"],
            "1 square of the king, 1 loses",
        ),
        (&["bound", &no_defenders], ": a king, 0 defenders and 4 attackers\n"),
        (&["bound", &no_defenders], "a king, 1 to 4 attackers and 0 defenders, on any"),
    ] {
        let text = place.run(arguments).done();
        assert!(text.contains(words), "{arguments:?} without {words:?}: {text}");
    }
}
