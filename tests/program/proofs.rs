//! `--proofs` and `play --certificate`: what is proved is known.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::place::{Place, Run};

/// A game of 5x5 without tables, which the defenders win.
const GAME: &str = "5x5-corners-6v4";

/// The path of the game's rules.
fn rules() -> String {
    format!("{}/examples/rulesets/{GAME}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the game's certificate, `won.cert`.
fn proved() -> Place {
    let place = Place::new();
    place.run(&["solve", &rules(), "--certificate", "won.cert"]).done();
    place
}

fn probe(place: &Place, position: &str) -> Value {
    place.run(&["probe", &rules(), position, "--json", "--proofs", "won.cert"]).json().remove(0)
}

/// The start position as text.
fn start(place: &Place) -> String {
    let told = place.run(&["rules", &rules(), "--json"]).json().remove(0);
    told["start"].as_str().map_or_else(|| panic!("{told}"), |start| format!("{start} a"))
}

#[test]
fn a_probe_says_what_is_proved() {
    let place = proved();
    let start = start(&place);
    place.run(&["probe", &rules(), &start]).refused(1, &["K4v6"]);
    let answer = probe(&place, &start);
    assert_eq!((&answer["category"], &answer["dtw"]), (&"loss".into(), &Value::Null));
    let proof = &answer["proof"];
    assert_eq!((&proof["at_least"], &proof["at_most"]), (&"loss".into(), &"loss".into()));
    assert_eq!((&proof["move"], &proof["certificate"]), (&Value::Null, &"won.cert".into()));
    let moves = answer["moves"].as_array().unwrap();
    assert!(moves.iter().all(|mv| mv["category"] == "loss"), "{answer}");
    // After each move the winner has one, which comes first.
    let after = moves[0]["position"].as_str().unwrap();
    let next = probe(&place, after);
    assert_eq!((&next["category"], &next["to_move"]), (&"win".into(), &"defenders".into()));
    let best = &next["moves"][0];
    assert_eq!((&best["category"], &best["proof"]["at_least"]), (&"win".into(), &"win".into()));
    let text = place.run(&["probe", &rules(), after, "--proofs", "won.cert"]).done();
    assert!(text.contains("defenders to move: win (proved)"), "{text}");
    let played = next["proof"]["move"].as_str().unwrap();
    assert!(text.contains(&format!("Proved by won.cert, which plays {played}")), "{text}");
}

#[test]
fn proofs_are_found_by_option_folder_store_and_environment() {
    let place = proved();
    let start = start(&place);
    fs::create_dir_all(place.path("store/proofs")).unwrap();
    fs::copy(place.path("won.cert"), place.path("store/proofs/1.cert")).unwrap();
    for path in [".", "store", "store/proofs", "won.cert"] {
        let told = place.run(&["probe", &rules(), &start, "--proofs", path]).done();
        assert!(told.contains("loss (proved)"), "{path}: {told}");
    }
    let mut command = place.command(&["probe", &rules(), &start]);
    command.env("TAFLBASE_PROOFS", "store");
    assert!(Run::of(command).done().contains("loss (proved)"));
    let mut batch = place.command(&["probe", &rules(), "--batch", "-", "--proofs", "store"]);
    assert_eq!(fed(&mut batch, &format!("{start}\n")).done(), format!("{start}\tloss\t\n"));
    fs::create_dir(place.path("empty")).unwrap();
    place.run(&["probe", &rules(), "--proofs", "empty"]).refused(2, &["empty: no certificates"]);
}

#[test]
fn unusable_certificates_are_refused_in_one_line() {
    let place = proved();
    place
        .run(&["probe", "tablut", "--proofs", "won.cert"])
        .refused(2, &["won.cert", "other rules"]);
    place.run(&["play", "tablut", "--certificate", "won.cert"]).refused(2, &["other rules", GAME]);
    for (arguments, example) in [
        (["solve", "--check", "won.cert"], "`taflbase solve RULES.toml --check won.cert`"),
        (
            ["play", "--certificate", "won.cert"],
            "`taflbase play RULES.toml --certificate won.cert`",
        ),
    ] {
        let words = ["won.cert is for the ruleset 5x5-corners-6v4, which is not built in", example];
        place.run(&arguments).refused(2, &words);
    }
    let bytes = fs::read(place.path("won.cert")).unwrap();
    let mut flipped = bytes.clone();
    let last = flipped.len() - 20;
    flipped[last] ^= 4;
    for (content, words) in [
        (&bytes[..bytes.len() - 9], &["won.cert", "damaged"][..]),
        (&flipped, &["won.cert", "damaged"]),
        (b"taflbase certificate 9\n", &["won.cert", "not a certificate"]),
        (b"", &["won.cert", "not a certificate"]),
    ] {
        fs::write(place.path("won.cert"), content).unwrap();
        for arguments in [
            &["probe", &rules(), "--proofs", "won.cert"][..],
            &["solve", &rules(), "--proofs", "won.cert"],
            &["analyse", &rules(), "--depth", "1", "--proofs", "."],
            &["match", &rules(), "random", "random", "--games", "2", "--proofs", "won.cert"],
            &["play", &rules(), "--certificate", "won.cert"],
        ] {
            place.run(arguments).refused(2, words);
        }
    }
    place.run(&["play", "--certificate", "nowhere"]).refused(2, &["nowhere"]);
    place.run(&["probe", &rules(), "--proofs", "nowhere"]).refused(2, &["nowhere"]);
    place.run(&["play"]).refused(2, &["RULES"]);
}

/// The host chooses the rules, so that a certificate for others does no harm.
#[test]
fn engines_with_a_host_take_certificates_for_any_rules() {
    let place = proved();
    let brandubh =
        "rules dim:7 ks:c cenh:tcnkmTCNKM surf:n tfr:d start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
    let asked = format!("{brandubh}\nplay attackers\n");
    for (command, lines, answer) in [
        ("htp", "board_size 7\ngenerate_move\nquit\n", "= \n= play defender "),
        ("otep", &asked, "hello\nmove "),
    ] {
        let common = [command, "--nodes", "100", "--hash", "1", "--threads", "1", "--proofs"];
        let out = fed(&mut place.command(&[&common[..], &["won.cert"]].concat()), lines).done();
        assert!(out.starts_with(answer), "{command}: {out}");
        // What cannot be read is refused at the start.
        fs::write(place.path("other.cert"), "something else").unwrap();
        let whole = fs::read(place.path("won.cert")).unwrap();
        fs::write(place.path("cut.cert"), &whole[..whole.len() - 9]).unwrap();
        fs::write(place.path("long.cert"), [&whole[..], &[0]].concat()).unwrap();
        for (path, words) in [
            ("no.cert", &["no.cert"][..]),
            ("other.cert", &["other.cert", "not a certificate"]),
            ("cut.cert", &["cut.cert", "damaged", "cut short"]),
            ("long.cert", &["long.cert", "damaged", "bytes beyond"]),
        ] {
            let run = place.run(&[&common[..], &[path]].concat());
            run.refused(2, words);
            assert_eq!(run.out, "", "{command} {path}");
        }
    }
}

#[test]
fn a_search_does_not_prove_what_is_proved() {
    let place = proved();
    let start = start(&place);
    let after = probe(&place, &start)["moves"][0]["position"].as_str().unwrap().to_owned();
    let known =
        ["solve", &rules(), &after, "--proofs", ".", "--certificate", "after.cert", "--json"];
    let told = place.run(&known).json().remove(0);
    assert_eq!((&told["value"], &told["nodes"]), (&"defenders".into(), &0.into()));
    // The new certificate needs no other.
    fs::remove_file(place.path("won.cert")).unwrap();
    assert!(place.run(&["solve", &rules(), "--check", "after.cert"]).done().contains("holds"));
}

#[test]
fn the_engine_plays_what_is_proved() {
    let place = proved();
    let start = start(&place);
    let after = probe(&place, &start)["moves"][0]["position"].as_str().unwrap().to_owned();
    let played = probe(&place, &after)["proof"]["move"].clone();
    let analyse = |position: &str| {
        let arguments =
            ["analyse", &rules(), position, "--nodes", "5000", "--json", "--proofs", "won.cert"];
        place.run(&arguments).json().pop().unwrap()
    };
    let won = &analyse(&after)["lines"][0];
    assert_eq!((&won["score"], &won["category"]), (&"proved win".into(), &"win".into()));
    assert_eq!((&won["moves"][0], &won["plies"]), (&played, &Value::Null));
    let lost = &analyse(&start)["lines"][0];
    assert!(lost["category"] == "loss", "{lost}");
    // With the certificate the defenders win from every opening near the start.
    let players = ["match", &rules(), "engine:name=book", "engine:proofs=none,name=none"];
    let options = ["--nodes", "30", "--games", "2", "--book-plies", "0", "--proofs", "won.cert"];
    let result = place.run(&[&players[..], &options, &["--json"]].concat()).json().remove(0);
    assert_eq!(result["a"]["defenders"]["wins"], 1, "{result}");
}

/// Runs a command with this input.
fn fed(command: &mut Command, input: &str) -> Run {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Run::ended(child.wait_with_output().unwrap())
}

#[test]
fn a_certificate_is_a_player() {
    let place = proved();
    let told = place.run(&["solve", "--check", "won.cert", &rules()]).done();
    assert!(told.starts_with("the certificate holds"), "{told}");
    let mut command = place.command(&["play", &rules(), "--certificate", "won.cert"]);
    // The user's side is the one without a strategy.
    let greeting = fed(&mut command, "side\n").done();
    assert!(greeting.contains("you play the attackers against the certificate won.cert"));
    assert!(greeting.contains("(proved: the defenders win)"), "{greeting}");
    // It wins against the engine, and against random moves.
    for opponent in ["engine", "random"] {
        let watched = ["--side", "none", "--nodes", "200", "--opponent", opponent];
        let rules = rules();
        let arguments = [&["play", &rules, "--certificate", "won.cert"][..], &watched].concat();
        let game = fed(&mut place.command(&arguments), "").done();
        assert!(game.contains("(proved win)"), "{opponent}: {game}");
        assert!(game.contains("the defenders win"), "{opponent}: {game}");
    }
}

/// The rules are the certificate's if they are built in.
#[test]
fn a_certificate_names_its_rules() {
    let place = Place::new();
    let position = "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d";
    place.run(&["solve", "brandubh", position, "--certificate", "a.cert"]).done();
    let game = fed(&mut place.command(&["play", "--certificate", "a.cert"]), "tables\n").done();
    assert!(game.contains("Brandubh") && game.contains("(proved win)"), "{game}");
    assert!(game.contains("attackers to move: loss"), "{game}");
}

#[test]
fn the_kept_proofs_of_brandubh_are_read() {
    let place = Place::new();
    let proofs = format!("{}/examples/proofs", env!("CARGO_MANIFEST_DIR"));
    for (position, reply, certificate) in [
        ("/3t3/t6/3T3/ttTKTtt/3T3/3t3/3t3/ d", "d3-a3xa2", "brandubh-d2-a2.cert"),
        ("/1t5/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ d", "c4-c1xb1", "brandubh-d1-b1.cert"),
    ] {
        let answer =
            place.run(&["probe", "brandubh", position, "--json", "--proofs", &proofs]).json();
        assert_eq!(answer[0]["category"], "win", "{}", answer[0]);
        let proof = &answer[0]["proof"];
        assert_eq!((&proof["move"], &proof["certificate"]), (&reply.into(), &certificate.into()));
    }
}
