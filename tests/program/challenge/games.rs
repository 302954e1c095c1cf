//! Whole games of two clients.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use taflbase::engine::{Engine, EngineOptions};
use taflbase::protocol::challenge::message::Turn;
use taflbase::protocol::challenge::{
    ChallengeError, End, Event, PlayerConfig, connect, play, thinking_time,
};
use taflbase::rules::Side;

use super::server::{Pieces, Server};
use super::wire::rules;

/// Returns a client's result, and how many times it was surprised.
fn client(side: Side, port: u16) -> (Result<End, ChallengeError>, usize) {
    let rules = Arc::new(rules());
    let options = EngineOptions { table_bytes: 8 << 20, ..EngineOptions::new(&rules) };
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let time = Duration::from_millis(20);
    let config = PlayerConfig { name: format!("{side:?}"), side, time };
    let wait = Duration::from_secs(60);
    let mut stream = connect("127.0.0.1", port, wait, wait).unwrap();
    let mut surprises = 0;
    let end = play(&mut stream, &rules, &mut engine, &config, &mut |event| {
        surprises += usize::from(matches!(event, Event::Joined | Event::OutOfSync | Event::NoMove));
    });
    (end, surprises)
}

#[test]
fn two_clients_play_a_whole_game() {
    for pieces in [Pieces::Whole, Pieces::Bytes] {
        let server = Server::new(pieces);
        let ports = [(Side::Defenders, server.white), (Side::Attackers, server.black)];
        let clients = ports.map(|(side, port)| thread::spawn(move || client(side, port)));
        let ends = clients.map(|client| client.join().unwrap());
        let played = server.end();
        assert_eq!(played.names, ["Defenders", "Attackers"]);
        let winner = played.winner();
        for (end, surprises) in ends {
            assert_eq!(surprises, 0);
            let end = end.unwrap();
            assert_eq!(end.verdict, Turn::end(winner));
            assert_eq!(Some(end.verdict.to_string().as_str()), played.verdict);
            assert_eq!(end.game.unwrap().moves(), played.game.moves());
        }
    }
}

#[test]
fn some_of_the_time_is_kept_back() {
    let millis = |time| thinking_time(Duration::from_millis(time)).as_millis();
    assert_eq!([60_000, 4000, 2000, 1000].map(millis), [58_500, 2500, 500, 250]);
}
