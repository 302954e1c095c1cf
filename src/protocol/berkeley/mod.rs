//! The text interface of UC Berkeley's CS 61B, "Project 2: Tablut": reads one command per line,
//! and writes moves and boards.
//!
//! A [`Session`] is one run of that program. White plays the defenders.

mod command;
mod game_state;
mod move_chooser;
mod setup_board;

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::Engine;
use crate::game::board::Square;
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::position::PositionError;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::protocol::lines::next_line;

use command::{Command, colour, move_text};
use game_state::GameState;
use move_chooser::MoveChooser;

pub use move_chooser::SearchBudget;

/// Plays games between the engine and a user or another program.
pub struct Session {
    state: GameState,
    chooser: MoveChooser,
    /// Sides played by the engine.
    auto: BySide<bool>,
    /// Error of the engine's last attempt to move. The same error is not printed again.
    last_error: Option<String>,
    watcher: Option<Watcher>,
}

type Watcher = Box<dyn FnMut(&View<'_>)>;

/// A snapshot of the game for a watcher.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View<'a> {
    /// Board as text; it may not be a valid position.
    pub board: String,
    /// Side to move.
    pub to_move: Side,
    /// Game; `None` while the board is being set up.
    pub game: Option<&'a Game>,
    /// Side that has won.
    pub winner: Option<Side>,
    /// Sides played by the user.
    pub manual: Vec<Side>,
    /// Whether the engine is about to think.
    pub is_thinking: bool,
}

/// Writes a move in this protocol's notation: `b3-6`.
pub fn command_of(rules: &Ruleset, played: &Move) -> String {
    move_text(rules.board, played.from, played.to)
}

/// Why a [`Session`] failed.
#[derive(Debug)]
pub enum SessionError {
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> SessionError {
        SessionError::Output(error)
    }
}

impl Session {
    /// Starts a game in which the engine plays white. The seed selects among moves that are mirror
    /// images of each other.
    ///
    /// # Errors
    /// If the ruleset's start is not playable.
    pub fn new(
        rules: Arc<Ruleset>,
        engine: Engine,
        budget: SearchBudget,
        seed: u64,
    ) -> Result<Session, PositionError> {
        let mut auto = BySide::default();
        auto[Side::Defenders] = true;
        let chooser = MoveChooser::new(engine, budget, seed);
        Ok(Session {
            state: GameState::new(rules)?,
            chooser,
            auto,
            last_error: None,
            watcher: None,
        })
    }

    /// Calls `watcher` now and whenever the board may have changed.
    pub fn watch(&mut self, watcher: impl FnMut(&View<'_>) + 'static) {
        self.watcher = Some(Box::new(watcher));
        self.show(false);
    }

    fn show(&mut self, is_thinking: bool) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let (board, game) = self.state.board();
        let manual = Side::ALL.into_iter().filter(|&side| !self.auto[side]).collect();
        let (to_move, winner) = (self.state.to_move(), self.state.winner());
        watcher(&View { board, to_move, game, winner, manual, is_thinking });
    }

    /// Runs commands until `quit` or the end of the input. The engine moves before the next line
    /// is read; a game that it plays against itself is finished even if the input has ended. With
    /// `prompt`, `> ` is printed before each line.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(
        &mut self,
        mut input: impl BufRead,
        output: &mut impl Write,
        errors: &mut impl Write,
        prompt: bool,
    ) -> Result<(), SessionError> {
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
            let Some(line) = next_line(&mut input).map_err(SessionError::Input)? else {
                return Ok(());
            };
            if self.execute(&line, output, errors)?.is_break() {
                return Ok(output.flush()?);
            }
        }
    }

    fn is_engines_turn(&self) -> bool {
        self.state.winner().is_none() && self.auto[self.state.to_move()]
    }

    /// Plays a move for the engine. Returns `false` if it cannot move.
    fn move_self(&mut self, output: &mut impl Write, errors: &mut impl Write) -> io::Result<bool> {
        let chosen = match self.choose() {
            Ok(chosen) => chosen,
            Err(error) if self.last_error.as_ref() == Some(&error) => return Ok(false),
            Err(error) => {
                writeln!(errors, "Error: {error}")?;
                self.last_error = Some(error);
                return Ok(false);
            }
        };
        self.last_error = None;
        if let Some(chosen) = chosen {
            let text = move_text(self.state.rules().board, chosen.from, chosen.to);
            writeln!(output, "* {text}")?;
            self.state.play(&chosen);
        }
        self.print_winner(output)?;
        output.flush()?;
        Ok(true)
    }

    /// Chooses the engine's move; `None` if the game is over.
    fn choose(&mut self) -> Result<Option<Move>, String> {
        let game = self.state.game().map_err(|error| unplayable(&error))?.clone();
        if self.state.winner().is_some() {
            return Ok(None);
        }
        self.chooser.choose(&game).map(Some).map_err(|error| error.to_string())
    }

    /// Prints the winner, if there is one.
    fn print_winner(&self, output: &mut impl Write) -> io::Result<()> {
        match self.state.winner() {
            Some(winner) => writeln!(output, "* {} wins.", colour(winner)),
            None => Ok(()),
        }
    }

    /// Executes a command.
    fn execute(
        &mut self,
        line: &str,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> io::Result<ControlFlow<()>> {
        let command = match Command::parse(line, self.state.rules().board) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(ControlFlow::Continue(())),
            Err(error) => {
                writeln!(errors, "Error: {error}")?;
                return Ok(ControlFlow::Continue(()));
            }
        };
        match command {
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::New => {
                if let Ok(state) = GameState::new(Arc::clone(self.state.rules())) {
                    self.state = state;
                }
                self.chooser.begin();
            }
            Command::Seed(seed) => self.chooser.seed(seed),
            Command::Dump => output.write_all(self.state.dump().as_bytes())?,
            Command::Undo => self.state.undo(),
            Command::Manual(side) => self.auto[side] = false,
            Command::Auto(side) => self.auto[side] = true,
            Command::Limit(limit) => {
                if let Err(error) = self.state.set_limit(limit) {
                    writeln!(errors, "Error: {error}")?;
                }
            }
            Command::Toggle(square) => self.state.toggle(square),
            Command::Move(from, to) => self.move_user(from, to, output, errors)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Plays the user's move, for either side.
    fn move_user(
        &mut self,
        from: Square,
        to: Square,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> io::Result<()> {
        if self.state.winner().is_some() {
            return writeln!(errors, "misplaced move");
        }
        match self.state.find(from, to) {
            Err(error) => return writeln!(errors, "Error: {}", unplayable(&error)),
            // The game is over on the board that was set up.
            Ok(_) if self.state.winner().is_some() => {}
            Ok(None) => return writeln!(errors, "Invalid move. Please try again."),
            Ok(Some(played)) => self.state.play(&played),
        }
        self.print_winner(output)
    }
}

/// Error text for a board that was set up and is not playable.
fn unplayable(error: &PositionError) -> String {
    format!("this board is not playable: {error}")
}
