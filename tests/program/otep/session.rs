//! The engine's side: its responses to a host.

use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use taflbase::Game;
use taflbase::engine::{Engine as Searcher, EngineOptions, Limits};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::protocol::SessionOptions;
use taflbase::protocol::otep::Session;
use taflbase::rules::Ruleset;

const BRANDUBH: &str =
    "rules dim:7 ks:c cenh:tcnkmTCNKM surf:n tfr:d start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
/// A test that waits longer fails.
const LONG: Duration = Duration::from_secs(60);

/// A running session.
struct Engine {
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    session: JoinHandle<()>,
}

impl Engine {
    /// Starts an engine with this time for a move without a clock.
    fn new(time: Duration) -> Engine {
        Engine::within(Limits::time(time))
    }

    fn within(limits: Limits) -> Engine {
        let threads = NonZeroUsize::MIN;
        let options = SessionOptions {
            threads,
            table_bytes: 1 << 20,
            contempt: 0,
            limits,
            tables: None,
            proofs: Vec::new(),
        };
        let (reader, input) = pipe().unwrap();
        let (output, writer) = pipe().unwrap();
        let session = thread::spawn(move || Session::new(options).run(reader, writer).unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            BufReader::new(output).lines().all(|line| sender.send(line.unwrap()).is_ok())
        });
        let engine = Engine { input: Some(input), lines, session };
        engine.expect("hello");
        engine
    }

    /// Starts an engine with brandubh's rules.
    fn brandubh(time: Duration) -> Engine {
        let mut engine = Engine::new(time);
        engine.say(BRANDUBH);
        engine
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&self) -> String {
        self.lines.recv_timeout(LONG).unwrap()
    }

    #[track_caller]
    fn expect(&self, line: &str) {
        assert_eq!(self.hear(), line);
    }

    /// Asserts that the engine prints nothing for a while.
    #[track_caller]
    fn is_silent(&self) {
        let heard = self.lines.recv_timeout(Duration::from_millis(300));
        assert_eq!(heard, Err(RecvTimeoutError::Timeout));
    }

    /// Asserts that the session ends and prints nothing more.
    fn ends(mut self) {
        self.input = None;
        self.session.join().unwrap();
        assert_eq!(self.lines.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected));
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn a_game_is_played_as_opentafl_plays_it() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let mut engine = Engine::new(LONG);
    // OpenTafl sends the rules before it reads hello, and a clock before each turn.
    engine.say(BRANDUBH);
    engine.say("start");
    engine.say("opponent-move d1-c1 /2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3/");
    let position = Position::parse("/2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ d", &rules).unwrap();
    engine.say("clock 1000 1000 0 0 0 ");
    engine.say("play defenders");
    let heard = engine.hear();
    let text = heard.strip_prefix("move ").expect(&heard);
    let played = parse_move(&rules, &position, text).unwrap();
    let after = position.after(&played);
    engine.say(&format!("move {}", after.layout().to_text(rules.board)));
    let reply = taflbase::moves::legal_moves(&rules, &after)[0];
    let board = after.after(&reply).layout().to_text(rules.board);
    engine.say(&format!("opponent-move {} {board}", reply.display(rules.board)));
    engine.say("clock 900* 1000 0 0 0 ");
    engine.say("play defenders");
    let heard = engine.hear();
    let text = heard.strip_prefix("move ").expect(&heard);
    parse_move(&rules, &after.after(&reply), text).unwrap();
    engine.say("finish 0");
    engine.is_silent();
    engine.say("goodbye");
    engine.ends();
}

#[test]
fn a_forced_win_is_played() {
    // After the king moves to c1, nothing can stop him.
    let mut engine = Engine::brandubh(millis(200));
    engine.say("position /7/4t2/7/7/2K4/7/2t4/");
    engine.say("side defenders");
    engine.say("play defenders");
    engine.expect("move c5-c1");
    engine.say("move /2K4/4t2/7/7/7/7/2t4/");
    engine.say("opponent-move e2-e1 /2K1t2/7/7/7/7/7/2t4/");
    engine.say("play defenders");
    engine.expect("move c1-a1");
    // The king has won; the engine says nothing about the board.
    engine.say("move /K3t2/7/7/7/7/7/2t4/");
    engine.say("finish 3");
    engine.say("play attackers");
    let heard = engine.hear();
    assert!(heard.starts_with("error -1 the game is over: the king on a1 has won"), "{heard}");
}

#[test]
fn a_host_can_interrupt_a_turn() {
    let mut engine = Engine::brandubh(LONG);
    engine.say("play attackers");
    engine.is_silent();
    engine.say("finish 0");
    // The turn ends without a move, and the next one begins at once.
    engine.say("clock 100 100 0 0 0");
    let begin = Instant::now();
    engine.say("play attackers");
    assert!(engine.hear().starts_with("move "));
    assert!(begin.elapsed() < LONG / 4);
    // A period has been used up, and less time is left than the engine assumed.
    engine.say("finish 0");
    engine.say("play attackers");
    engine.is_silent();
    let begin = Instant::now();
    engine.say("clock 200* 200* 1 1 1 ");
    assert!(engine.hear().starts_with("move "));
    assert!(begin.elapsed() < LONG / 4);
    // A move that is nearly due is not sent after `finish`.
    engine.say("finish 0");
    engine.say("clock 1500* 1500* 1 1 1 ");
    engine.say("play attackers");
    engine.say("finish 0");
    let silent = engine.lines.recv_timeout(millis(2500));
    assert_eq!(silent, Err(RecvTimeoutError::Timeout));
    // A goodbye ends the session.
    engine.say("finish 0");
    engine.say("play attackers");
    engine.is_silent();
    let begin = Instant::now();
    engine.say("goodbye");
    engine.ends();
    assert!(begin.elapsed() < LONG / 4);
}

#[test]
fn a_move_is_still_printed_after_the_input_ends() {
    let mut engine = Engine::brandubh(millis(50));
    engine.say("play attackers");
    engine.input = None;
    assert!(engine.hear().starts_with("move "));
    engine.ends();
}

/// Without a limit a search would not end: the reply comes after this number of positions.
#[test]
fn without_a_clock_the_node_limit_applies() {
    for nodes in [50, 5000] {
        let mut engine = Engine::within(Limits::nodes(nodes));
        engine.say(BRANDUBH);
        engine.say("play attackers");
        let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
        let game = Game::new(Arc::clone(&rules)).unwrap();
        let options = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::new(&rules) };
        let best = Searcher::new(Arc::clone(&rules), options)
            .unwrap()
            .best_move(&game, &Limits::nodes(nodes));
        let (from, to) = best.map(|best| (best.from, best.to)).unwrap();
        engine.expect(&format!("move {}-{}", rules.board.name(from), rules.board.name(to)));
        engine.ends();
    }
}

#[test]
fn a_refused_move_is_not_played_again() {
    let mut engine = Engine::brandubh(millis(50));
    engine.say("position /7/4t2/7/7/2K4/7/2t4/");
    engine.say("side attackers");
    let mut heard = Vec::new();
    for _ in 0..3 {
        engine.say("play attackers");
        heard.push(engine.hear());
        assert!(heard.last().unwrap().starts_with("move "), "{heard:?}");
        // The host sends the earlier moves again.
        engine.say("error 2");
        engine.say("opponent-move a5-c5 /7/4t2/7/7/2K4/7/2t4/");
    }
    heard.sort();
    heard.dedup();
    assert_eq!(heard.len(), 3, "{heard:?}");
    // In the end no other moves are left.
    engine.say("position /7/tT5/7/T2K3/7/7/7/");
    engine.say("side attackers");
    let mut heard = Vec::new();
    while heard.last().is_none_or(|line: &String| line.starts_with("move ")) {
        engine.say("play attackers");
        heard.push(engine.hear());
        engine.say("error 2");
    }
    assert_eq!(heard.last().unwrap(), "error -1 the host has rejected all legal moves");
}

#[test]
fn analysis_has_the_requested_number_of_lines() {
    let mut engine = Engine::brandubh(LONG);
    engine.say("analyze 3 1");
    let heard = engine.hear();
    // The time ends within an iteration, mostly after part of it has been searched.
    let depth = heard.strip_prefix("status depth ").expect(&heard);
    assert!(depth.trim_end_matches(", not finished").parse::<u32>().is_ok(), "{heard}");
    let heard = engine.hear();
    let words: Vec<&str> = heard.split(' ').collect();
    assert_eq!(words[..2], ["analysis", "3"], "{heard}");
    assert_eq!(words.len(), 2 + 3 * 2, "{heard}");
    assert!(words[2].split('|').all(|played| played.len() == 5), "{heard}");
    assert!([3, 5, 7].iter().all(|&i| words[i].parse::<f64>().is_ok()), "{heard}");
    // A win of the defenders is bad for the attackers.
    engine.say("position /7/4t2/7/7/2K4/7/2t4/");
    engine.say("side defenders");
    engine.say("analyze 1 1");
    engine.expect("status depth 1");
    engine.expect("analysis 1 c5-c1|e2-e1|c1-a1 -997.00");
}

#[test]
fn if_boards_differ_the_hosts_is_used() {
    let mut engine = Engine::brandubh(millis(50));
    engine.say("opponent-move d1-c1 /1t5/3t3/3T3/ttTKTtt/3T3/3t3/3t3/");
    engine.expect(
        "error 0 opponent-move: d1-c1 does not lead to this board; I continue from the board",
    );
    engine.say("opponent-move d9-c9 /7/4t2/7/7/2K4/7/2t4/");
    engine.expect(
        "error 0 opponent-move: d9-c9 does not lead to this board; I continue from the board",
    );
    engine.say("play defenders");
    engine.expect("move c5-c1");
    engine.say("move /7/4t2/7/7/1K5/7/2t4/");
    engine.expect("error 0 my move does not lead to this board; I continue from the board");
    engine.say("play defenders");
    assert!(engine.hear().starts_with("move b5-"));
}

#[test]
fn rules_without_a_ruleset_are_refused() {
    let mut engine = Engine::new(millis(50));
    engine.say("play attackers");
    engine.expect("error -1 no rules received");
    engine.say("rules dim:11 name:Copenhagen atkf:y surf:n sw:s efe:y start:/11/");
    engine.expect("error -1 rules: sw:s: only n is supported");
    engine.say("play attackers");
    engine.expect("error -1 rules: sw:s: only n is supported");
    engine.say(BRANDUBH);
    engine.say("play attackers");
    assert!(engine.hear().starts_with("move "));
}

#[test]
fn errors_are_reported_and_unknown_lines_ignored() {
    let mut engine = Engine::brandubh(millis(50));
    for line in [
        "",
        "  ",
        "start",
        "dump 3",
        "hello",
        "analysis",
        "playing",
        "\u{0}\u{fe}",
        "side attackers",
    ] {
        engine.say(line);
    }
    for (line, answer) in [
        ("position", "0 position: 1 instead of 7 ranks"),
        (
            "position /7/7/7/3T3/2K4/7/1t5/",
            "0 position: a defender cannot stand on d4 (throne): use any square except a1, g1, d4, a7 and g7",
        ),
        ("side white", "0 side: \"white\" is neither attackers nor defenders"),
        ("play", "-1 play: \"\" is neither attackers nor defenders"),
        (
            "clock 5",
            "0 clock: \"5\" is not a clock: use <attackers ms>[*] <defenders ms>[*] <overtime s> <attackers' periods> <defenders' periods>",
        ),
        ("analyze", "0 analyze: \"\" is not <number of lines> <seconds>"),
        ("analyze 0 5", "0 analyze: \"0 5\" is not <number of lines> <seconds>"),
    ] {
        engine.say(line);
        engine.expect(&format!("error {answer}"));
    }
    engine.say(BRANDUBH);
    engine.say("opponent-move d1");
    engine.expect("error 0 opponent-move: \"d1\" is not a move: write e5-e8, with captures e5-e8xe9/d8, for the king Ke5-e8");
    engine.say("play defenders");
    assert!(engine.hear().starts_with("move "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_input_makes_the_engine_fail(
        lines in prop::collection::vec(
            prop_oneof![
                Just(BRANDUBH.to_owned()),
                "(play|side) (attackers|defenders)",
                "opponent-move [a-g][1-7]-[a-g][1-7]",
                Just("opponent-move d1-c1 /2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3/".to_owned()),
                Just("position /7/4t2/7/7/2K4/7/2t4/".to_owned()),
                Just("position /K6/7/7/7/7/7/2t4/".to_owned()),
                "move /7/4t2/7/7/[1-6]K[1-6]/7/2t4/",
                Just("error 2".to_owned()),
                Just("finish 1".to_owned()),
                "clock [0-9*]{1,3} [0-9*]{1,3} 0 0 0",
                "analyze [1-3] 0",
                "[a-z0-9 /|-]{0,30}",
            ],
            0..12,
        ),
    ) {
        let mut engine = Engine::new(millis(5));
        for line in lines {
            engine.say(&line);
        }
        engine.say("goodbye");
        engine.input = None;
        engine.session.join().unwrap();
        while let Ok(line) = engine.lines.recv_timeout(LONG) {
            prop_assert!(!line.contains("failed"), "{}", line);
        }
    }
}
