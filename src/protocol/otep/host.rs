use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Clock, Player, PlayerError, Stopper};
use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;
use crate::game::notation::parse_move;
use crate::game::rules::{Ruleset, Side};
use crate::protocol::child_engine::{ChildEngine, move_timeout};
use crate::protocol::process::{Link, ProcessError};
use crate::protocol::shown_layout::shown_layout;

use super::clock::ClockLine;
use super::notation::simple_move;

/// Time limit for the program's `hello`. The protocol allows 5 s; a busy machine may need more.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// A player that runs an OTEP engine as a child process.
///
/// A program that has failed is restarted for the next game. When the player is dropped, the
/// program gets `goodbye`, and is killed if it does not exit.
pub struct ExternalPlayer {
    engine: ChildEngine,
    /// The game as far as the program knows it.
    sent_game: Option<Game>,
    /// Whether `side` has been sent.
    has_side: bool,
    /// Whether it wants moves in full notation, with captures.
    full_moves: bool,
}

/// A reply to `play`.
enum Reply {
    Move(String),
    Failure(String),
}

impl Reply {
    fn parse(line: &str) -> Option<Reply> {
        match line.split_once(' ')? {
            ("move", played) => Some(Reply::Move(played.trim().to_owned())),
            ("error", error) => {
                error.strip_prefix("-1").map(|reason| Reply::Failure(reason.trim().to_owned()))
            }
            _ => None,
        }
    }
}

impl ExternalPlayer {
    /// Starts a program; the command line is split as by a shell.
    ///
    /// # Errors
    /// If OpenTafl's notation cannot express the rules, or the program does not start or does not
    /// send `hello`.
    pub fn start(command: &str, rules: Arc<Ruleset>) -> Result<ExternalPlayer, PlayerError> {
        ExternalPlayer::start_with(command, rules, &Stopper::default())
    }

    /// As [`start`](ExternalPlayer::start), with a handle that interrupts the start, too.
    ///
    /// # Errors
    /// As [`start`](ExternalPlayer::start), and if it is stopped.
    pub fn start_with(
        command: &str,
        rules: Arc<Ruleset>,
        stopper: &Stopper,
    ) -> Result<ExternalPlayer, PlayerError> {
        let mut player = ExternalPlayer {
            engine: ChildEngine::new(command, Link::Pipes, "goodbye", stopper.clone()),
            sent_game: None,
            has_side: false,
            full_moves: false,
        };
        let game = Game::new(rules).map_err(|error| player.engine.error(error))?;
        player.begin(&game)?;
        player.sent_game = None;
        Ok(player)
    }

    /// Returns a handle that interrupts the wait for a move from another thread. The program is
    /// then killed, and the player fails.
    pub fn stopper(&self) -> Stopper {
        self.engine.stopper()
    }

    /// Starts the program and waits for `hello`. As in OpenTafl, `rules` is sent first.
    fn launch(&mut self, rules: &str) -> Result<(), PlayerError> {
        self.engine.start()?;
        self.full_moves = false;
        self.engine.send(rules)?;
        self.await_reply(HELLO_TIMEOUT, |line| (line == "hello").then_some(()))
            .or_else(|error| self.engine.fail(format!("{error} (waiting for hello)")))
    }

    /// Waits for a line that `parse` accepts. Other lines are ignored, except the choice of a move
    /// notation.
    fn await_reply<T>(
        &mut self,
        time_limit: Duration,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ProcessError> {
        let mut full_moves = self.full_moves;
        let reply = self.engine.await_reply(time_limit, |line| {
            match line {
                "simple-moves off" => full_moves = true,
                "simple-moves on" => full_moves = false,
                _ => {}
            }
            parse(line)
        });
        self.full_moves = full_moves;
        reply
    }

    /// Sends the position: the opponent's move if the program knows the game so far, else the game
    /// from this position.
    fn send_position(&mut self, game: &Game) -> Result<(), PlayerError> {
        let known =
            self.sent_game.as_ref().filter(|known| known.positions()[0] == game.positions()[0]);
        match known.and_then(|known| game.moves().strip_prefix(known.moves())) {
            Some([]) => Ok(()),
            Some([played]) => {
                let board = game.rules().board;
                let after = shown_layout(game).to_text(board);
                let text = match self.full_moves {
                    true => played.display(board).to_string(),
                    false => simple_move(played, board),
                };
                let line = format!("opponent-move {text} {after}");
                self.sent_game = Some(game.clone());
                self.engine.send(&line)
            }
            Some(_) | None => {
                let line = rules_line(game).map_err(|reason| self.engine.error(reason))?;
                self.sent_game = Some(game.clone());
                self.engine.send(&line)
            }
        }
    }

    /// Requests a move.
    fn request_move(&mut self, side: Side, clock: Clock) -> Result<String, PlayerError> {
        if !self.has_side {
            self.engine.send(&format!("side {}", side.name()))?;
            self.has_side = true;
        }
        if let Some(line) = ClockLine::of(clock) {
            self.engine.send(&format!("clock {line}"))?;
        }
        self.engine.send(&format!("play {}", side.name()))?;
        match self.await_reply(move_timeout(clock), Reply::parse) {
            Ok(Reply::Move(played)) => Ok(played),
            Ok(Reply::Failure(reason)) => self.engine.fail(format!("reports an error: {reason}")),
            Err(error) => self.engine.fail(error),
        }
    }
}

impl Player for ExternalPlayer {
    fn name(&self) -> String {
        self.engine.name()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        let rules = rules_line(game).map_err(|reason| self.engine.error(reason))?;
        self.sent_game = Some(game.clone());
        self.has_side = false;
        if self.engine.is_running() { self.engine.send(&rules) } else { self.launch(&rules) }
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        self.send_position(game)?;
        let text = self.request_move(game.position().to_move, clock)?;
        let played = match parse_move(game.rules(), game.position(), &text) {
            Ok(played) => played,
            Err(error) => {
                self.engine.send("error 2")?;
                return self.engine.fail(format!("plays {text}: {error}"));
            }
        };
        let mut after = game.clone();
        after.push(&played);
        let board = shown_layout(&after).to_text(game.rules().board);
        self.sent_game = Some(after);
        // The move counts even if the program has exited after it.
        let _ = self.engine.send(&format!("move {board}"));
        Ok(played)
    }

    fn end(&mut self, _game: &Game, outcome: Option<Outcome>) {
        let code = match outcome.map(|outcome| outcome.winner) {
            None => 0,
            Some(None) => 1,
            Some(Some(Side::Attackers)) => 2,
            Some(Some(Side::Defenders)) => 3,
        };
        self.sent_game = None;
        // A program that has exited is restarted for the next game.
        let _ = self.engine.send(&format!("finish {code}"));
    }
}

/// Returns the `rules` line of a game, with the current position as the start.
fn rules_line(game: &Game) -> Result<String, String> {
    let otn = game.rules().to_otn(game.position()).map_err(|error| error.to_string())?;
    Ok(format!("rules {otn}"))
}
