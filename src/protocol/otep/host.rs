use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::engine::{Clock, Player, PlayerError, Stopper};
use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;
use crate::game::notation::parse_move;
use crate::game::rules::{Ruleset, Side};

use super::clock::ClockLine;
use super::peer::{Peer, PeerError};
use super::{layout, simple};

/// How long a program may take to start. The protocol has 5 seconds; a machine may be
/// busy.
const HELLO: Duration = Duration::from_secs(10);
/// How much later than its clock allows a move may come, for the way.
const GRACE: Duration = Duration::from_secs(2);
/// How long a move may take where no clock is told.
const NO_CLOCK: Duration = Duration::from_secs(600);

/// A program that plays as OpenTafl's engines do.
///
/// It plays game after game. A program that has failed is started anew for the next one.
/// When this is dropped, it is told goodbye, and ended if it does not go.
pub struct ExternalPlayer {
    command: String,
    /// The program, or why there is none any more.
    peer: Result<Peer, String>,
    /// The game as the program knows it, if it plays one.
    known: Option<Game>,
    /// Whether it has been told its side.
    has_side: bool,
    /// Whether it wants moves in full, with captures and signs.
    full_moves: bool,
    /// Whether nobody waits for its answer any more.
    stopped: Arc<AtomicBool>,
}

/// What a program says in its turn.
enum Answer {
    Move(String),
    GivesUp(String),
}

impl ExternalPlayer {
    /// Starts a program; the words of its command line are those of a shell.
    ///
    /// # Errors
    /// If OpenTafl's notation has no words for the rules, or the program does not start
    /// or does not say hello.
    pub fn start(command: &str, rules: Arc<Ruleset>) -> Result<ExternalPlayer, PlayerError> {
        let command = command.to_owned();
        let mut player = ExternalPlayer {
            command,
            peer: Err("is not running".to_owned()),
            known: None,
            has_side: false,
            full_moves: false,
            stopped: Arc::default(),
        };
        let game = Game::new(rules).map_err(|error| player.error(error))?;
        player.begin(&game)?;
        player.known = None;
        Ok(player)
    }

    /// What can end the waiting for its move from another thread. The program is ended
    /// then, and the player fails.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stopped))
    }

    fn error(&self, reason: impl ToString) -> PlayerError {
        PlayerError { player: self.name(), reason: reason.to_string() }
    }

    /// What comes of the program's failure: it is ended.
    fn fail<T>(&mut self, reason: impl ToString) -> Result<T, PlayerError> {
        let error = self.error(reason);
        self.peer = Err(error.reason.clone());
        self.known = None;
        Err(error)
    }

    fn peer(&mut self) -> Result<&mut Peer, PeerError> {
        self.peer.as_mut().map_err(|reason| PeerError::Failed(reason.clone()))
    }

    fn say(&mut self, line: &str) -> Result<(), PlayerError> {
        self.peer().and_then(|peer| peer.say(line)).or_else(|error| self.fail(error))
    }

    /// Starts the program and waits for its hello. OpenTafl tells the rules before.
    fn launch(&mut self, record: &str) -> Result<(), PlayerError> {
        self.peer = Ok(Peer::start(&self.command).or_else(|error| self.fail(error))?);
        self.full_moves = false;
        self.say(record)?;
        let hello = |line: &str| (line == "hello").then_some(());
        self.answer(HELLO, hello)
            .or_else(|error| self.fail(format!("{error} (waiting for its hello)")))
    }

    /// The program's answer. What else it says is passed over, but for how it wants its
    /// moves.
    fn answer<T>(
        &mut self,
        within: Duration,
        answer: impl Fn(&str) -> Option<T>,
    ) -> Result<T, PeerError> {
        let mut full_moves = self.full_moves;
        let stopped = Arc::clone(&self.stopped);
        let answer = self.peer()?.answer(within, &stopped, |line| {
            match line {
                "simple-moves off" => full_moves = true,
                "simple-moves on" => full_moves = false,
                _ => {}
            }
            answer(line)
        });
        self.full_moves = full_moves;
        answer
    }

    /// Tells the moves that the program has not seen: that of its opponent, or a whole
    /// new game.
    fn catch_up(&mut self, game: &Game) -> Result<(), PlayerError> {
        let known = self.known.as_ref().filter(|known| known.positions()[0] == game.positions()[0]);
        match known.and_then(|known| game.moves().strip_prefix(known.moves())) {
            Some([]) => Ok(()),
            Some([played]) => {
                let board = game.rules().board;
                let after = layout(game).to_text(board);
                let played = match self.full_moves {
                    true => played.display(board).to_string(),
                    false => simple(played, board),
                };
                let line = format!("opponent-move {played} {after}");
                self.known = Some(game.clone());
                self.say(&line)
            }
            Some(_) | None => {
                let line = record(game).map_err(|reason| self.error(reason))?;
                self.known = Some(game.clone());
                self.say(&line)
            }
        }
    }

    /// Asks for a move.
    fn ask(&mut self, side: Side, clock: Clock) -> Result<String, PlayerError> {
        if !self.has_side {
            self.say(&format!("side {}", side.name()))?;
            self.has_side = true;
        }
        let line = ClockLine::of(clock);
        if let Some(line) = line {
            self.say(&format!("clock {line}"))?;
        }
        self.say(&format!("play {}", side.name()))?;
        let within = match clock {
            Clock::PerMove(time) | Clock::Game { left: time, .. } => time.saturating_add(GRACE),
            Clock::Nodes(_) | Clock::Depth(_) => NO_CLOCK,
        };
        let answer = |line: &str| match line.split_once(' ') {
            Some(("move", played)) => Some(Answer::Move(played.trim().to_owned())),
            Some(("error", error)) => {
                error.strip_prefix("-1").map(|why| Answer::GivesUp(why.trim().to_owned()))
            }
            _ => None,
        };
        match self.answer(within, answer) {
            Ok(Answer::Move(played)) => Ok(played),
            Ok(Answer::GivesUp(why)) => self.fail(format!("gives up: {why}")),
            Err(error) => self.fail(error),
        }
    }
}

impl Player for ExternalPlayer {
    fn name(&self) -> String {
        let words = shlex::split(&self.command).unwrap_or_default();
        let program = words.first().unwrap_or(&self.command);
        program.rsplit(['/', '\\']).next().unwrap_or(program).to_owned()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        let record = record(game).map_err(|reason| self.error(reason))?;
        self.known = Some(game.clone());
        self.has_side = false;
        if self.peer.is_ok() { self.say(&record) } else { self.launch(&record) }
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        self.catch_up(game)?;
        let text = self.ask(game.position().to_move, clock)?;
        let played = match parse_move(game.rules(), game.position(), &text) {
            Ok(played) => played,
            Err(error) => {
                self.say("error 2")?;
                return self.fail(format!("plays {text}: {error}"));
            }
        };
        let mut after = game.clone();
        after.push(&played);
        let board = layout(&after).to_text(game.rules().board);
        self.known = Some(after);
        // The move counts, even if the program has ended with it.
        let _ = self.say(&format!("move {board}"));
        Ok(played)
    }

    fn end(&mut self, _game: &Game, outcome: Option<Outcome>) {
        let code = match outcome.map(|outcome| outcome.winner) {
            None => 0,
            Some(None) => 1,
            Some(Some(Side::Attackers)) => 2,
            Some(Some(Side::Defenders)) => 3,
        };
        self.known = None;
        // A program that is gone is started anew for the next game.
        let _ = self.say(&format!("finish {code}"));
    }
}

/// The game's rules, with the position on its board as their start.
fn record(game: &Game) -> Result<String, String> {
    let record = game.rules().to_otn(game.position());
    record.map(|record| format!("rules {record}")).map_err(|error| error.to_string())
}
