//! Whole games: `build --start` and `plan --start`.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::place::Place;

/// The path of a small game.
fn example(name: &str) -> String {
    format!("{}/examples/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a game with the rules of an example that begins from another board, or from none.
fn write_game(place: &Place, name: &str, board: Option<&str>) {
    let text = fs::read_to_string(example(name)).unwrap();
    let start = text.lines().find(|line| line.starts_with("start = ")).unwrap();
    let changed = board.map_or(String::new(), |board| format!("start = \"{board}\""));
    fs::write(place.path("mine.toml"), text.replace(start, &changed)).unwrap();
}

fn names(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["slice"].as_str().unwrap()).collect()
}

fn keys(value: &Value) -> Vec<&String> {
    value.as_object().unwrap().keys().collect()
}

#[test]
fn a_whole_game_is_built_and_its_start_decided() {
    let place = Place::new();
    let rules = &*example("5x5-corners-4v0");
    let run = place.run(&["build", rules, "--start"]);
    let plan = run.err.lines().next().unwrap();
    let announced = "taflbase: the whole game from K0v4: to build: 4 of 4 slices, with about ";
    assert!(plan.starts_with(announced) && plan.ends_with(" of one core"), "{}", run.err);
    let built = run.done();
    assert!(built.contains("\n\nThe defenders win from the start position, K0v4.\n"), "{built}");
    assert!(built.contains(&place.run(&["line", rules]).done()), "{built}");

    // The second build has nothing to do, and prints the same answer without a plan.
    let again = place.run(&["build", rules, "--start"]);
    assert_eq!(again.err, "");
    let again = again.done();
    let answer = again.strip_prefix("nothing to build: all 4 slices exist\n").expect(&again);
    assert!(built.ends_with(answer), "{built}\n{answer}");
}

#[test]
fn the_plan_of_a_whole_game_is_that_of_its_options() {
    let place = Place::new();
    let rules = &*example("5x5-corners-4v0");
    let options = ["--start", "--memory", "100MiB", "--threads", "1"];
    let planned = place.run(&[&["plan", rules][..], &options].concat()).done();
    let planned = planned.split("\n\n").nth(1).unwrap();
    let announced = place.run(&[&["build", rules][..], &options].concat()).err;
    // The memory and the scratch space are no measurements.
    let memory = |text: &str| {
        let (_, rest) = text.split_once("with about ").unwrap();
        rest.split(" of scratch").next().unwrap().to_owned()
    };
    assert_eq!(memory(&announced), memory(planned));
    let plan = announced.lines().next().unwrap();
    assert!(plan.contains(" of one core; wall-clock: about "), "{plan}");
}

/// The folder `/proc` has no free space.
#[cfg(target_os = "linux")]
#[test]
fn the_plan_counts_the_disk_of_the_scratch_folder() {
    let place = Place::new();
    let rules = &*example("5x5-corners-4v0");
    let scratch = |folder: &str| {
        let err = place.run(&["build", rules, "--start", "--scratch", folder]).err;
        let (before, _) = err.split_once(" of scratch").expect(&err);
        before.rsplit(", ").next().unwrap().to_owned()
    };
    let full = scratch("/proc/none");
    assert_ne!(scratch("work"), full);
}

#[test]
fn the_answer_in_json_is_that_of_the_other_commands() {
    let place = Place::new();
    let rules = &*example("5x5-corners-4v0");
    let mut lines = place.run(&["build", rules, "--start", "--json"]).json();
    let answer = lines.pop().unwrap();
    assert_eq!(names(&lines), ["K0v1", "K0v2", "K0v3", "K0v4"]);
    let help = place.run(&["build", "--help"]).done();
    let example = help.lines().rfind(|line| line.starts_with("  {")).unwrap();
    assert_eq!(keys(&answer), keys(&serde_json::from_str(example.trim()).unwrap()));

    let line = &place.run(&["line", rules, "--json"]).json()[0];
    for (key, value) in line.as_object().unwrap() {
        assert_eq!(&answer[key], value, "{key}");
    }
    let plies = answer["dtw"].as_u64().unwrap();
    assert_eq!(answer["moves"].as_array().unwrap().len() as u64, plies);
    assert_eq!((&answer["value"], &answer["slice"]), (&"defenders".into(), &"K0v4".into()));

    let stats = place.run(&["stats", rules, "--json"]).json();
    for side in answer["sides"].as_array().unwrap() {
        let own = stats.iter().find(|s| s["slice"] == "K0v4" && s["to_move"] == side["to_move"]);
        for (key, value) in side.as_object().unwrap() {
            assert_eq!(&own.unwrap()[key], value, "{key}");
        }
    }
    let placements: u64 = stats.iter().map(|side| side["positions"].as_u64().unwrap()).sum();
    let files = fs::read_dir(place.path("tables/5x5-corners-4v0")).unwrap();
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    let whole = ["slices", "placements", "bytes"].map(|key| answer[key].as_u64().unwrap());
    assert_eq!(whole, [4, placements, bytes]);
}

#[test]
fn a_whole_game_has_the_slices_that_captures_lead_to() {
    let place = Place::new();
    write_game(&place, "5x5-corners-4v0", Some("/5/2t2/t1KT1/5/5/"));
    let slices = ["K0v1", "K1v1", "K0v2", "K1v2"];
    assert_eq!(names(&place.run(&["plan", "mine.toml", "--start", "--json"]).json()), slices);
    let built = place.run(&["build", "mine.toml", "--start", "--json"]).json();
    assert_eq!(names(&built[..4]), slices);
    assert_eq!(built.len(), 5);
    let plan = place.run(&["plan", "mine.toml", "--start"]).done();
    assert!(plan.ends_with("\nnothing to build: all 4 slices exist\n"), "{plan}");
}

#[test]
fn games_that_nobody_wins_are_answered() {
    let place = Place::new();
    write_game(&place, "5x5-corners-4v0", Some("/1t3/2Kt1/1t3/2t2/5/"));
    let build = place.run(&["build", "mine.toml", "--start"]).done();
    let answer = "\nNeither side can force a win from the start position, K0v4.\nattackers to move: draw\n\n";
    assert!(build.contains(answer), "{build}");
    let json = place.run(&["build", "mine.toml", "--start", "--json"]).json();
    let answer = json.last().unwrap();
    assert_eq!(answer["value"], "draw");
    assert_eq!((&answer["dtw"], &answer["moves"]), (&Value::Null, &Value::Array(Vec::new())));
}

#[test]
fn without_distances_only_the_winner_is_known() {
    let place = Place::new();
    let rules = &*example("5x5-corners-4v0");
    let build = ["build", rules, "--start", "--metric", "wdl"];
    let text = place.run(&build).done();
    assert!(text.contains("\nattackers to move: loss\n\nslice "), "{text}");
    // The second build has nothing to do, and no plan.
    let again = place.run(&build);
    assert_eq!(again.err, "");
    let again = again.done();
    assert!(again.starts_with("nothing to build: all 4 slices exist\n"), "{again}");
    let counts = again.lines().find(|line| line.starts_with("K0v4 ")).unwrap();
    assert!(counts.ends_with("  -"), "{counts}");
    let json = place.run(&[&build[..], &["--json"]].concat()).json();
    let answer = json.last().unwrap();
    assert_eq!((&answer["value"], &answer["dtw"]), (&"defenders".into(), &Value::Null));
    assert_eq!(answer["sides"][0]["max_loss"], Value::Null);
    assert!(!place.path("tables/5x5-corners-4v0/K0v4.dtw").exists());
}

#[test]
fn a_killed_build_of_a_whole_game_is_resumed() {
    let place = Place::new();
    let rules = &*example("5x5-corners-4v2");
    let build = ["build", rules, "--start", "--json"];
    let mut child =
        place.command(&build).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let table = place.path("tables/5x5-corners-4v2/K1v2.dtw");
    while !table.exists() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("tables/5x5-corners-4v2/K2v4.wdl").exists(), "the build was not killed");
    let run = place.run(&build);
    assert!(run.err.contains("the whole game from K2v4: to build: "), "{}", run.err);
    let resumed = run.json();
    let kept = resumed.iter().filter(|slice| slice["built"] == false).count();
    assert!((1..12).contains(&kept), "{kept} slices were kept");

    let answer = resumed.last().unwrap();
    let elsewhere = Place::new();
    let built = elsewhere.run(&build).json();
    assert_eq!(built.last().unwrap(), answer);
    place.run(&["check", rules]).done();
}

#[test]
fn games_that_cannot_be_built_are_refused() {
    let place = Place::new();
    write_game(&place, "5x5-corners-4v0", None);
    for command in ["build", "plan"] {
        place.run(&[command, "mine.toml", "--start"]).refused(2, &["mine.toml", "start"]);
    }
    write_game(&place, "5x5-corners-4v0", Some("/2t2/5/t3t/5/2t2/"));
    place.run(&["build", "mine.toml", "--start"]).refused(2, &["mine.toml", "start", "no king"]);

    let words = ["whole game from K8v16", " of its 144 slices", "`taflbase solve`"];
    place.run(&["build", "tablut", "--start"]).refused(2, &words);

    let rules = &*example("5x5-corners-4v0");
    let little = place.run(&["build", rules, "--start", "--memory", "1MB"]);
    let message = little.err.lines().last().unwrap();
    assert_eq!((little.status, little.err.lines().count()), (2, 2), "{}", little.err);
    assert!(message.contains("K0v4 needs at least") && message.contains("--memory"), "{message}");
    let plan = little.err.lines().next().unwrap();
    assert!(plan.ends_with(": too large for this amount of memory: 4 of 4 slices"), "{plan}");
    assert!(!place.path("tables").exists());

    // Tables of another game are in the folder.
    place.run(&["build", &example("5x5-edges-4v0"), "--slice", "K0v1"]).done();
    fs::rename(place.path("tables/5x5-edges-4v0"), place.path("tables/5x5-corners-4v0")).unwrap();
    place.run(&["build", rules, "--start"]).refused(2, &["K0v1", "5x5-corners-4v0"]);
}
