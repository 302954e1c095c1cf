//! `taflbase solve`: values, statuses and certificates.

use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::Value;
use taflbase::Position;
use taflbase::history::Game;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::proof::{ProofOptions, ProvedValue, prove};
use taflbase::rules::{Ruleset, Side};

use crate::place::{Place, Run, refuse_threads, ruleset};

/// The defenders win by a fork of the king.
const WON: &str = "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d";

fn solved(place: &Place, arguments: &[&str]) -> Value {
    place.run(&[&["solve", "--json"], arguments].concat()).json().remove(0)
}

/// The file of a game of some 500 nodes.
fn small_game() -> String {
    format!("{}/examples/rulesets/5x5-corners-6v4.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_win_is_proved_and_its_certificate_checked() {
    let place = Place::new();
    let file = place.path("won.cert");
    let file = file.to_str().unwrap();
    let proof = solved(&place, &["brandubh", WON, "--certificate", file]);
    assert_eq!(proof["value"], "defenders");
    assert_eq!(proof["defenders"]["answer"], "won");
    assert_eq!(proof["attackers"]["answer"], "not won");
    assert_eq!(proof["certificate"], file);
    let checked = solved(&place, &["--check", file]);
    assert_eq!(checked["value"], "defenders");
    assert_eq!((&checked["rules"], &checked["position"]), (&proof["rules"], &proof["position"]));
    assert!(checked["positions"].as_u64() > Some(0), "{checked}");
    assert!(checked["plies"].as_u64() > Some(0), "{checked}");
    let text = place.run(&["solve", "--check", file]).done();
    assert!(text.starts_with("the certificate holds: brandubh"), "{text}");
    // Under other rules it says nothing.
    place.run(&["solve", "tablut", "--check", file]).refused(2, &["other rules", "brandubh"]);
    let bytes = std::fs::read(file).unwrap();
    for (content, words) in [
        (&bytes[..bytes.len() - 9], &["won.cert", "damaged"][..]),
        (&b"taflbase certificate 9\n"[..], &["not a certificate"]),
        (&b""[..], &["not a certificate"]),
    ] {
        std::fs::write(file, content).unwrap();
        place.run(&["solve", "--check", file]).refused(2, words);
    }
    place.run(&["solve", "--check", "nowhere"]).refused(2, &["nowhere"]);
}

/// Taking the strategy from the table reserves no address space for the longest line there may be.
#[cfg(target_os = "linux")]
#[test]
fn a_win_is_certified_in_little_memory() {
    let place = Place::new();
    let arguments = ["solve", "brandubh", WON, "--memory", "16MiB", "--threads", "1"];
    let arguments = [&arguments[..], &["--certificate", "won.cert"]].concat();
    place.run_within(800 << 10, &arguments).done();
    place.run(&["solve", "--check", "won.cert"]).done();
}

#[test]
fn threads_that_are_refused_are_done_without() {
    let place = Place::new();
    let game = small_game();
    let arguments = ["solve", &game, "--memory", "1MiB", "--threads", "4"];
    let run = |more: &[&str]| {
        let mut program = place.command(&[&arguments[..], more].concat());
        refuse_threads(&mut program);
        Run::of(program)
    };
    let text = run(&[]).done();
    assert!(text.starts_with("the defenders win\n"), "{text}");
    run(&["--store", "proof"]).refused(2, &["cannot start a thread"]);
}

#[test]
fn one_question_may_be_asked() {
    let place = Place::new();
    let attackers = place.run(&["solve", "brandubh", WON, "--for", "attackers"]).done();
    assert!(attackers.starts_with("the attackers cannot force a win\n"), "{attackers}");
    let defenders = place.run(&["solve", "brandubh", WON, "--for", "defenders"]).done();
    assert!(defenders.starts_with("the defenders win\n"), "{defenders}");
}

/// The defenders may not bring back the pieces of an earlier position, whichever side was to move.
/// Where a winning move of theirs must be answered by one that loses a move, all that win are barred.
#[test]
fn a_game_may_bar_every_move_of_a_proved_win() {
    let place = Place::new();
    let text = std::fs::read_to_string(ruleset("mini-corner")).unwrap();
    let text = text
        .replace("name = \"mini-corner\"", "name = \"barred\"")
        .replace("repetition = \"draw\"", "repetition = \"defenders-barred\"")
        .replace("endless = \"draw\"", "endless = \"attackers\"");
    std::fs::write(place.path("barred.toml"), &text).unwrap();
    let rules = Arc::new(Ruleset::from_toml(&text, "barred.toml").unwrap());
    let start = "/1t3/tKt2/1t1t1/T4/3T1/ d";
    let options = ProofOptions { questions: vec![Side::Defenders], ..ProofOptions::default() };
    let wins = |game: &Game, played: &Move| match played.ending {
        Some(ending) => ending.winner() == Side::Defenders,
        None => {
            let after = game.position().after(played);
            let proof = prove(&rules, &after, &options, &mut |_| true).unwrap();
            proof.value() == ProvedValue::Win(Side::Defenders)
        }
    };
    let winning = |game: &Game| -> Vec<Move> {
        let moves = legal_moves(&rules, game.position()).into_iter();
        moves.filter(|played| wins(game, played)).collect()
    };
    let names = |moves: &[Move]| -> Vec<String> {
        moves.iter().map(|played| played.display(rules.board).to_string()).collect()
    };
    let mut game =
        Game::from_position(Arc::clone(&rules), Position::parse(start, &rules).unwrap()).unwrap();
    let play = |game: &mut Game, text: &str| {
        game.play(&parse_move(&rules, game.position(), text).unwrap()).unwrap();
    };
    assert_eq!(names(&winning(&game)), ["d5-b5"]);
    play(&mut game, "d5-b5");
    play(&mut game, "d3-e3");
    assert_eq!(names(&winning(&game)), ["b5-c5", "b5-d5"]);
    for text in ["b5-c5", "b5-d5"] {
        let mut line = game.clone();
        play(&mut line, text);
        play(&mut line, "e3-d3");
        let moves = winning(&line);
        assert!(!moves.is_empty() && moves.iter().all(|played| line.is_barred(played)), "{text}");
    }
    // So the program says that the win is one of the position.
    let caveat =
        "The defenders may not repeat positions: in a game, this rule may bar moves of this win.\n";
    let proof = ["solve", "barred.toml", start, "--certificate", "won.cert"];
    let check = ["solve", "barred.toml", "--check", "won.cert"];
    let probe = ["probe", "barred.toml", start, "--proofs", "won.cert"];
    for command in [&proof[..], &check, &probe] {
        let text = place.run(command).done();
        assert_eq!(text.matches(caveat).count(), 1, "{text}");
    }
    // Tables say so, too.
    let won = "/5/2K2/5/1T3/2t2/";
    let text = text.replace("\"barred\"", "\"few\"").replace("/2t2/2T2/tTKTt/2T2/2t2/", won);
    std::fs::write(place.path("few.toml"), text).unwrap();
    let won = format!("{won} a");
    for command in [
        &["build", "few.toml", "--start"][..],
        &["probe", "few.toml", &won],
        &["line", "few.toml", &won],
    ] {
        let text = place.run(command).done();
        assert_eq!(text.matches(caveat).count(), 1, "{text}");
    }
    let lost = ["solve", "barred.toml", "/1t3/tKt2/1t1t1/5/5/ a"];
    let text = place.run(&lost).done();
    assert!(text.starts_with("the attackers win\n") && !text.contains(caveat), "{text}");
}

#[test]
fn a_certificate_replaces_no_other_file() {
    let place = Place::new();
    let game = small_game();
    let rules = std::fs::read_to_string(&game).unwrap();
    std::fs::write(place.path("game.toml"), &rules).unwrap();
    let to = |file: &str| place.run(&["solve", "game.toml", "--certificate", file]);
    to("game.toml").refused(2, &["game.toml", "not a certificate", "not replaced"]);
    assert_eq!(std::fs::read_to_string(place.path("game.toml")).unwrap(), rules);
    // That a file cannot be written is told before the search, which would not prove anything.
    for (file, words) in [
        ("-", "standard output"),
        ("nowhere/a.cert", "nowhere/a.cert: cannot write the certificate: "),
        (".", ".: cannot write the certificate: "),
    ] {
        let run = place.run(&["solve", "brandubh", "--nodes", "64", "--certificate", file]);
        run.refused(2, &[words]);
    }
    std::fs::write(place.path("empty.cert"), "").unwrap();
    for _ in 0..2 {
        to("empty.cert").done();
    }
}

/// The pipe has a reader, and no other writer.
#[cfg(target_os = "linux")]
#[test]
fn a_certificate_goes_to_a_pipe() {
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let read = Command::new("cat").arg(place.path("pipe")).stdout(Stdio::piped()).spawn().unwrap();
    let prove = place.command(&["solve", &small_game(), "--certificate", "pipe"]);
    let mut limited = Command::new("timeout");
    limited.arg("60").arg(prove.get_program()).args(prove.get_args()).current_dir(place.path("."));
    Run::of(limited).done();
    let written = read.wait_with_output().unwrap().stdout;
    std::fs::write(place.path("won.cert"), written).unwrap();
    place.run(&["solve", &small_game(), "--check", "won.cert"]).done();
}

#[test]
fn a_checked_certificate_says_who_cannot_win() {
    let place = Place::new();
    let game = small_game();
    let asked = ["solve", &game, "--for", "attackers", "--certificate", "held.cert"];
    place.run(&asked).done();
    let text = place.run(&["solve", &game, "--check", "held.cert"]).done();
    let claim = text.lines().next().unwrap();
    assert!(claim.ends_with(": the attackers cannot force a win"), "{text}");
    let checked = solved(&place, &[&game, "--check", "held.cert"]);
    assert_eq!(checked["value"], "open");
    assert_eq!(checked["holders"], serde_json::json!(["defenders"]));
}

#[test]
fn what_is_not_decided_is_open() {
    let place = Place::new();
    let limits = ["--nodes", "2000", "--memory", "16MiB", "--threads", "2"];
    let run = place.run(&[&["solve", "brandubh"], &limits[..]].concat());
    run.refused(1, &["the value is open"]);
    assert!(run.out.starts_with("open\nattackers: proof number "), "{}", run.out);
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let place = Place::new();
    place.run(&["solve"]).refused(2, &["RULES"]);
    place.run(&["solve", "brandubh", "/K6/7/7/7/7/7/t6/ a"]).refused(2, &["a1"]);
    place.run(&["solve", "brandubh", "--for", "nobody"]).refused(2, &["attackers"]);
    place.run(&["solve", "brandubh", "--check", "x", "--nodes", "3"]).refused(2, &["--nodes"]);
}

#[test]
fn a_long_proof_is_kept_in_a_store() {
    let place = Place::new();
    let game = small_game();
    let store = ["--store", "proof", "--memory", "1MiB", "--threads", "1", "--job-nodes", "40"];
    let limited = [&["solve", &game, "--nodes", "100"], &store[..]].concat();
    place.run(&limited).refused(1, &["the value is open"]);
    let status = solved(&place, &["--status", "--store", "proof"]);
    assert_eq!(status["rules"], "5x5-corners-6v4");
    for question in ["attackers", "defenders"] {
        assert_eq!(status[question]["answer"], "open", "{status}");
        assert!(status[question]["jobs"].as_u64() > Some(0), "{status}");
    }
    let text = place.run(&["solve", "--status", "--store", "proof"]).done();
    assert!(text.starts_with("attackers win? open: proof number "), "{text}");
    // Without a position all that were asked for are shown, each in the image that the store has.
    let other = "/2t2/t1T1t/1TKT1/t1T1t/2t2/ d";
    let asked = [&["solve", &game, other, "--for", "defenders"], &store[..]].concat();
    place.run(&asked).done();
    let run = place.run(&["solve", "--json", "--status", "--store", "proof"]);
    let positions = run.json().into_iter().map(|status| status["position"].clone());
    assert_eq!(positions.collect::<Vec<_>>(), ["/1t1t1/2T2/tTKTt/2T2/1t1t1/ a", other]);
    let text = place.run(&["solve", "--status", "--store", "proof"]).done();
    assert!(text.contains(&format!("\n{other}\nattackers win? not won\n")), "{text}");
    let status = solved(&place, &[&game, other, "--status", "--store", "proof"]);
    assert_eq!((&status["position"], &status["attackers"]["jobs"]), (&other.into(), &0.into()));
    assert_eq!(status["defenders"]["answer"], "won", "{status}");
    // Two processes go on together; both come to the answer.
    let whole = [&["solve", &game, "--certificate", "won.cert"], &store[..]].concat();
    let mut other = place.command(&whole);
    let other = other.stdout(std::process::Stdio::null()).spawn();
    let done = place.run(&whole).done();
    assert!(done.starts_with("the defenders win\n"), "{done}");
    assert!(other.unwrap().wait().unwrap().success());
    let checked = solved(&place, &[&game, "--check", "won.cert"]);
    assert_eq!(checked["value"], "defenders");
    let status = solved(&place, &["--status", "--store", "proof"]);
    assert_eq!(status["defenders"]["answer"], "won", "{status}");
    assert_eq!(status["attackers"]["answer"], "not won", "{status}");
    // Certificates that are gone are reported together.
    for path in std::fs::read_dir(place.path("proof/proofs")).unwrap() {
        std::fs::remove_file(path.unwrap().path()).unwrap();
    }
    let run = place.run(&["solve", "--status", "--store", "proof"]);
    assert!(run.err.starts_with("taflbase: proof: "), "{}", run.err);
    assert!(run.err.contains(" certificates are ignored, one of them "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    // Other rules, and folders without a store.
    place.run(&["solve", "brandubh", "--store", "proof"]).refused(2, &["other rules", "6v4"]);
    place.run(&["solve", "--status", "--store", "nowhere"]).refused(2, &["nowhere: No such file"]);
    std::fs::create_dir(place.path("empty")).unwrap();
    place
        .run(&["solve", "--status", "--store", "empty"])
        .refused(2, &["empty: the folder has no proof store of this version"]);
    std::fs::create_dir(place.path("foreign")).unwrap();
    std::fs::write(place.path("foreign/rules.toml"), "dear").unwrap();
    place
        .run(&["solve", &game, "--store", "foreign"])
        .refused(2, &["foreign: not a proof store", "name an empty or new folder"]);
    place.run(&["solve", "--status"]).refused(2, &["--store"]);
    place.run(&["solve", "brandubh", "--job-nodes", "9"]).refused(2, &["--store"]);
}

#[test]
fn a_search_continues_from_its_checkpoint() {
    let place = Place::new();
    let game = small_game();
    let kept = ["--checkpoint", "numbers", "--memory", "1MiB", "--threads", "1"];
    let limited = [&["solve", &game, "--nodes", "128"], &kept[..]].concat();
    let whole = [&[&*game], &kept[..], &["--certificate", "won.cert"]].concat();
    let first = place.run(&limited);
    first.refused(1, &["the value is open"]);
    assert!(!first.out.contains("with the runs before"), "{}", first.out);
    let second = place.run(&limited);
    assert!(second.out.contains("128 nodes in "), "{}", second.out);
    assert!(second.out.contains(", with the runs before 256 nodes in "), "{}", second.out);
    let proof = solved(&place, &whole);
    assert_eq!(proof["value"], "defenders");
    assert_eq!(proof["earlier_nodes"], 256);
    let checked = solved(&place, &[&game, "--check", "won.cert"]);
    assert_eq!(checked["value"], "defenders");
    // Another size, other rules, other files, and a store, which keeps the results itself.
    let other = |game: &str, more: &[&str], words: &[&str]| {
        place.run(&[&["solve", game], &kept[..2], more].concat()).refused(2, words);
    };
    other(&game, &[], &["numbers: the checkpoint has a table of 1048576 bytes"]);
    other("brandubh", &["--memory", "1MiB"], &["other rules", "6v4"]);
    other(&game, &["--store", "proof"], &["--checkpoint", "--store"]);
    std::fs::write(place.path("numbers"), "7\n").unwrap();
    other(&game, &[], &["numbers: not a checkpoint"]);
    place.run(&["solve", &game, "--checkpoint", "nowhere/numbers"]).refused(2, &["nowhere"]);
}
