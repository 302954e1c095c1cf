//! The hnefatafl text protocol (HTP) of hnefatafl.org's programs: one command per line, each
//! answered by a line `= RESPONSE` or `? ERROR`. It resembles the Go Text Protocol.
//!
//! A [`Session`] is the engine's side, an [`HtpPlayer`] the host's. `docs/protocols.md` describes the commands.

mod clocks;
mod command;
mod drawing;
mod host;
mod rulesets;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Instant;

use crate::engine::Engine;
use crate::game::board::Square;
use crate::game::history::Game;
use crate::game::moves::{Ending, Move, find_move};
use crate::game::position::Position;
use crate::game::rules::Side;

use super::SessionOptions;
use super::lines::each_line;
use super::shown_layout::shown_layout;

use clocks::Clocks;
use command::{COMMANDS, Command};

pub use super::process::Link;
pub use clocks::TimeSettings;
pub use command::role;
pub(super) use command::side;
pub use host::HtpPlayer;
pub(super) use rulesets::SIZES;
pub use rulesets::ruleset;

/// The port to which hnefatafl.org's engines connect when they are driven over a socket.
pub const ENGINE_PORT: u16 = 49152;
/// The version of the protocol.
const PROTOCOL_VERSION: &str = "1-beta";

/// The engine's side of the protocol.
pub struct Session {
    options: SessionOptions,
    game: Game,
    /// The engine for these rules, made when it is first needed.
    engine: Option<Engine>,
    clocks: Option<Clocks>,
    /// The side that has resigned, or has exceeded its time.
    given_up: Option<Side>,
}

impl Session {
    /// Starts a game of Copenhagen Hnefatafl without clocks.
    ///
    /// # Errors
    /// If the engine, or a table or proof for one of the boards, cannot be opened.
    pub fn new(options: SessionOptions) -> Result<Session, String> {
        SIZES.into_iter().try_for_each(|size| options.check_files(&ruleset(size)?))?;
        let game = start(11)?;
        let engine = options.open_engine(game.rules())?;
        Ok(Session { options, game, engine: Some(engine), clocks: None, given_up: None })
    }

    /// Answers commands until `quit` or the end of the input.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(mut self, input: impl Read, mut output: impl Write) -> io::Result<()> {
        let mut written = Ok(());
        each_line(input, |line| {
            let answer = match Command::parse(&line, self.game.rules().board) {
                Ok(None) => return true,
                Ok(Some(Command::Quit)) => return false,
                Ok(Some(command)) => self.execute(command),
                Err(error) => Err(error),
            };
            // Hosts may rely on the empty line after an error, which hnefatafl.org's program writes.
            written = match answer {
                Ok(text) => writeln!(output, "= {text}"),
                Err(error) => write!(output, "? {}\n\n", error.replace('\n', " ")),
            }
            .and_then(|()| output.flush());
            written.is_ok()
        })?;
        written
    }

    fn execute(&mut self, command: Command) -> Result<String, String> {
        match command {
            Command::BoardSize(size) => {
                self.begin(start(size)?, self.settings());
                Ok(String::new())
            }
            Command::FinalStatus => Ok(self.status().to_owned()),
            Command::FirstMove(side) => {
                let begun = start(self.size())?;
                let first = Position { to_move: side, ..*begun.position() };
                let rules = Arc::clone(begun.rules());
                let game = Game::from_position(rules, first).map_err(|error| error.to_string())?;
                self.begin(game, self.settings());
                Ok(String::new())
            }
            Command::GenerateMove => self.generate_move(),
            Command::IsKnown(name) => Ok(COMMANDS.contains(&&*name).to_string()),
            Command::ListCommands => Ok(format!("\n{}", COMMANDS.join("\n"))),
            Command::Name => Ok("taflbase".to_owned()),
            Command::Play(side, from, to) => self.play(side, from, to),
            Command::Resign(side) => self.resign(side),
            Command::PlayFrom => Ok(self.play_from()),
            Command::PlayTo(side, from) => self.play_to(side, from),
            Command::PlayUndo => self.undo(),
            Command::ProtocolVersion => Ok(PROTOCOL_VERSION.to_owned()),
            Command::Quit => Ok(String::new()),
            Command::ShowBoard => Ok(drawing::board(self.game.rules(), &shown_layout(&self.game))),
            Command::ShowBoardOpenTafl => {
                Ok(drawing::line(self.game.rules().board, &shown_layout(&self.game)))
            }
            Command::SetTime(settings) => {
                self.begin(start(self.size())?, settings);
                Ok(String::new())
            }
            Command::Version => Ok(env!("CARGO_PKG_VERSION").to_owned()),
        }
    }

    fn size(&self) -> usize {
        self.game.rules().board.size()
    }

    /// Returns the clocks of a new game on another board or with another first move: those of this
    /// one if it has not begun.
    fn settings(&self) -> Option<TimeSettings> {
        self.clocks.filter(|_| self.game.moves().is_empty()).map(|clocks| clocks.settings())
    }

    /// Starts a game. The same rules keep the engine, without what it has learnt.
    fn begin(&mut self, game: Game, settings: Option<TimeSettings>) {
        if game.rules().name != self.game.rules().name {
            self.engine = None;
        }
        if let Some(engine) = &mut self.engine {
            engine.clear();
        }
        (self.game, self.clocks, self.given_up) = (game, settings.map(Clocks::new), None);
    }

    /// Returns the result of the game as the protocol names it.
    fn status(&self) -> &'static str {
        let winner = match (self.given_up, self.game.outcome()) {
            (Some(loser), _) => Some(loser.other()),
            (None, None) => return "ongoing",
            (None, Some(outcome)) => outcome.winner,
        };
        match winner {
            Some(Side::Attackers) => "attacker_wins",
            Some(Side::Defenders) => "defender_wins",
            None => "draw",
        }
    }

    /// Returns an error if the game is over or it is the other side's turn.
    fn check_turn(&self, command: &str, side: Side) -> Result<(), String> {
        if self.status() != "ongoing" {
            return Err(format!("{command}: the game is over: {}", self.status()));
        }
        let turn = self.game.position().to_move;
        match turn == side {
            true => Ok(()),
            false => Err(format!("{command}: it is the turn of the {}", role(turn))),
        }
    }

    fn play(&mut self, side: Side, from: Square, to: Square) -> Result<String, String> {
        self.check_turn("play", side)?;
        let (rules, board) = (self.game.rules(), self.game.rules().board);
        let found = find_move(rules, self.game.position(), from, to);
        let played = found.ok_or_else(|| {
            format!("play: {}-{} is not a legal move", board.name(from), board.name(to))
        })?;
        self.make(&played)
    }

    /// Plays a move and returns the squares of the captured pieces, the king's among them. A side whose
    /// time is up has lost instead.
    fn make(&mut self, played: &Move) -> Result<String, String> {
        let mover = self.game.position().to_move;
        let king = self.game.position().king;
        let board = self.game.rules().board;
        let mut after = self.game.clone();
        after.play(played).map_err(|error| error.to_string())?;
        if let Some(clocks) = &mut self.clocks
            && !clocks.moved(mover, Instant::now())
        {
            self.given_up = Some(mover);
            return Ok(String::new());
        }
        self.game = after;
        let taken_king = (played.ending == Some(Ending::KingCaptured)).then_some(king);
        let captured = played.captured.iter().chain(taken_king);
        // A blank follows each square, also the last.
        Ok(captured.map(|square| drawing::square(board, square) + " ").collect())
    }

    fn resign(&mut self, side: Side) -> Result<String, String> {
        self.check_turn("play", side)?;
        self.given_up = Some(side);
        Ok(String::new())
    }

    /// Searches and plays a move.
    fn generate_move(&mut self) -> Result<String, String> {
        let side = self.game.position().to_move;
        self.check_turn("generate_move", side)?;
        let limits = match &self.clocks {
            Some(clocks) => clocks.limits(side, Instant::now()),
            None => self.options.limits,
        };
        let began = Instant::now();
        let engine = match &mut self.engine {
            Some(engine) => engine,
            None => self.engine.insert(self.options.open_engine(self.game.rules())?),
        };
        let found =
            engine.search(&self.game, limits, &mut |_| {}).map_err(|error| error.to_string())?;
        let line = &found.lines[0];
        let best = line.moves[0];
        let board = self.game.rules().board;
        self.make(&best)?;
        if self.given_up.is_some() {
            return Err(format!("generate_move: the time of the {} is up", role(side)));
        }
        Ok(format!(
            "play {} {} {}, score: {}, delay milliseconds: {}, loops: {}\n",
            role(side),
            drawing::square(board, best.from),
            drawing::square(board, best.to),
            line.score,
            began.elapsed().as_millis(),
            found.nodes
        ))
    }

    /// Returns the moves that may be played now.
    fn moves(&self) -> Vec<Move> {
        if self.status() != "ongoing" {
            return Vec::new();
        }
        self.game.playable_moves()
    }

    fn play_from(&self) -> String {
        let board = self.game.rules().board;
        let mut from: Vec<Square> = self.moves().iter().map(|played| played.from).collect();
        from.sort();
        from.dedup();
        let names = squares(from.into_iter().map(|square| drawing::square(board, square)));
        format!("{} {names}", role(self.game.position().to_move))
    }

    fn play_to(&self, side: Side, from: Square) -> Result<String, String> {
        self.check_turn("play_to", side)?;
        let board = self.game.rules().board;
        let moves = self.moves();
        let targets = moves.iter().filter(|played| played.from == from);
        let names = squares(targets.map(|played| drawing::square(board, played.to)));
        match names.is_empty() {
            true => {
                Err(format!("play_to: no piece can move from {}", drawing::square(board, from)))
            }
            false => Ok(names),
        }
    }

    /// Takes back the last move, or a resignation. The time spent stays spent.
    fn undo(&mut self) -> Result<String, String> {
        if self.given_up.take().is_some() {
            return Ok(String::new());
        }
        let undone = self.game.undo().ok_or("play_undo: no move has been played")?;
        if let Some(clocks) = &mut self.clocks {
            clocks.undone(undone.piece.side());
        }
        Ok(String::new())
    }
}

/// Starts a game on a board of this size.
fn start(size: usize) -> Result<Game, String> {
    Game::new(Arc::new(ruleset(size)?)).map_err(|error| error.to_string())
}

fn squares(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(" ")
}
