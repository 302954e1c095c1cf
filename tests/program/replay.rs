//! `taflbase replay`: games that people played, and files that are no games.

use std::fs;

use serde_json::Value;

use crate::place::Place;

/// Six games of Copenhagen, with a line for the columns and an empty one.
const GAMES: &str = include_str!("../data/games.csv");

const SUMS: &str = r#"{"rules":"copenhagen","games":6,"agree":6,"illegal":0,"captures_differ":0,"ended_early":0,"other_result":0,"causes":{"draw":1,"ongoing":2,"otherwise":1,"timeout":2}}"#;

fn place(games: &str) -> Place {
    let place = Place::new();
    fs::write(place.path("games.csv"), games).unwrap();
    place
}

#[test]
fn games_that_agree_are_summed_up() {
    for games in [GAMES.to_owned(), GAMES.replace('\n', "\r\n"), format!("\u{feff}{GAMES}")] {
        let place = place(&games);
        let text = place.run(&["replay", "games.csv", "copenhagen"]).done();
        assert_eq!(
            text,
            "6 games of copenhagen: 6 agree, 0 illegal, 0 with other captures, 0 ended early, \
             0 with another result\n\
             ends: timeout 2, otherwise 1, draw 1, ongoing 2\n\
             18 plies, 0 shieldwalls, the repetition rule or ply limit applies in 1\n"
        );
        let json = place.run(&["replay", "games.csv", "copenhagen", "--json"]).done();
        assert_eq!(json.lines().last(), Some(SUMS));
        assert_eq!(json.lines().count(), 7);
    }
}

#[test]
fn the_first_difference_of_a_game_is_named() {
    for (line, verdict, message) in [
        (
            "d1-d3 e5-e2 g1-g3 f4-c4 g3-e3,1,0,Ongoing",
            "captures_differ",
            "line 1, ply 5: g3-e3: captures e2, but the file says nothing",
        ),
        (
            "d1-d3 e5-e2xd2,1,0,Ongoing",
            "captures_differ",
            "line 1, ply 2: e5-e2xd2: captures nothing, but the file says d2",
        ),
        ("d1-d3 d6-d2,0,0,White", "illegal", "line 1, ply 2: d6-d2: a piece on d3 is in the way"),
        ("d1-e3,0,0,White", "illegal", "line 1, ply 1: d1-e3: "),
        (
            "d1-d3 timeout f4-e4,0,0,White",
            "illegal",
            "line 1, ply 3: f4-e4: a move follows timeout",
        ),
        ("d1-d3 e5-e2 g1-g3 f4-c4 g3-e", "illegal", "line 1, ply 5: g3-e: the board has no square"),
        (
            "d1-d3",
            "illegal",
            "line 1: the line has 1 instead of 4 fields: moves, two numbers and the result",
        ),
        (
            "d1-d3,0,0,Blue",
            "illegal",
            "line 1: \"Blue\" is not a result: write one of White, Black, Draw, Ongoing",
        ),
        (
            "d1-d3xz9,0,0,White",
            "illegal",
            "line 1, ply 1: d1-d3xz9: the board has no square \"z9\"",
        ),
    ] {
        let place = place(&format!("{line}\n"));
        let found = place.run(&["replay", "games.csv", "copenhagen"]);
        found.refused(1, &["games.csv: one game does not agree with the rules"]);
        assert!(found.out.starts_with(message), "{}", found.out);
        let json = place.run(&["replay", "games.csv", "copenhagen", "--json"]).out;
        let sums: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
        assert_eq!((&sums["agree"], &sums[verdict]), (&0.into(), &1.into()), "{line}");
    }
}

#[test]
fn a_record_is_replayed() {
    let place = Place::new();
    let record = "[rules:dim:7 surf:n start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]\n\n1. d1-c1 d3-c3\n";
    for (moves, status, sums) in
        [("2. g4-g5", 0, [1, 0, 0]), ("2. g4-g4", 1, [0, 1, 0]), ("2. g4-g5xd1", 1, [0, 0, 1])]
    {
        fs::write(place.path("game.otg"), format!("{record}{moves}\n")).unwrap();
        let run = place.run(&["replay", "game.otg", "brandubh", "--json"]);
        assert_eq!(run.status, status, "{moves}");
        let last: Value = serde_json::from_str(run.out.lines().last().unwrap()).unwrap();
        let found = ["agree", "illegal", "captures_differ"].map(|key| last[key].as_u64().unwrap());
        assert_eq!(found, sums, "{moves}");
    }
}

/// The keys of the sums, one for each verdict.
const VERDICTS: [&str; 5] = ["agree", "illegal", "captures_differ", "ended_early", "other_result"];

#[test]
fn a_record_is_replayed_up_to_its_first_fault() {
    let place = Place::new();
    let escape = "[position:/7/7/2K4/7/7/3t3/7/ d]\n\n1. c3-c1 d6-d5\n2. c1-a1";
    for (record, verdict, plies, cause) in [
        (escape.to_owned(), "agree", 3, "king-escaped"),
        (format!("[result:1]\n{escape}"), "other_result", 3, "king-escaped"),
        (format!("{escape} d5-d6"), "ended_early", 3, "king-escaped"),
        (escape.replace("d5", "d5xd4"), "captures_differ", 1, "ongoing"),
        (format!("[result:-1]\n{}", escape.replace("d5", "e5")), "illegal", 1, "otherwise"),
    ] {
        fs::write(place.path("game.otg"), &record).unwrap();
        let run = place.run(&["replay", "game.otg", "brandubh", "--json"]);
        let lines: Vec<Value> =
            run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&lines[0]["plies"], &lines[0]["cause"]), (&plies.into(), &cause.into()));
        let counts = VERDICTS.map(|key| lines[1][key].as_u64().unwrap());
        assert_eq!(counts, VERDICTS.map(|key| u64::from(key == verdict)), "{record}");
        let text = place.run(&["replay", "game.otg", "brandubh"]).out;
        assert!(text.contains("\n1 game of brandubh: ") || verdict == "agree", "{text}");
    }
}

#[test]
fn files_without_games_are_refused() {
    let place = place("\n\n");
    place
        .run(&["replay", "games.csv", "copenhagen"])
        .refused(2, &["games.csv: there are no games"]);
    place
        .run(&["replay", "none.csv", "copenhagen"])
        .refused(2, &["none.csv: cannot read the games"]);
    place.run(&["replay", "games.csv", "chess"]).refused(2, &["chess"]);
    fs::write(place.path("games.csv"), b"d1-\xff\xfe,0,0,White\n").unwrap();
    place.run(&["replay", "games.csv", "copenhagen"]).refused(1, &["one game does not agree"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_an_end_is_refused() {
    let replayed = Place::new().run_within(2 << 20, &["replay", "/dev/zero", "copenhagen"]);
    replayed.refused(2, &["/dev/zero: it has more than 256"]);
}
