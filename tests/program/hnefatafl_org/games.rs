use serde_json::{Value, json};
use taflbase::history::Game;
use taflbase::rules::Side;

use crate::place::Place;

use super::standin::{Server, role};

const UNTIMED: &str = "un-timed _ _";

fn texts(game: &Game) -> Vec<String> {
    let board = game.rules().board;
    game.moves().iter().map(|played| played.display(board).to_string()).collect()
}

#[test]
fn a_proposed_game_is_played() {
    let server = Server::new();
    let client = server.client(&["attacker", "--clock", "2+1", "--json"]);
    let mut standin = server.logged_in();
    // The proposal names the game.
    let mut game = standin.begin(Side::Attackers, "fischer 9000 1 ", 11);
    standin.play(&mut game, Side::Attackers, 4);
    standin.say("= game_over 7 attacker_wins");
    let run = client.end();
    assert!(run.err.contains("game 7 waits for an opponent"), "{}", run.err);
    assert!(run.err.contains("hnefi attacks ann") && run.err.contains("depth "), "{}", run.err);
    let result = &run.json()[0];
    assert_eq!(result["result"], "attacker_wins");
    assert_eq!((&result["won"], &result["id"]), (&json!(true), &json!(7)));
    assert_eq!(result["moves"], json!(texts(&game)));
    assert_eq!(result["position"], game.position().to_text(game.rules()));
}

#[test]
fn the_proposal_says_what_the_options_say() {
    let server = Server::new();
    let client = server.client(&["defender", "--board-size", "13", "--clock", "1+3", "--rated"]);
    let mut standin = server.logged_in();
    let line = standin.hear();
    let proposal: Value = serde_json::from_str(line.strip_prefix("new_game ").unwrap()).unwrap();
    let time = json!({ "Timed": { "add_seconds": 3, "milliseconds_left": 60_000 } });
    assert_eq!(
        proposal,
        json!({ "role": "Defender", "rated": true, "time_settings": time, "board_size": 13 })
    );
    standin.say("? new_game unknown error");
    client.fails("refuses new_game");
}

#[test]
fn a_challenge_is_made_and_the_opponent_resigns() {
    for size in [7, 13] {
        let server = Server::new();
        let client = server.client(&["defender", "--join", "7"]);
        let mut standin = server.logged_in();
        let mut game = standin.begin(Side::Defenders, UNTIMED, size);
        standin.play(&mut game, Side::Defenders, if size == 7 { 3 } else { 4 });
        // The server leaves out the last word.
        standin.say("game 7 play attacker resigns ");
        standin.say("= game_over 7 defender_wins");
        let plies = game.moves().len();
        assert_eq!(client.end().done(), format!("defender_wins: won after {plies} plies\n"));
    }
}

#[test]
fn a_rejected_move_is_followed_by_another() {
    let server = Server::new();
    let client = server.client(&["attacker"]);
    let mut standin = server.logged_in();
    let mut game = standin.begin(Side::Attackers, UNTIMED, 11);
    standin.say("game 7 generate_move attacker");
    let first = standin.hear();
    standin.say("? game play: you already reached that position");
    let second = standin.take_move(&mut game, Side::Attackers);
    let board = game.rules().board;
    let [from, to] = [second.from, second.to].map(|square| board.name(square).to_string());
    assert_ne!(first, format!("game 7 play attacker {from} {to}"));
    standin.say("= draw accept");
    let run = client.end();
    assert!(run.err.contains("rejects the attacker's move: play: you already"), "{}", run.err);
    assert_eq!(run.done(), "draw: drawn after 1 ply\n");
}

#[test]
fn a_draw_is_accepted_by_the_side_that_is_behind() {
    for side in Side::ALL {
        let server = Server::new();
        let client = server.client(&[role(side)]);
        let mut standin = server.logged_in();
        let mut game = standin.begin(side, UNTIMED, 11);
        // Nothing is known before the first search.
        standin.say("request_draw 7 attacker");
        standin.play(&mut game, side, if side == Side::Attackers { 2 } else { 3 });
        standin.say(&format!("request_draw 7 {}", role(side.other())));
        // It is the client's turn: if it does not accept, it plays on.
        standin.say(&format!("game 7 generate_move {}", role(side)));
        let wants_draw = standin.hear() == "draw 7 accept";
        standin.say("= draw accept");
        let run = client.end();
        let offers: Vec<&str> =
            run.err.lines().filter(|line| line.contains("offers a draw")).collect();
        assert_eq!(offers.len(), 2, "{}", run.err);
        assert!(offers[0].ends_with("left open"), "{}", run.err);
        assert_eq!(offers[1].ends_with("accepted"), wants_draw, "{}", run.err);
        // The score of the client's last move before the offer decides.
        let before = run.err.split("offers a draw").nth(1).unwrap();
        let mut scores = before.lines().filter(|line| line.contains("depth"));
        let score = scores.next_back().unwrap().split_whitespace().nth(3).unwrap().parse::<f64>();
        assert_eq!(score.unwrap() < 0.0, wants_draw, "{}", run.err);
        assert!(run.done().starts_with("draw: drawn"));
    }
}

#[test]
fn a_game_is_resumed_after_a_lost_connection() {
    let server = Server::new();
    let client = server.client(&["attacker", "--json"]);
    let mut standin = server.logged_in();
    let mut game = standin.begin(Side::Attackers, UNTIMED, 11);
    standin.play(&mut game, Side::Attackers, 3);
    drop(standin);
    // Meanwhile the opponent has moved. The server first takes the client for logged in.
    let mut again = server.accept();
    let played = again.opponents_move(&game);
    game.play(&played).unwrap();
    assert_eq!(again.hear(), "32d9a140 login hnefi pass word");
    again.say("? login multiple_possible_errors logged_in_already");
    assert_eq!(again.hear(), "32d9a140 login hnefi pass word");
    again.welcome();
    // It says so of every game, whoever is to move.
    again.say("game 3 generate_move attacker");
    again.answer_resume(&game, Side::Attackers);
    again.take_move(&mut game, Side::Attackers);
    again.play(&mut game, Side::Attackers, 2);
    again.say("= game_over 7 defender_wins");
    let run = client.end();
    assert!(run.err.contains("the connection was lost, connecting again"), "{}", run.err);
    let result = &run.json()[0];
    assert_eq!((&result["result"], &result["won"]), (&json!("defender_wins"), &json!(false)));
    assert_eq!(result["moves"], json!(texts(&game)));
}

#[test]
fn a_game_of_an_earlier_run_is_resumed() {
    let server = Server::new();
    let mut game = {
        let client = server.client(&["defender", "--join", "7"]);
        let mut standin = server.logged_in();
        let mut game = standin.begin(Side::Defenders, UNTIMED, 7);
        standin.play(&mut game, Side::Defenders, 3);
        standin.say("? game unknown error");
        client.fails("does not know this game");
        game
    };
    let client = server.client(&["defender", "--resume", "7"]);
    let mut standin = server.logged_in();
    standin.answer_resume(&game, Side::Defenders);
    standin.play(&mut game, Side::Defenders, 2);
    standin.say("= game_over 7 defender_wins");
    assert_eq!(client.end().done(), "defender_wins: won after 5 plies\n");
}

#[test]
fn accounts_are_created() {
    let server = Server::new();
    let client = server.client(&["attacker", "--create-account"]);
    let mut standin = server.accept();
    assert_eq!(standin.hear(), "32d9a140 create_account hnefi pass word");
    standin.say("? create_account already_exists unknown error");
    client.fails("refuses the login: already exists");
}

#[test]
fn bad_options_are_refused_before_the_login() {
    let place = Place::new();
    std::fs::write(place.path("secret"), "x\n").unwrap();
    std::fs::write(place.path("long"), "x".repeat(33)).unwrap();
    let run = |arguments: &[&str]| {
        let always = ["hnefatafl-org", "attacker", "--host", "127.0.0.1", "--port", "1"];
        let retry = ["--retry", "0.1"];
        place.run(&[&always[..], &retry, arguments].concat())
    };
    for (arguments, word) in [
        (&["--name", "hnefi", "--password-file", "none"][..], "--password-file none"),
        (&["--name", "hnefi", "--password-file", "long"], "32 printable"),
        (&["--name", "hne fi", "--password-file", "secret"], "write one word"),
        (&["--name", "hnefi", "--password-file", "secret", "--clock", "5+0.5"], "whole seconds"),
        (&["--name", "hnefi", "--password-file", "secret", "--board-size", "9"], "board-size"),
        (&["--name", "hnefi", "--password-file", "secret"], "cannot connect to 127.0.0.1:1"),
        (&["--name", "hnefi"], "--password-file"),
    ] {
        run(arguments).refused(2, &[word]);
    }
}
