//! Searches in tables.

use serde_json::Value;

use crate::place::{Place, ruleset};

#[test]
fn found_positions_have_the_printed_value() {
    let place = Place::with("brandubh", "4");
    let arguments = ["find", "brandubh", "--plies", "5..", "--limit", "12", "--json"];
    let found = place.run(&arguments).json();
    assert_eq!(found.len(), 12);
    for found in found {
        let position = found["position"].as_str().unwrap();
        let probed = &place.run(&["probe", "brandubh", position, "--json"]).json()[0];
        for field in ["rules", "position", "to_move", "category", "dtw"] {
            assert_eq!(found[field], probed[field], "{field} of {position}");
        }
        assert!(found["dtw"].as_u64().unwrap() >= 5);
    }
}

#[test]
fn counts_agree_with_the_statistics() {
    let place = Place::with("brandubh", "4");
    let stats = ["stats", "brandubh", "--slice", "K0v1", "K1v1", "K2v1", "K0v3", "--json"];
    for stats in place.run(&stats).json() {
        let (slice, side) = (stats["slice"].as_str().unwrap(), stats["to_move"].as_str().unwrap());
        let count = |wanted: &[&str]| {
            let find = ["find", "brandubh", "--json", "--count", "--slice", slice];
            let lines = place.run(&[&find[..], &["--to-move", side], wanted].concat()).json();
            assert_eq!(lines.len(), 1);
            lines[0]["placements"].clone()
        };
        assert_eq!(count(&[]), stats["positions"]);
        for category in ["win", "loss", "draw"] {
            assert_eq!(count(&["--value", category]), stats[category]);
        }
        assert_eq!(count(&["--zugzwang"]), stats["mutual_zugzwangs"]);
        let longest = ["find", "brandubh", "--longest", "--slice", slice, "--to-move", side];
        let longest = place.run(&[&longest[..], &["--json", "--limit", "1"]].concat()).json();
        assert_eq!(longest[0]["dtw"], stats["max_win"]);
    }
    let text = place.run(&["find", "brandubh", "--count", "--slice", "K1v1"]).done();
    let sides: Vec<&str> =
        text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(sides, ["attackers", "defenders"]);
}

#[test]
fn a_mutual_zugzwang_is_shown_with_both_values() {
    let place = Place::with("brandubh", "4");
    let find = ["find", "brandubh", "--slice", "K0v2", "K0v3", "--zugzwang", "--json"];
    let found = place.run(&find).json();
    assert!(!found.is_empty());
    for found in found {
        assert_eq!(found["to_move"], "attackers");
        assert_eq!([&found["category"], &found["other_category"]], ["loss", "loss"]);
        let other = found["position"].as_str().unwrap().replace(" a", " d");
        let probed = &place.run(&["probe", "brandubh", &other, "--json"]).json()[0];
        assert_eq!(found["other_dtw"], probed["dtw"]);
    }
    let text = place.run(&["find", "brandubh", "--zugzwang", "--slice", "K0v3"]).done();
    assert!(text.starts_with("value      plies  other      plies  images  position\n"), "{text}");
}

#[test]
fn a_limit_that_omits_positions_is_reported() {
    let place = Place::with("brandubh", "3");
    let find = ["find", "brandubh", "--slice", "K1v1"];
    let some = place.run(&[&find[..], &["--limit", "3"]].concat());
    assert!(some.err.contains("there are more than 3") && some.err.contains("--limit 0"));
    let some = some.done();
    let all = place.run(&[&find[..], &["--limit", "0"]].concat());
    assert_eq!(all.err, "");
    let all = all.done();
    // In a pipe all are printed.
    assert_eq!(place.run(&find).done(), all);
    assert!(all.starts_with(&some) && some.lines().count() == 4, "{some}");
    let count = &place.run(&[&find[..], &["--count", "--json"]].concat()).json();
    let stored: u64 = count.iter().map(|count| count["stored"].as_u64().unwrap()).sum();
    assert_eq!(all.lines().count() as u64, stored + 1);

    let exact = place.run(&[&find[..], &["--limit", &stored.to_string()]].concat());
    assert_eq!(exact.err, "");
    let none = place.run(&[&find[..], &["--plies", "99"]].concat());
    assert_eq!((none.status, none.err.as_str()), (0, "taflbase: no position found\n"));
    assert_eq!(none.out, "");

    let longest = ["find", "brandubh", "--longest", "--slice", "K0v1", "K1v1"];
    let count = place.run(&longest).done().lines().count() - 1;
    for (limit, omits) in [(1, true), (count - 1, true), (count, false)] {
        let run = place.run(&[&longest[..], &["--limit", &limit.to_string()]].concat());
        assert_eq!(run.err.contains("there are more"), omits, "{limit}: {}", run.err);
        assert_eq!(run.done().lines().count(), limit + 1);
    }
}

#[test]
fn the_same_seed_draws_the_same_positions() {
    let place = Place::with("brandubh", "4");
    let draw = |seed: &str, threads: &str, count: &str| {
        let find = ["find", "brandubh", "--value", "loss", "--slice", "K0v2", "K1v2", "K0v3"];
        let find = [&find[..], &["--random", count, "--seed", seed]].concat();
        place.run(&[&find[..], &["--threads", threads, "--json"]].concat()).done()
    };
    let drawn = draw("7", "1", "9");
    assert_eq!(drawn.lines().count(), 9);
    assert_eq!(draw("7", "3", "9"), drawn);
    assert!(drawn.starts_with(&draw("7", "2", "4")));
    assert_ne!(draw("8", "1", "9"), drawn);
    for line in drawn.lines() {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["category"], "loss");
    }
}

#[test]
fn patterns_are_given_by_squares_or_as_a_board() {
    let place = Place::with("brandubh", "3");
    let find = |wanted: &[&str]| {
        let find = ["find", "brandubh", "--slice", "K0v2", "K1v1", "--json"];
        place.run(&[&find[..], wanted].concat())
    };
    let squares = ["--king", "d4", "--attackers", "c4", "--defenders", "c3", "--empty", "d3,d5"];
    let by_squares = find(&squares).done();
    assert!(!by_squares.is_empty());
    assert_eq!(find(&["--pattern", "/*/*/??T0???/*/*/*/*/"]).status, 2);
    let board = ["--pattern", "/*/*/??T1*/??tK*/???1*/*/*/"];
    assert_eq!(find(&board).done(), by_squares);
    let both = ["--pattern", "*/*/*/2tK*/*/*/*", "--defenders", "c3", "--empty=d3,d5"];
    assert_eq!(find(&both).done(), by_squares);
    // All images of a pattern have the same matches.
    let image = ["--king", "d4", "--attackers", "d5", "--defenders", "e5", "--empty", "c4,e4"];
    assert_eq!(find(&image).done(), by_squares);
}

#[test]
fn refusals_are_one_line() {
    let place = Place::with("brandubh", "3");
    for (wanted, words) in [
        (&["--king", "j9"][..], &["--king", "\"j9\"", "a1 to g7"][..]),
        (&["--empty", "d3,"], &["--empty", "\"\""]),
        (&["--king", "a1"], &["the king on a1 has won"]),
        (&["--attackers", "d4"], &["an attacker cannot stand on d4 (throne)"]),
        (&["--attackers", "c3", "--empty", "c3"], &["c3", "two different contents"]),
        (&["--pattern", "/*/*/"], &["--pattern", "2 instead of 7 ranks"]),
        (&["--pattern", "/*/x*/*/*/*/*/*/"], &["--pattern", "rank 2", "\"x\"", "*"]),
        (&["--plies", "21..9"], &["--plies", "from 21 to 9"]),
        (&["--plies", "-3"], &["'-3'", "9..21"]),
        (&["--plies", "few"], &["'few'", "9..21"]),
        (&["--value", "undecided"], &["--value", "\"undecided\"", "win, loss or draw"]),
        (&["--value", "draw", "--plies", "3"], &["draw has no distance", "plies"]),
        (&["--value", "draw", "--longest"], &["draw has no distance", "longest"]),
        (&["--to-move", "black"], &["black", "attackers, defenders"]),
        (&["--seed", "3"], &["--random"]),
        (&["--random", "-1"], &["'-1'", "--random", "from 1 up"]),
        (&["--random", "0"], &["--random", "from 1 up"]),
        (&["--count", "--limit", "3"], &["cannot be used with"]),
    ] {
        let run = place.run(&[&["find", "brandubh"], wanted].concat());
        run.refused(2, words);
        assert_eq!(run.out, "", "{wanted:?}");
    }
    let edge = ruleset("mini-edge");
    place.run(&["build", &edge, "--slice", "K0v1"]).done();
    place.run(&["find", &edge, "--value", "draw"]).refused(2, &["win, loss or undecided"]);
}

#[test]
fn tables_without_distances_are_skipped_with_a_note() {
    let place = Place::new();
    for wanted in [&["--plies", "3"][..], &["--longest"]] {
        let find = [&["find", "tablut", "--limit", "3"], wanted].concat();
        let run = place.run(&find);
        assert!(
            run.err.starts_with("taflbase: skipped slices without distances: 4"),
            "{}",
            run.err
        );
        assert_eq!(run.done().lines().count(), 4);
        // If such a slice is named, the search is refused.
        let run = place.run(&[&find[..], &["--slice", "K0v1", "K0v4"]].concat());
        run.refused(2, &["K0v4", "WDL table only"]);
        assert_eq!(run.out, "");
    }
    let found = ["find", "tablut", "--slice", "K0v4", "--value", "win", "--limit", "9", "--json"];
    for found in place.run(&found).json() {
        let probe = ["probe", "tablut", found["position"].as_str().unwrap(), "--json"];
        assert_eq!(found["dtw"], place.run(&probe).json()[0]["dtw"]);
    }
    let edge = ruleset("mini-edge");
    place.run(&["build", &edge, "--slice", "K0v1", "--metric", "wdl"]).done();
    place.run(&["find", &edge, "--longest"]).refused(2, &["K0v1", "WDL table only"]);
}
