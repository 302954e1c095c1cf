use std::collections::HashMap;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyAnyMethods, PyModule};
use pyo3::{Bound, PyAny, PyResult, Python, pyclass, pymethods};
use taflbase::position::Position;
use taflbase::slice::Slice;
use taflbase::stats::count_values;
use taflbase::table::Metric;
use taflbase::tablebase::CacheStatistics;

use crate::bulk::{Columns, LOT, Squares};
use crate::errors::{DamagedTable, PositionError, position_error, probe_error};
use crate::parameters::{parse_slice, parse_word};
use crate::{answers, bulk, slice_values};

/// The tables of one ruleset, made by open.
///
/// Positions are texts: the board from rank 1 up, a blank, and the side to move, "a" or
/// "d". Threads may share a Tablebase: none of its methods holds the interpreter's lock
/// while it reads tables. Bulk work runs on all processors; RAYON_NUM_THREADS in the
/// environment sets another number.
///
/// Probes raise PositionError for what is no position of a running game, MissingTable,
/// DamagedTable, or WrongTable.
#[pyclass(frozen, module = "taflbase")]
pub struct Tablebase {
    base: taflbase::Tablebase,
}

impl Tablebase {
    pub fn new(base: taflbase::Tablebase) -> Tablebase {
        Tablebase { base }
    }

    fn parse(&self, position: &str) -> PyResult<Position> {
        Position::parse(position, self.base.rules())
            .map_err(|error| PositionError::new_err(error.to_string()))
    }

    fn all_slices(&self) -> Vec<Slice> {
        let metrics = Metric::ALL.into_iter();
        let mut slices: Vec<Slice> = metrics.flat_map(|m| self.base.slices(m)).collect();
        slices.sort();
        slices.dedup();
        slices
    }
}

#[pymethods]
impl Tablebase {
    /// The ruleset's name.
    #[getter]
    fn rules(&self) -> &str {
        &self.base.rules().name
    }

    /// How many files and ranks the board has.
    #[getter]
    fn size(&self) -> usize {
        self.base.rules().board.size()
    }

    /// The most men, king included, of which there is any table.
    #[getter]
    fn max_men(&self) -> usize {
        self.base.max_men()
    }

    /// What the cache of decoded blocks holds, and how it has served so far: a dict of
    /// "hits", "misses", "bytes" and "limit_bytes". Probes that the rules or a table's
    /// index answer need no block.
    fn cache_statistics(&self) -> HashMap<&'static str, u64> {
        let CacheStatistics { hits, misses, bytes, limit_bytes, .. } =
            self.base.cache().statistics();
        HashMap::from([
            ("hits", hits),
            ("misses", misses),
            ("bytes", bytes as u64),
            ("limit_bytes", limit_bytes as u64),
        ])
    }

    /// The slices of which there is a table, smallest first: "K1v2" is the king and 1
    /// defender against 2 attackers.
    fn slices(&self) -> Vec<String> {
        self.all_slices().iter().map(ToString::to_string).collect()
    }

    /// The value of a position and of each of its moves, best first. A capture may lead
    /// to a slice whose table is missing: such a move is "unknown".
    fn probe<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let position = self.parse(position)?;
        let probe = py.detach(|| self.base.probe(&position)).map_err(probe_error)?;
        answers::probe(py, &self.base, &position, &probe)
    }

    /// The outcome for the side to move: "win", "draw", "loss" or "undecided".
    fn probe_wdl(&self, py: Python<'_>, position: &str) -> PyResult<&'static str> {
        let position = self.parse(position)?;
        let wdl = py.detach(|| self.base.probe_wdl(&position)).map_err(probe_error)?;
        Ok(self.base.category(wdl))
    }

    /// The outcome with the distance to the end of the game, in plies.
    fn probe_dtw<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let position = self.parse(position)?;
        let value = py.detach(|| self.base.probe_dtw(&position)).map_err(probe_error)?;
        answers::value(py, &self.base, value)
    }

    /// The best move; None if there is no legal move. Raises MissingTable if the choice
    /// depends on tables that are missing: those of distances, unless the position is
    /// drawn, and of what a capture leads to, unless another move is known to be the best.
    fn best_move(&self, py: Python<'_>, position: &str) -> PyResult<Option<String>> {
        let position = self.parse(position)?;
        let best = py.detach(|| self.base.best_move(&position)).map_err(probe_error)?;
        let board = self.base.rules().board;
        Ok(best.map(|played| played.display(board).to_string()))
    }

    /// One line of best play to the end of the game; no moves for a draw.
    fn line(&self, py: Python<'_>, position: &str) -> PyResult<Vec<String>> {
        let position = self.parse(position)?;
        let line = py.detach(|| self.base.line(&position)).map_err(probe_error)?;
        let board = self.base.rules().board;
        Ok(line.iter().map(|played| played.display(board).to_string()).collect())
    }

    /// What a slice is like, as `taflbase stats --json` tells it: a dict for attackers
    /// to move and one for defenders to move, with counts over all positions, mirror
    /// images counted separately, the longest wins and losses, and a histogram.
    fn stats<'py>(&self, py: Python<'py>, slice: &str) -> PyResult<Bound<'py, PyAny>> {
        let slice = parse_slice(slice)?;
        let table = py.detach(|| self.base.best_table(slice)).map_err(probe_error)?;
        let counted = py
            .detach(|| count_values(self.base.rules(), table))
            .map_err(|error| DamagedTable::new_err(error.to_string()))?;
        let metric = table.header().metric;
        let reports = counted.map(|side| side.report(&self.base, slice, metric));
        let text = serde_json::to_string(&reports)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyModule::import(py, "json")?.getattr("loads")?.call1((text,))
    }

    /// The text of a position given by squares, numbered rank * size + file from a1,
    /// which is 0. to_move is "attackers" or "defenders".
    fn position(
        &self,
        king: usize,
        defenders: &Bound<'_, PyAny>,
        attackers: &Bound<'_, PyAny>,
        to_move: &str,
    ) -> PyResult<String> {
        let [defenders, attackers] = [numbers(defenders)?, numbers(attackers)?];
        let rules = self.base.rules();
        bulk::position(rules, king, defenders, attackers, parse_word(to_move)?)
            .map(|position| position.to_text(rules))
            .map_err(|error| PositionError::new_err(error.to_string()))
    }

    /// The values of many positions as arrays, in their order. metric says which tables
    /// are asked: "dtw", or the smaller ones of "wdl", which have no distances. The
    /// first position that cannot be probed raises an error that tells its number.
    #[pyo3(signature = (positions, metric="dtw"))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyBackedStr>,
        metric: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rules = self.base.rules();
        let metric = parse_word(metric)?;
        let mut values = Columns::default();
        for (lot, texts) in positions.chunks(LOT).enumerate() {
            let parsed: Result<Vec<Position>, _> = py.detach(|| {
                let numbered = (lot * LOT..).zip(texts);
                let parse = |(number, text): (usize, &PyBackedStr)| {
                    Position::parse(text, rules).map_err(|error| (number, error))
                };
                numbered.map(parse).collect()
            });
            let parsed = parsed.map_err(|(number, error)| position_error(number, error))?;
            values.probe(py, &self.base, &parsed, metric)?;
        }
        answers::named_tuple(py, "Values", values.into_arrays(py))
    }

    /// The values of positions given by arrays of squares of the type uint16, as
    /// slice_values returns them: n kings, n x defenders, n x attackers. As probe_many
    /// otherwise.
    #[pyo3(signature = (king, defenders, attackers, to_move, metric="dtw"))]
    fn probe_squares<'py>(
        &self,
        py: Python<'py>,
        king: PyReadonlyArray1<'py, u16>,
        defenders: PyReadonlyArray2<'py, u16>,
        attackers: PyReadonlyArray2<'py, u16>,
        to_move: &str,
        metric: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let squares = Squares::new(king, defenders, attackers, parse_word(to_move)?)?;
        let metric = parse_word(metric)?;
        let mut values = Columns::default();
        for first in (0..squares.len()).step_by(LOT) {
            let numbers = first..squares.len().min(first + LOT);
            let positions = squares
                .positions(self.base.rules(), numbers)
                .map_err(|(number, error)| position_error(number, error))?;
            values.probe(py, &self.base, &positions, metric)?;
        }
        answers::named_tuple(py, "Values", values.into_arrays(py))
    }

    /// How many rows the table of a slice has: see slice_values.
    fn slice_rows(&self, py: Python<'_>, slice: &str) -> PyResult<u64> {
        let slice = parse_slice(slice)?;
        py.detach(|| self.base.index(slice)).map(|index| index.rows()).map_err(probe_error)
    }

    /// All positions of a slice with that side to move, one for each class of mirror
    /// images, with their values: 10 bytes and 2 for each soldier a position. For a
    /// slice that is too large for that, take it part by part: rows is the first row
    /// and the one after the last, of slice_rows(slice) in all; a row is a placement of
    /// the soldiers, with every square of the king.
    #[pyo3(signature = (slice, to_move, metric="dtw", rows=None))]
    fn slice_values<'py>(
        &self,
        py: Python<'py>,
        slice: &str,
        to_move: &str,
        metric: &str,
        rows: Option<(u64, u64)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let slice = parse_slice(slice)?;
        let (to_move, metric) = (parse_word(to_move)?, parse_word(metric)?);
        slice_values::slice_values(py, &self.base, slice, to_move, metric, rows)
    }

    fn __repr__(&self) -> String {
        let (rules, slices) = (self.rules(), self.all_slices().len());
        format!("<taflbase.Tablebase {rules}: {slices} slices, at most {} men>", self.max_men())
    }
}

/// The numbers of anything that can be gone through.
fn numbers(object: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    object.try_iter()?.map(|number| number?.extract()).collect()
}
