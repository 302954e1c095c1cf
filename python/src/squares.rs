//! Positions given by square numbers, `rank * size + file`.

use std::ops::Range;

use numpy::{
    PyArrayDescrMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::types::{PyAnyMethods, PyModule, PySlice};
use pyo3::{Bound, PyAny, PyResult, Python};
use taflbase::board::{Square, SquareSet};
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};

use crate::errors::{PositionError, argument_error};

/// Positions with one side to move, as arrays of squares with one row for each position.
pub struct Squares<'py> {
    king: Bound<'py, PyUntypedArray>,
    defenders: Bound<'py, PyUntypedArray>,
    attackers: Bound<'py, PyUntypedArray>,
    to_move: Side,
}

impl<'py> Squares<'py> {
    /// Converts arguments to arrays of integers with NumPy.
    ///
    /// # Errors
    /// If an argument cannot be converted, or the lengths differ.
    pub fn new(
        king: &Bound<'py, PyAny>,
        defenders: &Bound<'py, PyAny>,
        attackers: &Bound<'py, PyAny>,
        to_move: Side,
    ) -> PyResult<Squares<'py>> {
        let king = array("king", king, 1)?;
        let defenders = array("defenders", defenders, 2)?;
        let attackers = array("attackers", attackers, 2)?;
        let lengths = [&king, &defenders, &attackers].map(|array| array.shape()[0]);
        if lengths != [lengths[0]; 3] {
            let [king, defenders, attackers] = lengths;
            return Err(PyValueError::new_err(format!(
                "{king} kings, {defenders} rows of defenders and {attackers} rows of attackers: \
                 these numbers must be equal"
            )));
        }
        Ok(Squares { king, defenders, attackers, to_move })
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.king.len()
    }

    /// Returns some of the positions; for each invalid one the reason.
    ///
    /// # Errors
    /// If the arrays cannot be read.
    pub fn positions(
        &self,
        rules: &Ruleset,
        numbers: Range<usize>,
    ) -> PyResult<Vec<Result<Position, String>>> {
        let king: PyReadonlyArray1<'_, i64> = part(&self.king, &numbers)?.extract()?;
        let defenders: PyReadonlyArray2<'_, i64> = part(&self.defenders, &numbers)?.extract()?;
        let attackers: PyReadonlyArray2<'_, i64> = part(&self.attackers, &numbers)?.extract()?;
        let king = king.as_array();
        let (defenders, attackers) = (defenders.as_array(), attackers.as_array());
        let one = |row| {
            let [defenders, attackers] =
                [&defenders, &attackers].map(|set| set.row(row).into_iter().copied());
            position(rules, king[row], defenders, attackers, self.to_move)
        };
        Ok((0..numbers.len()).map(one).collect())
    }
}

/// Converts an argument to an array of integers with the given number of dimensions.
fn array<'py>(
    name: &str,
    argument: &Bound<'py, PyAny>,
    dimensions: usize,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = argument.py();
    let named = |error| argument_error(py, name, error);
    let made = PyModule::import(py, "numpy")?.call_method1("asarray", (argument,));
    let array = made.map_err(named)?.cast_into::<PyUntypedArray>()?;
    if array.is_empty() && array.ndim() <= dimensions {
        // Empty lists determine neither the number of dimensions nor the type.
        let shape = [array.shape()[0], 0];
        let empty = array.call_method1("reshape", (&shape[..dimensions],)).map_err(named)?;
        return Ok(empty.cast_into()?);
    }
    if !matches!(array.dtype().kind(), b'i' | b'u') {
        let message = format!("{name}: squares are integers, not {}", array.dtype());
        return Err(PyTypeError::new_err(message));
    }
    if array.ndim() != dimensions {
        let wanted = ["one square", "one row of squares"][dimensions - 1];
        return Err(PyValueError::new_err(format!(
            "{name}: {wanted} for each position makes an array of dimension {dimensions}, not {}",
            array.ndim()
        )));
    }
    Ok(array)
}

/// Returns some rows of an array of any integer type as `int64`.
fn part<'py>(
    array: &Bound<'py, PyUntypedArray>,
    rows: &Range<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let slice = PySlice::new(array.py(), rows.start as isize, rows.end as isize, 1);
    array.get_item(slice)?.call_method1("astype", ("int64",))
}

/// Returns the position with pieces on these squares.
///
/// # Errors
/// If an argument is not numeric, or the position is not one of a game in progress.
pub fn one_position(
    py: Python<'_>,
    rules: &Ruleset,
    king: &Bound<'_, PyAny>,
    defenders: &Bound<'_, PyAny>,
    attackers: &Bound<'_, PyAny>,
    to_move: Side,
) -> PyResult<Position> {
    let king = king.extract().map_err(|error| argument_error(py, "king", error))?;
    let defenders = numbers("defenders", defenders)?;
    let attackers = numbers("attackers", attackers)?;
    position(rules, king, defenders, attackers, to_move).map_err(PositionError::new_err)
}

/// Returns the numbers of an iterable.
fn numbers(name: &str, argument: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let all =
        || -> PyResult<Vec<i64>> { argument.try_iter()?.map(|number| number?.extract()).collect() };
    all().map_err(|error| argument_error(argument.py(), name, error))
}

fn position(
    rules: &Ruleset,
    king: i64,
    defenders: impl IntoIterator<Item = i64>,
    attackers: impl IntoIterator<Item = i64>,
    to_move: Side,
) -> Result<Position, String> {
    let king = square(rules, "king", king)?;
    let defenders = set(rules, "defenders", defenders)?;
    let attackers = set(rules, "attackers", attackers)?;
    Position::new(rules, king, defenders, attackers, to_move).map_err(|error| error.to_string())
}

fn square(rules: &Ruleset, name: &str, number: i64) -> Result<Square, String> {
    let board = rules.board;
    let square = usize::try_from(number).ok().and_then(|number| board.square(number));
    square.ok_or_else(|| {
        let (size, last) = (board.size(), board.area() - 1);
        format!("{name}: there is no square {number}: a {size}x{size} board has 0 to {last}")
    })
}

fn set(
    rules: &Ruleset,
    name: &str,
    numbers: impl IntoIterator<Item = i64>,
) -> Result<SquareSet, String> {
    let mut set = SquareSet::EMPTY;
    for number in numbers {
        let square = square(rules, name, number)?;
        if set.contains(square) {
            return Err(format!("{name}: two pieces stand on {}", rules.board.name(square)));
        }
        set.insert(square);
    }
    Ok(set)
}
