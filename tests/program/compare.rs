//! Comparison of rulesets.

use std::fs;

use serde_json::Value;

use crate::place::Place;

/// Writes brandubh with other goals to a file.
fn edge_goals(place: &Place) -> &'static str {
    let path = "src/game/rules/builtin/brandubh.toml";
    let text = fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let text = text.replace("name = \"brandubh\"", "name = \"edge\"");
    fs::write(place.path("edge.toml"), text.replace("goals = [\"corners\"]", "goals = [\"edge\"]"))
        .unwrap();
    "edge.toml"
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn counts_are_those_of_the_statistics() {
    let place = Place::new();
    place.run(&["build", edge_goals(&place), "--men", "3"]).done();
    let compare = ["compare", "brandubh", "brandubh-online", "edge.toml", "--json"];
    let lines = place.run(&compare).json();
    // Without --slice, the slices that all of them have; each side of each, for each pair.
    assert_eq!(lines.len(), 2 * 3 * 2);
    for line in &lines {
        for (rules, counts) in [(&line["rules"], "counts"), (&line["other_rules"], "other_counts")]
        {
            let rules = if rules == "edge" { "edge.toml" } else { rules.as_str().unwrap() };
            let slice = line["slice"].as_str().unwrap();
            let stats = place.run(&["stats", rules, "--slice", slice, "--json"]).json();
            let stats = stats.iter().find(|stats| stats["to_move"] == line["to_move"]).unwrap();
            for field in ["positions", "win", "loss", "draw", "undecided"] {
                assert_eq!(line[counts][field], stats[field], "{rules} {slice} {field}");
            }
        }
        let shared = count(&line["shared"]);
        for [all, only] in [["counts", "only"], ["other_counts", "other_only"]] {
            let [all, only] = [all, only].map(|field| count(&line[field]["positions"]));
            assert_eq!(all - only, shared);
        }
        let changes = line["changes"].as_array().unwrap();
        let sum = |is_outcome: bool| {
            let kind = changes.iter().filter(|change| change["distance"].is_null() == is_outcome);
            kind.map(|change| count(&change["positions"])).sum::<u64>()
        };
        assert_eq!(sum(true), count(&line["changed_outcome"]));
        assert_eq!(sum(false), count(&line["changed_distance"]));
    }
    assert!(lines.iter().any(|line| count(&line["only"]["positions"]) > 0));
    assert!(lines.iter().any(|line| count(&line["changed_outcome"]) > 0));
}

#[test]
fn examples_have_the_probed_values() {
    let place = Place::new();
    let file = edge_goals(&place);
    place.run(&["build", file, "--men", "3"]).done();
    let compare = ["compare", "brandubh", file, "--slice", "K0v2", "K1v1", "--json"];
    let mut examples = 0;
    for line in &place.run(&compare).json() {
        let changes = line["changes"].as_array().unwrap().iter();
        let most = line["most_changed"].as_array().unwrap();
        assert_eq!(most.is_empty(), line["changed_outcome"] == 0);
        let widest = Some(&line["greatest_difference"]).filter(|widest| !widest.is_null());
        for example in changes.map(|change| &change["example"]).chain(most).chain(widest) {
            let position = example["position"].as_str().unwrap();
            for (rules, category, dtw) in
                [("brandubh", "category", "dtw"), (file, "other_category", "other_dtw")]
            {
                let probed = &place.run(&["probe", rules, position, "--json"]).json()[0];
                let expected = [&probed["category"], &probed["dtw"]];
                assert_eq!([&example[category], &example[dtw]], expected, "{rules} {position}");
            }
            examples += 1;
        }
    }
    assert!(examples > 5, "{examples}");
}

#[test]
fn the_text_has_the_numbers_of_the_json() {
    let place = Place::new();
    place.run(&["build", edge_goals(&place), "--men", "3"]).done();
    let compare = ["compare", "brandubh", "edge.toml", "--slice", "K0v1", "K0v2"];
    let text = place.run(&compare).done();
    let digits: String = text.chars().filter(|&c| c != ',').collect();
    for line in place.run(&[&compare[..], &["--json"]].concat()).json() {
        for number in [&line["shared"], &line["counts"]["win"], &line["only"]["positions"]] {
            assert!(digits.contains(&number.to_string()), "{number}: {text}");
        }
        for change in line["changes"].as_array().unwrap() {
            let position = change["example"]["position"].as_str().unwrap();
            assert!(text.contains(position), "{position}: {text}");
        }
    }
    for words in ["K0v2, attackers to move", "only brandubh", "no change", "change most"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // One line of shares for each slice and side, after their header.
    let shares = text.lines().skip_while(|line| !line.starts_with("shares ")).count();
    assert_eq!(shares, 2 + 4);
    let none = place.run(&[&compare[..], &["--most", "0"]].concat()).done();
    assert!(!none.contains("change most"), "{none}");
}

#[test]
fn positions_that_neither_side_can_force_have_the_names_of_the_rulesets() {
    let place = Place::new();
    for (rules, names) in [
        (["brandubh", "brandubh-online"], "draw"),
        (["brandubh", "brandubh-1"], "draw, undecided"),
        (["copenhagen", "tawlbwrdd-lewis"], "endless"),
    ] {
        let text = place.run(&[&["compare"], &rules[..], &["--slice", "K0v1"]].concat()).done();
        let header = text.lines().find(|line| line.starts_with("rules ")).unwrap();
        let (_, outcomes) = header.split_once(" win ").unwrap();
        assert_eq!(outcomes.trim().strip_suffix(" loss").map(str::trim), Some(names), "{text}");
    }
}

#[test]
fn rulesets_that_share_tables_do_not_differ() {
    let place = Place::new();
    let run = place.run(&["compare", "tablut", "mcgill", "--slice", "K0v2", "--json"]);
    assert!(run.err.contains("tablut and mcgill share their tables"), "{}", run.err);
    for line in run.json() {
        assert_eq!([&line["changed_outcome"], &line["changed_distance"]], [0, 0]);
        assert_eq!(line["changes"], Value::Array(Vec::new()));
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let place = Place::new();
    let file = edge_goals(&place);
    let refused = |arguments: &[&str], status: i32, words: &[&str]| {
        place.run(&[&["compare"], arguments].concat()).refused(status, words);
    };
    refused(&[], 2, &["RULES", "usage: taflbase compare"]);
    refused(&["brandubh"], 2, &["nothing to compare brandubh with"]);
    refused(&["brandubh", "brandubh"], 2, &["two rulesets are called brandubh"]);
    refused(&["brandubh", file, file], 2, &["two rulesets are called edge"]);
    refused(&["brandubh", "tablut"], 2, &["7x7", "9x9", "taflbase stats"]);
    refused(&["brandubh", "brandub"], 2, &["did you mean brandubh?"]);
    refused(&["brandubh", file], 1, &["no tables of edge.toml", "taflbase build edge.toml"]);
    let build = "taflbase build edge.toml --slice K0v2";
    refused(&["brandubh", file, "--slice", "K0v2"], 1, &["no table of K0v2", build]);
    place.run(&["build", file, "--slice", "K0v2"]).done();
    let large = "taflbase build brandubh --slice K3v3";
    refused(&["brandubh", file, "--slice", "K0v1", "K3v3"], 1, &["no table of K3v3", large]);
    refused(&["brandubh", file, "--most", "1001"], 2, &["--most", "from 0 to 1000"]);
    let damaged = place.path("tables/edge/K0v2.dtw");
    let bytes = fs::read(&damaged).unwrap();
    fs::write(&damaged, &bytes[..bytes.len() - 1]).unwrap();
    refused(&["brandubh", file, "--slice", "K0v2"], 2, &["K0v2.dtw"]);
    fs::remove_file(&damaged).unwrap();
    place.run(&["compare", "brandubh", file, "--slice", "K0v1"]).done();
}

#[test]
fn rulesets_without_a_common_slice_are_reported() {
    let place = Place::new();
    let file = edge_goals(&place);
    let text = fs::read_to_string(place.path(file)).unwrap();
    let weak = text.replace("name = \"edge\"", "name = \"weak\"");
    let weak =
        weak.replace("king-surrounded = [\"throne\", \"beside-throne\"]", "king-surrounded = []");
    fs::write(place.path("weak.toml"), weak).unwrap();
    for rules in [file, "weak.toml"] {
        place.run(&["build", rules, "--slice", "K0v2", "--metric", "wdl"]).done();
    }
    // The build has made a DTW table of the slice that K0v2 depends on.
    for path in ["edge/K0v1.wdl", "edge/K0v1.dtw", "weak/K0v2.wdl"] {
        fs::remove_file(place.path("tables").join(path)).unwrap();
    }
    let run = place.run(&["compare", file, "weak.toml"]);
    run.refused(1, &["no slice has a table of every ruleset in tables", "--slice"]);
}
