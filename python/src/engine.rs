//! The engine and its options.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::types::{PyAnyMethods, PyBool, PyTuple, PyTypeMethods};
use pyo3::{Bound, PyAny, PyErr, PyRef, PyResult, Python, pyclass, pymethods};
use taflbase::Game;
use taflbase::engine::{EngineError, EngineOptions, Limits, Weights};
use taflbase::moves::Move;
use taflbase::notation::parse_move;
use taflbase::numbers::counted;
use taflbase::rules::Ruleset;

use crate::analysis::Analysis;
use crate::errors::{Closed, MoveError, RulesetError, WeightsError, describe_size, open_error};
use crate::game::running_game;
use crate::open::load_rules;
use crate::parameters::{ClockFields, parse_clock, parse_count, parse_in_range, parse_limits};
use crate::search::{Request, Search, StopReason, lock};
use crate::tablebase::Tablebase;

const MAX_CONTEMPT: i32 = EngineOptions::MAX_CONTEMPT;

/// The engine for games of one ruleset.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// tables: a Tablebase of the same rules, or a folder as for open; by default the tables
///     embedded in the package. False for no tables.
/// threads: the number of search threads. With one thread, searches limited by depth or nodes
///     are deterministic.
/// hash_mib: the size of the transposition table in MiB.
/// lines: the number of best lines to search and return.
/// weights: a file of evaluation weights; by default those of the ruleset.
/// contempt: how far a draw scores below a level position for the engine's side, in
///     hundredths of a soldier, from -1000 to 1000. Positive values avoid draws against
///     weaker players.
///
/// An engine does one search at a time: a new search stops the previous one, whose caller
/// gets a SearchError. The transposition table is kept for later searches, until clear. If a
/// search cannot read a block of a table, it goes on without it, and warns at its end.
/// Raises RulesetError, FolderError or WeightsError.
#[pyclass(frozen, module = "taflbase")]
pub struct Engine {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    lines: NonZeroUsize,
    /// Locked while the engine is given work.
    work: Mutex<Work>,
}

/// The engine and its current search.
struct Work {
    /// `None` after the engine is closed.
    engine: Option<Arc<Mutex<taflbase::engine::Engine>>>,
    /// The last search that was started.
    search: Option<Arc<Search>>,
}

/// Keyword arguments of a search.
struct SearchArguments {
    limits: Limits,
    clock: Option<ClockFields>,
    root_moves: Option<Vec<String>>,
}

impl SearchArguments {
    /// Makes a request for the game's position. With a clock, the side to move gets a share of
    /// its time.
    fn request(&self, game: &Game, overhead: Duration, lines: NonZeroUsize) -> PyResult<Request> {
        let clock = self.clock.map(|clock| parse_clock(clock, game.position().to_move));
        let share = clock.transpose()?.and_then(|clock| clock.limits(overhead).time);
        let time = self.limits.time.into_iter().chain(share).min();
        let limits = Limits { time, ..self.limits };
        let root_moves = self.root_moves.as_deref().map(|moves| parse_root_moves(game, moves));
        Ok(Request { limits, lines, root_moves: root_moves.transpose()?.unwrap_or_default() })
    }
}

/// Parses the moves that a search is restricted to.
fn parse_root_moves(game: &Game, moves: &[String]) -> PyResult<Vec<Move>> {
    if moves.is_empty() {
        return Err(PyValueError::new_err("root_moves: give at least one move, or None for all"));
    }
    let parse = |text: &String| {
        let parsed = parse_move(game.rules(), game.position(), text).map_err(|e| e.to_string())?;
        game.check_repetition(&parsed).map_err(|e| e.to_string())?;
        Ok(parsed)
    };
    let parsed: Result<_, String> = moves.iter().map(parse).collect();
    parsed.map_err(|error| MoveError::new_err(format!("root_moves: {error}")))
}

impl Engine {
    /// Stops the current search, and does other work with the engine.
    fn interrupt_with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Work) -> T + Send,
    ) -> T {
        py.detach(|| {
            let mut current = lock(&self.work);
            if let Some(earlier) = current.search.take() {
                earlier.stop(StopReason::Replace);
                earlier.join();
            }
            work(&mut current)
        })
    }

    fn begin(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        wanted: &SearchArguments,
    ) -> PyResult<Analysis> {
        let game = running_game(&self.rules, game)?;
        let (rules, position) = (Arc::clone(&self.rules), *game.position());
        let request = wanted.request(&game, self.options.overhead, self.lines)?;
        let search = self.interrupt_with(py, |work| {
            let search = Search::start(work.engine.as_ref().ok_or_else(closed)?, game, request)?;
            work.search = Some(Arc::clone(&search));
            Ok::<_, PyErr>(search)
        })?;
        Ok(Analysis::new(rules, position, search, self.options.tables.clone()))
    }

    /// Starts a search that must have a limit, because the caller waits for its end.
    fn begin_limited(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        wanted: &SearchArguments,
    ) -> PyResult<Analysis> {
        if wanted.limits == Limits::default() && wanted.clock.is_none() {
            let message =
                "give a limit: depth, nodes, time or clock; only analysis works without one";
            return Err(PyValueError::new_err(message));
        }
        self.begin(py, game, wanted)
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[expect(clippy::too_many_arguments)]
    #[pyo3(signature = (rules, *, tables=None, threads=1, hash_mib=64, lines=1, weights=None, contempt=0))]
    fn new(
        py: Python<'_>,
        rules: PathBuf,
        tables: Option<&Bound<'_, PyAny>>,
        threads: i64,
        hash_mib: i64,
        lines: i64,
        weights: Option<PathBuf>,
        contempt: i64,
    ) -> PyResult<Engine> {
        let rules = Arc::new(load_rules(&rules)?);
        let mut options = EngineOptions {
            threads: parse_count("threads", threads, 1024)?,
            table_bytes: parse_count("hash_mib", hash_mib, 1 << 20)?.get() << 20,
            contempt: parse_in_range("contempt", contempt, -MAX_CONTEMPT..=MAX_CONTEMPT)?,
            ..EngineOptions::new(&rules)
        };
        if let Some(tables) = tables {
            options.tables = open_tables(&rules, tables)?;
        }
        if let Some(tables) = &options.tables {
            py.detach(|| tables.open_all_tables()).map_err(open_error)?;
        }
        if let Some(path) = weights {
            options.weights = Some(load_weights(&rules, &path)?);
        }
        let engine = py
            .detach(|| taflbase::engine::Engine::new(Arc::clone(&rules), options.clone()))
            .map_err(engine_error)?;
        let lines = parse_count("lines", lines, 1000)?;
        let engine = Some(Arc::new(Mutex::new(engine)));
        Ok(Engine { rules, options, lines, work: Mutex::new(Work { engine, search: None }) })
    }

    /// The ruleset's name.
    #[getter(rules)]
    fn rules_name(&self) -> &str {
        &self.rules.name
    }

    /// Searches a game's position within the limits, and returns the last iteration.
    ///
    /// game: a Game, or a position without history. depth: plies. nodes: positions of all
    /// threads together. time: seconds. clock: a Clock; the search takes a share of the
    /// remaining time. root_moves: search only these moves. At least one limit is required.
    /// The search ends at the first limit that it reaches, by stop from another thread, or
    /// when nothing is left to find. Ctrl-C ends it at once. Raises PositionError, MoveError,
    /// GameOver, Closed or, for a game of other rules, RulesetError.
    #[pyo3(signature = (game, *, depth=None, nodes=None, time=None, clock=None, root_moves=None))]
    #[expect(clippy::too_many_arguments)]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        game: &Bound<'py, PyAny>,
        depth: Option<i64>,
        nodes: Option<i64>,
        time: Option<f64>,
        clock: Option<ClockFields>,
        root_moves: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limits = parse_limits(depth, nodes, time)?;
        self.begin_limited(py, game, &SearchArguments { limits, clock, root_moves })?.wait(py)
    }

    /// Searches like analyse, and returns the best move.
    #[pyo3(signature = (game, *, depth=None, nodes=None, time=None, clock=None, root_moves=None))]
    #[expect(clippy::too_many_arguments)]
    fn best_move(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        depth: Option<i64>,
        nodes: Option<i64>,
        time: Option<f64>,
        clock: Option<ClockFields>,
        root_moves: Option<Vec<String>>,
    ) -> PyResult<String> {
        let limits = parse_limits(depth, nodes, time)?;
        self.begin_limited(py, game, &SearchArguments { limits, clock, root_moves })?.best_move(py)
    }

    /// Starts a search and returns at once. Iterate over the returned Analysis to get each
    /// iteration as soon as it is finished. Without a limit the search runs until it is
    /// stopped, or nothing is left to find. The arguments are those of analyse.
    #[pyo3(signature = (game, *, depth=None, nodes=None, time=None, clock=None, root_moves=None))]
    #[expect(clippy::too_many_arguments)]
    fn analysis(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        depth: Option<i64>,
        nodes: Option<i64>,
        time: Option<f64>,
        clock: Option<ClockFields>,
        root_moves: Option<Vec<String>>,
    ) -> PyResult<Analysis> {
        let limits = parse_limits(depth, nodes, time)?;
        self.begin(py, game, &SearchArguments { limits, clock, root_moves })
    }

    /// Stops the current search, from any thread; it returns its last iteration. Does nothing
    /// if no search is running.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            if let Some(search) = &lock(&self.work).search {
                search.stop(StopReason::Stop);
            }
        });
    }

    /// Clears the transposition table and other data from earlier searches. Raises Closed.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.interrupt_with(py, |work| {
            lock(work.engine.as_ref().ok_or_else(closed)?).clear();
            Ok(())
        })
    }

    /// Stops the current search and frees the engine's memory, as does the end of a with
    /// statement. A closed engine cannot search.
    fn close(&self, py: Python<'_>) {
        self.interrupt_with(py, |work| work.engine = None);
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        let EngineOptions { threads, table_bytes, tables, .. } = &self.options;
        let threads = counted(threads.get(), ["thread", "threads"]);
        let tables = tables.as_ref().map_or("none".to_owned(), |tables| describe_size(tables));
        let (rules, mib) = (&self.rules.name, table_bytes >> 20);
        format!("<taflbase.Engine {rules}: {threads}, {mib} MiB, tables: {tables}>")
    }
}

fn closed() -> PyErr {
    Closed::new_err("the engine is closed: make another one")
}

fn engine_error(error: EngineError) -> PyErr {
    match error {
        EngineError::Memory { bytes } => {
            let mib = bytes >> 20;
            PyMemoryError::new_err(format!("hash_mib: cannot allocate {mib} MiB of memory"))
        }
        other => RulesetError::new_err(other.to_string()),
    }
}

/// Opens the tables of the argument; `None` for no tables.
fn open_tables(
    rules: &Ruleset,
    tables: &Bound<'_, PyAny>,
) -> PyResult<Option<Arc<taflbase::Tablebase>>> {
    if let Ok(tables) = tables.cast::<Tablebase>() {
        return Ok(Some(tables.get().shared()?));
    }
    if tables.is(PyBool::new(tables.py(), false)) {
        return Ok(None);
    }
    let Ok(folder) = tables.extract::<PathBuf>() else {
        let message = "tables: expected a Tablebase, a folder, or False for none, not ";
        return Err(PyTypeError::new_err(format!("{message}{}", tables.get_type().name()?)));
    };
    let opened = tables.py().detach(|| taflbase::Tablebase::open(rules.clone(), &folder));
    Ok(Some(Arc::new(opened.map_err(open_error)?)))
}

fn load_weights(rules: &Ruleset, path: &Path) -> PyResult<Weights> {
    let text = std::fs::read_to_string(path).map_err(|error| weights_error(path, error))?;
    Weights::from_toml(&text, rules).map_err(|error| weights_error(path, error))
}

fn weights_error(path: &Path, error: impl fmt::Display) -> PyErr {
    WeightsError::new_err(format!("{}: {error}", path.display()))
}
