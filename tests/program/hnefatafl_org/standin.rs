//! A server for one client, and the opponent on it. Every game is bounded by the plies that the test
//! asks for, and nothing is waited for longer than a minute.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taflbase::history::Game;
use taflbase::moves::{Move, find_move, legal_moves};
use taflbase::protocol::htp::ruleset;
use taflbase::rules::Side;

use crate::place::{Place, Run};

const PATIENCE: Duration = Duration::from_secs(60);

/// What the real server sends after a login, for people.
const NEWS: [&str; 4] = [
    "= initialize_display ([],({}),false,false)",
    "= texts [(username:\"ann\",timestamp:\"2026-01-01T00:00:00Z\",content:\"game 7 play\")]",
    "= tournament_status_0 {\"players\":[]}",
    "version 6.4.1",
];

/// A listening server.
pub(crate) struct Server(TcpListener);

/// The server's end of a connection.
pub(crate) struct Standin {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

/// A client that plays as `hnefi`.
pub(crate) struct Client {
    child: Child,
    /// The folder with its password, which is deleted after it has ended.
    _place: Place,
}

impl Server {
    pub(crate) fn new() -> Server {
        Server(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// Starts a client.
    pub(crate) fn client(&self, arguments: &[&str]) -> Client {
        let place = Place::new();
        std::fs::write(place.path("secret"), "pass word\nnot this\n").unwrap();
        let port = self.0.local_addr().unwrap().port().to_string();
        let mut command = place.command(&["hnefatafl-org"]);
        command.args(arguments).args(["--host", "127.0.0.1", "--port", &port, "--name", "hnefi"]);
        command.args(["--password-file", "secret", "--retry", "20"]);
        command.args(["--threads", "1", "--hash", "1", "--nodes", "300"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Client { child: command.spawn().unwrap(), _place: place }
    }

    /// Accepts a connection, if it comes soon.
    pub(crate) fn accept(&self) -> Standin {
        self.0.set_nonblocking(true).unwrap();
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok((stream, _)) = self.0.accept() {
                stream.set_nonblocking(false).unwrap();
                stream.set_nodelay(true).unwrap();
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                let reader = BufReader::new(stream.try_clone().unwrap());
                return Standin { stream, reader };
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("nobody has come");
    }

    /// Accepts a client and lets it log in.
    pub(crate) fn logged_in(&self) -> Standin {
        let mut standin = self.accept();
        assert_eq!(standin.hear(), "32d9a140 login hnefi pass word");
        standin.welcome();
        standin
    }
}

impl Client {
    pub(crate) fn end(self) -> Run {
        Run::ended(self.child.wait_with_output().unwrap())
    }

    /// Checks that the client ends with an error, whose one line contains this word.
    #[track_caller]
    pub(crate) fn fails(self, word: &str) -> Run {
        let run = self.end();
        assert_eq!((run.status, &*run.out), (2, ""), "{}", run.err);
        let last = run.err.lines().last().unwrap();
        assert!(last.starts_with("taflbase: ") && last.contains(word), "{word}: {}", run.err);
        run
    }
}

impl Standin {
    pub(crate) fn say(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Sends bytes without the end of a line.
    pub(crate) fn say_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    #[track_caller]
    pub(crate) fn hear(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.reader.read_line(&mut line).unwrap(), 0, "the client has gone");
        line.trim_end_matches('\n').to_owned()
    }

    pub(crate) fn welcome(&mut self) {
        self.say("= login");
        NEWS.iter().for_each(|line| self.say(line));
    }

    /// Takes up the client's proposal of a game, or its challenge, and starts the game.
    pub(crate) fn begin(&mut self, side: Side, time: &str, size: usize) -> Game {
        let line = self.hear();
        if line.starts_with("new_game {") {
            self.say("= new_game 7");
            self.say("= challenge_requested 7");
            assert_eq!(self.hear(), "join_game 7");
        } else {
            assert_eq!(line, "join_game_pending 7");
            self.say("= join_game_pending 7");
        }
        let [attackers, defenders] = match side {
            Side::Attackers => ["hnefi", "ann"],
            Side::Defenders => ["ann", "hnefi"],
        };
        self.say(&format!("= join_game {attackers} {defenders} unrated {time} {size}"));
        Game::new(Arc::new(ruleset(size).unwrap())).unwrap()
    }

    /// Plays this many plies, with the client on this side.
    pub(crate) fn play(&mut self, game: &mut Game, side: Side, plies: usize) {
        for _ in 0..plies {
            if game.position().to_move == side {
                self.say(&format!("game 7 generate_move {}", role(side)));
                self.take_move(game, side);
            } else {
                let played = self.opponents_move(game);
                self.forward(game, side, &played);
            }
        }
    }

    /// Receives the client's move.
    #[track_caller]
    pub(crate) fn take_move(&mut self, game: &mut Game, side: Side) -> Move {
        let line = self.hear();
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..4], ["game", "7", "play", role(side)], "{line}");
        let [from, to] = [words[4], words[5]].map(|name| game.rules().board.parse(name).unwrap());
        let played = find_move(game.rules(), game.position(), from, to).expect(&line);
        game.play(&played).unwrap();
        self.say("= game_time {\"id\":7,\"attacker_ms_left\":9000,\"defender_ms_left\":9000}");
        self.say("= game");
        played
    }

    /// Chooses a move for the opponent that captures nothing.
    pub(crate) fn opponents_move(&self, game: &Game) -> Move {
        let moves = legal_moves(game.rules(), game.position());
        let quiet = moves.iter().filter(|played| played.captured.is_empty());
        let number = game.moves().len() * 7;
        let mut quiet = quiet.filter(|played| played.ending.is_none() && !game.is_barred(played));
        *quiet.nth(number % 11).unwrap()
    }

    /// Plays the opponent's move and sends it.
    pub(crate) fn forward(&mut self, game: &mut Game, side: Side, played: &Move) {
        let board = game.rules().board;
        let [from, to] = [played.from, played.to].map(|square| board.name(square).to_string());
        self.say(&format!("game 7 play {} {from} {to}", role(side.other())));
        game.play(played).unwrap();
    }

    /// Answers a request for the game so far, as the server that has only seen these moves.
    pub(crate) fn answer_resume(&mut self, game: &Game, side: Side) {
        assert_eq!(self.hear(), "resume_game_json 7");
        let board = game.rules().board;
        let moves: Vec<String> = game
            .moves()
            .iter()
            .map(|played| {
                let [from, to] = [played.from, played.to].map(|square| board.name(square));
                let captured =
                    played.captured.iter().map(|square| format!("x{}", board.name(square)));
                format!("{from}-{to}{}", captured.collect::<String>())
            })
            .collect();
        let [attackers, defenders] = match side {
            Side::Attackers => ["hnefi", "ann"],
            Side::Defenders => ["ann", "hnefi"],
        };
        let json = serde_json::json!({
            "id": 7, "attackers": attackers, "defenders": defenders, "dim": board.size(),
            "start": "", "time_control": null, "time_remaining_ms": null,
            "moves": moves.join(" "), "rated": false, "messages": [],
        });
        self.say(&format!("= resume_game_json {json}"));
        assert_eq!(self.hear(), "ping");
        self.say("= ping");
    }
}

pub(crate) fn role(side: Side) -> &'static str {
    match side {
        Side::Attackers => "attacker",
        Side::Defenders => "defender",
    }
}
