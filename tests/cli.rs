//! The program as users and scripts meet it: statuses, streams, messages, JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use taflbase::Tablebase;
use taflbase::rules::Ruleset;
use taflbase::stats::count_values;
use taflbase::table::Metric;
use taflbase::value::Wdl;
use tempfile::TempDir;

/// A folder in which the program runs.
struct Place(TempDir);

/// What a run came to.
struct Run {
    status: i32,
    out: String,
    err: String,
}

fn ruleset(name: &str) -> String {
    format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    /// One with tables of a ruleset.
    fn with(rules: &str, men: &str) -> Place {
        let place = Place::new();
        place.run(&["build", rules, "--men", men]).done();
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
        command.args(arguments).current_dir(&self.0).env_remove("TAFLBASE_TABLES");
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        Run {
            status: status.code().unwrap(),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }
}

impl Run {
    /// The results of a run that went well.
    #[track_caller]
    fn done(self) -> String {
        assert_eq!(self.status, 0, "{}", self.err);
        self.out
    }

    #[track_caller]
    fn json(self) -> Vec<Value> {
        let lines = self.done();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Compares the status, and looks for words in the one line of the message.
    #[track_caller]
    fn refused(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        let message = self.err.strip_prefix("taflbase: ").expect(&self.err);
        assert_eq!(message.lines().count(), 1, "{message}");
        for word in words {
            assert!(message.contains(word), "{word:?} is not in: {message}");
        }
    }
}

fn first_line_keys(text: &str) -> Vec<String> {
    match serde_json::from_str(text.trim()).unwrap() {
        Value::Object(fields) => fields.keys().cloned().collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn wrong_usage_is_told_on_one_line() {
    let place = Place::new();
    for (arguments, words) in [
        (&[][..], &["taflbase --help"][..]),
        (&["prob", "brandubh"], &["'prob'", "similar", "'probe'"]),
        (&["perft", "brandubh"], &["<DEPTH>", "usage: taflbase perft"]),
        (&["perft", "brandubh", "0"], &["DEPTH", "1"]),
        (&["build", "brandubh"], &["--men", "--slice"]),
        (&["build", "brandubh", "--men", "3", "--slice", "K0v1"], &["cannot be used with"]),
        (&["build", "brandubh", "--men", "1"], &["--men 1", "K0v1"]),
        (&["build", "brandubh", "--slice", "K1v0"], &["K1v0", "K2v4"]),
        (&["build", "brandubh", "--men", "3", "--memory", "lots"], &["lots", "16GiB"]),
        (&["build", "brandubh", "--men", "3", "--metric", "dtm"], &["dtm", "wdl or dtw"]),
        (&["build", "brandubh", "--slice", "K40v5"], &["K40v5"]),
        (&["rules", "chess"], &["\"chess\"", "brandubh"]),
        (&["stats", "brandubh", "--threads", "many"], &["--threads", "many"]),
    ] {
        let run = place.run(arguments);
        run.refused(2, words);
        assert_eq!(run.out, "", "{arguments:?}");
    }
    assert!(!place.path("tables").exists());
}

#[test]
fn every_command_explains_itself() {
    let place = Place::new();
    let help = place.run(&["--help"]).done();
    for command in ["rules", "perft", "plan", "build", "probe", "line", "stats", "verify", "check"]
    {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
        let help = place.run(&[command, "--help"]);
        assert_eq!(help.err, "");
        let help = help.done();
        for part in ["Examples:\n  taflbase ", "JSON", "\n  {\"", "--json", "--tables"] {
            assert!(help.contains(part), "{command}: {part}");
        }
    }
    assert!(place.run(&["--version"]).done().starts_with("taflbase "));
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
        &["stats", "brandubh"],
        &["verify", "brandubh"],
        &["check", "brandubh"],
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
fn broken_positions_are_refused_by_square_and_row() {
    let place = Place::new();
    for (position, words) in [
        ("/7/4t2/7/7/2K4/7/2t4/", &["a (attackers)", "d (defenders)"][..]),
        ("/7/4t2/7/7/2K4/7/2t4/ w", &["\"w\"", "a (attackers)"]),
        ("/7/4t2/7/7/2K4/7/ d", &["6 ranks instead of 7"]),
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

#[test]
fn a_build_makes_what_is_missing_and_tells_what_it_made() {
    let place = Place::new();
    let plan = place.run(&["plan", "brandubh", "--men", "3", "--json"]).json();
    assert_eq!(plan.len(), 3);
    assert!(plan.iter().all(|slice| slice["present"] == false));
    let run = place.run(&["build", "brandubh", "--men", "3"]);
    assert!(!run.err.contains(['\r', '\x1b']), "{}", run.err);
    assert!(run.err.contains("K0v2 (3 of 3): done"), "{}", run.err);
    let table = run.done();
    let header: Vec<&str> = table.lines().next().unwrap().split("  ").map(str::trim).collect();
    for column in [
        "slice",
        "positions",
        "win",
        "draw",
        "loss",
        "longest win",
        "bytes",
        "bits/position",
        "seconds",
    ] {
        assert!(header.contains(&column), "{column}");
    }
    let again = place.run(&["build", "brandubh", "--men", "3"]).done();
    assert_eq!(again, "nothing to build: all 3 slices are there\n");
    fs::remove_file(place.path("tables/brandubh/K1v1.dtw")).unwrap();
    let rebuilt = place.run(&["build", "brandubh", "--men", "3", "--json"]).json();
    let built: Vec<&str> = rebuilt
        .iter()
        .filter(|slice| slice["built"] == true)
        .map(|slice| slice["slice"].as_str().unwrap())
        .collect();
    assert_eq!(built, ["K1v1"]);
    place.run(&["build", "brandubh", "--men", "6", "--memory", "1MB"]).refused(2, &["--memory"]);
}

#[test]
fn statistics_are_those_of_the_brute_force_program() {
    for (rules, men) in [("mini-corner", 6), ("mini-edge", 6), ("brandubh", 4), ("berkeley", 3)] {
        let fixtures: Vec<(&str, Value)> = include_str!("data/counts.jsonl")
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
            // Other fields may follow those of the fixture.
            let line = line.trim_end_matches('}');
            assert!(found.lines().any(|found| found.starts_with(line)), "{line}\n{found}");
        }
    }
}

#[test]
fn longest_wins_are_shown_as_positions() {
    let place = Place::with("brandubh", "4");
    for stats in place.run(&["stats", "brandubh", "--json"]).json() {
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

#[test]
fn berkeley_reports_undecided_where_others_report_a_draw() {
    let rules = ruleset("mini-edge");
    let place = Place::new();
    place.run(&["build", &rules, "--slice", "K0v5"]).done();
    let base = Tablebase::open(Ruleset::load(&rules).unwrap(), &place.path("tables")).unwrap();
    let table = base.table("K0v5".parse().unwrap(), Metric::Dtw).unwrap();
    let [attackers, _] = count_values(base.rules(), table).unwrap();
    let open = attackers.values.iter().find(|value| value.wdl == Wdl::Draw).unwrap();
    let position = open.example.to_text(base.rules());
    for command in ["probe", "line"] {
        let answer = &place.run(&[command, &rules, &position, "--json"]).json()[0];
        assert_eq!(answer["category"], "undecided");
        assert_eq!(answer["dtw"], Value::Null);
        let text = place.run(&[command, &rules, &position]).done();
        assert!(text.contains("attackers to move: undecided"), "{text}");
        assert!(!text.contains("draw"), "{text}");
    }
    let text = place.run(&["stats", &rules, "--slice", "K0v5"]).done();
    assert!(text.contains("undecided 200,") && !text.contains("draw"), "{text}");
    let build = place.run(&["build", &rules, "--slice", "K0v5", "--force"]).done();
    assert!(build.contains("undecided") && !build.contains("draw"), "{build}");
}

#[test]
fn a_probe_beyond_the_tables_names_the_slice_and_the_command() {
    let place = Place::new();
    let position = "/7/4t2/7/7/2K4/7/2t4/ d";
    let words = ["K0v2", "`taflbase build brandubh --slice K0v2`"];
    for command in ["probe", "line"] {
        let run = place.run(&[command, "brandubh", position]);
        run.refused(1, &words);
        assert_eq!(run.out, "");
    }
    for command in ["stats", "check", "verify"] {
        place.run(&[command, "brandubh"]).refused(1, &["taflbase build brandubh --men"]);
        place.run(&[command, "brandubh", "--slice", "K0v2"]).refused(1, &words);
    }
    let elsewhere = ["probe", "brandubh", position, "--tables", "else where"];
    place.run(&elsewhere).refused(1, &["--tables", "else where"]);
    place.run(&["build", "brandubh", "--slice", "K0v2"]).done();
    let words: Vec<&str> = position.split(' ').collect();
    let two = place.run(&["probe", "brandubh", words[0], words[1], "--json"]).done();
    assert_eq!(place.run(&["probe", "brandubh", position, "--json"]).done(), two);
    assert!(place.run(&["probe", "brandubh", position]).done().contains("win in 3 plies"));
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
    assert_eq!(place.run(&["stats", "mcgill", "--json"]).json()[0]["rules"], "mcgill");
    assert!(!place.path("tables/mcgill").exists());
}

#[test]
fn tables_of_other_rules_are_refused_and_kept() {
    let place = Place::with("berkeley", "2");
    fs::rename(place.path("tables/berkeley"), place.path("tables/ashton")).unwrap();
    let file = place.path("tables/ashton/K0v1.dtw");
    let before = fs::read(&file).unwrap();
    let position = "/9/9/9/9/9/2K6/9/9/4t4/ a";
    for arguments in [
        &["probe", "ashton", position][..],
        &["line", "ashton", position],
        &["stats", "ashton"],
        &["build", "ashton", "--men", "2"],
        &["build", "ashton", "--men", "2", "--force"],
        &["plan", "ashton", "--men", "2"],
        &["verify", "ashton"],
    ] {
        place.run(arguments).refused(2, &["another ruleset", "ashton"]);
    }
    let check = place.run(&["check", "ashton"]);
    check.refused(1, &["2 of 2 files"]);
    assert!(check.out.contains("another ruleset"), "{}", check.out);
    assert_eq!(fs::read(&file).unwrap(), before);
}

/// Changes a file's bytes.
fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A position of K2v1, and its table, which has records.
const PROBED: &str = "/7/4t2/7/7/2K4/7/2T1T2/ d";

#[test]
fn damaged_files_are_refused_and_named() {
    let place = Place::with("brandubh", "4");
    let file = place.path("tables/brandubh/K2v1.dtw");
    let whole = fs::read(&file).unwrap();
    let length = whole.len();
    type Damage = fn(&mut Vec<u8>);
    let damages: [(Damage, &str); 5] = [
        (|bytes| bytes.truncate(bytes.len() / 2), "cut short"),
        (|bytes| bytes.clear(), "cut short"),
        (|bytes| bytes[40] ^= 1, "header"),
        (|bytes| *bytes = b"name = \"brandubh\"\n".to_vec(), "not a table file"),
        (|bytes| *bytes.last_mut().unwrap() ^= 1, "cut short"),
    ];
    for (damage, word) in damages {
        edit(&file, damage);
        place.run(&["probe", "brandubh", PROBED]).refused(2, &["K2v1.dtw", word]);
        place.run(&["stats", "brandubh"]).refused(2, &["K2v1.dtw", word]);
        let check = place.run(&["check", "brandubh"]);
        check.refused(1, &["1 of 12 files"]);
        assert!(check.out.contains("K2v1.dtw") && check.out.contains(word), "{}", check.out);
        fs::write(&file, &whole).unwrap();
    }
    edit(&file, |bytes| bytes[length / 2] ^= 0x10);
    let check = place.run(&["check", "brandubh", "--json"]);
    check.refused(1, &["1 of 12 files"]);
    let line = check.out.lines().find(|line| line.contains("\"ok\":false")).unwrap();
    assert!(line.contains("K2v1.dtw") && line.contains("block "), "{line}");
    place.run(&["stats", "brandubh", "--slice", "K2v1"]).refused(2, &["K2v1.dtw", "block "]);
    let verify = place.run(&["verify", "brandubh", "--slice", "K2v1"]);
    verify.refused(1, &["1 of 1 slices"]);
    assert!(verify.out.contains("K2v1.dtw"), "{}", verify.out);
}

#[test]
fn a_foreign_file_is_not_overwritten_and_a_damaged_one_is_built_again() {
    let place = Place::with("brandubh", "2");
    let file = place.path("tables/brandubh/K0v1.dtw");
    let whole = fs::read(&file).unwrap();
    edit(&file, |bytes| bytes.truncate(100));
    place.run(&["build", "brandubh", "--men", "2"]).done();
    assert_eq!(fs::read(&file).unwrap(), whole);
    fs::write(&file, "my notes").unwrap();
    place.run(&["build", "brandubh", "--men", "2"]).refused(2, &["K0v1.dtw", "not a table file"]);
    assert_eq!(fs::read(&file).unwrap(), b"my notes");
}

#[test]
fn verifying_proves_distances_and_finds_wins_and_losses_consistent() {
    let place = Place::with("brandubh", "3");
    for slice in place.run(&["verify", "brandubh", "--json"]).json() {
        assert_eq!(slice["verdict"], "proved");
    }
    for entry in fs::read_dir(place.path("tables/brandubh")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().unwrap() == "dtw" {
            fs::remove_file(path).unwrap();
        }
    }
    let verify = place.run(&["verify", "brandubh"]).done();
    assert!(verify.lines().all(|line| line.contains("consistent, not proved")), "{verify}");
    let position = "/7/4t2/7/7/2K4/7/2t4/ d";
    let probed = &place.run(&["probe", "brandubh", position, "--json"]).json()[0];
    assert_eq!((&probed["category"], &probed["dtw"]), (&Value::from("win"), &Value::Null));
    assert_eq!(place.run(&["stats", "brandubh", "--json"]).json()[0]["max_win"], Value::Null);
    place.run(&["line", "brandubh", position]).refused(1, &["dtw", "K0v2"]);
}

#[test]
fn tables_that_cannot_be_written_are_an_error() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    let run = place.run(&["build", "brandubh", "--men", "2", "--tables", "file"]);
    run.refused(2, &["file", "cannot make the folder"]);
}

#[test]
fn a_build_that_is_killed_goes_on_where_it_stopped() {
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

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_panic() {
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
