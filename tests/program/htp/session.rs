//! The engine.

use std::io::Write;
use std::process::Stdio;

use crate::place::{Place, Run};

const OPTIONS: [&str; 6] = ["--threads", "1", "--hash", "8", "--nodes", "2000"];

/// Sends lines to the engine and returns its output.
fn output(options: &[&str], lines: &str) -> String {
    let place = Place::new();
    let mut command = place.command(&[&["htp"], options].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    program.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    Run::ended(program.wait_with_output().unwrap()).done()
}

/// Sends lines to the engine and returns its answers, without the line breaks at their ends.
fn answers(lines: &str) -> Vec<String> {
    answers_with(&OPTIONS, lines)
}

fn answers_with(options: &[&str], lines: &str) -> Vec<String> {
    let mut answers: Vec<String> = Vec::new();
    for line in output(options, lines).lines() {
        match answers.last_mut() {
            Some(last) if !line.starts_with("= ") && !line.starts_with("? ") => {
                last.push('\n');
                last.push_str(line);
            }
            _ => answers.push(line.to_owned()),
        }
    }
    answers.iter().map(|answer| answer.trim_end_matches('\n').to_owned()).collect()
}

#[test]
fn answers_are_framed_as_by_the_other_programs() {
    let lines = "name\n\n# nothing\ndance\nplay attacker d1 d3\nplay defender f4 f3\nfinal_status\n\
                 quit\nname\n";
    assert_eq!(
        output(&OPTIONS, lines),
        "= taflbase\n? unknown command: dance\n\n= \n= \n= ongoing\n"
    );
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
    let [letters, top] = ["    A B C D E F G H I J K", "  ┌───────────────────────┐"];
    assert_eq!(rows[..4], ["= ", letters, top, "11│ # . . A A A A A . . # │11"]);
    let bottom = "  └───────────────────────┘";
    assert_eq!(rows[13..], [" 1│ # . . . A A A A . . # │ 1", bottom, letters]);
    assert!(got[4].starts_with("= attacker D1 E1 "), "{}", got[4]);
}

#[test]
fn the_small_board_has_its_own_rules() {
    let lines = "board_size 7\nshow_board\nplay attacker d1 c1\nplay defender d3 c3\nplay attacker b4 b3\n\
                 play_from\nfirst_move attacker\nplay attacker d1 c1\n";
    let got = answers(lines);
    let rows: Vec<&str> = got[1].lines().collect();
    assert_eq!(rows[3], " 7│ . . . A . . . │ 7");
    assert_eq!(rows[6], " 4│ A A D K D A A │ 4");
    assert!(got[2].starts_with("? ") && got[2].contains("turn of the defender"), "{}", got[2]);
    assert_eq!([&*got[3], &*got[4], &*got[7]], ["= ", "= ", "= "]);
    assert_eq!(got[5], "= defender c3 c4 d4 e4 d5");
}

/// The king between two attackers is captured on 7x7, named, and taken from the board.
#[test]
fn a_captured_king_is_named() {
    let moves = [
        "board_size 7",
        "play d c4 c2",
        "play a d7 c7",
        "play d d4 c4",
        "play a d6 c6",
        "play d c4 c5",
        "play a b4 c4",
    ];
    let lines =
        moves.join("\n") + "\nshow_board_open_tafl\nfinal_status\nplay_undo\nfinal_status\n";
    let got = answers(&lines);
    let board = "= /2A4/2A4/3D3/A1A1DAA/3D3/2DA3/3A3/";
    assert_eq!(&got[moves.len() - 1..], ["= c5 ", board, "= attacker_wins", "= ", "= ongoing"]);
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
        ("board_size 9", "9 is not 7, 11 or 13"),
        ("board_size", "write board_size 7, 11 or 13"),
        ("first_move white", "attacker or defender"),
        ("time_settings un-timed 3", "write time_settings un-timed"),
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
    assert_eq!(got[4], "= b4 ");
    assert_eq!(got[5], "= ongoing");
}

#[test]
fn clocks_are_kept() {
    let lines = "time_settings fischer 1 0\ngenerate_move\nfinal_status\ntime_settings fischer 0 0\n\
                 generate_move\nfinal_status\ntime_settings un-timed\ngenerate_move\nfinal_status\n";
    let got = answers_with(&["--threads", "1", "--hash", "8", "--time", "1"], lines);
    assert!(got[1].starts_with("= play attacker "), "{}", got[1]);
    assert_eq!([&*got[2], &*got[5], &*got[8]], ["= ongoing", "= defender_wins", "= ongoing"]);
    // Another board keeps the clocks of a game that has not begun.
    let kept = "time_settings fischer 0 0\nboard_size 13\ngenerate_move\nfinal_status\n\
                board_size 11\nfirst_move defender\nplay d f4 g4\nfinal_status\n";
    let got = answers(kept);
    assert_eq!([&*got[3], &*got[7]], ["= defender_wins", "= attacker_wins"]);
}
