use std::sync::{Arc, PoisonError, RwLock};

use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyTuple;
use pyo3::{Bound, IntoPyObject, PyAny, PyRef, PyResult, Python, pyclass, pymethods};
use taflbase::ProbeError;
use taflbase::manifest::{Manifest, SliceEntry};
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::slice::Slice;
use taflbase::stats::count_values;
use taflbase::table::Metric;
use taflbase::tablebase::CacheStatistics;

use crate::answers::{self, Word};
use crate::board::Board;
use crate::bulk::{Columns, LOT};
use crate::errors::{self, Closed, DamagedTable, MissingTable, MoveError, PositionError};
use crate::find::{Distance, Names, Told, Wanted, find};
use crate::parameters::{parse_slice, parse_word};
use crate::slice_values::Part;
use crate::squares::{Squares, one_position};
use crate::verify::{Request, verify};

/// The tables of one ruleset, made by open.
///
/// Positions are texts: the board from rank 1 up, a blank, and the side to move, "a" or
/// "d". Threads may share a Tablebase: none of its methods holds the interpreter's lock
/// while it reads tables. Bulk work runs on all processors; RAYON_NUM_THREADS in the
/// environment sets another number.
///
/// Probes raise PositionError for what is no position of a running game, MissingTable,
/// DamagedTable, or WrongTable. close ends the use of the files, as does the end of a with
/// statement; after that all methods raise Closed.
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

    /// The tables, unless they are closed.
    pub fn shared(&self) -> PyResult<Arc<taflbase::Tablebase>> {
        let base = self.base.read().unwrap_or_else(PoisonError::into_inner);
        base.clone().ok_or_else(|| Closed::new_err("the tablebase is closed: open it again"))
    }
}

fn parse(base: &taflbase::Tablebase, position: &str) -> PyResult<Position> {
    Position::parse(position, base.rules())
        .map_err(|error| PositionError::new_err(error.to_string()))
}

/// A move that is legal in the position.
fn parse_legal(base: &taflbase::Tablebase, position: &Position, text: &str) -> PyResult<Move> {
    parse_move(base.rules(), position, text).map_err(|error| MoveError::new_err(error.to_string()))
}

/// What a call of the library answers, without the interpreter's lock.
fn ask<'a, T: Send>(
    py: Python<'_>,
    base: &'a taflbase::Tablebase,
    call: impl Send + FnOnce(&'a taflbase::Tablebase) -> Result<T, ProbeError>,
) -> PyResult<T> {
    py.detach(|| call(base)).map_err(|error| errors::probe_error(base, error))
}

/// The answer of a probe; none if there is no table.
fn if_there<T>(py: Python<'_>, answer: PyResult<T>) -> PyResult<Option<T>> {
    match answer {
        Err(error) if error.is_instance_of::<MissingTable>(py) => Ok(None),
        answer => answer.map(Some),
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

    /// How many files and ranks the board has.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        Ok(self.shared()?.rules().board.size())
    }

    /// The most men, king included, of which there is any table. Of some there may be
    /// no distances: see max_men_dtw.
    #[getter]
    fn max_men(&self) -> PyResult<usize> {
        Ok(self.shared()?.max_men())
    }

    /// The most men, king included, of which there are distances, as probe_dtw,
    /// best_move and line need them.
    #[getter]
    fn max_men_dtw(&self) -> PyResult<usize> {
        Ok(self.shared()?.max_men_dtw())
    }

    /// What the cache of decoded blocks holds, and how it has served so far. Probes that
    /// the rules or a table's index answer need no block.
    fn cache_statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let CacheStatistics { hits, misses, bytes, limit_bytes, .. } =
            self.shared()?.cache().statistics();
        answers::answer(py, "CacheStatistics", (hits, misses, bytes, limit_bytes))
    }

    /// The slices of which there is a table, smallest first: "K1v2" is the king and 1
    /// defender against 2 attackers. With a metric, "dtw" or "wdl", those of which there
    /// is a table of that metric: outcomes are read from either, distances from "dtw".
    #[pyo3(signature = (metric=None))]
    fn slices(&self, metric: Option<&str>) -> PyResult<Vec<String>> {
        let base = self.shared()?;
        let slices = match metric {
            None => slices_of(&base, &Metric::ALL),
            Some(metric) => slices_of(&base, &[parse_word("metric", metric)?]),
        };
        Ok(slices.iter().map(ToString::to_string).collect())
    }

    /// The value of a position and of each of its moves, best first. A capture may lead
    /// to a slice whose table is missing: such a move is "unknown". In a notebook the
    /// answer is a picture of the board with a table of the moves.
    fn probe<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let probe = ask(py, &base, |base| base.probe(&position))?;
        answers::probe(py, &base, &position, &probe)
    }

    /// The outcome for the side to move.
    fn probe_wdl(&self, py: Python<'_>, position: &str) -> PyResult<Word> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let wdl = ask(py, &base, |base| base.probe_wdl(&position))?;
        Ok(answers::category(base.category(wdl)))
    }

    /// The outcome with the distance to the end of the game, in plies.
    fn probe_dtw<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let value = ask(py, &base, |base| base.probe_dtw(&position))?;
        answers::value(py, &base, value)
    }

    /// As probe_wdl, with a default in place of MissingTable.
    #[pyo3(signature = (position, default=None))]
    fn get_wdl<'py>(
        &self,
        py: Python<'py>,
        position: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let wdl = if_there(py, self.probe_wdl(py, position))?;
        wdl.map_or(Ok(default), |wdl| wdl.into_pyobject(py).map(Some))
    }

    /// As probe_dtw, with a default in place of MissingTable.
    #[pyo3(signature = (position, default=None))]
    fn get_dtw<'py>(
        &self,
        py: Python<'py>,
        position: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(if_there(py, self.probe_dtw(py, position))?.or(default))
    }

    /// The best move; None if there is no legal move. Raises MissingTable if the choice
    /// depends on tables that are missing: those of distances, unless the position is
    /// drawn, and of what a capture leads to, unless another move is known to be the best.
    fn best_move(&self, py: Python<'_>, position: &str) -> PyResult<Option<String>> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let best = ask(py, &base, |base| base.best_move(&position))?;
        Ok(best.map(|played| answers::text(base.rules(), &played)))
    }

    /// One line of best play to the end of the game, each move with the position after
    /// it; no moves for a draw. Needs tables of distances, as best_move does.
    fn line<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let line = ask(py, &base, |base| base.line(&position))?;
        answers::moves(py, base.rules(), &position, &line)
    }

    /// The legal moves of a position of any number of men, by origin and target in square
    /// order (a1, b1, ...), each with the position after it. No table is read.
    fn legal_moves<'py>(
        &self,
        py: Python<'py>,
        position: &str,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let rules = base.rules();
        let moves = legal_moves(rules, &position);
        moves.iter().map(|played| answers::played(py, rules, &position, played)).collect()
    }

    /// The position after a move. Of the move's text, the letter K, the captures and the
    /// mark at the end may be missing. Captured soldiers are removed. A captured king
    /// stays on the board: that the game is over is told by the mark "++" of the move.
    /// No table is read. Raises MoveError if the move is not legal.
    fn play(&self, position: &str, r#move: &str) -> PyResult<String> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let played = parse_legal(&base, &position, r#move)?;
        Ok(position.after(&played).to_text(base.rules()))
    }

    /// The board of a position of any number of men, to look at: as a picture in a
    /// notebook, as text with print. With a move, written as for play, an arrow shows it.
    /// No table is read. Raises MoveError if the move is not legal.
    #[pyo3(signature = (position, r#move=None))]
    fn board(&self, position: &str, r#move: Option<&str>) -> PyResult<Board> {
        let base = self.shared()?;
        let position = parse(&base, position)?;
        let played = r#move.map(|text| parse_legal(&base, &position, text)).transpose()?;
        Ok(Board::of(base.rules(), &position, played.as_ref()))
    }

    /// Statistics of a slice, as `taflbase stats --json` prints them: with the attackers to
    /// move, and with the defenders to move. Counts are over all placements, mirror images
    /// counted separately.
    fn stats<'py>(&self, py: Python<'py>, slice: &str) -> PyResult<Bound<'py, PyAny>> {
        let base = self.shared()?;
        let slice = parse_slice(slice)?;
        let table = ask(py, &base, |base| base.best_table(slice))?;
        let counted = py
            .detach(|| count_values(base.rules(), table))
            .map_err(|error| DamagedTable::new_err(error.to_string()))?;
        let metric = table.header().metric;
        let reports = counted.map(|side| side.report(&base, slice, metric));
        answers::answer(py, "side_stats", (answers::json(&reports)?,))
    }

    /// Recomputes the values of a slice by forward moves and compares them with its
    /// tables, as `taflbase verify` does. The tables of all slices that captures lead to
    /// must be there.
    ///
    /// sample: verify this many percent of the blocks of the slice, which a slice that is
    /// too large for the memory allows. seed: which blocks these are. memory_bytes: the
    /// memory that the values may take; what is free unless given. progress: called with
    /// a Progress at the beginning of each phase, and now and then.
    ///
    /// An exception of progress, or Ctrl-C, ends it. Raises MissingTable, DamagedTable or
    /// WrongTable for tables that cannot be read, and VerifyError for a slice that does
    /// not fit into the memory.
    #[pyo3(signature = (slice, *, sample=None, seed=0, memory_bytes=None, progress=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        sample: Option<f64>,
        seed: u64,
        memory_bytes: Option<u64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = Request { slice: parse_slice(slice)?, sample, seed, memory_bytes };
        verify(py, &*self.shared()?, &request, progress.as_ref())
    }

    /// What the tables are: the counts of each slice, and the size, the checksum and the
    /// hash of the values of each file. What the files say of themselves is not checked.
    #[pyo3(signature = (slices=None))]
    fn manifest<'py>(
        &self,
        py: Python<'py>,
        slices: Option<Vec<String>>,
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
            manifest.insert(ask(py, &base, |base| SliceEntry::of(base, slice))?);
        }
        answers::answer(py, "manifest", (answers::json(&manifest)?,))
    }

    /// Ends the use of the files. An engine that has the tables keeps them.
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

    /// Positions of a slice, as `taflbase find` looks for them, in the order of its rows:
    /// one of each class of mirror images, found if any of them fits.
    ///
    /// value: the outcome for the side to move. plies: the distance, or the shortest and
    /// the longest. to_move: "attackers" or "defenders". zugzwang: only mutual zugzwangs,
    /// in which both lose when they are to move, or one loses and the other draws; with
    /// the attackers to move, unless to_move is given.
    /// king: squares of which the king stands on one, as "c3,d4" or ["c3", "d4"].
    /// attackers, defenders, empty: squares that all hold one, or are empty. pattern: a
    /// board, in which ? is any square and * the rest of a rank: "/*/*/*/3K*/*/*/*/".
    /// longest: only the longest wins of either side to move, or with value="loss" the
    /// longest losses. random: so many positions at random, which depend on the seed
    /// alone. limit: the first so many; all are a list that may be large. Ctrl-C ends a
    /// search.
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
        king: Option<Names>,
        attackers: Option<Names>,
        defenders: Option<Names>,
        empty: Option<Names>,
        pattern: Option<String>,
        longest: bool,
        random: Option<usize>,
        seed: u64,
        limit: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let base = self.shared()?;
        let slice = parse_slice(slice)?;
        let table = ask(py, &base, |base| base.best_table(slice))?;
        let wanted =
            Wanted { value, plies, to_move, zugzwang, pattern, king, attackers, defenders, empty };
        find(py, &base, table, &wanted, &Told { longest, random, seed, limit })
    }

    /// The text of a position given by squares, numbered rank * size + file from a1,
    /// which is 0. to_move is "attackers" or "defenders".
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

    /// The values of many positions as arrays, in their order. metric says which tables
    /// are asked: "dtw", or the smaller ones of "wdl", which have no distances; None asks
    /// either, as probe does: outcomes of all, and distances where there are any.
    ///
    /// The first position without an answer raises an error with its number. With
    /// errors="mark" the others are answered all the same: wdl is UNKNOWN where there is no
    /// table, and INVALID for what is no position of a running game. A damaged table
    /// raises DamagedTable in any case.
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
        for texts in positions.chunks(LOT) {
            let parsed: Vec<_> = py
                .detach(|| texts.iter().map(|text| Position::parse(text, base.rules())).collect());
            values.probe_each(py, &base, &parsed, metric, errors)?;
        }
        answers::answer(py, "Values", values.into_arrays(py))
    }

    /// The values of positions given by squares, as slice_values returns them: n kings,
    /// n x defenders, n x attackers. They are arrays of any integers, or lists. As
    /// probe_many otherwise.
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
        for first in (0..squares.len()).step_by(LOT) {
            let numbers = first..squares.len().min(first + LOT);
            let positions = squares.positions(base.rules(), numbers)?;
            values.probe_each(py, &base, &positions, metric, errors)?;
        }
        answers::answer(py, "Values", values.into_arrays(py))
    }

    /// How many rows the table of a slice has: see slice_values.
    fn slice_rows(&self, py: Python<'_>, slice: &str) -> PyResult<u64> {
        let base = self.shared()?;
        let slice = parse_slice(slice)?;
        ask(py, &base, |base| base.index(slice).map(|index| index.rows()))
    }

    /// All positions of a slice with that side to move, with their values: 7 bytes and 2
    /// for each soldier a position. Every mirror image is a position of its own, as in
    /// stats: count squares, positions or values as they are. The images of a position
    /// follow one another.
    ///
    /// A slice that is too large for the memory is taken part by part: rows is the first
    /// row and the one after the last, of slice_rows(slice) in all. A row is a placement
    /// of the soldiers and all its images, with every square of the king. Where images do
    /// not matter, slice_classes has an eighth as much.
    #[pyo3(signature = (slice, to_move, metric="dtw", rows=None))]
    fn slice_values<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        to_move: &str,
        metric: Option<&str>,
        rows: Option<(u64, u64)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        part(slice, to_move, metric, rows)?.values(py, &*self.shared()?)
    }

    /// One position of each class of mirror images of a slice, with its value and the
    /// number of its images. Mirror images have the same value, so this is enough to find
    /// positions, and with images as weights to count them. It does not tell where pieces
    /// stand in all of them: for that take slice_values, whose arguments are the same.
    #[pyo3(signature = (slice, to_move, metric="dtw", rows=None))]
    fn slice_classes<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        to_move: &str,
        metric: Option<&str>,
        rows: Option<(u64, u64)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        part(slice, to_move, metric, rows)?.classes(py, &*self.shared()?)
    }

    fn __repr__(&self) -> String {
        let tables = self.shared().map_or("closed".to_owned(), |base| {
            let slices = slices_of(&base, &Metric::ALL).len();
            format!("{slices} slices, {}", errors::reach(&base))
        });
        format!("<taflbase.Tablebase {}: {tables}>", self.rules)
    }
}

/// Which tables are asked; all, if none are named.
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
