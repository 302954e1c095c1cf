//! Many positions at once, and their values as arrays.

use std::ops::Range;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::{Bound, PyResult, Python};
use taflbase::Tablebase;
use taflbase::board::{Square, SquareSet};
use taflbase::position::{Position, PositionError};
use taflbase::rules::{Kind, Ruleset, Side};
use taflbase::table::Metric;
use taflbase::tablebase::{ProbeError, Probed};
use taflbase::value::Wdl;

use crate::errors::bulk_error;

/// Positions that are probed together: few enough to be held as such, and enough for
/// blocks to be read once for many of them. Between two such lots Python may
/// interrupt.
pub const LOT: usize = 1 << 18;

/// Values of positions, column by column.
#[derive(Default)]
pub struct Columns {
    wdl: Vec<i8>,
    dtw: Vec<i32>,
}

/// The columns as arrays.
pub type Arrays<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>);

impl Columns {
    /// Adds the values of positions by the tables of that metric.
    ///
    /// # Errors
    /// The first one that cannot be probed.
    pub fn probe(
        &mut self,
        py: Python<'_>,
        base: &Tablebase,
        positions: &[Position],
        metric: Metric,
    ) -> PyResult<()> {
        let values = py.detach(|| probe_many(base, positions, metric));
        for value in values {
            let value = value.map_err(|error| bulk_error(self.wdl.len(), error))?;
            self.wdl.push(match value.wdl {
                Wdl::Win => 1,
                Wdl::Draw => 0,
                Wdl::Loss => -1,
            });
            self.dtw.push(value.plies.map_or(-1, i32::from));
        }
        py.check_signals()
    }

    /// The columns as arrays, without copying.
    pub fn into_arrays(self, py: Python<'_>) -> Arrays<'_> {
        (self.wdl.into_pyarray(py), self.dtw.into_pyarray(py))
    }
}

fn probe_many(
    base: &Tablebase,
    positions: &[Position],
    metric: Metric,
) -> Vec<Result<Probed, ProbeError>> {
    let without_plies = |wdl| Probed { wdl, plies: None };
    match metric {
        Metric::Wdl => {
            let answers = base.probe_many_wdl(positions).into_iter();
            answers.map(|answer| answer.map(without_plies)).collect()
        }
        Metric::Dtw => {
            let answers = base.probe_many_dtw(positions).into_iter();
            answers.map(|answer| answer.map(Probed::from)).collect()
        }
    }
}

/// Positions of one side to move as arrays of squares, one row for each.
pub struct Squares<'py> {
    king: PyReadonlyArray1<'py, u16>,
    defenders: PyReadonlyArray2<'py, u16>,
    attackers: PyReadonlyArray2<'py, u16>,
    to_move: Side,
}

impl<'py> Squares<'py> {
    /// The positions in these arrays.
    ///
    /// # Errors
    /// If they are not all of one length.
    pub fn new(
        king: PyReadonlyArray1<'py, u16>,
        defenders: PyReadonlyArray2<'py, u16>,
        attackers: PyReadonlyArray2<'py, u16>,
        to_move: Side,
    ) -> PyResult<Squares<'py>> {
        let lengths = [king.len(), defenders.shape()[0], attackers.shape()[0]];
        if lengths != [lengths[0]; 3] {
            let [king, defenders, attackers] = lengths;
            return Err(PyValueError::new_err(format!(
                "{king} kings, {defenders} rows of defenders and {attackers} rows of attackers: \
                 there must be as many of each"
            )));
        }
        Ok(Squares { king, defenders, attackers, to_move })
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.king.len()
    }

    /// Some of the positions.
    ///
    /// # Errors
    /// The first that is none, with its number.
    pub fn positions(
        &self,
        rules: &Ruleset,
        numbers: Range<usize>,
    ) -> Result<Vec<Position>, (usize, PositionError)> {
        let king = self.king.as_array();
        let [defenders, attackers] = [&self.defenders, &self.attackers].map(|set| set.as_array());
        let position = |number: usize| {
            let [defenders, attackers] = [&defenders, &attackers]
                .map(|set| set.row(number).into_iter().copied().map(usize::from));
            position(rules, usize::from(king[number]), defenders, attackers, self.to_move)
                .map_err(|error| (number, error))
        };
        numbers.map(position).collect()
    }
}

/// The position of pieces on these squares.
///
/// # Errors
/// If a square is not on the board or taken twice, or it is no position of a running
/// game.
pub fn position(
    rules: &Ruleset,
    king: usize,
    defenders: impl IntoIterator<Item = usize>,
    attackers: impl IntoIterator<Item = usize>,
    to_move: Side,
) -> Result<Position, PositionError> {
    let king = square(rules, Kind::King, king)?;
    let defenders = set(rules, Kind::Defender, defenders)?;
    let attackers = set(rules, Kind::Attacker, attackers)?;
    Position::new(rules, king, defenders, attackers, to_move)
}

fn square(rules: &Ruleset, kind: Kind, number: usize) -> Result<Square, PositionError> {
    let board = rules.board;
    board.square(number).ok_or(PositionError::OffBoard { kind, number, board })
}

fn set(
    rules: &Ruleset,
    kind: Kind,
    numbers: impl IntoIterator<Item = usize>,
) -> Result<SquareSet, PositionError> {
    let mut set = SquareSet::EMPTY;
    for number in numbers {
        let square = square(rules, kind, number)?;
        if set.contains(square) {
            return Err(PositionError::Overlap(rules.board.name(square)));
        }
        set.insert(square);
    }
    Ok(set)
}
