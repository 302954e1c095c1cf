//! The costs of a build, measured by `bench` and estimated by `plan`.

use serde_json::Value;

use crate::place::{Place, Run};

#[test]
fn a_bench_has_the_same_signature_with_any_number_of_threads() {
    let place = Place::new();
    let bench = |threads: &str| {
        let bench = ["bench", "brandubh", "--slice", "K1v2", "K2v1", "--json"];
        place.run(&[&bench[..], &["--threads", threads]].concat()).json()
    };
    let [one, two] = ["1", "2"].map(bench);
    let [first, second, signature] = &one[..] else { panic!("{one:?}") };
    assert_eq!(*signature, two[2]);
    assert_eq!(signature["signature"].as_str().unwrap().len(), 16);
    for (answer, slice) in [(first, "K2v1"), (second, "K1v2")] {
        assert_eq!(answer["slice"], slice);
        for field in ["seconds", "core_seconds", "positions_per_core_second"] {
            assert!(answer[field]["all"].as_f64().unwrap() > 0.0, "{answer}");
        }
        let steps = answer["seconds"].as_object().unwrap();
        let sum = |names: &[&str]| names.iter().map(|&n| steps[n].as_f64().unwrap()).sum::<f64>();
        assert!((sum(&["solving", "writing"]) - sum(&["all"])).abs() < 1e-6);
        assert!((sum(&["reading", "initial", "plies"]) - sum(&["solving"])).abs() < 1e-6);
    }
    // No files remain.
    assert!(!place.path("tables").exists());
    place.run(&["bench", "brandubh"]).refused(2, &["--slice"]);
    place.run(&["bench", "brandubh", "--slice", "K4v8"]).refused(2, &["K4v8", "TMPDIR"]);
}

#[test]
fn a_plan_lists_what_is_too_large_and_counts_the_rest() {
    let place = Place::with("brandubh", "2");
    let plan = ["plan", "brandubh", "--slice", "K16v1", "--calibration", "1"];
    let json = place.run(&[&plan[..], &["--json"]].concat()).json();
    let state = |state: &str| json.iter().filter(|slice| slice["state"] == state).count();
    assert_eq!(state("there"), 1);
    assert!(state("to build") > 3 && state("too large") > 3);
    assert_eq!(json.last().unwrap()["state"], "too large");
    for slice in &json {
        assert_eq!(slice["core_seconds"] != Value::Null, slice["state"] == "to build", "{slice}");
    }
    let text = place.run(&plan).done();
    assert!(text.contains("\ntoo large for this version: "), "{text}");
}

#[test]
fn a_missing_folder_for_temporary_files_is_named() {
    let place = Place::new();
    let plan: &[&str] = &["plan", "brandubh", "--men", "2"];
    for arguments in [plan, &["bench", "--quick"]] {
        for folder in ["/nowhere", env!("CARGO_BIN_EXE_taflbase")] {
            let mut command = place.command(arguments);
            command.env("TMPDIR", folder);
            let run = Run::of(command);
            let message = format!("{folder}: cannot create a temporary folder: ");
            run.refused(2, &[&message, "; choose another place with TMPDIR"]);
            assert_eq!(run.err.matches(folder).count(), 1, "{}", run.err);
        }
    }
}

/// K3v13 of tablut has 7 * 10^17 rows, and 154 times as many slots.
#[test]
fn a_plan_has_no_counts_beyond_64_bits() {
    let place = Place::new();
    let plan = ["plan", "tablut", "--slice", "K3v13", "--calibration", "1"];
    let json = place.run(&[&plan[..], &["--json"]].concat()).json();
    let largest = json.last().unwrap();
    assert_eq!((&largest["slice"], &largest["state"]), (&"K3v13".into(), &"too large".into()));
    for slice in &json {
        assert_eq!(slice["slots"].is_null(), slice["state"] == "too large", "{slice}");
        let numbers = slice.as_object().unwrap().values().filter_map(Value::as_f64);
        assert!(numbers.fold(0.0, f64::max) < u64::MAX as f64, "{slice}");
    }
    let text = place.run(&plan).done();
    assert!(text.contains("\ntoo large for this version: "), "{text}");
    assert!(!text.contains("16.0 EiB"), "{text}");
    place.run(&["build", "tablut", "--slice", "K3v13"]).refused(2, &["K3v13 is too large"]);
}

#[test]
fn plans_are_close_to_measurements() {
    let place = Place::new();
    let sum = |lines: &[Value], of: &dyn Fn(&Value) -> f64| lines.iter().map(of).sum::<f64>();
    let plan = place.run(&["plan", "brandubh", "--men", "5", "--json"]).json();
    let built = place.run(&["build", "brandubh", "--men", "5", "--json"]).json();
    let planned = sum(&plan, &|slice| slice["disk_bytes"].as_f64().unwrap());
    let written = sum(&built, &|slice| {
        let files = slice["files"].as_array().unwrap();
        sum(files, &|file| file["bytes"].as_f64().unwrap())
    });
    assert!((0.75..1.33).contains(&(planned / written)), "{planned} {written}");
    assert!(plan.iter().all(|slice| slice["core_seconds"].as_f64().unwrap() > 0.0));
}
