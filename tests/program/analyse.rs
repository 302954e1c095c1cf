//! Searches positions with the engine.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::place::Place;

const WIN: &str = "/7/4t2/7/7/2K4/7/2t4/ d";
const START: &str = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a";

/// Returns the iterations of a search with one thread.
fn found(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let common = ["analyse", "--json", "--threads", "1", "--hash", "1"];
    place.run(&[&common[..], arguments].concat()).json()
}

#[test]
fn the_search_deepens_to_its_limit() {
    let place = Place::new();
    let iterations = found(&place, &["brandubh", "--depth", "4"]);
    let depths: Vec<u64> = iterations.iter().map(|line| line["depth"].as_u64().unwrap()).collect();
    assert!(depths.is_sorted_by(|a, b| a < b) && depths.last() == Some(&4), "{depths:?}");
    let nodes: Vec<u64> = iterations.iter().map(|line| line["nodes"].as_u64().unwrap()).collect();
    assert!(nodes.is_sorted() && nodes[0] > 0, "{nodes:?}");
    for line in &iterations {
        assert_eq!((&line["position"], &line["to_move"]), (&START.into(), &"attackers".into()));
        assert_eq!(line["lines"].as_array().unwrap().len(), 1);
        let best = &line["lines"][0];
        assert!(best["estimate"].is_i64() && best["category"].is_null(), "{best}");
    }
    // Without a position it is the start position; a position may be quoted or not.
    let (board, side) = START.split_once(' ').unwrap();
    for start in [&[START][..], &[board, side]] {
        let again = found(&place, &[&["brandubh"], start, &["--depth", "4"]].concat());
        assert_eq!(again.last().unwrap()["lines"], iterations.last().unwrap()["lines"]);
    }
    let few = found(&place, &["brandubh", "--nodes", "2000"]);
    assert!(few.last().unwrap()["nodes"].as_u64().unwrap() < 10_000);
    let quick = found(&place, &["brandubh", "--time", "0.05"]);
    assert!(quick.last().unwrap()["seconds"].as_f64().unwrap() < 5.0);
}

#[test]
fn values_of_tables_are_proved() {
    let place = Place::new();
    let last = found(&place, &["brandubh", WIN, "--depth", "3"]).pop().unwrap();
    let best = &last["lines"][0];
    assert_eq!((&best["score"], &best["category"]), (&"win in 3".into(), &"win".into()));
    assert_eq!((&best["plies"], &best["moves"][0]), (&3.into(), &"Kc5-c1".into()));
    assert!(last["table_hits"].as_u64().unwrap() > 0);
}

#[test]
fn a_draw_of_the_tables_is_not_an_estimate() {
    let place = Place::new();
    let draw = "/7/2t4/7/6t/7/1t1t1K1/7/ a";
    for iteration in found(&place, &["brandubh", draw, "--depth", "4", "--lines", "2"]) {
        for line in iteration["lines"].as_array().unwrap() {
            assert_eq!(line["estimate"], 0, "{iteration}");
        }
    }
}

#[test]
fn a_win_is_found_without_tables() {
    let place = Place::new();
    // A forced win of the other side in four plies, beyond the reach of any tables.
    let forced = "/2t6/4t4/T4t3/3T1t3/1TK3Ttt/3T1t1Tt/9/4t4/4t4/ a";
    let last = found(&place, &["berkeley", forced, "--depth", "6"]).pop().unwrap();
    assert_eq!(last["lines"][0]["category"], "loss", "{last}");
}

#[test]
fn several_lines_are_printed_best_first() {
    let place = Place::new();
    let last = found(&place, &["brandubh", "--depth", "3", "--lines", "4"]).pop().unwrap();
    let lines = last["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4);
    let scores: Vec<i64> = lines.iter().map(|line| line["estimate"].as_i64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let mut first: Vec<&Value> = lines.iter().map(|line| &line["moves"][0]).collect();
    first.dedup();
    assert_eq!(first.len(), 4);
    let table = place.run(&["analyse", "brandubh", "--depth", "2", "--lines", "3"]).done();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("depth  score "), "{table}");
    assert_eq!(rows.len() % 3, 1, "{table}");
    let column = rows[0].find("line").unwrap();
    assert!(rows[1..].iter().all(|row| row.as_bytes()[column - 1] == b' '), "{table}");
    assert!(rows[1..].iter().all(|row| row.as_bytes()[column] != b' '), "{table}");
}

#[test]
fn json_has_the_fields_that_the_help_names() {
    let place = Place::new();
    let help = place.run(&["analyse", "--help"]).done();
    let example = help.lines().find(|line| line.starts_with("  {")).unwrap();
    let example: Value = serde_json::from_str(example).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for line in found(&place, &["brandubh", "--depth", "2"]) {
        assert_eq!(keys(&line), keys(&example));
        assert_eq!(keys(&line["lines"][0]), keys(&example["lines"][0]));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_search_with_a_complete_last_line() {
    let place = Place::new();
    let mut command = place.command(&["analyse", "tablut", "--json", "--hash", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["rules"], "tablut");
    let kill = ["-c", "kill -INT \"$0\"", &child.id().to_string()];
    Command::new("sh").args(kill).status().unwrap();
    let rest: Vec<Value> =
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    let last = rest.last().unwrap_or(&first);
    assert!(last["lines"][0]["moves"][0].is_string());
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_a_search() {
    let place = Place::new();
    let mut command = place.command(&["analyse", "tablut", "--hash", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
}

#[test]
fn refusals_are_one_line() {
    let place = Place::new();
    // The last attacker cannot move.
    let stuck = "/7/tT5/T6/7/2K4/7/7/ a";
    for (arguments, words) in [
        (&["analyse"][..], &["RULES"][..]),
        (&["analyse", "chess"], &["\"chess\"", "brandubh"]),
        (&["analyse", "brandubh", "/K6/4t2/7/7/7/7/2t4/ d"], &["position", "a1"]),
        (&["analyse", "brandubh", stuck], &["over: the defenders win: the other side has no move"]),
        (&["analyse", "brandubh", "--lines", "0"], &["--lines", "1 to 1000"]),
        (&["analyse", "brandubh", "--time", "x"], &["--time", "0.5"]),
        (&["analyse", "brandubh", "--hash", "0"], &["--hash"]),
    ] {
        let run = place.run(arguments);
        run.refused(2, words);
        assert_eq!(run.out, "", "{arguments:?}");
    }
}

#[test]
fn beyond_the_tables_a_search_is_suggested() {
    let place = Place::new();
    let missing = place.run(&["probe", "brandubh", START]);
    missing.refused(1, &["no table of K4v8", "use `taflbase analyse brandubh POS`"]);
}
