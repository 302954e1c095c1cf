//! Servers that break the protocol: one clear line, and status 2.

use std::sync::Arc;

use taflbase::history::Game;
use taflbase::protocol::htp::ruleset;
use taflbase::rules::Side;

use super::standin::{Client, Server, Standin};

#[test]
fn nonsense_in_a_game_is_one_clear_line() {
    for (line, word) in [
        ("= game_over 7", "= game_over 7"),
        ("= game_over 7 nobody", "= game_over 7 nobody"),
        ("game seven play defender f4 f3", "game seven play"),
        ("game 7 play defender f4", "game 7 play defender f4"),
        ("game 7 play defender a1 a2", "a1-a2"),
        ("game 7 play defender f4 z99", "f4-z99"),
        ("= game_time {\"id\":}", "game_time: "),
        ("= draw maybe", "= draw maybe"),
        ("= \u{1b}[2J", ""),
    ] {
        let server = Server::new();
        let client = server.client(&["attacker"]);
        let mut standin = server.logged_in();
        let mut game = standin.begin(Side::Attackers, "un-timed _ _", 11);
        standin.play(&mut game, Side::Attackers, 1);
        standin.say(line);
        if word.is_empty() {
            // A line of an unknown kind does no harm.
            standin.say("= game_over 7 attacker_wins");
            assert_eq!(client.end().done(), "attacker_wins: won after 1 ply\n");
            continue;
        }
        let run = client.fails("the server has sent an invalid message: ");
        assert!(run.err.lines().last().unwrap().contains(word), "{line}: {}", run.err);
    }
}

#[test]
fn two_moves_in_a_row_are_nonsense() {
    let server = Server::new();
    let (client, mut standin, mut game) = begun(&server);
    standin.play(&mut game, Side::Attackers, 2);
    standin.say("game 7 play defender f5 f6");
    client.fails("it plays twice in a row for the opponent");
}

#[test]
fn a_login_is_refused_with_the_servers_reason() {
    for (answer, word) in [
        ("? login wrong_version", "another version of its protocol"),
        ("? login multiple_possible_errors wrong_password", "refuses the login: wrong password"),
        ("? login multiple_possible_errors account_not_in_database", "--create-account"),
        ("? login multiple_possible_errors logged_in_already", "logged in already"),
        ("? login _ username is more than 16 characters", "username is more than 16"),
    ] {
        let server = Server::new();
        let client = server.client(&["attacker"]);
        let mut standin = server.accept();
        standin.hear();
        standin.say(answer);
        client.fails(word);
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let server = Server::new();
    let client = server.client(&["attacker"]);
    let mut standin = server.accept();
    standin.hear();
    standin.say_raw(b"= \xff\xfe\n");
    client.fails("it is not UTF-8");
}

#[test]
fn a_server_that_goes_away_before_the_game_ends_the_program() {
    let server = Server::new();
    let client = server.client(&["attacker"]);
    let mut standin = server.accept();
    standin.hear();
    standin.say_raw(b"= log");
    drop(standin);
    client.fails("the connection was lost: the server has closed it");
}

/// Begins a game without clocks in which the client has the attackers.
fn begun(server: &Server) -> (Client, Standin, Game) {
    let client = server.client(&["attacker"]);
    let mut standin = server.logged_in();
    let game = standin.begin(Side::Attackers, "un-timed _ _", 11);
    (client, standin, game)
}

/// The same, and loses the connection after the first move.
fn lost_after_a_move(server: &Server) -> (Client, Game) {
    let (client, mut standin, mut game) = begun(server);
    standin.play(&mut game, Side::Attackers, 1);
    (client, game)
}

#[test]
fn a_game_that_is_lost_again_and_again_is_given_up() {
    let server = Server::new();
    let (client, _) = lost_after_a_move(&server);
    for _ in 0..5 {
        drop(server.accept());
    }
    let run = client.fails("taflbase: the connection was lost: ");
    assert_eq!(run.err.matches("connecting again").count(), 5, "{}", run.err);
}

#[test]
fn a_server_that_never_takes_a_move_is_given_up() {
    let server = Server::new();
    let (client, mut standin, game) = begun(&server);
    standin.say("game 7 generate_move attacker");
    assert!(standin.hear().starts_with("game 7 play "));
    drop(standin);
    for _ in 0..5 {
        let mut again = server.logged_in();
        again.answer_resume(&game, Side::Attackers);
        assert!(again.hear().starts_with("game 7 play "));
    }
    // Nobody is there to log in to.
    drop(server);
    let run = client.fails("taflbase: the connection was lost: ");
    assert_eq!(run.err.matches("connecting again").count(), 5, "{}", run.err);
}

#[test]
fn losses_are_counted_from_the_last_move_that_the_server_has_taken() {
    let server = Server::new();
    let (client, mut game) = lost_after_a_move(&server);
    // Each time the server has taken a move, which only its record shows from the second time on.
    for _ in 0..4 {
        drop(server.accept());
        drop(server.accept());
        let mut again = server.logged_in();
        let played = again.opponents_move(&game);
        game.play(&played).unwrap();
        again.answer_resume(&game, Side::Attackers);
        again.take_move(&mut game, Side::Attackers);
    }
    let mut again = server.logged_in();
    again.answer_resume(&game, Side::Attackers);
    again.say("= game_over 7 attacker_wins");
    assert!(client.end().done().starts_with("attacker_wins: won after 9 plies"));
}

#[test]
fn a_game_that_has_ended_meanwhile_is_reported() {
    let server = Server::new();
    let (client, _) = lost_after_a_move(&server);
    let mut again = server.logged_in();
    assert_eq!(again.hear(), "resume_game_json 7");
    // The server does not answer for a game that it does not have.
    assert_eq!(again.hear(), "ping");
    again.say("= ping");
    client.fails("does not know this game");
}

#[test]
fn nobody_comes() {
    let server = Server::new();
    let client = server.client(&["attacker", "--patience", "0.3"]);
    let mut standin = server.logged_in();
    standin.hear();
    standin.say("= new_game 7");
    client.fails("no opponent has come within 0.3 s: wait longer");
}

#[test]
fn the_other_side_of_a_game_is_refused() {
    let server = Server::new();
    let client = server.client(&["attacker", "--join", "7"]);
    let mut standin = server.logged_in();
    standin.begin(Side::Defenders, "un-timed _ _", 11);
    // The game has begun, so that it cannot be joined again.
    client.fails("name the other role, with --resume 7");
    let client = server.client(&["attacker", "--resume", "7"]);
    let mut standin = server.logged_in();
    standin.answer_resume(&Game::new(Arc::new(ruleset(11).unwrap())).unwrap(), Side::Defenders);
    let run = client.fails("name the other role");
    assert!(!run.err.contains("--resume"), "{}", run.err);
}
