//! The host's side, with programs that play and programs that fail.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taflbase::engine::{Clock, Player};
use taflbase::history::Game;
use taflbase::position::Position;
use taflbase::protocol::otep::ExternalPlayer;
use taflbase::rules::{Ruleset, Side};

use crate::place::{Place, Run, refuse_threads};

const FAST: Clock = Clock::PerMove(Duration::from_millis(200));

fn rules(name: &str) -> Arc<Ruleset> {
    Arc::new(Ruleset::builtin(name).unwrap())
}

fn ourselves() -> String {
    format!("{} otep --hash 1 --threads 1", env!("CARGO_BIN_EXE_taflbase"))
}

/// Returns a program, in shell, that has sent hello and continues like this.
fn script(words: &str) -> String {
    format!("sh -c 'echo log: starting; echo hello; {words}'")
}

/// Returns why a program in shell loses when it is asked for a move.
#[track_caller]
fn reason(words: &str) -> String {
    let rules = rules("brandubh");
    let mut player = ExternalPlayer::start(&script(words), Arc::clone(&rules)).unwrap();
    let game = Game::new(rules).unwrap();
    player.begin(&game).unwrap();
    player.choose(&game, FAST).unwrap_err().to_string()
}

#[test]
fn two_programs_play_whole_games_through_pipes() {
    for name in ["brandubh", "berkeley"] {
        let rules = rules(name);
        let player = || ExternalPlayer::start(&ourselves(), Arc::clone(&rules)).unwrap();
        let mut players = [player(), player()];
        for _ in 0..2 {
            let mut game = Game::new(Arc::clone(&rules)).unwrap();
            for player in &mut players {
                player.begin(&game).unwrap();
            }
            let mut outcome = game.outcome();
            while outcome.is_none() && game.moves().len() < 60 {
                let player = &mut players[game.moves().len() % 2];
                let clock = Clock::Game { left: Duration::from_secs(1), increment: Duration::ZERO };
                let played = player.choose(&game, clock).unwrap_or_else(|error| panic!("{error}"));
                game.play(&played).unwrap();
                outcome = game.outcome();
            }
            assert!(game.moves().len() > 3);
            for player in &mut players {
                player.end(&game, outcome);
            }
        }
        assert_eq!(players[0].name(), "taflbase");
    }
}

#[test]
fn a_program_plays_from_any_position() {
    let rules = rules("brandubh");
    let start = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &rules).unwrap();
    let mut game = Game::from_position(Arc::clone(&rules), start).unwrap();
    let mut player = ExternalPlayer::start(&ourselves(), rules).unwrap();
    // It is sent the game although `begin` was not called.
    while game.outcome().is_none() {
        let played = player.choose(&game, FAST).unwrap();
        game.play(&played).unwrap();
        if game.outcome().is_none() {
            let reply = taflbase::moves::legal_moves(game.rules(), game.position())[0];
            game.play(&reply).unwrap();
        }
    }
    assert_eq!(game.outcome().unwrap().winner, Some(Side::Defenders));
    assert_eq!(game.moves().len(), 3);
}

#[test]
fn a_program_is_sent_what_the_protocol_prescribes() {
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let words = format!(
        "while read line; do echo \"$line\" >> {}; case \"$line\" in play*) echo status thinking; \
         echo move d3-c3;; esac; done",
        heard.display()
    );
    let rules = rules("brandubh");
    let mut player = ExternalPlayer::start(&script(&words), Arc::clone(&rules)).unwrap();
    let mut game = Game::new(Arc::clone(&rules)).unwrap();
    player.begin(&game).unwrap();
    let first = taflbase::notation::parse_move(&rules, game.position(), "d1-c1").unwrap();
    game.play(&first).unwrap();
    let played = player.choose(&game, Clock::PerMove(Duration::from_millis(1500))).unwrap();
    game.play(&played).unwrap();
    player.end(&game, None);
    drop(player);
    let record = rules.to_otn(&Position::start(&rules).unwrap()).unwrap();
    let heard = std::fs::read_to_string(heard).unwrap();
    let lines: Vec<&str> = heard.lines().collect();
    assert_eq!(
        lines,
        [
            &*format!("rules {record}"),
            &*format!("rules {record}"),
            "opponent-move d1-c1 /2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3/",
            "side defenders",
            "clock 1500* 1500* 2 1 1",
            "play defenders",
            "move /2t4/3t3/2T4/ttTKTtt/3T3/3t3/3t3/",
            "finish 0",
            "goodbye",
        ]
    );
}

#[test]
fn a_program_can_request_moves_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let words = format!(
        "echo simple-moves off; while read line; do echo \"$line\" >> {}; case \"$line\" in \
         play*) echo move e2-d2;; esac; done",
        heard.display()
    );
    let rules = rules("brandubh");
    let start = Position::parse("/7/4t2/7/7/2K4/7/2t4/ a", &rules).unwrap();
    let mut game = Game::from_position(Arc::clone(&rules), start).unwrap();
    let mut player = ExternalPlayer::start(&script(&words), Arc::clone(&rules)).unwrap();
    let played = player.choose(&game, FAST).unwrap();
    game.play(&played).unwrap();
    let king = taflbase::notation::parse_move(&rules, game.position(), "c5-c6").unwrap();
    game.play(&king).unwrap();
    player.choose(&game, FAST).unwrap_err();
    drop(player);
    let heard = std::fs::read_to_string(heard).unwrap();
    assert!(heard.contains("\nopponent-move Kc5-c6 /"), "{heard}");
}

#[test]
fn programs_that_do_not_play_lose_with_a_reason() {
    let answer = |line: &str| {
        format!("while read line; do case \"$line\" in play*) echo \"{line}\";; esac; done")
    };
    assert_eq!(
        reason(&answer("move d1-d9")),
        "sh: plays d1-d9: the board has no square \"d9\": squares go from a1 to g7"
    );
    assert_eq!(
        reason(&answer("move d3-c3")),
        "sh: plays d3-c3: a defender stands on d3, and the attackers are to move"
    );
    assert_eq!(reason(&answer("error -1 no idea")), "sh: reports an error: no idea");
    assert_eq!(reason("read a; read b"), "sh: has ended with exit status 0");
    let begin = Instant::now();
    // It prints something, but no move.
    assert_eq!(reason(&answer("error 0 hm")), "sh: has not answered within 2.2 s");
    assert_eq!(reason("exec sleep 1000"), "sh: has not answered within 2.2 s");
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_failed_program_is_restarted() {
    let rules = rules("brandubh");
    // It plays one move and exits.
    let words = "while read line; do case \"$line\" in play*) echo move d1-c1; exit;; esac; done";
    let mut player = ExternalPlayer::start(&script(words), Arc::clone(&rules)).unwrap();
    for _ in 0..2 {
        let mut game = Game::new(Arc::clone(&rules)).unwrap();
        player.begin(&game).unwrap();
        let played = player.choose(&game, FAST).unwrap();
        game.play(&played).unwrap();
        let reply = taflbase::moves::legal_moves(&rules, game.position())[0];
        game.play(&reply).unwrap();
        assert_eq!(player.choose(&game, FAST).unwrap_err().reason, "has ended with exit status 0");
    }
}

#[test]
fn programs_that_do_not_start_are_reported() {
    let start = |command: &str, name| {
        ExternalPlayer::start(command, rules(name)).err().unwrap().to_string()
    };
    let refused = start(&ourselves(), "ashton");
    assert_eq!(
        refused,
        "taflbase: OpenTafl's notation cannot express the ruleset's capture.protected-attackers"
    );
    assert!(start("/no/such/engine --fast", "brandubh").starts_with("engine: cannot be started: "));
    assert!(start("true", "brandubh").starts_with("true: has ended with exit status 0"));
    assert!(start("'open", "brandubh").ends_with("a quote is not closed"));
}

#[test]
fn the_program_answers_piped_input() {
    let program = |arguments: &[&str], input: &str| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_taflbase"));
        let command = command
            .arg("otep")
            .args(arguments)
            .env_remove("TAFLBASE_TABLES")
            .env_remove("TAFLBASE_PROOFS");
        command.write_stdin(input.to_owned()).assert()
    };
    let input = "rules dim:7 ks:c cenh:tcnkmTCNKM surf:n \
        start:/7/4t2/7/7/2K4/7/2t4/ atkf:n\nplay defenders\n";
    program(&["--time", "1"], input).success().stdout("hello\nmove c5-c1\n");
    let refused = program(&["--tables", "/no/such"], input).code(2);
    refused.stdout("").stderr("taflbase: /no/such: no such table folder\n");
}

/// The system refuses the thread that reads the lines.
#[test]
fn a_thread_that_is_refused_is_reported_to_the_host() {
    let place = Place::new();
    let mut program = place.command(&["otep"]);
    refuse_threads(&mut program);
    let text = Run::of(program).done();
    assert!(text.starts_with("error -1 cannot start a thread: "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn waiting_for_a_move_can_be_stopped_from_another_thread() {
    let rules = rules("brandubh");
    let mut player = ExternalPlayer::start(&script("exec sleep 1000"), Arc::clone(&rules)).unwrap();
    let game = Game::new(rules).unwrap();
    player.begin(&game).unwrap();
    let stopper = player.stopper();
    let (begun, hour) = (Instant::now(), Clock::PerMove(Duration::from_secs(3600)));
    let error = thread::scope(|scope| {
        let waiting = scope.spawn(|| player.choose(&game, hour).unwrap_err());
        while !waiting.is_finished() {
            stopper.stop();
            thread::sleep(Duration::from_millis(10));
        }
        waiting.join().unwrap()
    });
    assert_eq!(error.to_string(), "sh: was stopped");
    assert!(begun.elapsed() < Duration::from_secs(60));
}
