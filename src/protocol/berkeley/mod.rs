//! The text interface of UC Berkeley's CS 61B, "Project 2: Tablut": commands in, a line
//! each; moves and boards out.
//!
//! A [`Session`] is one run of that program. White are the defenders.

mod command;
mod draft;
mod play;
mod think;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use crate::engine::Engine;
use crate::game::board::Square;
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::position::PositionError;
use crate::game::rules::{BySide, Ruleset, Side};

use command::{Command, written};
use play::Play;
use think::Thinker;

pub use think::Effort;

/// What the protocol calls a side.
fn colour(side: Side) -> &'static str {
    match side {
        Side::Attackers => "Black",
        Side::Defenders => "White",
    }
}

/// Games of a user, or of another program, with the engine.
pub struct Session {
    play: Play,
    thinker: Thinker,
    /// Whom the engine plays for.
    auto: BySide<bool>,
    /// Why the engine could not move when it was last its turn; told once.
    hindrance: Option<String>,
    /// Who looks on.
    watcher: Option<Watcher>,
}

type Watcher = Box<dyn FnMut(&View<'_>)>;

/// What is on the board, for whoever looks on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View<'a> {
    /// The board as text, which may be none of a position.
    pub board: String,
    /// The side to move.
    pub to_move: Side,
    /// The game, if the board is not being set up.
    pub game: Option<&'a Game>,
    /// Who has won.
    pub winner: Option<Side>,
    /// The sides that the user plays.
    pub manual: Vec<Side>,
    /// Whether the engine is about to think.
    pub is_thinking: bool,
}

/// A move as this protocol writes it: `b3-6`.
pub fn command_of(rules: &Ruleset, played: &Move) -> String {
    written(rules.board, played.from, played.to)
}

/// Why a [`Session`] ends before its time.
#[derive(Debug)]
pub enum Broken {
    /// The commands cannot be read.
    Input(io::Error),
    /// What it says cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Broken {
    /// Of writing.
    fn from(error: io::Error) -> Broken {
        Broken::Output(error)
    }
}

/// Whether there is more to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    End,
}

impl Session {
    /// A new game, in which the engine plays white. The seed chooses among moves that
    /// are mirror images of each other.
    ///
    /// # Errors
    /// If the ruleset's start is no position in which anybody could move.
    pub fn new(
        rules: Arc<Ruleset>,
        engine: Engine,
        effort: Effort,
        seed: u64,
    ) -> Result<Session, PositionError> {
        let mut auto = BySide::default();
        auto[Side::Defenders] = true;
        let thinker = Thinker::new(engine, effort, seed);
        Ok(Session { play: Play::new(rules)?, thinker, auto, hindrance: None, watcher: None })
    }

    /// Shows the board to somebody who looks on, whenever it may have changed.
    pub fn watch(&mut self, watcher: impl FnMut(&View<'_>) + 'static) {
        self.watcher = Some(Box::new(watcher));
        self.show(false);
    }

    fn show(&mut self, is_thinking: bool) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let (board, game) = self.play.board();
        let manual = Side::ALL.into_iter().filter(|&side| !self.auto[side]).collect();
        let (to_move, winner) = (self.play.to_move(), self.play.winner());
        watcher(&View { board, to_move, game, winner, manual, is_thinking });
    }

    /// Reads commands to the end of the input, or to `quit`. Whenever it is the
    /// engine's turn, it moves before the next line is read; a game of the engine with
    /// itself is played to its end even if there are no more lines. With a `prompt`,
    /// `> ` is printed before each line.
    ///
    /// # Errors
    /// If the input cannot be read, or if nobody reads what is written.
    pub fn run(
        &mut self,
        mut input: impl BufRead,
        output: &mut impl Write,
        errors: &mut impl Write,
        prompt: bool,
    ) -> Result<(), Broken> {
        let mut line = Vec::new();
        loop {
            if self.is_engines_turn() {
                self.show(true);
                if self.move_self(output, errors)? {
                    continue;
                }
            }
            self.show(false);
            if prompt {
                output.write_all(b"> ")?;
            }
            output.flush()?;
            line.clear();
            if input.read_until(b'\n', &mut line).map_err(Broken::Input)? == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&line);
            if self.obey(&text, output, errors)? == Then::End {
                return Ok(output.flush()?);
            }
        }
    }

    fn is_engines_turn(&self) -> bool {
        self.play.winner().is_none() && self.auto[self.play.to_move()]
    }

    /// Makes a move for the side to move; tells why if it cannot.
    fn move_self(&mut self, output: &mut impl Write, errors: &mut impl Write) -> io::Result<bool> {
        let chosen = match self.choose() {
            Ok(chosen) => chosen,
            Err(hindrance) if self.hindrance.as_ref() == Some(&hindrance) => return Ok(false),
            Err(hindrance) => {
                writeln!(errors, "Error: {hindrance}")?;
                self.hindrance = Some(hindrance);
                return Ok(false);
            }
        };
        self.hindrance = None;
        if let Some(chosen) = chosen {
            let text = written(self.play.rules().board, chosen.from, chosen.to);
            writeln!(output, "* {text}")?;
            self.play.play(&chosen);
        }
        self.tell_winner(output)?;
        output.flush()?;
        Ok(true)
    }

    /// The engine's move, none if the position is one that ends the game.
    fn choose(&mut self) -> Result<Option<Move>, String> {
        let game = self.play.game().map_err(|error| unplayable(&error))?.clone();
        if self.play.winner().is_some() {
            return Ok(None);
        }
        self.thinker.choose(&game).map(Some).map_err(|error| error.to_string())
    }

    /// Tells who has won, if anybody has.
    fn tell_winner(&self, output: &mut impl Write) -> io::Result<()> {
        match self.play.winner() {
            Some(winner) => writeln!(output, "* {} wins.", colour(winner)),
            None => Ok(()),
        }
    }

    /// Does what one line asks for.
    fn obey(
        &mut self,
        line: &str,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> io::Result<Then> {
        let command = match Command::parse(line, self.play.rules().board) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(Then::GoOn),
            Err(error) => {
                writeln!(errors, "Error: {error}")?;
                return Ok(Then::GoOn);
            }
        };
        match command {
            Command::Quit => return Ok(Then::End),
            Command::New => {
                if let Ok(play) = Play::new(Arc::clone(self.play.rules())) {
                    self.play = play;
                }
                self.thinker.begin();
            }
            Command::Seed(seed) => self.thinker.seed(seed),
            Command::Dump => output.write_all(self.play.dump().as_bytes())?,
            Command::Undo => self.play.undo(),
            Command::Manual(side) => self.auto[side] = false,
            Command::Auto(side) => self.auto[side] = true,
            Command::Limit(limit) => {
                if let Err(error) = self.play.set_limit(limit) {
                    writeln!(errors, "Error: {error}")?;
                }
            }
            Command::Toggle(square) => self.play.toggle(square),
            Command::Move(from, to) => self.move_user(from, to, output, errors)?,
        }
        Ok(Then::GoOn)
    }

    /// Makes the user's move, for either side.
    fn move_user(
        &mut self,
        from: Square,
        to: Square,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> io::Result<()> {
        if self.play.winner().is_some() {
            return writeln!(errors, "misplaced move");
        }
        match self.play.find(from, to) {
            Err(error) => return writeln!(errors, "Error: {}", unplayable(&error)),
            // The board was set up as one on which the game is over.
            Ok(_) if self.play.winner().is_some() => {}
            Ok(None) => return writeln!(errors, "Invalid move. Please try again."),
            Ok(Some(played)) => self.play.play(&played),
        }
        self.tell_winner(output)
    }
}

/// What is told of a board that was set up and on which nobody can move.
fn unplayable(error: &PositionError) -> String {
    format!("this board cannot be played: {error}")
}
