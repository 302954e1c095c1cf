//! The engine, and what it is made from.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::types::{PyAnyMethods, PyBool, PyTypeMethods};
use pyo3::{Bound, PyAny, PyResult, Python, pyclass, pymethods};
use taflbase::engine::{EngineError, EngineOptions, Limits, Weights};
use taflbase::history;
use taflbase::rules::Ruleset;

use crate::analysis::Analysis;
use crate::errors::{RulesetError, WeightsError, open_error, reach};
use crate::game::{Game, check_running, from_position};
use crate::open::load_rules;
use crate::parameters::{parse_contempt, parse_count, parse_limits};
use crate::search::{Search, Wish, lock};
use crate::tablebase::Tablebase;

/// The engine for games of one ruleset.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// tables: a Tablebase of the same rules, or a folder as open takes it; without, the
///     tables that are part of the package. False plays without any.
/// threads: how many search together. With one, a limit of depth or nodes gives the same
///     answer every time.
/// hash_mib: memory for what the search remembers, in MiB.
/// lines: how many best lines are searched and told.
/// weights: a file of weights for the evaluation; without, the ruleset's own.
/// contempt: how much worse than a level position a draw is to the side that the engine
///     moves for, in hundredths of a soldier, from -1000 to 1000: against weaker players a
///     game is worth going on with.
///
/// An engine does one search at a time: a new one ends the one before it, and who waits
/// for that gets a SearchError. What it has found is remembered for later searches, until
/// clear. Raises RulesetError, FolderError or WeightsError.
#[pyclass(frozen, module = "taflbase")]
pub struct Engine {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    lines: NonZeroUsize,
    engine: Arc<Mutex<taflbase::engine::Engine>>,
    /// The last search that was begun. Who has work for the engine holds the lock.
    current: Mutex<Option<Arc<Search>>>,
}

impl Engine {
    /// Ends what the engine does, and gives it something else to do.
    fn employ<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<Arc<Search>>) -> T + Send,
    ) -> T {
        py.detach(|| {
            let mut current = lock(&self.current);
            if let Some(earlier) = current.take() {
                earlier.halt(Wish::Replace);
                earlier.join();
            }
            work(&mut current)
        })
    }

    fn begin(&self, py: Python<'_>, game: &Bound<'_, PyAny>, limits: Limits) -> PyResult<Analysis> {
        let game = self.game(game)?;
        let (rules, position) = (Arc::clone(&self.rules), *game.position());
        let search = self.employ(py, |current| {
            let search = Search::start(&self.engine, game, limits, self.lines)?;
            *current = Some(Arc::clone(&search));
            Ok::<_, std::io::Error>(search)
        })?;
        Ok(Analysis::new(rules, position, search))
    }

    /// The same, and nobody is there who could stop it: there must be limits.
    fn begin_limited(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        limits: Limits,
    ) -> PyResult<Analysis> {
        if limits == Limits::default() {
            let message = "give a limit: depth, nodes or time; analysis goes on without one";
            return Err(PyValueError::new_err(message));
        }
        self.begin(py, game, limits)
    }

    /// A game that can be searched, or one that begins with a position.
    fn game(&self, argument: &Bound<'_, PyAny>) -> PyResult<history::Game> {
        let game = if let Ok(game) = argument.cast::<Game>() {
            game.borrow().game().clone()
        } else if let Ok(text) = argument.extract::<String>() {
            from_position(Arc::clone(&self.rules), Some(&text))?
        } else {
            let message =
                format!("game: a Game or a position, not {}", argument.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        same_rules("game", game.rules(), &self.rules)?;
        check_running(&game)?;
        Ok(game)
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
            contempt: parse_contempt(contempt)?,
            ..EngineOptions::new(&rules)
        };
        if let Some(tables) = tables {
            options.tables = self::tables(&rules, tables)?;
        }
        if let Some(path) = weights {
            options.weights = Some(load_weights(&rules, &path)?);
        }
        let made = || taflbase::engine::Engine::new(Arc::clone(&rules), options.clone());
        let engine = py.detach(made).map_err(|error| match error {
            EngineError::Memory { bytes } => {
                let mib = bytes >> 20;
                PyMemoryError::new_err(format!("hash_mib: there are no {mib} MiB of memory"))
            }
            other => RulesetError::new_err(other.to_string()),
        })?;
        let engine = Arc::new(Mutex::new(engine));
        Ok(Engine { rules, options, lines: parse_count("lines", lines, 1000)?, engine, current: Mutex::default() })
    }

    /// The ruleset's name.
    #[getter(rules)]
    fn rules_name(&self) -> &str {
        &self.rules.name
    }

    /// Searches a game's position within the limits, and returns the last iteration.
    ///
    /// game: a Game, or a position, which has no history. depth: plies. nodes: positions,
    /// of all threads together. time: seconds. The search ends with the first limit that
    /// it reaches, by stop from another thread, or when there is nothing more to find; one
    /// limit must be given. Ctrl-C ends it at once. Raises PositionError, GameOver or, for
    /// a game of other rules, RulesetError.
    #[pyo3(signature = (game, *, depth=None, nodes=None, time=None))]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        game: &Bound<'py, PyAny>,
        depth: Option<i64>,
        nodes: Option<i64>,
        time: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.begin_limited(py, game, parse_limits(depth, nodes, time)?)?.wait(py)
    }

    /// The best move within the limits, which are those of analyse.
    #[pyo3(signature = (game, *, depth=None, nodes=None, time=None))]
    fn best_move(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        depth: Option<i64>,
        nodes: Option<i64>,
        time: Option<f64>,
    ) -> PyResult<String> {
        self.begin_limited(py, game, parse_limits(depth, nodes, time)?)?.best_move(py)
    }

    /// Begins a search and returns at once. To iterate over what it returns gives each
    /// iteration as soon as it is through. Without a limit the search goes on until it is
    /// stopped, or there is nothing more to find. The arguments are those of analyse.
    #[pyo3(signature = (game, *, depth=None, nodes=None, time=None))]
    fn analysis(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        depth: Option<i64>,
        nodes: Option<i64>,
        time: Option<f64>,
    ) -> PyResult<Analysis> {
        self.begin(py, game, parse_limits(depth, nodes, time)?)
    }

    /// Ends the search that is running, from any thread: it returns what it has found. If
    /// there is none, nothing happens.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            if let Some(search) = &*lock(&self.current) {
                search.halt(Wish::Stop);
            }
        });
    }

    /// Forgets what it remembers of earlier searches.
    fn clear(&self, py: Python<'_>) {
        self.employ(py, |_| lock(&self.engine).clear());
    }

    fn __repr__(&self) -> String {
        let EngineOptions { threads, table_bytes, tables, .. } = &self.options;
        let threads = match threads.get() {
            1 => "1 thread".to_owned(),
            count => format!("{count} threads"),
        };
        let tables = tables.as_ref().map_or("none".to_owned(), |tables| reach(tables));
        let (rules, mib) = (&self.rules.name, table_bytes >> 20);
        format!("<taflbase.Engine {rules}: {threads}, {mib} MiB, tables: {tables}>")
    }
}

/// The tables that an engine is given, or none.
fn tables(
    rules: &Ruleset,
    tables: &Bound<'_, PyAny>,
) -> PyResult<Option<Arc<taflbase::Tablebase>>> {
    if let Ok(tables) = tables.cast::<Tablebase>() {
        let shared = tables.get().shared();
        return Ok(Some(Arc::clone(shared)));
    }
    if tables.is(PyBool::new(tables.py(), false)) {
        return Ok(None);
    }
    let Ok(folder) = tables.extract::<PathBuf>() else {
        let message = "tables: a Tablebase, a folder, or False for none, not ";
        return Err(PyTypeError::new_err(format!("{message}{}", tables.get_type().name()?)));
    };
    let open = || taflbase::Tablebase::open(rules.clone(), &folder);
    Ok(Some(Arc::new(tables.py().detach(open).map_err(open_error)?)))
}

fn load_weights(rules: &Ruleset, path: &Path) -> PyResult<Weights> {
    let unusable = |reason: String| WeightsError::new_err(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    Weights::from_toml(&text, rules).map_err(|error| unusable(error.to_string()))
}

fn same_rules(argument: &str, given: &Ruleset, wanted: &Ruleset) -> PyResult<()> {
    if given.fingerprint() == wanted.fingerprint() {
        return Ok(());
    }
    let (given, wanted) = (&given.name, &wanted.name);
    let message = format!("{argument}: its rules are those of {given}, the engine's of {wanted}");
    Err(RulesetError::new_err(message))
}
