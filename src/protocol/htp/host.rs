use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Clock, Player, PlayerError, Stopper};
use crate::game::board::Board;
use crate::game::history::{Game, Outcome};
use crate::game::moves::{Move, find_move};
use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::protocol::child_engine::{ChildEngine, move_timeout};
use crate::protocol::process::{Link, ProcessError};

use super::command::role;
use super::drawing;
use super::rulesets::check;

/// Time limit for an answer to anything but `generate_move`.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// A player that runs an HTP engine as a child process.
///
/// An engine with pipes answers every command. One that connects to a socket is driven as
/// hnefatafl.org's program is: it answers only `generate_move`, by a line that begins with `play`.
/// A program that has failed is restarted for the next game.
pub struct HtpPlayer {
    engine: ChildEngine,
    link: Link,
    /// The game as far as the program knows it.
    sent_game: Option<Game>,
}

/// The answer to a command: a response or an error.
type Answer = Result<String, String>;

impl HtpPlayer {
    /// Starts a program; the command line is split as by a shell.
    ///
    /// # Errors
    /// If the protocol does not have the rules, or the program does not start or does not answer.
    pub fn start(
        command: &str,
        link: Link,
        rules: &Arc<Ruleset>,
    ) -> Result<HtpPlayer, PlayerError> {
        let engine = ChildEngine::new(command, link, "quit", Stopper::default());
        let mut player = HtpPlayer { engine, link, sent_game: None };
        check(rules).map_err(|reason| player.engine.error(reason))?;
        player.launch()?;
        Ok(player)
    }

    /// Returns a handle that interrupts the wait for a move from another thread. The program is
    /// then killed, and the player fails.
    pub fn stopper(&self) -> Stopper {
        self.engine.stopper()
    }

    /// Starts the program, and makes sure that it speaks the protocol.
    fn launch(&mut self) -> Result<(), PlayerError> {
        self.engine.start()?;
        if self.link == Link::Pipes {
            self.command("protocol_version")?;
        }
        Ok(())
    }

    /// Sends a command and returns the response.
    fn command(&mut self, command: &str) -> Result<String, PlayerError> {
        match self.ask(command, ANSWER_TIMEOUT)? {
            Ok(response) => Ok(response),
            Err(error) => self.engine.fail(format!("answers {command} by an error: {error}")),
        }
    }

    fn ask(&mut self, command: &str, time_limit: Duration) -> Result<Answer, PlayerError> {
        self.engine.send(command)?;
        let answer = match (self.link, command) {
            (Link::Pipes, _) => self.engine.await_reply(time_limit, parse_answer),
            (Link::Socket(_), "generate_move") => self.engine.await_reply(time_limit, |line| {
                line.starts_with("play ").then(|| Ok(line.to_owned()))
            }),
            (Link::Socket(_), _) => return Ok(Ok(String::new())),
        };
        answer.or_else(|error: ProcessError| match command {
            "generate_move" => self.engine.fail(error),
            _ => self.engine.fail(format!("{error} (waiting for the answer to {command})")),
        })
    }

    /// Sends the moves that the program does not know yet, or else the whole game.
    fn send_position(&mut self, game: &Game, clock: Clock) -> Result<(), PlayerError> {
        let known_part = self.sent_game.take().filter(|known| {
            known.positions()[0] == game.positions()[0] && game.moves().starts_with(known.moves())
        });
        let sent = match known_part {
            Some(known) => known.moves().len(),
            None => {
                self.send_start(game, clock)?;
                0
            }
        };
        for played in &game.moves()[sent..] {
            let line = play_line(played, game.rules().board);
            if let Err(error) = self.ask(&line, ANSWER_TIMEOUT)? {
                let reason = format!("refuses {line}: {error}");
                return self.refused(reason);
            }
        }
        self.sent_game = Some(game.clone());
        Ok(())
    }

    /// Starts a game. The protocol has no command that sets up a position.
    fn send_start(&mut self, game: &Game, clock: Clock) -> Result<(), PlayerError> {
        let rules = game.rules();
        let start = Position::start(rules).map_err(|error| self.engine.error(error))?;
        if game.positions()[0] != start {
            return Err(self.engine.error("the protocol has no games from other positions"));
        }
        self.command(&format!("board_size {}", rules.board.size()))?;
        self.command(&time_settings(clock))?;
        Ok(())
    }

    /// Fails, with the result that the program gives the game if it holds that it is over.
    fn refused<T>(&mut self, reason: String) -> Result<T, PlayerError> {
        let status = self.ask("final_status", ANSWER_TIMEOUT)?.unwrap_or_default();
        match status.trim() {
            "" | "ongoing" => self.engine.fail(reason),
            status => self.engine.fail(format!("holds that the game is over: {status}")),
        }
    }
}

impl Player for HtpPlayer {
    fn name(&self) -> String {
        self.engine.name()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        check(game.rules()).map_err(|reason| self.engine.error(reason))?;
        self.sent_game = None;
        if self.engine.is_running() { Ok(()) } else { self.launch() }
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        self.send_position(game, clock)?;
        let text = match self.ask("generate_move", move_timeout(clock))? {
            Ok(text) => text,
            Err(error) => return self.refused(format!("reports an error: {error}")),
        };
        let played = match parse_play(game, &text) {
            Ok(Some(played)) => played,
            Ok(None) => return Err(PlayerError::resignation(self.name())),
            Err(reason) => return self.engine.fail(reason),
        };
        let mut after = game.clone();
        after.push(&played);
        self.sent_game = Some(after);
        Ok(played)
    }

    fn end(&mut self, _game: &Game, _outcome: Option<Outcome>) {
        self.sent_game = None;
        if self.link != Link::Pipes {
            // It ends with the game, if the game is over for it, too.
            self.engine.stop();
        }
    }
}

/// Parses an answer; `None` for other lines.
fn parse_answer(line: &str) -> Option<Answer> {
    let response = line.strip_prefix('=').map(|rest| Ok(rest.trim().to_owned()));
    response.or_else(|| line.strip_prefix('?').map(|rest| Err(rest.trim().to_owned())))
}

/// Parses an answer to `generate_move`: `play attacker d1 d3, score: …`; `None` if the program
/// resigns.
fn parse_play(game: &Game, text: &str) -> Result<Option<Move>, String> {
    let (rules, position) = (game.rules(), game.position());
    let play = text.split(',').next().unwrap_or_default();
    let words: Vec<&str> = play.split_whitespace().collect();
    let side = role(position.to_move);
    let [from, to] = match words[..] {
        ["play", name, "resigns", ..] if name == side => return Ok(None),
        ["play", name, from, to] if name == side => [from, to],
        _ => return Err(format!("answers generate_move for the {side} by {:?}", play.trim())),
    };
    let square = |name: &str| rules.board.parse(&name.to_ascii_lowercase());
    let found = square(from).zip(square(to));
    let legal = found.and_then(|(from, to)| find_move(rules, position, from, to));
    let played = legal.ok_or_else(|| format!("plays {from}-{to}, which is not a legal move"))?;
    game.check_repetition(&played).map_err(|error| format!("plays {error}"))?;
    Ok(Some(played))
}

fn play_line(played: &Move, board: Board) -> String {
    let [from, to] = [played.from, played.to].map(|square| drawing::square(board, square));
    format!("play {} {from} {to}", role(played.piece.side()))
}

/// Returns the command that sets the clocks. The protocol has whole minutes and seconds, and no time
/// for a move.
fn time_settings(clock: Clock) -> String {
    match clock {
        Clock::Game { left, increment }
            if left.as_millis() % 60_000 == 0 && increment.as_millis() % 1000 == 0 =>
        {
            format!("time_settings fischer {} {}", left.as_secs() / 60, increment.as_secs())
        }
        _ => "time_settings un-timed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_sent_if_the_protocol_has_them() {
        let game = |left: u64, increment: u64| {
            let [left, increment] = [left, increment].map(Duration::from_millis);
            time_settings(Clock::Game { left, increment })
        };
        assert_eq!(game(300_000, 2000), "time_settings fischer 5 2");
        assert_eq!(game(0, 0), "time_settings fischer 0 0");
        let none = "time_settings un-timed";
        assert_eq!([game(30_000, 0), game(60_000, 500)], [none; 2]);
        assert_eq!(time_settings(Clock::PerMove(Duration::from_secs(60))), none);
    }

    #[test]
    fn answers_begin_with_a_sign() {
        assert_eq!(parse_answer("= b4 "), Some(Ok("b4".to_owned())));
        assert_eq!(parse_answer("="), Some(Ok(String::new())));
        assert_eq!(parse_answer("? no"), Some(Err("no".to_owned())));
        assert_eq!(parse_answer("2 turn: attacker play: x"), None);
    }
}
