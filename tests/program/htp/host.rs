//! The host's side, with programs that play and programs that fail.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use taflbase::engine::{Clock, Player, PlayerError};
use taflbase::history::Game;
use taflbase::moves::legal_moves;
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::protocol::htp::{HtpPlayer, Link, ruleset};
use taflbase::rules::Ruleset;

use crate::place::Place;

const FAST: Clock = Clock::PerMove(Duration::from_millis(200));

fn copenhagen() -> Arc<Ruleset> {
    Arc::new(Ruleset::builtin("copenhagen").unwrap())
}

fn ourselves() -> String {
    format!("{} htp --hash 1 --threads 1 --nodes 500", env!("CARGO_BIN_EXE_taflbase"))
}

/// Returns a program, in shell, that answers `generate_move` by this line and other commands by none.
fn program(answer: &str) -> String {
    script(&format!("generate_move*) {answer};; *) echo \"= \";;"))
}

/// Returns a program, in shell, with these cases for its input.
fn script(cases: &str) -> String {
    format!("sh -c 'while read line; do case \"$line\" in {cases} esac; done'")
}

/// Returns why a program loses when it is asked for its first move.
#[track_caller]
fn reason(command: &str) -> String {
    let mut player = HtpPlayer::start(command, Link::Pipes, &copenhagen()).unwrap();
    let game = Game::new(copenhagen()).unwrap();
    player.begin(&game).unwrap();
    player.choose(&game, FAST).unwrap_err().to_string()
}

#[test]
fn programs_play_in_a_match() {
    let place = Place::new();
    let other =
        format!("htp:'{}' htp --threads 1 --hash 1 --nodes 200", env!("CARGO_BIN_EXE_taflbase"));
    // A match of few plies is drawn.
    let arguments = [
        "match",
        "copenhagen",
        &other,
        "random",
        "--games",
        "2",
        "--max-plies",
        "12",
        "--json",
        "--time",
        "60",
    ];
    let result = &place.run(&arguments).json()[0];
    assert_eq!(result["pairs"], json!([0, 0, 1, 0, 0]), "{result}");
    assert_eq!(result["a"]["attackers"]["faults"], 0, "{result}");
    let nobody = place.run(&["match", "copenhagen", "random", "htp:/no/where", "--games", "2"]);
    nobody.refused(2, &["htp:/no/where: cannot be started"]);
    let other_rules = place.run(&["match", "brandubh", "random", &other, "--games", "2"]);
    other_rules.refused(2, &["the protocol has no brandubh"]);
    // A program that fails has lost.
    let bad = format!("htp:{}", program("echo = play attacker a1 a2"));
    let arguments = ["match", "copenhagen", "random", &bad, "--games", "2", "--json"];
    let result = &place.run(&arguments).json()[0];
    assert_eq!(result["pairs"], json!([0, 0, 0, 0, 1]), "{result}");
    assert_eq!(result["b"]["defenders"]["faults"], 1, "{result}");
}

#[test]
fn two_programs_play_on_every_board() {
    for size in [7, 11, 13] {
        let rules = Arc::new(ruleset(size).unwrap());
        let player = || HtpPlayer::start(&ourselves(), Link::Pipes, &rules).unwrap();
        let mut players = [player(), player()];
        for _ in 0..2 {
            let mut game = Game::new(Arc::clone(&rules)).unwrap();
            players.iter_mut().for_each(|player| player.begin(&game).unwrap());
            while game.outcome().is_none() && game.moves().len() < 10 {
                let player = &mut players[game.moves().len() % 2];
                // Without a clock, they search few nodes.
                let played =
                    player.choose(&game, Clock::Nodes(1)).unwrap_or_else(|error| panic!("{error}"));
                game.play(&played).unwrap();
            }
            let outcome = game.outcome();
            players.iter_mut().for_each(|player| player.end(&game, outcome));
        }
        assert_eq!(players[0].name(), "taflbase");
    }
}

#[test]
fn a_program_is_sent_the_whole_game_and_then_the_moves() {
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let words = format!(
        "sh -c 'while read line; do echo \"$line\" >> {}; case \"$line\" in generate_move) \
         echo thinking; echo = play defender f4 g4, score: 0; echo;; *) echo \"= \";; esac; done'",
        heard.display()
    );
    let rules = copenhagen();
    let mut player = HtpPlayer::start(&words, Link::Pipes, &rules).unwrap();
    let mut game = Game::new(Arc::clone(&rules)).unwrap();
    game.play(&parse_move(&rules, game.position(), "d1-d3").unwrap()).unwrap();
    player.begin(&game).unwrap();
    let clock = Clock::Game { left: Duration::from_secs(300), increment: Duration::from_secs(2) };
    let played = player.choose(&game, clock).unwrap();
    assert_eq!(played.display(rules.board).to_string(), "f4-g4");
    game.play(&played).unwrap();
    game.play(&parse_move(&rules, game.position(), "d3-d1").unwrap()).unwrap();
    // The program moves a piece that is no longer there.
    let error = player.choose(&game, clock).unwrap_err();
    assert_eq!(error.reason, "plays f4-g4, which is not a legal move");
    drop(player);
    let lines = std::fs::read_to_string(heard).unwrap();
    assert_eq!(
        lines.lines().collect::<Vec<_>>(),
        [
            "protocol_version",
            "board_size 11",
            "time_settings fischer 5 2",
            "play attacker d1 d3",
            "generate_move",
            "play attacker d3 d1",
            "generate_move",
            "quit",
        ]
    );
}

#[test]
fn programs_that_do_not_play_lose_with_a_reason() {
    for (answer, expected) in [
        ("echo = play attacker d1 d9, score: 1", "plays d1-d9, which is not a legal move"),
        ("echo = play attacker d1 z9", "plays d1-z9, which is not a legal move"),
        (
            "echo = play defender f4 f3",
            "answers generate_move for the attacker by \"play defender f4 f3\"",
        ),
        ("echo = nonsense", "answers generate_move for the attacker by \"nonsense\""),
        ("echo \"? no idea\"", "reports an error: no idea"),
        ("exit 3", "has ended with exit status 3"),
        ("echo thinking", "has not answered within 2.2 s"),
    ] {
        assert_eq!(reason(&program(answer)), format!("sh: {expected}"));
    }
    let over = "generate_move) echo \"? over\";; final_status) echo = attacker_wins;; *) echo =;;";
    assert_eq!(reason(&script(over)), "sh: holds that the game is over: attacker_wins");
    let refusal = "time_settings*) echo \"? what\";; *) echo =;;";
    let expected = "sh: answers time_settings un-timed by an error: what";
    assert_eq!(reason(&script(refusal)), expected);
}

#[test]
fn a_resignation_is_no_fault() {
    let rules = copenhagen();
    let resigns = program("echo = play attacker resigns _");
    let mut player = HtpPlayer::start(&resigns, Link::Pipes, &rules).unwrap();
    let game = Game::new(Arc::clone(&rules)).unwrap();
    // The program goes on to the next game.
    for _ in 0..2 {
        player.begin(&game).unwrap();
        assert_eq!(player.choose(&game, FAST), Err(PlayerError::resignation("sh")));
        player.end(&game, None);
    }
}

#[test]
fn a_move_that_repeats_is_no_move() {
    let rules = copenhagen();
    let mut game = Game::new(Arc::clone(&rules)).unwrap();
    for text in ["f2-f3", "f4-g4", "f3-f2"] {
        game.play(&parse_move(&rules, game.position(), text).unwrap()).unwrap();
    }
    let repeats = program("echo = play defender g4 f4");
    let mut player = HtpPlayer::start(&repeats, Link::Pipes, &rules).unwrap();
    let error = player.choose(&game, FAST).unwrap_err();
    assert_eq!(error.reason, "plays g4-f4 repeats a position, which the defenders may not do");
}

#[test]
fn programs_that_do_not_start_are_reported() {
    let start = |command: &str| {
        HtpPlayer::start(command, Link::Pipes, &copenhagen()).err().unwrap().to_string()
    };
    assert!(start("/no/such/engine --fast").starts_with("engine: cannot be started: "));
    assert!(start("true").starts_with("true: has ended with exit status 0"));
    assert_eq!(
        start("sh -c 'echo \"? what\"; read line'"),
        "sh: answers protocol_version by an error: what"
    );
}

#[test]
fn a_game_begins_at_the_start() {
    let rules = copenhagen();
    let start = Position::parse("/11/11/11/11/11/4tK5/11/11/11/11/2t8/ a", &rules).unwrap();
    let game = Game::from_position(Arc::clone(&rules), start).unwrap();
    let mut player = HtpPlayer::start(&ourselves(), Link::Pipes, &rules).unwrap();
    let error = player.choose(&game, FAST).unwrap_err();
    assert_eq!(error.reason, "the protocol has no games from other positions");
}

/// A program that connects answers nothing but `generate_move`. It ends when its game is over.
#[test]
fn a_program_may_connect_instead() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let answers = "while read -r line <&3; do case \"$line\" in generate_move) \
                   echo \"play attacker d1 d3\" >&3;; quit) exit;; esac; done";
    let command = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}; {answers}'");
    let rules = copenhagen();
    let mut player = HtpPlayer::start(&command, Link::Socket(port), &rules).unwrap();
    for _ in 0..2 {
        let mut game = Game::new(Arc::clone(&rules)).unwrap();
        player.begin(&game).unwrap();
        let played = player.choose(&game, FAST).unwrap();
        assert_eq!(played.display(rules.board).to_string(), "d1-d3");
        game.play(&played).unwrap();
        game.play(&legal_moves(&rules, game.position())[0]).unwrap();
        let begin = Instant::now();
        let error = player.choose(&game, FAST).unwrap_err();
        assert_eq!(error.reason, "plays d1-d3, which is not a legal move");
        player.end(&game, None);
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
    let gone = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}; read -r line <&3; exit 2'");
    let mut player = HtpPlayer::start(&gone, Link::Socket(port), &rules).unwrap();
    let game = Game::new(rules).unwrap();
    player.begin(&game).unwrap();
    assert_eq!(player.choose(&game, FAST).unwrap_err().reason, "has ended with exit status 2");
}
