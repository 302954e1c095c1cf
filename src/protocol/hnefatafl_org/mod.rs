//! A client for the server of hnefatafl.org, as of hnefatafl-copenhagen 6.4.1.
//!
//! [`Client::play`] logs in, finds an opponent and plays one game. A lost connection is made again,
//! and the game is resumed from the server's record. The server's verdict counts.

mod connection;
mod error;
mod message;
mod table;

use std::fmt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::engine::Iteration;
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::{BySide, Side};
use crate::protocol::SessionOptions;
use crate::protocol::htp::{SIZES, role, ruleset};

use connection::Connection;
use message::{Beginning, Message, Play, login, new_game};
use table::Table;

pub use super::htp::TimeSettings;
pub use error::ServerError;
pub use message::GameId;

/// The port of the server.
pub const PORT: u16 = 49152;
/// How long to wait for the answer to a command.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Pauses between logins. The server lets nobody try again at once, and may take some time to notice
/// that a connection is lost.
const LOGIN_PAUSES: [u64; 5] = [1500, 2500, 4500, 8500, 16_500];
/// The number of lost connections that are made again, unless the server takes a move between them.
const MAX_LOSSES: usize = 5;

/// How to find a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Propose one and accept the first challenge.
    Propose {
        /// The size of the board: 7, 11 or 13.
        board_size: usize,
        /// The clocks; `None` for a game without.
        time: Option<TimeSettings>,
        /// Whether the game counts for the ratings.
        is_rated: bool,
    },
    /// Challenge the player who has proposed this game.
    Join(GameId),
    /// Play on in this game.
    Resume(GameId),
}

/// The server, our account, and the game to play.
#[derive(Clone)]
pub struct Config {
    /// The server's host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How long to try to connect, at the start and after a loss of the connection.
    pub retry: Duration,
    /// The name of the account.
    pub name: String,
    /// Its password.
    pub password: String,
    /// Whether to create the account.
    pub create_account: bool,
    /// The side that we play.
    pub side: Side,
    /// The game.
    pub entry: Entry,
    /// How long to wait for an opponent.
    pub patience: Duration,
}

impl fmt::Debug for Config {
    /// Leaves out the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { host, port, name, side, entry, .. } = self;
        f.debug_struct("Config")
            .field("host", host)
            .field("port", port)
            .field("name", name)
            .field("side", side)
            .field("entry", entry)
            .finish_non_exhaustive()
    }
}

/// A report of what happens.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// We are logged in.
    LoggedIn,
    /// The game waits for an opponent.
    Waiting(GameId),
    /// The game has begun or is resumed: its number, and the players.
    Began(GameId, &'a BySide<String>),
    /// The opponent has played a move.
    OpponentMoved(&'a Game, &'a Move),
    /// We have played a move, with the search result unless the move was forced.
    Moved(&'a Game, &'a Move, Option<&'a Iteration>),
    /// The server has rejected our move, for this reason.
    Rejected(&'a Move, &'a str),
    /// The opponent has offered a draw, which we accept or leave open.
    DrawOffered {
        /// Whether we accept it.
        accepted: bool,
    },
    /// The connection is lost, for this reason.
    Lost(&'a str),
}

/// The end of a game.
#[derive(Clone, Debug)]
pub struct End {
    /// The winner by the server's verdict; `None` for a draw.
    pub winner: Option<Side>,
    /// The number of the game.
    pub id: GameId,
    /// The game as far as we followed it.
    pub game: Game,
}

/// A player on the server.
pub struct Client<'a> {
    config: &'a Config,
    options: &'a SessionOptions,
    report: &'a mut dyn FnMut(Event<'_>),
    /// The game, once it has begun.
    table: Option<Table>,
    /// The number of lost connections since the server last took a move.
    losses: usize,
    /// The number of moves that the server is known to have taken.
    taken: usize,
}

impl<'a> Client<'a> {
    /// Prepares a game; `options` are those of the engine. Events are reported to `report`.
    pub fn new(
        config: &'a Config,
        options: &'a SessionOptions,
        report: &'a mut dyn FnMut(Event<'_>),
    ) -> Client<'a> {
        Client { config, options, report, table: None, losses: 0, taken: 0 }
    }

    /// Plays the game to its end.
    ///
    /// # Errors
    /// If a table or proof cannot be opened; if the server cannot be reached, refuses the login or the
    /// game, or sends an invalid message; or if the connection is lost before the game or again and
    /// again.
    pub fn play(mut self) -> Result<End, ServerError> {
        self.check_files().map_err(ServerError::Engine)?;
        loop {
            match self.play_connected() {
                Err(ServerError::Lost(reason))
                    if self.table.is_some() && self.losses < MAX_LOSSES =>
                {
                    self.losses += 1;
                    (self.report)(Event::Lost(&reason));
                }
                result => return result,
            }
        }
    }

    /// Opens the tables and proofs before there is an opponent to wait for them. The board of a game
    /// that somebody else has proposed may have any size.
    fn check_files(&self) -> Result<(), String> {
        let sizes = match self.config.entry {
            Entry::Propose { board_size, .. } => vec![board_size],
            Entry::Join(_) | Entry::Resume(_) => SIZES.to_vec(),
        };
        sizes.into_iter().try_for_each(|size| self.options.check_files(&ruleset(size)?))
    }

    /// Connects, and plays until the end of the game or of the connection.
    fn play_connected(&mut self) -> Result<End, ServerError> {
        let Config { host, port, retry, .. } = self.config;
        let stream = super::connection::connect(host, *port, *retry).map_err(|error| {
            let address = format!("{host}:{port}");
            ServerError::Connect { address, error }
        })?;
        let mut connection = Connection::new(stream)?;
        self.log_in(&mut connection)?;
        match (&self.table, self.config.entry) {
            (Some(table), _) => {
                let id = table.id;
                self.resume(&mut connection, id)?;
            }
            (None, Entry::Resume(id)) => self.resume(&mut connection, id)?,
            (None, Entry::Join(id)) => self.join(&mut connection, id)?,
            (None, Entry::Propose { board_size, time, is_rated }) => {
                let line = new_game(self.config.side, is_rated, time, board_size);
                self.propose(&mut connection, &line)?;
            }
        }
        self.follow(&mut connection)
    }

    /// Logs in. After a lost connection, the server may still take us for logged in.
    fn log_in(&mut self, connection: &mut Connection) -> Result<(), ServerError> {
        let Config { name, password, create_account, .. } = self.config;
        let create = *create_account && self.table.is_none();
        let mut pauses = LOGIN_PAUSES.into_iter();
        loop {
            connection.send(&login(create, name, password))?;
            let refusal = await_reply(connection, |message| {
                Ok(match message {
                    Message::LoggedIn => Some(None),
                    Message::Refused { reason, .. } => Some(Some(reason)),
                    _ => None,
                })
            })?;
            let Some(refused) = refusal else {
                (self.report)(Event::LoggedIn);
                return Ok(());
            };
            if refused == "wrong_version" {
                return Err(ServerError::OtherVersion);
            }
            // Some reasons follow a general word, others precede one.
            let reason = refused
                .trim_start_matches("multiple_possible_errors")
                .trim_start_matches("_ ")
                .trim_end_matches("unknown error")
                .trim();
            let is_temporary =
                reason == "logged_in_already" || reason.starts_with("retried_too_soon");
            match pauses.next().filter(|_| is_temporary && self.table.is_some()) {
                Some(pause) => sleep(Duration::from_millis(pause)),
                None => return Err(ServerError::Login(reason.to_owned())),
            }
        }
    }

    /// Proposes a game, waits for a challenge and accepts it.
    fn propose(&mut self, connection: &mut Connection, line: &str) -> Result<(), ServerError> {
        connection.send(line)?;
        let id = await_reply(connection, |message| match message {
            Message::Proposed(id) => Ok(Some(id)),
            other => check_refusal(&other, "new_game").map(|()| None),
        })?;
        (self.report)(Event::Waiting(id));
        self.await_beginning(connection, id)
    }

    /// Challenges the player who has proposed a game.
    fn join(&mut self, connection: &mut Connection, id: GameId) -> Result<(), ServerError> {
        connection.send(&format!("join_game_pending {id}"))?;
        await_reply(connection, |message| match message {
            Message::Pending(_) => Ok(Some(())),
            other => check_refusal(&other, "join_game_pending").map(|()| None),
        })?;
        self.await_beginning(connection, id)
    }

    /// Waits for the beginning of a game, and accepts a challenge to it.
    fn await_beginning(
        &mut self,
        connection: &mut Connection,
        id: GameId,
    ) -> Result<(), ServerError> {
        let began = Instant::now();
        loop {
            let left = self.config.patience.saturating_sub(began.elapsed());
            match connection.receive(left)? {
                Some(Message::Challenged(challenged)) if challenged == id => {
                    connection.send(&format!("join_game {id}"))?;
                }
                Some(Message::Began(beginning)) => return self.sit_down(id, &beginning),
                Some(message) => check_refusal(&message, "join_game")?,
                None if began.elapsed() >= self.config.patience => {
                    return Err(ServerError::NoOpponent(self.config.patience));
                }
                None => {}
            }
        }
    }

    fn sit_down(&mut self, id: GameId, beginning: &Beginning) -> Result<(), ServerError> {
        self.check_side(&beginning.players)?;
        let table = Table::begin(id, self.config.side, beginning, self.options)?;
        self.table = Some(table);
        (self.report)(Event::Began(id, &beginning.players));
        Ok(())
    }

    fn check_side(&self, players: &BySide<String>) -> Result<(), ServerError> {
        match players[self.config.side] == self.config.name {
            true => Ok(()),
            false => Err(ServerError::OtherSide),
        }
    }

    /// Plays on in a game. The server does not answer if there is no such game, so that it is asked
    /// for something else, too.
    fn resume(&mut self, connection: &mut Connection, id: GameId) -> Result<(), ServerError> {
        connection.send(&format!("resume_game_json {id}"))?;
        connection.send("ping")?;
        let resumed = await_reply(connection, |message| match message {
            Message::Resumed(resumed) if resumed.id == id => Ok(Some(resumed)),
            Message::Pong => Err(ServerError::UnknownGame),
            other => check_refusal(&other, "resume_game_json").map(|()| None),
        })?;
        let players = resumed.players();
        self.check_side(&players)?;
        match &mut self.table {
            Some(table) => table.catch_up(&resumed)?,
            None => self.table = Some(Table::resume(self.config.side, &resumed, self.options)?),
        }
        self.note_progress();
        (self.report)(Event::Began(id, &players));
        self.move_now(connection)
    }

    /// Plays the game from message to message.
    fn follow(&mut self, connection: &mut Connection) -> Result<End, ServerError> {
        loop {
            let Some(message) = connection.receive(ANSWER_TIMEOUT)? else {
                continue;
            };
            if let Some(winner) = self.handle(connection, message)? {
                let table = self.table.take().ok_or(ServerError::UnknownGame)?;
                return Ok(End { winner, id: table.id, game: table.game });
            }
        }
    }

    /// Handles a message in the game; returns the result if it ends the game.
    fn handle(
        &mut self,
        connection: &mut Connection,
        message: Message,
    ) -> Result<Option<Option<Side>>, ServerError> {
        let Some(table) = &mut self.table else {
            return Ok(None);
        };
        match message {
            Message::YourTurn(id, side) if id == table.id && side == self.config.side => {
                self.move_now(connection)?;
            }
            Message::Played(id, side, play) if id == table.id && side != self.config.side => {
                if play != Play::Resigns && table.is_our_turn() {
                    let reason = "it plays twice in a row for the opponent".to_owned();
                    return Err(ServerError::InvalidMessage(reason));
                }
                if let Some(played) = table.opponent_played(&play)? {
                    (self.report)(Event::OpponentMoved(&table.game, &played));
                    self.note_progress();
                }
            }
            Message::Time(time) if time.id == table.id => table.set_time(time.left()),
            Message::DrawOffered(id) if id == table.id => {
                let accepted = table.wants_draw();
                (self.report)(Event::DrawOffered { accepted });
                // To decline it would end the game on the server. An offer lapses with the next move.
                if accepted {
                    connection.send(&format!("draw {id} accept"))?;
                }
            }
            Message::DrawAnswered(true) => return Ok(Some(None)),
            Message::GameOver(id, winner) if id == table.id => return Ok(Some(Some(winner))),
            Message::Refused { command, reason } if command == "game" => {
                if reason == "unknown error" {
                    return Err(ServerError::UnknownGame);
                }
                if let Some(rejected) = table.was_rejected() {
                    (self.report)(Event::Rejected(&rejected, &reason));
                    self.move_now(connection)?;
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Searches for a move and sends it, if it is our turn.
    fn move_now(&mut self, connection: &mut Connection) -> Result<(), ServerError> {
        let Some(table) = self.table.as_mut().filter(|table| table.is_our_turn()) else {
            return Ok(());
        };
        let Some(choice) = table.choose() else {
            return Ok(());
        };
        let board = table.game.rules().board;
        let [from, to] =
            [choice.played.from, choice.played.to].map(|square| board.name(square).to_string());
        let side = role(self.config.side);
        let sent = connection.send(&format!("game {} play {side} {from} {to}", table.id));
        (self.report)(Event::Moved(&table.game, &choice.played, choice.found.as_ref()));
        sent
    }

    /// Notes that the server knows all moves so far. If there are more than before, the losses are
    /// counted anew. That a move of ours was sent is no such sign.
    fn note_progress(&mut self) {
        let moves = self.table.as_ref().map_or(0, |table| table.game.moves().len());
        if moves > self.taken {
            (self.taken, self.losses) = (moves, 0);
        }
    }
}

/// Waits for a message that `accept` takes; it returns `None` for others, which are ignored.
fn await_reply<T>(
    connection: &mut Connection,
    mut accept: impl FnMut(Message) -> Result<Option<T>, ServerError>,
) -> Result<T, ServerError> {
    let began = Instant::now();
    loop {
        let left = ANSWER_TIMEOUT.saturating_sub(began.elapsed());
        let Some(message) = connection.receive(left)? else {
            return Err(ServerError::Lost("the server does not answer".to_owned()));
        };
        if let Some(reply) = accept(message)? {
            return Ok(reply);
        }
    }
}

/// Returns the error of a message that refuses this command.
fn check_refusal(message: &Message, awaited: &str) -> Result<(), ServerError> {
    match message {
        Message::Refused { command, reason } if command == awaited => {
            let (command, reason) = (command.clone(), reason.clone());
            Err(ServerError::Refused { command, reason })
        }
        _ => Ok(()),
    }
}
