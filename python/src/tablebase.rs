use std::sync::{Arc, PoisonError, RwLock};

use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyTuple;
use pyo3::{Bound, IntoPyObject, PyAny, PyRef, PyResult, Python, pyclass, pymethods};
use taflbase::ProbeError;
use taflbase::manifest::{Manifest, SliceEntry};
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::rules::BySide;
use taflbase::slice::Slice;
use taflbase::stats::{SideStats, count_values_while};
use taflbase::table::{Metric, Table, TableFile};
use taflbase::tablebase::CacheStatistics;

use crate::answers::{self, Word};
use crate::board::Board;
use crate::bulk::{BATCH, Columns};
use crate::errors::{self, Closed, DamagedTable, MissingTable, MoveError, PositionError};
use crate::find::{Criteria, Distance, Selection, find};
use crate::parameters::{
    Strings, parse_optional_pair, parse_optional_whole, parse_slice, parse_whole, parse_word,
};
use crate::slice_values::Part;
use crate::squares::{Squares, one_position};
use crate::verify::{Request, verify};

/// The tables of one ruleset, created by open.
///
/// Positions are strings: the board from rank 1 up, a space, and the side to move, "a" or
/// "d". Threads may share a Tablebase: no method holds the interpreter's lock while it reads
/// tables. Bulk operations use all processors, or the number of threads in the environment
/// variable RAYON_NUM_THREADS.
///
/// Probes raise PositionError (not a position of a game in progress), MissingTable,
/// DamagedTable, or WrongTable. close closes the files, as does the end of a with statement;
/// after that all methods raise Closed.
#[pyclass(frozen, module = "taflbase")]
pub struct Tablebase {
    /// The ruleset's name.
    rules: String,
    base: RwLock<Option<Arc<taflbase::Tablebase>>>,
}

impl Tablebase {
    pub fn new(base: taflbase::Tablebase) -> Tablebase {
        let rules = base.rules().name.clone();
        Tablebase { rules, base: RwLock::new(Some(Arc::new(base))) }
    }

    /// Returns the tables unless they are closed.
    pub fn shared(&self) -> PyResult<Arc<taflbase::Tablebase>> {
        let base = self.base.read().unwrap_or_else(PoisonError::into_inner);
        base.clone().ok_or_else(|| Closed::new_err("the tablebase is closed: open it again"))
    }

    /// Parses a position of the tables' rules, and returns the tables with it.
    fn parse(&self, text: &str) -> PyResult<(Arc<taflbase::Tablebase>, Position)> {
        let base = self.shared()?;
        let position = Position::parse(text, base.rules())
            .map_err(|error| PositionError::new_err(error.to_string()))?;
        Ok((base, position))
    }
}

/// Parses a legal move.
fn parse_legal(base: &taflbase::Tablebase, position: &Position, text: &str) -> PyResult<Move> {
    parse_move(base.rules(), position, text).map_err(|error| MoveError::new_err(error.to_string()))
}

/// Calls the library without the interpreter's lock.
fn call_detached<'a, T: Send>(
    py: Python<'_>,
    base: &'a taflbase::Tablebase,
    call: impl Send + FnOnce(&'a taflbase::Tablebase) -> Result<T, ProbeError>,
) -> PyResult<T> {
    py.detach(|| call(base)).map_err(|error| errors::probe_error(base, error))
}

/// Counts the values of a table without the interpreter's lock, which is taken from time to time to
/// handle signals.
fn count(
    py: Python<'_>,
    base: &taflbase::Tablebase,
    table: &Table<TableFile>,
) -> PyResult<BySide<SideStats>> {
    let mut interrupted = Ok(());
    let mut go_on = |_, _| {
        interrupted = Python::attach(|py| py.check_signals());
        interrupted.is_ok()
    };
    let counted = py.detach(|| count_values_while(base.rules(), table, &mut go_on));
    interrupted?;
    counted.map_err(|error| DamagedTable::new_err(error.to_string()))
}

/// Converts a `MissingTable` error to `None`.
fn unless_missing<T>(py: Python<'_>, result: PyResult<T>) -> PyResult<Option<T>> {
    match result {
        Err(error) if error.is_instance_of::<MissingTable>(py) => Ok(None),
        result => result.map(Some),
    }
}

fn slices_of(base: &taflbase::Tablebase, metrics: &[Metric]) -> Vec<Slice> {
    let mut slices: Vec<Slice> = metrics.iter().flat_map(|&metric| base.slices(metric)).collect();
    slices.sort();
    slices.dedup();
    slices
}

#[pymethods]
impl Tablebase {
    /// The ruleset's name.
    #[getter]
    fn rules(&self) -> &str {
        &self.rules
    }

    /// The number of files and ranks of the board.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        Ok(self.shared()?.rules().board.size())
    }

    /// The maximum number of men, including the king, of any table. The largest slices may
    /// have no distances: see max_men_dtw.
    #[getter]
    fn max_men(&self) -> PyResult<usize> {
        Ok(self.shared()?.max_men())
    }

    /// The maximum number of men, including the king, of the tables with distances, which
    /// probe_dtw, best_move and line need.
    #[getter]
    fn max_men_dtw(&self) -> PyResult<usize> {
        Ok(self.shared()?.max_men_dtw())
    }

    /// Returns statistics of the cache of decoded blocks. Probes that the rules or a table's
    /// index can answer need no block.
    fn cache_statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let CacheStatistics { hits, misses, bytes, limit_bytes, .. } =
            self.shared()?.cache().statistics();
        answers::answer(py, "CacheStatistics", (hits, misses, bytes, limit_bytes))
    }

    /// Returns the slices that have a table, smallest first: "K1v2" is the king and 1 defender
    /// against 2 attackers. metric: only slices with a table of this metric, "dtw" or "wdl";
    /// both hold outcomes, "dtw" also distances.
    #[pyo3(signature = (metric=None))]
    fn slices(&self, metric: Option<&str>) -> PyResult<Vec<String>> {
        let base = self.shared()?;
        let slices = match metric {
            None => slices_of(&base, &Metric::ALL),
            Some(metric) => slices_of(&base, &[parse_word("metric", metric)?]),
        };
        Ok(slices.iter().map(ToString::to_string).collect())
    }

    /// Returns the value of a position and of each of its moves, best first. A capture into a
    /// slice whose table is missing is "unknown". A notebook shows the result as a picture of
    /// the board with a table of the moves.
    fn probe<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let (base, position) = self.parse(position)?;
        let probe = call_detached(py, &base, |base| base.probe(&position))?;
        answers::probe(py, &base, &position, &probe)
    }

    /// Returns the outcome for the side to move.
    fn probe_wdl(&self, py: Python<'_>, position: &str) -> PyResult<Word> {
        let (base, position) = self.parse(position)?;
        let wdl = call_detached(py, &base, |base| base.probe_wdl(&position))?;
        Ok(answers::category(base.category(wdl)))
    }

    /// Returns the outcome and the distance to the end of the game in plies.
    fn probe_dtw<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let (base, position) = self.parse(position)?;
        let value = call_detached(py, &base, |base| base.probe_dtw(&position))?;
        answers::value(py, &base, value)
    }

    /// Like probe_wdl, but returns a default instead of raising MissingTable.
    #[pyo3(signature = (position, default=None))]
    fn get_wdl<'py>(
        &self,
        py: Python<'py>,
        position: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let wdl = unless_missing(py, self.probe_wdl(py, position))?;
        wdl.map_or(Ok(default), |wdl| wdl.into_pyobject(py).map(Some))
    }

    /// Like probe_dtw, but returns a default instead of raising MissingTable.
    #[pyo3(signature = (position, default=None))]
    fn get_dtw<'py>(
        &self,
        py: Python<'py>,
        position: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(unless_missing(py, self.probe_dtw(py, position))?.or(default))
    }

    /// Returns the best move; None if there is no legal move. Raises MissingTable if the choice
    /// depends on missing tables: it needs distances unless the position is drawn, and the
    /// tables after captures unless another move is known to be the best.
    fn best_move(&self, py: Python<'_>, position: &str) -> PyResult<Option<String>> {
        let (base, position) = self.parse(position)?;
        let best = call_detached(py, &base, |base| base.best_move(&position))?;
        Ok(best.map(|played| answers::text(base.rules(), &played)))
    }

    /// Returns one line of best play to the end of the game, each move with the position after
    /// it; empty for a draw. Needs tables with distances, like best_move.
    fn line<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (base, position) = self.parse(position)?;
        let line = call_detached(py, &base, |base| base.line(&position))?;
        answers::moves(py, base.rules(), &position, &line)
    }

    /// Returns the legal moves of a position with any number of men, ordered by origin and
    /// destination (a1, b1, ...), each with the position after it. Reads no table.
    fn legal_moves<'py>(
        &self,
        py: Python<'py>,
        position: &str,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (base, position) = self.parse(position)?;
        let rules = base.rules();
        let moves = legal_moves(rules, &position);
        moves.iter().map(|played| answers::played(py, rules, &position, played)).collect()
    }

    /// Returns the position after a move. The letter K, the captures and the mark at the end
    /// may be omitted from the move. Captured soldiers are removed. A captured king stays on
    /// the board; the move's mark "++" shows that the game is over. Reads no table. Raises
    /// MoveError if the move is illegal.
    fn play(&self, position: &str, r#move: &str) -> PyResult<String> {
        let (base, position) = self.parse(position)?;
        let played = parse_legal(&base, &position, r#move)?;
        Ok(position.after(&played).to_text(base.rules()))
    }

    /// Returns the board of a position with any number of men for display: a picture in a
    /// notebook, text with print. An arrow shows the move, if one is given, as for play. Reads
    /// no table. Raises MoveError if the move is illegal.
    #[pyo3(signature = (position, r#move=None))]
    fn board(&self, position: &str, r#move: Option<&str>) -> PyResult<Board> {
        let (base, position) = self.parse(position)?;
        let played = r#move.map(|text| parse_legal(&base, &position, text)).transpose()?;
        Ok(Board::of(base.rules(), &position, played.as_ref()))
    }

    /// Returns statistics of a slice, as `taflbase stats --json` prints them, with the
    /// attackers to move and with the defenders to move. Counts are over all placements;
    /// mirror images count separately.
    fn stats<'py>(&self, py: Python<'py>, slice: &str) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let slice = parse_slice(slice)?;
        let table = call_detached(py, &base, |base| base.best_table(slice))?;
        let counted = count(py, &base, table)?;
        let metric = table.header().metric;
        let reports = counted.map(|side| side.report(&base, slice, metric));
        answers::answer(py, "side_stats", (answers::json(&reports)?,))
    }

    /// Recomputes the values of a slice by forward moves and compares them with its tables, as
    /// `taflbase verify` does. Requires the tables of all slices that captures lead to.
    ///
    /// sample: verify only this percentage of the slice's blocks, for slices that do not fit in
    /// memory. seed: the random seed for the choice of blocks. memory_bytes: the memory limit
    /// for values; by default the free memory. progress: called with a Progress at the start
    /// of each phase, and regularly within it.
    ///
    /// An exception in progress, or Ctrl-C, stops the verification. Raises MissingTable,
    /// DamagedTable or WrongTable for tables that cannot be read, and VerifyError for a slice
    /// that does not fit in memory.
    #[pyo3(signature = (slice, *, sample=None, seed=0, memory_bytes=None, progress=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        sample: Option<f64>,
        #[pyo3(from_py_with = parse_whole)] seed: u64,
        #[pyo3(from_py_with = parse_optional_whole)] memory_bytes: Option<u64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = Request { slice: parse_slice(slice)?, sample, seed, memory_bytes };
        verify(py, &*self.shared()?, &request, progress.as_ref())
    }

    /// Returns a manifest of the tables: the counts of each slice, and the size, checksum and
    /// hash of the values of each file. The contents of the files' headers are not verified.
    ///
    /// longest: also find the positions of the longest wins, which takes as long as stats.
    #[pyo3(signature = (slices=None, *, longest=false))]
    fn manifest<'py>(
        &self,
        py: Python<'py>,
        slices: Option<Vec<String>>,
        longest: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let slices = match slices {
            None => slices_of(&base, &Metric::ALL),
            Some(slices) => {
                slices.iter().map(|slice| parse_slice(slice)).collect::<Result<_, _>>()?
            }
        };
        let mut manifest = Manifest::new(base.rules());
        for slice in slices {
            let mut entry = call_detached(py, &base, |base| SliceEntry::of(base, slice))?;
            if longest && entry.file(Metric::Dtw).is_some() {
                let table = call_detached(py, &base, |base| base.best_table(slice))?;
                entry.add_longest(base.rules(), &count(py, &base, table)?);
            }
            manifest.insert(entry.listed_now());
        }
        answers::answer(py, "manifest", (answers::json(&manifest)?,))
    }

    /// Closes the files. An engine that uses the tables keeps them open.
    fn close(&self) {
        self.base.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// Searches a slice for positions, like `taflbase find`. Returns them in the order of the
    /// slice's rows, one of each class of mirror images that has a matching image.
    ///
    /// value: the outcome for the side to move. plies: the distance, or its minimum and
    /// maximum. to_move: "attackers" or "defenders". zugzwang: only mutual zugzwangs, in which
    /// both sides lose if they are to move, or one loses and the other draws; with the
    /// attackers to move, unless to_move is given.
    /// king: the king is on one of these squares, as "c3,d4" or ["c3", "d4"]. attackers,
    /// defenders, empty: all of these squares hold one, or are empty. pattern: a board in
    /// which ? is any square and * the rest of a rank: "/*/*/*/3K*/*/*/*/". longest: only the
    /// longest wins of either side to move, or with value="loss" the longest losses. random:
    /// this many random positions. seed: the random seed. limit: at most this many positions;
    /// without a limit the list may be large. Ctrl-C stops the search.
    #[expect(clippy::too_many_arguments)]
    #[pyo3(signature = (
        slice, *, value=None, plies=None, to_move=None, zugzwang=false, king=None,
        attackers=None, defenders=None, empty=None, pattern=None, longest=false, random=None,
        seed=0, limit=None
    ))]
    fn find<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        value: Option<String>,
        plies: Option<Distance>,
        to_move: Option<String>,
        zugzwang: bool,
        king: Option<Strings>,
        attackers: Option<Strings>,
        defenders: Option<Strings>,
        empty: Option<Strings>,
        pattern: Option<String>,
        longest: bool,
        #[pyo3(from_py_with = parse_optional_whole)] random: Option<u64>,
        #[pyo3(from_py_with = parse_whole)] seed: u64,
        #[pyo3(from_py_with = parse_optional_whole)] limit: Option<u64>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let base = self.shared()?;
        let slice = parse_slice(slice)?;
        let table = call_detached(py, &base, |base| base.best_table(slice))?;
        let criteria = Criteria {
            value,
            plies,
            to_move,
            zugzwang,
            pattern,
            king,
            attackers,
            defenders,
            empty,
        };
        find(py, &base, table, &criteria, &Selection { longest, random, seed, limit })
    }

    /// Returns the position with pieces on these squares, as a string. Squares are numbered
    /// rank * size + file; a1 is 0. to_move is "attackers" or "defenders".
    fn position(
        &self,
        py: Python<'_>,
        king: &Bound<'_, PyAny>,
        defenders: &Bound<'_, PyAny>,
        attackers: &Bound<'_, PyAny>,
        to_move: &str,
    ) -> PyResult<String> {
        let base = self.shared()?;
        let rules = base.rules();
        one_position(py, rules, king, defenders, attackers, parse_word("to_move", to_move)?)
            .map(|position| position.to_text(rules))
    }

    /// Probes many positions, and returns their values as arrays in the same order. metric
    /// selects the tables: "dtw", or "wdl", which are smaller and have no distances; None
    /// reads either, like probe: all outcomes, and distances where they exist.
    ///
    /// The first position that cannot be probed raises an error with its number. With
    /// errors="mark" wdl is UNKNOWN for such positions if there is no table, and INVALID if
    /// they are not positions of a game in progress. A damaged table always raises
    /// DamagedTable.
    #[pyo3(signature = (positions, metric="dtw", *, errors="raise"))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyBackedStr>,
        metric: Option<&str>,
        errors: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let (metric, errors) = (parse_metric(metric)?, parse_word("errors", errors)?);
        let mut values = Columns::default();
        for texts in positions.chunks(BATCH) {
            let parsed: Vec<_> = py
                .detach(|| texts.iter().map(|text| Position::parse(text, base.rules())).collect());
            values.probe_each(py, &base, &parsed, metric, errors)?;
        }
        answers::answer(py, "Values", values.into_arrays(py))
    }

    /// Like probe_many, for positions given by squares as slice_values returns them: n kings,
    /// n x defenders, n x attackers, as arrays of any integer type, or lists.
    #[pyo3(signature = (king, defenders, attackers, to_move, metric="dtw", *, errors="raise"))]
    #[expect(clippy::too_many_arguments)]
    fn probe_squares<'py>(
        &self,
        py: Python<'py>,
        king: &Bound<'py, PyAny>,
        defenders: &Bound<'py, PyAny>,
        attackers: &Bound<'py, PyAny>,
        to_move: &str,
        metric: Option<&str>,
        errors: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let squares = Squares::new(king, defenders, attackers, parse_word("to_move", to_move)?)?;
        let (metric, errors) = (parse_metric(metric)?, parse_word("errors", errors)?);
        let mut values = Columns::default();
        for first in (0..squares.len()).step_by(BATCH) {
            let numbers = first..squares.len().min(first + BATCH);
            let positions = squares.positions(base.rules(), numbers)?;
            values.probe_each(py, &base, &positions, metric, errors)?;
        }
        answers::answer(py, "Values", values.into_arrays(py))
    }

    /// Returns the number of rows in the table of a slice: see slice_values.
    fn slice_rows(&self, py: Python<'_>, slice: &str) -> PyResult<u64> {
        let base = self.shared()?;
        let slice = parse_slice(slice)?;
        call_detached(py, &base, |base| base.index(slice).map(|index| index.rows()))
    }

    /// Returns all positions of a slice with one side to move, and their values, in 7 bytes a
    /// position plus 2 for each soldier. Mirror images are separate positions, as in stats, so
    /// they need no weights. The images of a position are adjacent. Ctrl-C stops the call.
    ///
    /// columns of the result gives columns for data frames, and to_arrow a pyarrow.Table; the
    /// arrays are laid out so that neither copies them.
    ///
    /// For a slice that does not fit in memory, rows selects a part: the first row and the one
    /// after the last, of slice_rows(slice) in all. A row is a placement of the soldiers with
    /// all its images and every square of the king. slice_classes returns only one image of
    /// each position, an eighth as much.
    #[pyo3(signature = (slice, to_move, metric="dtw", rows=None))]
    fn slice_values<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        to_move: &str,
        metric: Option<&str>,
        #[pyo3(from_py_with = parse_optional_pair)] rows: Option<(u64, u64)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        part(slice, to_move, metric, rows)?.values(py, &*self.shared()?)
    }

    /// Returns one position of each class of mirror images of a slice, with its value and its
    /// number of images. Mirror images have the same value, so this is enough to find
    /// positions, and to count them with images as weights. For the squares of pieces in all
    /// images use slice_values, which has the same arguments.
    #[pyo3(signature = (slice, to_move, metric="dtw", rows=None))]
    fn slice_classes<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        to_move: &str,
        metric: Option<&str>,
        #[pyo3(from_py_with = parse_optional_pair)] rows: Option<(u64, u64)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        part(slice, to_move, metric, rows)?.classes(py, &*self.shared()?)
    }

    fn __repr__(&self) -> String {
        let tables = self.shared().map_or("closed".to_owned(), |base| {
            let slices = slices_of(&base, &Metric::ALL).len();
            format!("{slices} slices, {}", errors::describe_size(&base))
        });
        format!("<taflbase.Tablebase {}: {tables}>", self.rules)
    }
}

/// Parses a metric; `None` for any.
fn parse_metric(metric: Option<&str>) -> PyResult<Option<Metric>> {
    metric.map(|metric| parse_word("metric", metric)).transpose()
}

fn part(
    slice: &str,
    to_move: &str,
    metric: Option<&str>,
    rows: Option<(u64, u64)>,
) -> PyResult<Part> {
    let slice = parse_slice(slice)?;
    Ok(Part {
        slice,
        to_move: parse_word("to_move", to_move)?,
        metric: parse_metric(metric)?,
        rows,
    })
}
