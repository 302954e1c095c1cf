use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyAnyMethods, PyModule};
use pyo3::{Bound, PyAny, PyResult, Python, pyclass, pymethods};
use taflbase::ProbeError;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::slice::Slice;
use taflbase::stats::count_values;
use taflbase::table::Metric;
use taflbase::tablebase::CacheStatistics;

use crate::answers;
use crate::board::Board;
use crate::bulk::{Columns, LOT};
use crate::errors::{self, DamagedTable, MoveError, PositionError, bulk_error, position_error};
use crate::find::{Distance, Names, Told, Wanted, find};
use crate::parameters::{parse_slice, parse_word};
use crate::slice_values::Part;
use crate::squares::{Squares, one_position};

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
    base: Arc<taflbase::Tablebase>,
}

impl Tablebase {
    pub fn new(base: taflbase::Tablebase) -> Tablebase {
        Tablebase { base: Arc::new(base) }
    }

    /// The tables, for an engine.
    pub fn shared(&self) -> &Arc<taflbase::Tablebase> {
        &self.base
    }

    fn parse(&self, position: &str) -> PyResult<Position> {
        Position::parse(position, self.base.rules())
            .map_err(|error| PositionError::new_err(error.to_string()))
    }

    fn parse_move(&self, position: &Position, text: &str) -> PyResult<Move> {
        parse_move(self.base.rules(), position, text)
            .map_err(|error| MoveError::new_err(error.to_string()))
    }

    /// What a call of the library answers, without the interpreter's lock.
    fn ask<'a, T: Send>(
        &'a self,
        py: Python<'_>,
        call: impl Send + FnOnce(&'a taflbase::Tablebase) -> Result<T, ProbeError>,
    ) -> PyResult<T> {
        py.detach(|| call(&self.base)).map_err(|error| errors::probe_error(&self.base, error))
    }

    fn slices_of(&self, metrics: &[Metric]) -> Vec<Slice> {
        let mut slices: Vec<Slice> = metrics.iter().flat_map(|&m| self.base.slices(m)).collect();
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

    /// The most men, king included, of which there is any table. Of some there may be
    /// no distances: see max_men_dtw.
    #[getter]
    fn max_men(&self) -> usize {
        self.base.max_men()
    }

    /// The most men, king included, of which there are distances, as probe_dtw,
    /// best_move and line need them.
    #[getter]
    fn max_men_dtw(&self) -> usize {
        self.base.max_men_dtw()
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
    /// defender against 2 attackers. With a metric, "dtw" or "wdl", those of which there
    /// is a table of that metric: outcomes are read from either, distances from "dtw".
    #[pyo3(signature = (metric=None))]
    fn slices(&self, metric: Option<&str>) -> PyResult<Vec<String>> {
        let slices = match metric {
            None => self.slices_of(&Metric::ALL),
            Some(metric) => self.slices_of(&[parse_word("metric", metric)?]),
        };
        Ok(slices.iter().map(ToString::to_string).collect())
    }

    /// The value of a position and of each of its moves, best first. A capture may lead
    /// to a slice whose table is missing: such a move is "unknown". In a notebook the
    /// answer is a picture of the board with a table of the moves.
    fn probe<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let position = self.parse(position)?;
        let probe = self.ask(py, |base| base.probe(&position))?;
        answers::probe(py, &self.base, &position, &probe)
    }

    /// The outcome for the side to move: "win", "draw", "loss" or "undecided".
    fn probe_wdl(&self, py: Python<'_>, position: &str) -> PyResult<&'static str> {
        let position = self.parse(position)?;
        let wdl = self.ask(py, |base| base.probe_wdl(&position))?;
        Ok(self.base.category(wdl))
    }

    /// The outcome with the distance to the end of the game, in plies.
    fn probe_dtw<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Bound<'py, PyAny>> {
        let position = self.parse(position)?;
        let value = self.ask(py, |base| base.probe_dtw(&position))?;
        answers::value(py, &self.base, value)
    }

    /// The best move; None if there is no legal move. Raises MissingTable if the choice
    /// depends on tables that are missing: those of distances, unless the position is
    /// drawn, and of what a capture leads to, unless another move is known to be the best.
    fn best_move(&self, py: Python<'_>, position: &str) -> PyResult<Option<String>> {
        let position = self.parse(position)?;
        let best = self.ask(py, |base| base.best_move(&position))?;
        Ok(best.map(|played| answers::text(self.base.rules(), &played)))
    }

    /// One line of best play to the end of the game, each move with the position after
    /// it; no moves for a draw. Needs tables of distances, as best_move does.
    fn line<'py>(&self, py: Python<'py>, position: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let position = self.parse(position)?;
        let line = self.ask(py, |base| base.line(&position))?;
        answers::moves(py, self.base.rules(), &position, &line)
    }

    /// The legal moves of a position of any number of men, by origin and target in square
    /// order (a1, b1, ...), each with the position after it. No table is read.
    fn legal_moves<'py>(
        &self,
        py: Python<'py>,
        position: &str,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let position = self.parse(position)?;
        let moves = legal_moves(self.base.rules(), &position);
        let rules = self.base.rules();
        moves.iter().map(|played| answers::played(py, rules, &position, played)).collect()
    }

    /// The position after a move. Of the move's text, the letter K, the captures and the
    /// mark at the end may be missing. Captured soldiers are removed. A captured king
    /// stays on the board: that the game is over is told by the mark "++" of the move.
    /// No table is read. Raises MoveError if the move is not legal.
    fn play(&self, position: &str, r#move: &str) -> PyResult<String> {
        let position = self.parse(position)?;
        let played = self.parse_move(&position, r#move)?;
        Ok(position.after(&played).to_text(self.base.rules()))
    }

    /// The board of a position of any number of men, to look at: as a picture in a
    /// notebook, as text with print. With a move, written as for play, an arrow shows it.
    /// No table is read. Raises MoveError if the move is not legal.
    #[pyo3(signature = (position, r#move=None))]
    fn board(&self, position: &str, r#move: Option<&str>) -> PyResult<Board> {
        let position = self.parse(position)?;
        let rules = self.base.rules();
        let played = r#move.map(|text| self.parse_move(&position, text)).transpose()?;
        Ok(Board::of(rules, &position, played.as_ref()))
    }

    /// What a slice is like, as `taflbase stats --json` tells it: a dict for attackers
    /// to move and one for defenders to move, with counts over all placements, mirror
    /// images counted separately (as "positions"), the longest wins and losses, and a histogram.
    fn stats<'py>(&self, py: Python<'py>, slice: &str) -> PyResult<Bound<'py, PyAny>> {
        let slice = parse_slice(slice)?;
        let table = self.ask(py, |base| base.best_table(slice))?;
        let counted = py
            .detach(|| count_values(self.base.rules(), table))
            .map_err(|error| DamagedTable::new_err(error.to_string()))?;
        let metric = table.header().metric;
        let reports = counted.map(|side| side.report(&self.base, slice, metric));
        let text = serde_json::to_string(&reports)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyModule::import(py, "json")?.getattr("loads")?.call1((text,))
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
        let slice = parse_slice(slice)?;
        let table = self.ask(py, |base| base.best_table(slice))?;
        let wanted =
            Wanted { value, plies, to_move, zugzwang, pattern, king, attackers, defenders, empty };
        find(py, &self.base, table, &wanted, &Told { longest, random, seed, limit })
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
        let rules = self.base.rules();
        one_position(py, rules, king, defenders, attackers, parse_word("to_move", to_move)?)
            .map(|position| position.to_text(rules))
    }

    /// The values of many positions as arrays, in their order. metric says which tables
    /// are asked: "dtw", or the smaller ones of "wdl", which have no distances; None asks
    /// either, as probe does: outcomes of all, and distances where there are any. The
    /// first position that cannot be probed raises an error that tells its number.
    #[pyo3(signature = (positions, metric="dtw"))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyBackedStr>,
        metric: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rules = self.base.rules();
        let metric = parse_metric(metric)?;
        let refusal = |number, error| bulk_error(&self.base, number, error);
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
            values.probe(py, &self.base, &parsed, metric, refusal)?;
        }
        answers::named_tuple(py, "Values", values.into_arrays(py))
    }

    /// The values of positions given by squares, as slice_values returns them: n kings,
    /// n x defenders, n x attackers. They are arrays of any integers, or lists. As
    /// probe_many otherwise.
    #[pyo3(signature = (king, defenders, attackers, to_move, metric="dtw"))]
    fn probe_squares<'py>(
        &self,
        py: Python<'py>,
        king: &Bound<'py, PyAny>,
        defenders: &Bound<'py, PyAny>,
        attackers: &Bound<'py, PyAny>,
        to_move: &str,
        metric: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let squares = Squares::new(king, defenders, attackers, parse_word("to_move", to_move)?)?;
        let metric = parse_metric(metric)?;
        let refusal = |number, error| bulk_error(&self.base, number, error);
        let mut values = Columns::default();
        for first in (0..squares.len()).step_by(LOT) {
            let numbers = first..squares.len().min(first + LOT);
            let positions = squares.positions(self.base.rules(), numbers)?;
            values.probe(py, &self.base, &positions, metric, refusal)?;
        }
        answers::named_tuple(py, "Values", values.into_arrays(py))
    }

    /// How many rows the table of a slice has: see slice_values.
    fn slice_rows(&self, py: Python<'_>, slice: &str) -> PyResult<u64> {
        let slice = parse_slice(slice)?;
        self.ask(py, |base| base.index(slice).map(|index| index.rows()))
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
        part(slice, to_move, metric, rows)?.values(py, &self.base)
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
        part(slice, to_move, metric, rows)?.classes(py, &self.base)
    }

    fn __repr__(&self) -> String {
        let (rules, slices) = (self.rules(), self.slices_of(&Metric::ALL).len());
        format!("<taflbase.Tablebase {rules}: {slices} slices, {}>", errors::reach(&self.base))
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
