//! Games displayed in a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::connect;

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program with a display, where no browser opens by itself.
struct Shown {
    child: Child,
    host: String,
    path: String,
    _folder: tempfile::TempDir,
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command.args(arguments).env_remove("TAFLBASE_TABLES").env_remove("TAFLBASE_PROOFS");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Shown {
    fn new(arguments: &[&str]) -> Shown {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(arguments);
        command.arg("--display").env("DISPLAY", ":99").env("PATH", folder.path());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("taflbase: the game is shown at http://").unwrap();
        let (host, path) = url.split_at(url.find('/').unwrap());
        let token = path.strip_prefix("/live/").unwrap().strip_suffix('/').unwrap();
        assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let (host, path) = (host.to_owned(), path.to_owned());
        Shown { child, host, path, _folder: folder }
    }

    fn send(&self, line: &str, headers: &str, body: &str) -> String {
        let mut stream = connect(self.host.parse().unwrap());
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        super::read_all(&mut stream)
    }

    fn play(&self, revision: u64, played: &str) -> String {
        let body = json!({"revision": revision, "move": played}).to_string();
        let headers = format!("Host: {}\r\nContent-Type: application/json\r\n", self.host);
        let response = self.send(&format!("POST {}move", self.path), &headers, &body);
        response.split(' ').nth(1).unwrap().to_owned()
    }

    fn events(&self) -> Events {
        let mut stream = connect(self.host.parse().unwrap());
        write!(stream, "GET {}events HTTP/1.1\r\nHost: {}\r\n\r\n", self.path, self.host).unwrap();
        Events(BufReader::new(stream))
    }

    fn type_line(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Returns the status and the output.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.child.stdin.take());
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code(), out)
    }
}

struct Events(BufReader<TcpStream>);

impl Events {
    /// Returns the next state that satisfies the condition.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ends");
            if let Some(data) = line.strip_prefix("data: ") {
                let state: Value = serde_json::from_str(data).unwrap();
                if wanted(&state) {
                    return state;
                }
            }
        }
    }
}

/// Returns commands that leave the king and two men on the board, of which the tables have the
/// value.
fn few_men() -> String {
    let black = "d1 e1 f1 e2 a4 a5 a6 b5 i4 i5 i6 h5 f9 e8".split(' ');
    let white = "e3 e4 c5 d5 f5 g5 e6 e7".split(' ').flat_map(|square| [square; 3]);
    let toggles = black.chain(white).map(|square| format!("toggle {square}\n"));
    "seed 1\nmanual white\n".to_owned() + &toggles.collect::<String>() + "auto white\nd9-8\ndump\n"
}

fn revision(state: &Value) -> u64 {
    state["revision"].as_u64().unwrap()
}

#[test]
fn a_barred_repetition_is_not_offered() {
    let mut shown = Shown::new(&["play", "copenhagen", "--side", "both"]);
    let mut events = shown.events();
    for played in ["d1-d2", "f4-g4", "d2-d1"] {
        shown.type_line(played);
    }
    let state = events.until(|state| state["last"] == "d2-d1");
    let moves = state["moves"].as_array().unwrap();
    assert!(moves.contains(&json!("g4-g3")) && !moves.contains(&json!("g4-f4")), "{state}");
    assert_eq!(shown.play(revision(&state), "g4-f4"), "400");
}

#[test]
fn a_game_of_berkeley_is_displayed_and_played_by_hand() {
    let mut shown = Shown::new(&["berkeley"]);
    shown.type_line("manual white");
    let mut events = shown.events();
    let state = events.until(|state| state["manual"].as_array().unwrap().len() == 2);
    assert_eq!((&state["rules"], &state["to_move"]), (&json!("berkeley"), &json!("attackers")));
    assert_eq!(state["board"], "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/");
    assert_eq!((&state["winner"], &state["last"]), (&Value::Null, &Value::Null));
    assert!(state["moves"].as_array().unwrap().contains(&json!("a4-d4")));
    let now = revision(&state);
    assert_eq!(shown.play(now + 1, "a4-d4"), "409");
    assert_eq!(shown.play(now, "a4-a9"), "400");
    assert_eq!(shown.play(now, "a4-d4"), "204");
    assert_eq!(shown.play(now, "a4-b4"), "409");
    let state = events.until(|state| state["last"] == "a4-d4");
    assert_eq!(state["to_move"], "defenders");
    // A board that is being set up does not belong to a game.
    shown.type_line("toggle a1");
    let state = events.until(|state| state["moves"] == json!([]) && state["last"].is_null());
    assert!(state["board"].as_str().unwrap().starts_with("/T2ttt3/"));
    assert_eq!(shown.play(revision(&state), "a1-a2"), "409");
    shown.type_line("dump");
    let (status, out) = shown.end();
    assert_eq!(status, Some(0));
    assert!(out.contains(" 4 - - - B W - - - B") && out.contains(" 1 W - - B B B"), "{out}");
}

#[test]
fn output_is_the_same_with_and_without_a_display() {
    let berkeley = "manual white\na4-3\nfly\ndump\ne4-h\nundo\ntoggle a1\ndump\nquit\nfly\n";
    let white = &few_men();
    let play = "moves\ne1-e2\nd1-c1\nboard\nflip\nside both\nundo\ntables\nhelp\nx\nc1\nquit\n";
    let brandubh = ["play", "brandubh", "--nodes", "500", "--threads", "1"];
    for (arguments, typed) in
        [(&["berkeley"][..], berkeley), (&["berkeley"], white), (&brandubh, play)]
    {
        let mut plain = command(arguments).spawn().unwrap();
        plain.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let plain = plain.wait_with_output().unwrap();
        let mut shown = Shown::new(arguments);
        let _ = shown.child.stdin.take().unwrap().write_all(typed.as_bytes());
        let (status, out) = shown.end();
        assert_eq!(status, plain.status.code());
        assert_eq!(out, String::from_utf8(plain.stdout).unwrap());
        assert!(!out.is_empty());
    }
}

#[test]
fn a_game_against_the_engine_is_played_to_its_end() {
    let arguments = ["play", "brandubh", "--side", "defenders", "--nodes", "500"];
    let shown = Shown::new(&[&arguments[..], &["--position", "/7/4t2/7/7/2K4/7/2t4/ d"]].concat());
    let mut events = shown.events();
    let state = events.until(|state| !state["moves"].as_array().unwrap().is_empty());
    assert_eq!(state["value"], json!({"category": "win", "dtw": 3}));
    assert_eq!(state["manual"], json!(["defenders"]));
    assert_eq!(shown.play(revision(&state), "Kc5-c1"), "204");
    let ours = |state: &Value| {
        state["to_move"] == "defenders" && !state["moves"].as_array().unwrap().is_empty()
    };
    let state = events.until(ours);
    let moves = state["moves"].as_array().unwrap();
    let win = moves.iter().find(|played| played.as_str().unwrap().ends_with("--")).unwrap();
    assert_eq!(shown.play(revision(&state), win.as_str().unwrap()), "204");
    let state = events.until(|state| !state["winner"].is_null());
    assert_eq!((&state["winner"], &state["over"]), (&json!("defenders"), &json!("king-escaped")));
    let (status, out) = shown.end();
    assert!(status == Some(0) && out.contains("the king has escaped"), "{out}");
}

#[test]
fn only_the_displays_own_pages_are_accepted() {
    let shown = Shown::new(&["berkeley"]);
    let own = format!("Host: {}\r\n", shown.host);
    let port = shown.host.split(':').nth(1).unwrap();
    let events = format!("{}events", shown.path);
    for (path, headers, status) in [
        (shown.path.clone(), own.clone(), "200"),
        (format!("{}robots.txt", shown.path), own.clone(), "200"),
        (shown.path.clone(), format!("Host: localhost:{port}\r\n"), "200"),
        (shown.path.clone(), format!("{own}Origin: http://{}\r\n", shown.host), "200"),
        (shown.path.clone(), format!("{own}Origin: https://example.org\r\n"), "403"),
        (shown.path.clone(), format!("{own}Origin: null\r\n"), "403"),
        (events.clone(), format!("Host: example.org:{port}\r\n"), "403"),
        (events.clone(), "Host: 127.0.0.1\r\n".to_owned(), "403"),
        (events.clone(), String::new(), "403"),
        ("/api/v1/rulesets/berkeley".to_owned(), own.clone(), "200"),
        ("/api/v1/rulesets/ashton".to_owned(), own.clone(), "404"),
        ("/".to_owned(), own.clone(), "404"),
        (format!("/live/{}/", "0".repeat(32)), own.clone(), "404"),
        (format!("/live/{}/events", "0".repeat(32)), own.clone(), "404"),
    ] {
        let response = shown.send(&format!("GET {path}"), &headers, "");
        assert_eq!(response.split(' ').nth(1), Some(status), "{path} {headers}: {response}");
        assert!(!response.to_lowercase().contains("access-control-allow-origin"), "{response}");
    }
    let text = format!("{own}Content-Type: text/plain\r\n");
    let response = shown.send(
        &format!("POST {}move", shown.path),
        &text,
        "{\"revision\":1,\"move\":\"a4-d4\"}",
    );
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
    assert_eq!(shown.end().0, Some(0));
}

#[test]
fn without_a_display_the_program_exits() {
    for arguments in [&["berkeley", "--display"][..], &["play", "brandubh", "--display"]] {
        let mut command = command(arguments);
        let child = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{message}");
        assert!(message.lines().count() == 1 && message.contains("no display"), "{message}");
    }
}
