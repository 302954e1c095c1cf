//! The program as a player.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use taflbase::notation::parse_move;
use taflbase::position::Position;

use super::server::{Pieces, Server};
use super::wire::{ASYMMETRIC, receive, rules, send, start, state_of};

pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command
        .arg("challenge")
        .args(arguments)
        .env_remove("TAFLBASE_TABLES")
        .env_remove("TAFLBASE_PROOFS");
    command.args(["--host", "127.0.0.1", "--hash", "8", "--threads", "1"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns a program's status, output and errors.
pub(crate) fn status_and_output(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn started(arguments: &[&str], port: u16) -> Child {
    program(arguments).args(["--port", &port.to_string()]).spawn().unwrap()
}

#[test]
fn two_programs_play_a_whole_game() {
    let server = Server::new(Pieces::Whole);
    let white = ["white", "--time", "0.4", "--name", "Ægir \"1\""];
    let white = started(&white, server.white);
    let black = started(&["black", "--time", "0.4", "--json"], server.black);
    let (white, black) = (white.wait_with_output().unwrap(), black.wait_with_output().unwrap());
    let played = server.end();
    assert_eq!(played.names, ["Ægir \"1\"", "taflbase"]);
    let verdict = played.verdict.unwrap();
    let plies = played.game.moves().len();

    let (status, out, err) = status_and_output(white);
    assert_eq!(status, Some(0), "{err}");
    let word = match verdict {
        "WHITEWIN" => "won",
        "BLACKWIN" => "lost",
        _ => "drawn",
    };
    assert_eq!(out, format!("{verdict}: {word} after {plies} plies\n"));
    // One line for the connection, and one for each move.
    assert_eq!(err.lines().count(), 1 + plies, "{err}");
    assert!(err.contains("depth ") && err.contains(" nodes"), "{err}");

    let (status, out, err) = status_and_output(black);
    assert_eq!(status, Some(0), "{err}");
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&answer["rules"], &answer["colour"]), (&json!("ashton-server"), &json!("black")));
    assert_eq!((&answer["result"], &answer["won"]), (&json!(verdict), &json!(word == "lost")));
    let board = played.game.rules().board;
    let moves = played.game.moves().iter().map(|played| played.display(board).to_string());
    assert_eq!(answer["moves"], json!(moves.collect::<Vec<_>>()));
    assert_eq!(answer["position"], played.game.position().to_text(played.game.rules()));
}

/// Returns black's replies to these states, and the program's result.
fn answers(states: &[Value]) -> (Vec<Value>, (Option<i32>, String, String)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let child = started(&["black", "--time", "1"], port);
    let (mut stream, _) = listener.accept().unwrap();
    assert_eq!(receive(&mut stream).unwrap(), "taflbase");
    let mut actions = Vec::new();
    for state in states {
        send(&mut stream, state);
        if state["turn"] == "BLACK" {
            actions.push(receive(&mut stream).unwrap());
        }
    }
    (actions, status_and_output(child.wait_with_output().unwrap()))
}

#[test]
fn a_game_may_begin_in_the_middle() {
    let end = json!({ "board": state_of(ASYMMETRIC, "BLACK")["board"], "turn": "DRAW" });
    let (actions, (status, out, err)) = answers(&[state_of(ASYMMETRIC, "BLACK"), end]);
    let position = Position::parse(&format!("{ASYMMETRIC} a"), &rules()).unwrap();
    let [from, to] = ["from", "to"].map(|key| actions[0][key].as_str().unwrap().to_owned());
    parse_move(&rules(), &position, &format!("{from}-{to}")).unwrap();
    assert_eq!(actions[0]["turn"], "BLACK");
    assert!(err.contains("taflbase: the server's game begins in the middle\n"), "{err}");
    assert_eq!((status, out.as_str()), (Some(0), "DRAW: drawn after 0 plies\n"));
}

#[test]
fn a_board_that_no_move_leads_to_is_accepted() {
    let end = json!({ "board": [], "turn": "BLACKWIN" });
    let (actions, ended) = answers(&[start(), state_of(ASYMMETRIC, "BLACK"), end]);
    assert_eq!(actions.len(), 1);
    assert!(ended.2.contains("no legal move leads to the server's board"), "{}", ended.2);
    assert_eq!((ended.0, ended.1.as_str()), (Some(0), "BLACKWIN: won after 0 plies\n"));
}

#[test]
fn a_repeated_state_is_answered_again() {
    let again = state_of(ASYMMETRIC, "BLACK");
    let end = json!({ "board": [], "turn": "WHITEWIN" });
    let (actions, ended) = answers(&[again.clone(), again, end]);
    assert_eq!(actions.len(), 2);
    assert!(!ended.2.contains("no legal move"), "{}", ended.2);
    assert_eq!((ended.0, ended.1.as_str()), (Some(0), "WHITEWIN: lost after 0 plies\n"));
}

#[test]
fn the_only_move_is_played_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let child = started(&["black", "--time", "600"], port);
    let (mut stream, _) = listener.accept().unwrap();
    receive(&mut stream).unwrap();
    let asked = Instant::now();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    send(&mut stream, &state_of("/tT7/9/T8/9/9/5K3/9/9/9/", "BLACK"));
    assert_eq!(receive(&mut stream).unwrap(), json!({ "from": "a1", "to": "a2", "turn": "BLACK" }));
    assert!(asked.elapsed() < Duration::from_secs(20));
    drop(stream);
    assert_eq!(status_and_output(child.wait_with_output().unwrap()).0, Some(2));
}

/// Accepts a client, if it connects soon.
fn accepted(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            return stream;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("nobody has come");
}

#[test]
fn a_late_server_is_waited_for() {
    // A port on which no server is listening yet.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let child = started(&["white", "--retry", "60"], address.port());
    thread::sleep(Duration::from_millis(700));
    let listener = TcpListener::bind(address).unwrap();
    let mut stream = accepted(&listener);
    assert_eq!(receive(&mut stream).unwrap(), "taflbase");
    send(&mut stream, &json!({ "board": start()["board"], "turn": "DRAW" }));
    let (status, out, err) = status_and_output(child.wait_with_output().unwrap());
    assert_eq!((status, out.as_str()), (Some(0), "DRAW: drawn after 0 plies\n"), "{err}");
}
