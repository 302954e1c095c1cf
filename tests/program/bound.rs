//! State spaces: JSON, text, and refusals.

use std::fs;

use serde_json::Value;

use crate::place::{Place, ruleset};

#[test]
fn bounds_are_strings_in_json() {
    let place = Place::new();
    let answer = &place.run(&["bound", "ashton", "--json"]).json()[0];
    let equations = answer["equations"].as_array().unwrap();
    assert_eq!(equations.len(), 14);
    assert_eq!(equations[5]["value"], "947889249256532407079664255");
    assert_eq!(equations[11]["agrees"], false);
    assert_eq!(answer["running"][0]["name"], "naive");
    assert_eq!(answer["solved"]["slices"][0], "K0v1");
    assert_eq!(answer["solved"]["positions"], 38_441_400);
    assert_eq!(answer["sample"], Value::Null);
    // The paper's seven rows, and three of ours.
    assert_eq!(answer["table"].as_array().unwrap().len(), 10);
    let other = &place.run(&["bound", "mcgill", "--json"]).json()[0];
    assert_eq!((&other["equations"], &other["readings"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_sample_is_printed() {
    let place = Place::new();
    let run = ["bound", "brandubh", "--sample", "4", "--budget", "20000", "--games"];
    let answer = &place.run(&[&run[..], &["--json"]].concat()).json()[0];
    let sample = &answer["sample"];
    let drawn = sample["drawn"].as_array().unwrap();
    let count = |verdict| drawn.iter().filter(|one| one["verdict"] == verdict).count();
    assert_eq!(count("reached") + count("unreachable") + count("unknown"), 4);
    assert_eq!(sample["reached"]["share"], count("reached") as f64 / 4.0);
    assert_eq!(answer["table"].as_array().unwrap().len(), 11);
    let text = place.run(&run).done();
    for words in ["A sample of 4, seed 1", "reached by a proof game", "brandubh, reached"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100 || line.starts_with('/')),
        "{text}"
    );
}

#[test]
fn refusals_are_one_line() {
    let place = Place::new();
    let text = fs::read_to_string(ruleset("mini-corner")).unwrap();
    fs::write(place.path("none.toml"), text.replace("size = 5", "size = 0")).unwrap();
    for (arguments, words) in [
        (&["bound"][..], &["<RULES>"][..]),
        (&["bound", "chess"], &["\"chess\"", "brandubh"]),
        (&["bound", "none.toml"], &["none.toml", "size", "5"]),
        (&["bound", "brandubh", "--sample", "0"], &["'0'", "--sample", "from 1 to 100000"]),
        (&["bound", "brandubh", "--sample", "200000"], &["200000", "100000"]),
        (
            &["bound", "brandubh", "--sample", "3", "--budget", "0"],
            &["'0'", "--budget", "from 1 up"],
        ),
        (&["bound", "brandubh", "--budget", "5"], &["--sample"]),
        (&["bound", "brandubh", "--games"], &["--sample"]),
    ] {
        let run = place.run(arguments);
        run.refused(2, words);
        assert_eq!(run.out, "", "{arguments:?}");
    }
}
