//! Games with their history.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::types::{PyAnyMethods, PyTypeMethods};
use pyo3::{Bound, PyAny, PyResult, Python, pyclass, pymethods};
use taflbase::history;
use taflbase::moves::Move;
use taflbase::notation::parse_move;
use taflbase::numbers::counted;
use taflbase::position::Position;
use taflbase::rules::Ruleset;

use crate::answers::{self, Word};
use crate::board::Board;
use crate::errors::{GameOver, MoveError, PositionError, RulesetError, argument_error};
use crate::open::load_rules;

/// A game with its history, which a position lacks: repetitions, and the plies left under the
/// ply limit.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// position: the first position, without history; by default the ruleset's start.
/// moves: the moves played from there.
///
/// Positions and moves are strings, as for a Tablebase. Games are equal if they have the same
/// rules, start and moves; they can be copied with copy, and pickled. Raises RulesetError,
/// PositionError, MoveError or GameOver.
#[pyclass(eq, module = "taflbase")]
pub struct Game {
    /// The name or path of the rules, for pickle.
    source: PathBuf,
    game: history::Game,
}

impl Game {
    fn rules(&self) -> &Ruleset {
        self.game.rules()
    }

    fn text(&self, position: &Position) -> String {
        position.to_text(self.rules())
    }

    fn move_text(&self, played: &Move) -> String {
        answers::text(self.rules(), played)
    }
}

/// Creates a game without history.
fn from_position(rules: Arc<Ruleset>, position: Option<&str>) -> PyResult<history::Game> {
    let game = match position {
        None => history::Game::new(rules),
        Some(text) => Position::parse(text, &rules)
            .and_then(|position| history::Game::from_position(rules, position)),
    };
    game.map_err(|error| PositionError::new_err(error.to_string()))
}

/// Returns an error if the game is over.
fn check_running(game: &history::Game) -> PyResult<()> {
    match game.outcome() {
        Some(outcome) => Err(GameOver::new_err(format!("the game is over: {outcome}"))),
        None => Ok(()),
    }
}

/// Converts an argument, a Game or a position, to an unfinished game of these rules.
pub fn running_game(rules: &Arc<Ruleset>, argument: &Bound<'_, PyAny>) -> PyResult<history::Game> {
    let game = if let Ok(game) = argument.cast::<Game>() {
        game.borrow().game.clone()
    } else if let Ok(text) = argument.extract::<String>() {
        from_position(Arc::clone(rules), Some(&text))?
    } else {
        let message =
            format!("game: expected a Game or a position, not {}", argument.get_type().name()?);
        return Err(PyTypeError::new_err(message));
    };
    check_same_rules("game", game.rules(), rules)?;
    check_running(&game)?;
    Ok(game)
}

/// Returns an error unless games go the same way under both rulesets.
fn check_same_rules(argument: &str, given: &Ruleset, wanted: &Ruleset) -> PyResult<()> {
    if given.is_same_game_as(wanted) {
        return Ok(());
    }
    let (given, wanted) = (&given.name, &wanted.name);
    let message = format!("{argument}: its ruleset is {given}, not {wanted}");
    Err(RulesetError::new_err(message))
}

fn play(game: &mut history::Game, text: &str) -> PyResult<Move> {
    check_running(game)?;
    let played = parse_move(game.rules(), game.position(), text)
        .map_err(|error| MoveError::new_err(error.to_string()))?;
    game.play(&played).map_err(|error| MoveError::new_err(error.to_string()))?;
    Ok(played)
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.rules().is_same_game_as(other.rules())
            && self.game.positions() == other.game.positions()
            && self.game.moves() == other.game.moves()
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (rules, position=None, moves=None))]
    fn new(
        py: Python<'_>,
        rules: PathBuf,
        position: Option<&str>,
        moves: Option<Vec<String>>,
    ) -> PyResult<Game> {
        let mut game = from_position(Arc::new(load_rules(&rules)?), position)?;
        for (number, text) in (1..).zip(moves.iter().flatten()) {
            play(&mut game, text)
                .map_err(|error| argument_error(py, &format!("move {number}"), error))?;
        }
        Ok(Game { source: rules, game })
    }

    fn __getnewargs__(&self) -> (&PathBuf, String, Vec<String>) {
        (&self.source, self.text(&self.game.positions()[0]), self.moves())
    }

    /// The ruleset's name.
    #[getter(rules)]
    fn rules_name(&self) -> &str {
        &self.rules().name
    }

    /// The position on the board, as taken by the methods of a Tablebase.
    #[getter]
    fn position(&self) -> String {
        self.text(self.game.position())
    }

    /// The side to move.
    #[getter]
    fn to_move(&self) -> Word {
        answers::side(self.game.position().to_move)
    }

    /// The moves played so far.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.game.moves().iter().map(|played| self.move_text(played)).collect()
    }

    /// All positions, from the first to the current one: one more than moves.
    #[getter]
    fn positions(&self) -> Vec<String> {
        self.game.positions().iter().map(|position| self.text(position)).collect()
    }

    /// The plies left under the ruleset's limit; None without a limit.
    #[getter]
    fn plies_left(&self) -> Option<u32> {
        self.game.plies_left()
    }

    /// Returns the moves that may be played, in the order of Tablebase.legal_moves: without those
    /// that the rules forbid as repetitions; none if the game is over.
    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if self.game.outcome().is_some() {
            return Ok(Vec::new());
        }
        let position = self.game.position();
        let moves = self.game.playable_moves();
        moves.iter().map(|played| answers::played(py, self.rules(), position, played)).collect()
    }

    /// Plays a move and returns its full text. The letter K, the captures and the mark at the
    /// end may be omitted from the argument. Raises MoveError if the move is illegal, and
    /// GameOver.
    fn play(&mut self, r#move: &str) -> PyResult<String> {
        let played = play(&mut self.game, r#move)?;
        Ok(self.move_text(&played))
    }

    /// Takes back the last move and returns it. Raises MoveError if there is none.
    fn undo(&mut self) -> PyResult<String> {
        let last = self.game.undo();
        last.map(|played| self.move_text(&played))
            .ok_or_else(|| MoveError::new_err("there is no move to take back"))
    }

    /// Returns the outcome of the game, including repetitions and the ply limit; None if the
    /// game is not over.
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.game.outcome();
        outcome.map(|outcome| answers::outcome(py, &outcome)).transpose()
    }

    /// Returns an independent copy with the same history.
    fn copy(&self) -> Game {
        Game { source: self.source.clone(), game: self.game.clone() }
    }

    /// Returns the board for display: a picture in a notebook, text with print. The picture
    /// marks the squares of the last move.
    fn board(&self) -> Board {
        Board::of_game(&self.game)
    }

    fn _repr_svg_(&self) -> String {
        self.board().svg().to_owned()
    }

    fn __repr__(&self) -> String {
        let plies = counted(self.game.moves().len(), ["ply", "plies"]);
        format!("<taflbase.Game {}: {plies}, {}>", self.rules().name, self.position())
    }
}
