//! Builds tables and reads them.

use std::fs;
use std::process::Stdio;

use serde_json::Value;
use taflbase::rules::Ruleset;

use crate::place::{Place, ruleset};

#[test]
fn a_build_makes_and_reports_missing_slices() {
    let place = Place::new();
    let plan = place.run(&["plan", "brandubh", "--men", "3", "--json"]).json();
    assert_eq!(plan.len(), 3);
    assert!(plan.iter().all(|slice| slice["present"] == false));
    let run = place.run(&["build", "brandubh", "--men", "3"]);
    assert!(!run.err.contains(['\r', '\x1b']), "{}", run.err);
    assert!(run.err.contains("K0v2 (3 of 3): done"), "{}", run.err);
    let table = run.done();
    let header: Vec<&str> = table.lines().next().unwrap().split("  ").map(str::trim).collect();
    for column in ["slice", "win", "draw", "loss", "longest win", "bytes", "bits", "seconds"] {
        assert!(header.contains(&column), "{column}");
    }
    let again = place.run(&["build", "brandubh", "--men", "3"]).done();
    assert_eq!(again, "nothing to build: all 3 slices exist\n");
    fs::remove_file(place.path("tables/brandubh/K1v1.dtw")).unwrap();
    let rebuilt = place.run(&["build", "brandubh", "--men", "3", "--json"]).json();
    let built: Vec<&str> = rebuilt
        .iter()
        .filter(|slice| slice["built"] == true)
        .map(|slice| slice["slice"].as_str().unwrap())
        .collect();
    assert_eq!(built, ["K1v1"]);
    place.run(&["build", "brandubh", "--men", "6", "--memory", "1MB"]).refused(2, &["--memory"]);
    let alone = place.run(&["build", "brandubh", "--men", "2"]).done();
    assert_eq!(alone, "nothing to build: the slice exists\n");
}

#[test]
fn slices_that_others_depend_on_keep_their_distances() {
    let place = Place::new();
    for _ in 0..2 {
        place.run(&["build", "brandubh", "--men", "3", "--metric", "wdl"]).done();
        for (slice, has_distances) in [("K0v1", true), ("K0v2", false), ("K1v1", false)] {
            assert!(place.path(&format!("tables/brandubh/{slice}.wdl")).is_file(), "{slice}");
            let distances = place.path(&format!("tables/brandubh/{slice}.dtw"));
            assert_eq!(distances.is_file(), has_distances, "{slice}");
        }
    }
}

#[test]
fn slices_without_distances_are_there_for_a_build_without_them() {
    let place = Place::new();
    let build = ["build", "brandubh", "--men", "3", "--metric", "wdl"];
    place.run(&build).done();
    fs::remove_file(place.path("tables/brandubh/K0v2.wdl")).unwrap();
    let run = place.run(&[&build[..], &["--json"]].concat());
    assert!(run.err.contains("K0v2 (1 of 1): done"), "{}", run.err);
    let mut found = run.json();
    found.retain(|slice| slice["built"] == false);
    let longest = |slice: &Value, side: usize| slice["sides"][side]["max_win"].as_u64();
    let [k0v1, k1v1] = &found[..] else { panic!("{found:?}") };
    assert!([0, 1].iter().all(|&side| longest(k0v1, side).is_some()), "{k0v1}");
    // Its WDL table does not say.
    assert_eq!(k1v1["slice"], "K1v1");
    assert!(k1v1["sides"][0].get("max_win").is_some_and(Value::is_null), "{k1v1}");
    assert_eq!((longest(k1v1, 0), longest(k1v1, 1)), (None, None));
}

#[test]
fn statistics_agree_with_the_brute_force_program() {
    for (rules, men) in [("mini-corner", 6), ("mini-edge", 6), ("brandubh", 4), ("berkeley", 3)] {
        let fixtures: Vec<(&str, Value)> = include_str!("../data/counts.jsonl")
            .lines()
            .map(|line| (line, serde_json::from_str::<Value>(line).unwrap()))
            .filter(|(_, fixture)| fixture["rules"] == rules)
            .filter(|(_, f)| {
                f["defenders"].as_u64().unwrap() + f["attackers"].as_u64().unwrap() < men
            })
            .collect();
        assert!(!fixtures.is_empty());
        let file =
            if Ruleset::builtin(rules).is_some() { rules.to_owned() } else { ruleset(rules) };
        let place = Place::new();
        let mut arguments = vec![file.as_str()];
        for (_, fixture) in &fixtures {
            arguments.extend(["--slice", fixture["slice"].as_str().unwrap()]);
        }
        place.run(&[&["build"], &arguments[..]].concat()).done();
        let found = place.run(&["stats", &file, "--json"]).done();
        for (line, _) in fixtures {
            // More fields may follow those of the fixture.
            let line = line.trim_end_matches('}');
            assert!(found.lines().any(|found| found.starts_with(line)), "{line}\n{found}");
        }
    }
}

#[test]
fn longest_wins_are_shown_as_positions() {
    let place = Place::with("brandubh", "4");
    let stats = ["stats", "brandubh", "--slice", "K0v1", "K1v2", "K2v1", "K0v3", "--json"];
    for stats in place.run(&stats).json() {
        for (longest, plies, category) in
            [("longest_win", "max_win", "win"), ("longest_loss", "max_loss", "loss")]
        {
            let Some(position) = stats[longest].as_str() else {
                assert_eq!(stats[category], 0);
                continue;
            };
            let probed = &place.run(&["probe", "brandubh", position, "--json"]).json()[0];
            assert_eq!(probed["category"], category);
            assert_eq!(probed["dtw"], stats[plies]);
            let line = &place.run(&["line", "brandubh", position, "--json"]).json()[0];
            let moves = line["moves"].as_array().unwrap();
            assert_eq!(Some(moves.len() as u64), stats[plies].as_u64());
            let bars = stats["histogram"].as_array().unwrap();
            let sum: u64 = bars.iter().map(|bar| bar["positions"].as_u64().unwrap()).sum();
            assert_eq!(Some(sum), stats["positions"].as_u64());
        }
    }
}

/// Writes the rules of `mini-edge` with other values of repetition and endless play; returns the
/// file.
fn write_edge(place: &Place, name: &str, repetition: &str, endless: &str) -> String {
    let mut text = fs::read_to_string(ruleset("mini-edge")).unwrap();
    for (old, new) in [
        ("name = \"mini-edge\"", format!("name = \"{name}\"")),
        ("repetition = \"mover-loses\"", format!("repetition = \"{repetition}\"")),
        ("endless = \"undecided\"", format!("endless = \"{endless}\"")),
    ] {
        assert!(text.contains(old));
        text = text.replace(old, &new);
    }
    let file = format!("{name}.toml");
    fs::write(place.path(&file), text).unwrap();
    file
}

#[test]
fn positions_that_neither_side_can_force_have_one_name() {
    let place = Place::new();
    let names = ["draw", "undecided", "endless"];
    let games = [
        write_edge(&place, "drawn", "draw", "draw"),
        write_edge(&place, "lost", "mover-loses", "undecided"),
        write_edge(&place, "barred", "defenders-barred", "attackers"),
    ];
    for (rules, name) in games.iter().zip(names) {
        let only_own_name = |text: &str| {
            let used: Vec<&str> = names.into_iter().filter(|known| text.contains(known)).collect();
            assert_eq!(used, [name], "{text}");
        };
        only_own_name(&place.run(&["build", rules, "--slice", "K0v5"]).done());
        let find = ["find", rules, "--slice", "K0v5", "--to-move", "attackers", "--value"];
        let found = &place.run(&[&find[..], &[name, "--limit", "1", "--json"]].concat()).json()[0];
        assert_eq!(found["category"], name);
        let position = found["position"].as_str().unwrap();
        for command in ["probe", "line"] {
            let answer = &place.run(&[command, rules, position, "--json"]).json()[0];
            assert_eq!((&answer["category"], &answer["dtw"]), (&name.into(), &Value::Null));
            let text = place.run(&[command, rules, position]).done();
            assert!(text.contains(&format!("attackers to move: {name}")), "{text}");
            only_own_name(&text);
        }
        let solve = ["solve", rules, position, "--certificate", "open.cert"];
        only_own_name(&place.run(&solve).done());
        let proved = &place.run(&[&solve[..], &["--json"]].concat()).json()[0];
        let checked = &place.run(&["solve", rules, "--check", "open.cert", "--json"]).json()[0];
        assert_eq!((&proved["value"], &checked["value"]), (&name.into(), &name.into()));

        let stats = ["stats", rules, "--slice", "K0v5"];
        let text = place.run(&stats).done();
        assert!(text.contains(&format!("{name} 200 (")), "{text}");
        only_own_name(&text);
        only_own_name(&place.run(&[&stats[..], &["--totals"]].concat()).done());
        let counts = &place.run(&[&stats[..], &["--json"]].concat()).json()[0];
        assert_eq!(names.map(|known| counts[known] == 200), names.map(|known| known == name));
        for other in names.into_iter().filter(|other| *other != name) {
            let words = [&*format!("\"{other}\""), &format!("win, loss or {name}")];
            place.run(&[&find[..], &[other]].concat()).refused(2, &words);
        }
    }
    let [drawn, lost, barred] = &games;
    let compared = place.run(&["compare", drawn, lost, barred, "--slice", "K0v5", "--json"]).json();
    let attackers: Vec<&Value> =
        compared.iter().filter(|line| line["to_move"] == "attackers").collect();
    assert_eq!(attackers.len(), 2);
    for (line, name) in attackers.into_iter().zip(&names[1..]) {
        assert_eq!(
            (&line["counts"]["draw"], &line["other_counts"][name]),
            (&200.into(), &200.into())
        );
        assert_eq!(line["changed_outcome"], 0);
    }
}

#[test]
fn rings_around_inner_goals_are_refused() {
    let place = Place::new();
    let mut text = fs::read_to_string(ruleset("rings")).unwrap();
    for (old, new) in [
        ("core = ", "inner = \"b4\"\ncore = "),
        ("goals = [\"corners\"]", "goals = [\"corners\", \"inner\"]"),
    ] {
        assert!(text.contains(old));
        text = text.replace(old, new);
    }
    fs::write(place.path("goals.toml"), text).unwrap();
    place.run(&["build", "goals.toml", "--slice", "K0v3"]).done();
    for command in ["build", "plan", "verify"] {
        let run = place.run(&[command, "goals.toml", "--slice", "K0v6"]);
        run.refused(2, &["K0v6", "end.encirclement"]);
    }
}

#[test]
fn a_probe_beyond_the_tables_names_the_slice_and_the_command() {
    let place = Place::new();
    let beyond = "/7/4t2/7/t5t/2K4/6t/2t1t2/ d";
    let words = ["K0v6", "`taflbase build brandubh --slice K0v6`"];
    for command in ["probe", "line"] {
        let run = place.run(&[command, "brandubh", beyond]);
        run.refused(1, &words);
        assert_eq!(run.out, "");
    }
    for command in ["check", "verify", "manifest"] {
        place.run(&[command, "brandubh"]).refused(1, &["taflbase build brandubh --men"]);
    }
    for command in ["stats", "report", "find", "check", "verify", "manifest"] {
        place.run(&[command, "brandubh", "--slice", "K0v6"]).refused(1, &words);
    }
    fs::create_dir(place.path("else where")).unwrap();
    let elsewhere = ["probe", "brandubh", beyond, "--tables", "else where"];
    place.run(&elsewhere).refused(1, &["--slice K0v6 --tables 'else where'`"]);
    fs::copy(ruleset("mini-corner"), place.path("my game.toml")).unwrap();
    let words = ["`taflbase build 'my game.toml' --slice K0v1`"];
    place.run(&["probe", "my game.toml", "/5/5/5/2K2/2t2/ a"]).refused(1, &words);
}

#[test]
fn a_probe_of_few_men_needs_no_files() {
    let place = Place::new();
    let position = "/7/4t2/7/7/2K4/7/2t4/ d";
    let embedded = place.run(&["probe", "brandubh", position, "--json"]).done();
    place.run(&["build", "brandubh", "--slice", "K0v2"]).done();
    let words: Vec<&str> = position.split(' ').collect();
    let two = place.run(&["probe", "brandubh", words[0], words[1], "--json"]).done();
    assert_eq!(two, embedded);
    assert_eq!(place.run(&["probe", "brandubh", position, "--json"]).done(), two);
    assert!(place.run(&["probe", "brandubh", position]).done().contains("win in 3 plies"));

    let stats = place.run(&["stats", "alea-evangelii", "--json"]).json();
    assert_eq!(stats.len(), 2 * 3);
    let longest = ["find", "alea-evangelii", "--slice", "K0v2", "--longest", "--json"];
    let longest = &place.run(&[&longest[..], &["--to-move", "attackers"]].concat()).json()[0];
    let of_slice = stats.iter().find(|stats| stats["slice"] == "K0v2").unwrap();
    assert_eq!(longest["dtw"], of_slice["max_win"]);

    // With one more man there are no distances.
    let position = "/7/4t2/7/1tt4/2K1t2/7/2t4/ d";
    let probe = place.run(&["probe", "brandubh", position]).done();
    assert!(probe.contains("defenders to move: win\n"), "{probe}");
    assert!(probe.ends_with("run `taflbase build brandubh --slice K0v5`\n"), "{probe}");
    let line = place.run(&["line", "brandubh", position]);
    line.refused(1, &["no dtw table", "`taflbase build brandubh --slice K0v5`"]);
}

#[test]
fn the_environment_names_the_table_folder() {
    let place = Place::new();
    let mut build = place.command(&["build", "brandubh", "--men", "2"]);
    assert!(build.env("TAFLBASE_TABLES", "mine").output().unwrap().status.success());
    assert!(place.path("mine/brandubh/K0v1.dtw").exists());
    place.run(&["check", "brandubh", "--tables", "mine"]).done();
}

#[test]
fn rulesets_of_one_fingerprint_share_their_tables() {
    let place = Place::with("tablut", "2");
    let build = place.run(&["build", "mcgill", "--men", "2"]).done();
    assert!(build.starts_with("nothing to build"), "{build}");
    let stats = place.run(&["stats", "mcgill", "--slice", "K0v1", "--json"]).json();
    assert_eq!(stats[0]["rules"], "mcgill");
    assert!(!place.path("tables/mcgill").exists());
}

#[test]
fn outputs_name_what_they_count() {
    let place = Place::with("brandubh", "2");
    // For one attacker and the king: one of the mirror images of a placement is stored, and
    // more if the attacker's square is its own image.
    let verify = place.run(&["verify", "brandubh"]).done();
    assert!(verify.starts_with("K0v1: proved, 704 stored positions ("), "{verify}");
    let sample = place.run(&["verify", "brandubh", "--sample", "100"]).done();
    assert!(
        sample.contains("consistent in ") && sample.contains(" 704 stored positions ("),
        "{sample}"
    );
    let stats = place.run(&["stats", "brandubh", "--slice", "K0v1"]).done();
    assert!(stats.starts_with("brandubh K0v1, attackers to move: 1,936 placements\n"), "{stats}");
    assert!(stats.contains("\nvalue  plies  placements  "), "{stats}");
}

#[test]
fn verify_proves_dtw_tables_and_finds_wdl_tables_consistent() {
    // A game without embedded tables.
    let rules = &*ruleset("mini-corner");
    let place = Place::with(rules, "3");
    for slice in place.run(&["verify", rules, "--json"]).json() {
        assert_eq!(slice["verdict"], "proved");
    }
    for entry in fs::read_dir(place.path("tables/mini-corner")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "dtw") {
            fs::remove_file(path).unwrap();
        }
    }
    let verify = place.run(&["verify", rules]).done();
    assert!(verify.lines().all(|line| line.contains("consistent, not proved")), "{verify}");
    let position = "/1t3/5/1K3/5/3t1/ d";
    let probed = &place.run(&["probe", rules, position, "--json"]).json()[0];
    assert_eq!((&probed["category"], &probed["dtw"]), (&Value::from("win"), &Value::Null));
    assert_eq!(place.run(&["stats", rules, "--json"]).json()[0]["max_win"], Value::Null);
    place.run(&["line", rules, position]).refused(1, &["dtw", "K0v2"]);
}

#[test]
fn missing_slices_of_any_size_are_reported() {
    let place = Place::with("brandubh", "3");
    let verify = ["verify", "brandubh", "--slice"];
    place.run(&[&verify[..], &["K2v6"]].concat()).refused(1, &["no table of K2v6"]);
    let little = place.run(&[&verify[..], &["K0v2", "--memory", "1KiB"]].concat());
    little.refused(2, &["K0v2", "of 1.0 KiB", "--memory", "--sample 1"]);
}

#[test]
fn a_killed_build_is_resumed() {
    let place = Place::new();
    let build = ["build", "brandubh", "--men", "6"];
    let mut child =
        place.command(&build).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !place.path("tables/brandubh/K2v1.dtw").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = place.path("tables/brandubh");
    fs::write(folder.join("K1v2.dtw.1-1.tmp"), "half a table").unwrap();
    let resumed = place.run(&["build", "brandubh", "--men", "4", "--json"]).json();
    assert!(resumed.iter().filter(|slice| slice["built"] == true).count() < resumed.len());
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".tmp"), "{name}");
    }
    place.run(&["check", "brandubh"]).done();
}
