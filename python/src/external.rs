//! Players that are external programs.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyTypeError;
use pyo3::types::PyTuple;
use pyo3::{Bound, PyAny, PyErr, PyRef, PyResult, Python, pyclass, pymethods};
use taflbase::engine::{Clock, Player, PlayerError as Failure, Stopper};
use taflbase::history::Game;
use taflbase::protocol::otep;
use taflbase::rules::{Ruleset, Side};

use crate::answers;
use crate::errors::{Closed, PlayerError};
use crate::game::running_game;
use crate::open::load_rules;
use crate::parameters::{ClockFields, parse_clock, parse_seconds};
use crate::search::lock;
use crate::work;

/// A program that speaks OTEP, the protocol of OpenTafl and its engines.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// command: its command line, as "java -jar OpenTafl.jar --engine", split into words as by a
///     shell.
///
/// The program is stopped by close, at the end of a with statement, and when it is no longer
/// referenced. After a failure it is restarted for the next move. Raises RulesetError, or
/// PlayerError if the program does not start or does not speak OTEP, or if the protocol
/// cannot express the rules.
#[pyclass(frozen, module = "taflbase")]
pub struct ExternalPlayer {
    rules: Arc<Ruleset>,
    name: String,
    stopper: Stopper,
    /// `None` after the player is closed.
    player: Mutex<Option<Program>>,
}

/// The program and its current game.
struct Program {
    player: otep::ExternalPlayer,
    game: Option<Game>,
}

impl Program {
    fn choose(&mut self, game: Game, clock: Clock) -> Result<String, Failure> {
        if !self.game.take().is_some_and(|previous| continues(&game, &previous)) {
            self.player.begin(&game)?;
        }
        let played = self.player.choose(&game, clock)?;
        let text = answers::text(game.rules(), &played);
        self.game = Some(game);
        Ok(text)
    }
}

#[pymethods]
impl ExternalPlayer {
    #[new]
    fn new(py: Python<'_>, rules: PathBuf, command: &str) -> PyResult<ExternalPlayer> {
        let rules = Arc::new(load_rules(&rules)?);
        let stopper = Stopper::default();
        let start = |_: &work::Reporter<'_>| {
            otep::ExternalPlayer::start_with(command, Arc::clone(&rules), &stopper)
        };
        let player = work::run(py, None, || stopper.stop(), start)?.map_err(failed)?;
        let name = player.name();
        let player = Mutex::new(Some(Program { player, game: None }));
        Ok(ExternalPlayer { rules, name, stopper, player })
    }

    /// The ruleset's name.
    #[getter(rules)]
    fn rules_name(&self) -> &str {
        &self.rules.name
    }

    /// The program's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Asks the program for its move in a game's position.
    ///
    /// game: a Game, or a position without history. time: seconds for this move. clock: a
    /// Clock instead; OTEP cannot express its increments. If the game continues the one of the
    /// previous call, the program gets the moves since then, otherwise the new position.
    ///
    /// Ctrl-C stops the program; it is restarted for the next move. Raises PlayerError if it
    /// does not answer in time or returns no legal move; PositionError, GameOver, Closed, or
    /// RulesetError for a game of other rules.
    #[pyo3(signature = (game, *, time=None, clock=None))]
    fn best_move(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        time: Option<f64>,
        clock: Option<ClockFields>,
    ) -> PyResult<String> {
        let game = running_game(&self.rules, game)?;
        let clock = parse_time(time, clock, game.position().to_move)?;
        let choose = |_: &work::Reporter<'_>| {
            let mut player = lock(&self.player);
            // A stop that arrived after the last move must not end this one.
            self.stopper.reset();
            player.as_mut().map(|program| program.choose(game, clock))
        };
        let chosen = work::run(py, None, || self.stopper.stop(), choose)?;
        chosen.ok_or_else(closed)?.map_err(failed)
    }

    /// Stops the program, also while it thinks about a move.
    fn close(&self, py: Python<'_>) {
        self.stopper.stop();
        py.detach(|| lock(&self.player).take());
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<taflbase.ExternalPlayer {}: {}>", self.rules.name, self.name)
    }
}

/// Returns whether `game` begins with the moves of `previous`.
fn continues(game: &Game, previous: &Game) -> bool {
    previous.positions()[0] == game.positions()[0] && game.moves().starts_with(previous.moves())
}

/// Parses the time for a move, given as exactly one of the two arguments.
fn parse_time(time: Option<f64>, clock: Option<ClockFields>, side: Side) -> PyResult<Clock> {
    match (time, clock) {
        (Some(seconds), None) => Ok(Clock::PerMove(parse_seconds(seconds)?)),
        (None, Some(clock)) => parse_clock(clock, side),
        _ => Err(PyTypeError::new_err("give either time or clock")),
    }
}

fn failed(error: Failure) -> PyErr {
    PlayerError::new_err(error.to_string())
}

fn closed() -> PyErr {
    Closed::new_err("the player is closed: start another one")
}
