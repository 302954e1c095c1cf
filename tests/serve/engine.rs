use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use taflbase::serve::ServeOptions;

use super::{Running, WON, connect, get, post, served, served_with};

const REPLY: &str = "/api/v1/rulesets/brandubh/reply";

/// A position that cannot be searched to its end.
const OPEN: &str = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a";

#[tokio::test]
async fn levels_play_whole_games() {
    let router = served();
    let list = get(&router, "/api/v1/rulesets").await.json();
    let levels = list["engine"]["levels"].as_array().unwrap().clone();
    assert_eq!((levels.len(), &list["engine"]["seconds"]), (5, &json!(10.0)));
    let mut moves: Vec<String> = Vec::new();
    for ply in 0.. {
        let sent = json!({"moves": moves, "level": levels[ply % 3]});
        let got = post(&router, REPLY, &sent).await;
        assert_eq!(got.status, 200, "{}", got.text());
        let answer = got.json();
        moves.push(answer["move"].as_str().unwrap().to_owned());
        if !answer["over"].is_null() {
            assert!(answer["over"]["reason"].is_string());
            break;
        }
    }
    // The game is over: there is no move.
    let answer = post(&router, REPLY, &json!({"moves": moves, "level": "easy"})).await.json();
    assert_eq!(answer["move"], Value::Null);
    assert!(!answer["over"].is_null());
    moves.push("a1-a2".to_owned());
    let got = post(&router, REPLY, &json!({"moves": moves, "level": "easy"})).await;
    assert_eq!((got.status, got.code().as_str()), (400, "game-over"));
}

#[tokio::test]
async fn the_strongest_level_plays_by_the_tables() {
    let router = served();
    let sent = json!({"position": WON, "level": "strongest"});
    let answer = post(&router, REPLY, &sent).await.json();
    assert!(["Kc5-a5", "Kc5-c1", "Kc5-g5"].contains(&answer["move"].as_str().unwrap()));
    assert_eq!(answer["over"], Value::Null);
    let sent = json!({"position": WON, "moves": ["Kc5-c1", "e2-e1"], "level": "strongest"});
    let answer = post(&router, REPLY, &sent).await.json();
    assert_eq!(answer["move"], "Kc1-a1--");
    assert_eq!(answer["over"], json!({"winner": "defenders", "reason": "king-escaped"}));
}

#[tokio::test]
async fn an_invalid_game_is_reported() {
    let router = served();
    for (sent, code, detail) in [
        (json!({"level": "godlike"}), "bad-parameter", "beginner, easy"),
        (json!({}), "bad-parameter", "use one of"),
        (json!({"level": "easy", "moves": ["d1-d9"]}), "bad-parameter", "move 1: "),
        (json!({"level": "easy", "position": "x"}), "bad-position", ""),
        (json!({"level": "easy", "moves": vec!["d1-c1"; 2001]}), "bad-parameter", "2000"),
    ] {
        let got = post(&router, REPLY, &sent).await;
        assert_eq!((got.status, got.code().as_str()), (400, code), "{sent}");
        assert!(got.json()["detail"].as_str().unwrap().contains(detail), "{}", got.text());
    }
}

#[tokio::test]
async fn analysis_sends_iterations_and_an_end() {
    let time = Duration::from_millis(500);
    let router = served_with(ServeOptions { search_time: time, ..ServeOptions::default() });
    let path = format!("/api/v1/rulesets/brandubh/analysis?position={OPEN}&lines=2");
    let got = get(&router, &path).await;
    assert_eq!(
        (got.header("content-type"), got.header("cache-control")),
        ("text/event-stream", "no-store")
    );
    let text = got.text();
    let events: Vec<&str> = text.trim_end().split("\n\n").collect();
    let last = events.len();
    assert!(last > 3, "{text}");
    for (number, event) in events.iter().enumerate() {
        let lines: Vec<&str> = event.lines().collect();
        let [kind, id, data] = lines[..] else { panic!("{event}") };
        assert_eq!(id, format!("id: {}", number + 1));
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        if number + 1 == last {
            assert_eq!((kind, data), ("event: end", json!({"reason": "done"})));
        } else {
            assert_eq!(kind, "event: iteration");
            assert_eq!(
                (&data["rules"], &data["to_move"]),
                (&json!("brandubh"), &json!("attackers"))
            );
            assert_eq!(data["lines"].as_array().unwrap().len(), 2);
        }
    }
    let over = get(&router, "/api/v1/rulesets/brandubh/analysis?position=/7/7/7/7/7/7/7/_a").await;
    assert_eq!(over.code(), "bad-position");
}

#[tokio::test]
async fn without_an_engine_there_is_none() {
    let router = served_with(ServeOptions { searches: 0, ..ServeOptions::default() });
    assert_eq!(get(&router, "/api/v1/rulesets").await.json()["engine"], Value::Null);
    let path = format!("/api/v1/rulesets/brandubh/analysis?position={OPEN}");
    assert_eq!(get(&router, &path).await.code(), "not-found");
    assert_eq!(post(&router, REPLY, &json!({"level": "easy"})).await.code(), "not-found");
}

/// Opens a stream and reads to the first event of this kind.
fn listen(address: SocketAddr, kind: &str) -> BufReader<std::net::TcpStream> {
    let mut stream = connect(address);
    let path = format!("/api/v1/rulesets/brandubh/analysis?position={OPEN}");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != format!("event: {kind}\n") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ends");
    }
    reader
}

#[test]
fn a_client_that_disconnects_ends_its_search() {
    let time = Duration::from_secs(60);
    let options = ServeOptions { search_time: time, ..ServeOptions::default() };
    let mut server = Running::new(options);
    // Only one search may run: each can begin only when the one before has ended.
    let began = Instant::now();
    for _ in 0..3 {
        drop(listen(server.address, "iteration"));
    }
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    server.end();
}

#[test]
fn an_open_stream_does_not_delay_shutdown() {
    let time = Duration::from_secs(60);
    let options = ServeOptions { search_time: time, ..ServeOptions::default() };
    let mut server = Running::new(options);
    let mut stream = listen(server.address, "iteration");
    let began = Instant::now();
    server.end();
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stream, &mut rest).unwrap();
    assert!(rest.contains("data: {\"reason\":\"shutdown\"}"), "{rest}");
}

/// Reads the next event of a stream: its kind and data.
fn next_event(reader: &mut impl BufRead) -> (String, Value) {
    let (mut kind, mut line) = (String::new(), String::new());
    loop {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ends");
        if let Some(name) = line.strip_prefix("event: ") {
            name.trim().clone_into(&mut kind);
        } else if let Some(data) = line.strip_prefix("data: ") {
            return (kind, serde_json::from_str(data).unwrap());
        }
    }
}

#[test]
fn a_move_does_not_wait_for_analyses() {
    // The analysis that continues may send nothing before it ends.
    let time = Duration::from_secs(10);
    let options = ServeOptions { search_time: time, ..ServeOptions::default() };
    let mut server = Running::new(options);
    let mut first = listen(server.address, "iteration");
    next_event(&mut first);
    let mut second = listen(server.address, "waiting");
    assert_eq!(next_event(&mut second).1, json!({"place": 1}));
    let began = Instant::now();
    let mut game = connect(server.address);
    let body = r#"{"level":"beginner"}"#;
    let head = format!("POST {REPLY} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json");
    write!(
        game,
        "{head}\r\nAccept: text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut game = BufReader::new(game);
    let chosen = loop {
        match next_event(&mut game) {
            (kind, place) if kind == "waiting" => assert_eq!(place, json!({"place": 1})),
            (kind, chosen) => {
                assert_eq!(kind, "move");
                break chosen;
            }
        }
    };
    assert!(chosen["move"].is_string() && chosen["over"].is_null(), "{chosen}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // The analysis gives way, and then continues before the other.
    let mut depths = Vec::new();
    let mut has_waited = false;
    loop {
        let (kind, data) = next_event(&mut first);
        if kind == "waiting" {
            has_waited = true;
        } else {
            assert_eq!(kind, "iteration");
            depths.push((data["depth"].as_u64(), data["complete"].as_bool()));
            if has_waited {
                break;
            }
        }
    }
    assert!(depths.is_sorted_by(|one, two| one < two), "{depths:?}");
    server.end();
}
