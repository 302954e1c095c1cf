//! Manifests, and tables compared with them.

use std::fs;

use serde_json::Value;
use taflbase::version::commit;

use crate::place::Place;

const MANIFEST: &str = "tables/brandubh/MANIFEST.json";

fn with_manifest() -> Place {
    let place = Place::with("brandubh", "3");
    place.run(&["manifest", "brandubh", "--output", MANIFEST]).done();
    place
}

/// Returns the slices of the manifest's file.
fn slices(place: &Place) -> Vec<Value> {
    let text = fs::read_to_string(place.path(MANIFEST)).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["slices"].as_array().unwrap().clone()
}

/// Replaces the first digit of the first hash of this name in the manifest by `f`, or an `f` by
/// `0`.
fn change(place: &Place, hash: &str) {
    let text = fs::read_to_string(place.path(MANIFEST)).unwrap();
    let at = text.find(&format!("\"{hash}\":\"")).unwrap() + hash.len() + 4;
    let digit = if text[at..].starts_with('f') { "0" } else { "f" };
    fs::write(place.path(MANIFEST), format!("{}{digit}{}", &text[..at], &text[at + 1..])).unwrap();
}

#[test]
fn a_manifest_has_one_line_for_each_slice() {
    let place = with_manifest();
    let text = fs::read_to_string(place.path(MANIFEST)).unwrap();
    assert_eq!(place.run(&["manifest", "brandubh"]).done(), text);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("\"slice\"")).collect();
    assert_eq!(lines.len(), 3);
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(place.run(&["manifest", "brandubh", "--json"]).json()[0], manifest);
    let stats = ["stats", "brandubh", "--slice", "K0v1", "K1v1", "K0v2", "--json"];
    let stats = place.run(&stats).json();
    let slices = manifest["slices"].as_array().unwrap();
    let sides = slices.iter().flat_map(|slice| slice["sides"].as_array().unwrap());
    for (side, stats) in sides.zip(&stats) {
        for (name, value) in side.as_object().unwrap() {
            assert_eq!(*value, stats[name], "{name}");
        }
    }
    for slice in slices {
        for file in slice["files"].as_array().unwrap() {
            let metric = file["metric"].as_str().unwrap();
            let path = format!("tables/brandubh/{}.{metric}", slice["slice"].as_str().unwrap());
            assert_eq!(file["bytes"], fs::metadata(place.path(&path)).unwrap().len());
            assert_eq!(file["blake3"].as_str().unwrap().len(), 64);
            assert_eq!(file["values"].as_str().unwrap().len(), 64);
        }
    }
}

#[test]
fn a_manifest_is_written_slice_by_slice() {
    let place = with_manifest();
    let whole = fs::read_to_string(place.path(MANIFEST)).unwrap();
    fs::remove_file(place.path(MANIFEST)).unwrap();
    for slice in ["K0v2", "K0v1", "K1v1"] {
        let write = ["manifest", "brandubh", "--slice", slice, "--output", MANIFEST];
        let printed = place.run(&write).done();
        assert!(printed.contains("new or changed: 1"), "{printed}");
    }
    assert_eq!(fs::read_to_string(place.path(MANIFEST)).unwrap(), whole);
    fs::remove_file(place.path("tables/brandubh/K1v1.dtw")).unwrap();
    fs::remove_file(place.path("tables/brandubh/K1v1.wdl")).unwrap();
    let printed = place.run(&["manifest", "brandubh", "--output", MANIFEST]).done();
    assert!(printed.contains("3 slices, new or changed: 0"), "{printed}");
    assert_eq!(fs::read_to_string(place.path(MANIFEST)).unwrap(), whole);
}

#[test]
fn a_manifest_says_which_program_listed_a_slice_and_when() {
    let place = with_manifest();
    for slice in slices(&place) {
        let listed = slice["listed"].as_object().unwrap();
        assert_eq!(listed["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(listed.get("commit").and_then(Value::as_str), commit());
        let date = listed["date"].as_str().unwrap();
        assert!(date.len() == 10 && date.starts_with("20") && date != "2001-02-03", "{date}");
    }
    let text = fs::read_to_string(place.path(MANIFEST)).unwrap();
    let today = slices(&place)[0]["listed"]["date"].as_str().unwrap().to_owned();
    fs::write(place.path(MANIFEST), text.replace(&today, "2001-02-03")).unwrap();
    let write = ["manifest", "brandubh", "--output", MANIFEST];
    let dates = || {
        let listed = slices(&place).into_iter().map(|slice| slice["listed"]["date"].clone());
        listed.map(|date| date == "2001-02-03").collect::<Vec<_>>()
    };
    // The same files: they were listed then.
    assert!(place.run(&write).done().contains("new or changed: 0"));
    assert_eq!(dates(), [true; 3]);
    // The same values, compressed differently: other files. The build writes K0v1 again, too.
    let again = ["build", "brandubh", "--slice", "K0v2", "--force", "--level", "1"];
    place.run(&again).done();
    place.run(&write).done();
    assert_eq!(dates()[1..], [true, false]);
}

#[test]
fn a_manifest_has_the_positions_of_longest_wins_on_request() {
    let place = with_manifest();
    assert!(slices(&place).iter().all(|slice| slice.get("longest").is_none()));
    let write = ["manifest", "brandubh", "--output", MANIFEST];
    let printed = place.run(&[&write[..], &["--longest"]].concat()).done();
    assert!(printed.contains("3 slices, new or changed: 3"), "{printed}");
    let report = ["report", "brandubh", "--slice", "K0v1", "K1v1", "K0v2", "--json"];
    let report = &place.run(&[&report[..], &["--no-estimates"]].concat()).json()[0];
    let expected = report["slices"].as_array().unwrap();
    for (slice, expected) in slices(&place).iter().zip(expected) {
        let mut wins = expected["longest"].as_array().unwrap().clone();
        wins.iter_mut().for_each(|win| drop(win.as_object_mut().unwrap().remove("moves")));
        assert_eq!(slice["longest"], Value::from(wins));
        for win in slice["longest"].as_array().unwrap() {
            let position = win["position"].as_str().unwrap();
            let probed = &place.run(&["probe", "brandubh", position, "--json"]).json()[0];
            assert_eq!(probed["dtw"], win["plies"]);
            let is_won = win["winner"] == win["to_move"];
            assert_eq!(probed["category"], if is_won { "win" } else { "loss" });
        }
    }
    // They are kept without reading the tables again, also of files compressed differently.
    let before = slices(&place);
    place.run(&["build", "brandubh", "--slice", "K0v2", "--force", "--level", "1"]).done();
    place.run(&write).done();
    for (slice, before) in slices(&place).iter().zip(before) {
        assert_eq!(slice["longest"], before["longest"]);
    }
}

#[test]
fn a_licence_in_a_manifest_is_kept() {
    let place = with_manifest();
    let text = fs::read_to_string(place.path(MANIFEST)).unwrap();
    let licensed =
        text.replacen(",\n  \"slices\"", ",\n  \"license\": \"CC0-1.0\",\n  \"slices\"", 1);
    assert_ne!(licensed, text);
    fs::write(place.path(MANIFEST), &licensed).unwrap();
    place.run(&["build", "brandubh", "--slice", "K2v1"]).done();
    let printed = place.run(&["manifest", "brandubh", "--output", MANIFEST]).done();
    assert!(printed.contains("4 slices, new or changed: 1"), "{printed}");
    let written = fs::read_to_string(place.path(MANIFEST)).unwrap();
    assert_eq!(written.matches("\"license\": \"CC0-1.0\"").count(), 1, "{written}");
}

#[test]
fn tables_are_compared_with_a_manifest() {
    let place = with_manifest();
    for against in [MANIFEST, "tables/brandubh", "tables"] {
        let same = place.run(&["check", "brandubh", "--against", against]).done();
        assert_eq!(same.matches("same file").count(), 6, "{same}");
    }
    change(&place, "blake3");
    let check = ["check", "brandubh", "--against", MANIFEST];
    let other = place.run(&check).done();
    assert_eq!(other.matches("same values").count(), 1, "{other}");
    change(&place, "values");
    let wrong = place.run(&check);
    wrong.refused(1, &["1 of 6 files", "other values"]);
    assert_eq!(wrong.out.matches("different values").count(), 1, "{}", wrong.out);
    let json = place.run(&[&check[..], &["--json"]].concat());
    let first: Value = serde_json::from_str(json.out.lines().next().unwrap()).unwrap();
    assert_eq!((&first["ok"], &first["against"]), (&false.into(), &"different values".into()));
    fs::remove_file(place.path("tables/brandubh/K1v1.wdl")).unwrap();
    place.run(&check).refused(1, &["1 of 6 files has other values"]);
    let others = [&check[..], &["--slice", "K0v2"]].concat();
    place.run(&others).done();
    place.run(&["build", "brandubh", "--slice", "K1v1", "K2v1"]).done();
    let more = place.run(&[&check[..], &["--slice", "K2v1"]].concat()).done();
    assert_eq!(more.matches("not in the manifest").count(), 2, "{more}");
}

#[test]
fn a_manifest_of_the_same_rules_may_have_another_name() {
    let place = Place::with("tablut", "2");
    let check = ["check", "mcgill", "--against", "tables"];
    place.run(&check).refused(2, &["there is no MANIFEST.json of mcgill in tables"]);
    let file = "tables/tablut/MANIFEST.json";
    place.run(&["manifest", "tablut", "--output", file]).done();
    assert_eq!(place.run(&check).done().matches("same file").count(), 2);
}

#[test]
fn a_damaged_file_is_not_compared() {
    let place = with_manifest();
    let file = place.path("tables/brandubh/K0v2.dtw");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let check = place.run(&["check", "brandubh", "--against", MANIFEST, "--json"]);
    check.refused(1, &["1 of 6 files is damaged"]);
    let line = check.out.lines().find(|line| line.contains("\"ok\":false")).unwrap();
    assert!(line.contains("K0v2") && line.contains("\"against\":null"), "{line}");
}

#[test]
fn manifests_of_other_rules_and_other_files_are_refused() {
    let place = with_manifest();
    place.run(&["build", "berkeley", "--men", "2"]).done();
    let words = [MANIFEST, "another ruleset", "brandubh", "berkeley"];
    place.run(&["check", "berkeley", "--against", MANIFEST]).refused(2, &words);
    place.run(&["manifest", "berkeley", "--output", MANIFEST]).refused(2, &words);
    let check = ["check", "brandubh", "--against", "mine"];
    place.run(&check).refused(2, &["mine", "cannot read"]);
    fs::write(place.path("mine"), "{}").unwrap();
    place.run(&check).refused(2, &["mine", "not a manifest"]);
    let write = ["manifest", "brandubh", "--output", "nowhere/MANIFEST.json"];
    place.run(&write).refused(2, &["nowhere", "cannot write"]);
}
