//! The hnefatafl text protocol.

use std::io::Write;
use std::process::Stdio;

use crate::place::{Place, Run};

/// Sends lines to the engine and returns its answers, without the empty lines after them.
fn answers(lines: &str) -> Vec<String> {
    answers_with(&["--threads", "1", "--hash", "8", "--nodes", "2000"], lines)
}

fn answers_with(options: &[&str], lines: &str) -> Vec<String> {
    let place = Place::new();
    let mut command = place.command(&[&["htp"], options].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    program.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let out = Run::ended(program.wait_with_output().unwrap()).done();
    assert!(out.is_empty() || out.ends_with("\n\n"), "{out:?}");
    out.split_terminator("\n\n").map(str::to_owned).collect()
}

#[test]
fn commands_have_their_answers() {
    let lines = "name\nprotocol_version\nversion\n\n# nothing\nfinal_status\nknown_command play\n\
                 known_command genmove\nplay_to attacker d1\nplay attacker d1 d3\nfinal_status\n\
                 play_to d f4\n";
    let version = concat!("= ", env!("CARGO_PKG_VERSION"));
    let expected = [
        "= taflbase",
        "= 1-beta",
        version,
        "= ongoing",
        "= true",
        "= false",
        "= c1 b1 d2 d3 d4 d5",
        "= ",
        "= ongoing",
    ];
    let got = answers(lines);
    let sorted = |text: &str| {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        words.sort();
        words
    };
    assert_eq!(got.len(), expected.len() + 1);
    for (got, expected) in got.iter().zip(expected) {
        assert_eq!(sorted(got), sorted(expected));
    }
    let commands = &answers("list_commands\n")[0];
    for name in commands.lines().skip(1) {
        assert_eq!(answers(&format!("known_command {name}\n")), ["= true"]);
    }
    assert_eq!(commands.lines().count(), 18);
}

#[test]
fn boards_are_drawn_from_the_top() {
    let got = answers("play a d1 d3\nshow_board_open_tafl\nshow_board\nboard_size 13\nplay_from\n");
    assert_eq!(got[1], "= /3AAAAA3/5A5/11/A4D4A/A3DDD3A/AA1DDKDD1AA/A3DDD3A/A4D4A/3A7/5A5/4AAAA3/");
    let rows: Vec<&str> = got[2].lines().collect();
    assert_eq!(rows[..4], ["= ", "   ABCDEFGHIJK", "  ┌───────────┐", "11│⌘..AAAAA..⌘│11"]);
    assert_eq!(rows[13..], [" 1│⌘...AAAA..⌘│ 1", "  └───────────┘", "   ABCDEFGHIJK"]);
    assert!(got[4].starts_with("= attacker D1 E1 "), "{}", got[4]);
}

#[test]
fn moves_are_refused_with_the_reason() {
    for (lines, word) in [
        ("play defender f4 f3", "turn of the attacker"),
        ("play attacker d1 e1", "not a legal move"),
        ("play attacker d1 d12", "no such square"),
        ("play attacker f6 f7", "not a legal move"),
        ("play_to attacker f1", "no piece can move from f1"),
        ("play_undo", "no move has been played"),
        ("board_size 9", "9 is neither 11 nor 13"),
        ("board_size 7", "7 is neither 11 nor 13"),
        ("first_move white", "attacker or defender"),
        ("play attacker d1 d3\nfirst_move defender", "the game has begun"),
        ("time_settings fischer 15", "write time_settings un-timed"),
        ("dance", "unknown command: dance"),
        ("\u{1b}[2J", "unknown command: \\u{1b}[2J"),
        ("play attacker resigns\nplay defender f4 f3", "the game is over: defender_wins"),
        ("play attacker resigns\ngenerate_move", "the game is over: defender_wins"),
    ] {
        let got = answers(&format!("{lines}\n"));
        let last = got.last().unwrap();
        assert!(last.starts_with("? ") && last.contains(word), "{lines}: {last}");
        assert_eq!(last.lines().count(), 1);
    }
    // R1 of the specification: the defenders may not repeat a position.
    let moves = ["play a f2 f3", "play d f4 g4", "play a f3 f2", "play d g4 f4", "final_status"];
    let got = answers(&(moves.join("\n") + "\n"));
    assert!(got[3].starts_with("? ") && got[3].contains("repeats"), "{}", got[3]);
    assert_eq!(got[4], "= ongoing");
}

#[test]
fn the_engine_plays_both_sides() {
    let lines = "generate_move\ngenerate_move\nplay_undo\nplay_undo\nshow_board_open_tafl\n\
                 first_move defender\ngenerate_move\nplay attacker d1 d2\n";
    let got = answers(lines);
    for (at, role) in [(0, "attacker"), (1, "defender"), (6, "defender")] {
        let words: Vec<&str> = got[at].split(' ').collect();
        assert_eq!(words[..3], ["=", "play", role], "{}", got[at]);
        assert!(got[at].contains(", score: ") && got[at].contains(", loops: "), "{}", got[at]);
    }
    assert!(got[4].starts_with("= /3AAAAA3/5A5/11/"), "{}", got[4]);
    assert_eq!(got[7], "= ");
}

#[test]
fn captures_are_named_and_wins_are_seen() {
    // A shieldwall cannot be reached in a few moves; a soldier can.
    let moves = ["play a d1 d3", "play d f4 b4", "play a a5 b5", "play d f5 f4", "play a d3 b3"];
    let got = answers(&(moves.join("\n") + "\nfinal_status\n"));
    assert_eq!(got[4], "= b4");
    assert_eq!(got[5], "= ongoing");
}

#[test]
fn clocks_are_kept() {
    let lines = "time_settings fischer 1 0\ngenerate_move\nfinal_status\ntime_settings fischer 0 0\n\
                 generate_move\nfinal_status\ntime_settings un-timed\ngenerate_move\nfinal_status\n";
    let got = answers_with(&["--threads", "1", "--hash", "8", "--time", "1"], lines);
    assert!(got[1].starts_with("= play attacker "), "{}", got[1]);
    assert_eq!([&*got[2], &*got[5], &*got[8]], ["= ongoing", "= defender_wins", "= ongoing"]);
}
