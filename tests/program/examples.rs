//! The examples in the help: what they show is what the program prints.

use std::fs;

use serde_json::Value;

use crate::place::Place;

/// The defenders win by a fork of the king.
const WON: &str = "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d";
/// The king escapes in three plies.
const ESCAPE: &str = "/7/4t2/7/7/2K4/7/2t4/ d";
/// A game of 5x5.
const SMALL: &str = "5x5-corners-4v0.toml";
/// One thread searches the same positions each time.
const ONE: [&str; 2] = ["--threads", "1"];

/// The values of these keys depend on the machine or the day, or are shortened.
const VOLATILE: [&str; 6] =
    ["seconds", "earlier_seconds", "nodes_per_second", "blake3", "values", "listed"];

/// Commands, each with the number of the JSON lines in its help that these runs print.
const RUNS: [(&str, usize, &[&[&str]]); 13] = [
    ("analyse", 1, &[&["brandubh", ESCAPE, "--depth", "1"]]),
    ("build", 2, &[&["brandubh", "--slice", "K0v1"], &[SMALL, "--start"]]),
    ("compare", 1, &[&["brandubh", "brandubh-online", "--slice", "K0v2"]]),
    (
        "find",
        2,
        &[
            &["brandubh", "--slice", "K1v2", "--value", "win", "--to-move", "attackers"],
            &["brandubh", "--slice", "K1v2", "--value", "win", "--to-move", "attackers", "--count"],
        ],
    ),
    ("line", 1, &[&["brandubh", "/7/7/5K1/7/3t3/4t2/7/ a"]]),
    // Of the table that was built.
    ("manifest", 1, &[&["brandubh", "--slice", "K0v1", "--longest"]]),
    ("perft", 1, &[&["brandubh", "3"]]),
    ("probe", 1, &[&["brandubh", ESCAPE]]),
    ("replay", 2, &[&["games.csv", "copenhagen"]]),
    ("rules", 1, &[&[]]),
    (
        "short",
        3,
        &[
            &["2x2", "--grundy"],
            &["2x2", "--soldier", "stationary", "--at", "0,0", "--grundy"],
            &["400x400", "--soldier", "nw", "--king", "1,2", "--periods"],
        ],
    ),
    (
        "solve",
        2,
        &[
            &["brandubh", WON, "--certificate", "won.cert", ONE[0], ONE[1]],
            &["--check", "won.cert", ONE[0], ONE[1]],
        ],
    ),
    ("stats", 2, &[&["brandubh", "--slice", "K1v2"], &["brandubh", "--slice", "K0v1", "--totals"]]),
];

/// A folder with the files that the examples read.
fn place() -> Place {
    let place = Place::new();
    let small = format!("{}/examples/rulesets/{SMALL}", env!("CARGO_MANIFEST_DIR"));
    fs::copy(small, place.path(SMALL)).unwrap();
    let replay = help(&place, "replay");
    let game = replay.lines().find(|line| line.starts_with("  d1-d3 ")).unwrap();
    fs::write(place.path("games.csv"), game).unwrap();
    place
}

fn help(place: &Place, command: &str) -> String {
    place.run(&[command, "--help"]).done()
}

/// Returns whether an example shows an output: with all keys, but perhaps with shortened lists and
/// rounded numbers.
fn shows(example: &Value, output: &Value) -> bool {
    match (example, output) {
        (Value::Object(members), Value::Object(all)) => {
            has_same_keys(example, output)
                && members
                    .iter()
                    .all(|(key, value)| VOLATILE.contains(&&**key) || shows(value, &all[key]))
        }
        (Value::Array(items), Value::Array(all)) => {
            items.iter().all(|item| all.iter().any(|other| shows(item, other)))
        }
        (Value::Number(rounded), Value::Number(number)) if number.is_f64() => {
            let [rounded, number] = [rounded, number].map(|number| number.as_f64().unwrap());
            (rounded - number).abs() <= 0.01 * number.abs()
        }
        _ => example == output,
    }
}

fn has_same_keys(example: &Value, output: &Value) -> bool {
    let [example, output] = [example, output].map(|value| value.as_object().unwrap());
    example.len() == output.len() && example.keys().all(|key| output.contains_key(key))
}

#[test]
fn json_in_the_help_is_what_the_program_prints() {
    let place = place();
    for (command, count, runs) in RUNS {
        let runs = runs.iter().map(|run| [&[command, "--json"], *run].concat());
        let outputs: Vec<Value> = runs.flat_map(|run| place.run(&run).json()).collect();
        let help = help(&place, command);
        let lines = help.lines().filter(|line| line.starts_with("  {"));
        let examples = lines.map(|line| serde_json::from_str(line).unwrap());
        let printed: Vec<Value> = examples
            .filter(|example| outputs.iter().any(|output| has_same_keys(example, output)))
            .collect();
        assert_eq!(printed.len(), count, "{command}: examples with the keys of its output");
        for example in &printed {
            let is_true = outputs.iter().any(|output| shows(example, output));
            assert!(is_true, "{command} --help: the program does not print {example}");
        }
    }
}

#[test]
fn the_help_shows_what_a_certificate_proves() {
    let place = Place::new();
    let solve = ["solve", "brandubh", WON, "--certificate", "won.cert", ONE[0], ONE[1]];
    place.run(&solve).done();
    let probe = ["probe", "brandubh", WON, "--proofs", "won.cert", "--json"];
    let answer = place.run(&probe).json().remove(0);
    let help = help(&place, "probe");
    let line = help.lines().find(|line| line.starts_with("  \"proof\":")).unwrap();
    let example: Value = serde_json::from_str(&format!("{{{line}}}")).unwrap();
    assert!(shows(&example["proof"], &answer["proof"]), "{}", answer["proof"]);
}

#[test]
fn the_searches_in_the_help_find_positions() {
    let place = Place::new();
    let help = help(&place, "find");
    let examples: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix("  taflbase ")).collect();
    assert_eq!(examples.len(), 5, "{examples:?}");
    for example in examples {
        let arguments: Vec<&str> = example.split(' ').collect();
        assert!(place.run(&arguments).done().lines().count() > 1, "{example}: nothing is found");
    }
}
