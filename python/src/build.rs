//! Building tables, and reading their manifests.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::{Bound, PyAny, PyErr, PyResult, Python, pyfunction};
use taflbase::build::{Build, BuildOptions, SliceReport, slices_up_to};
use taflbase::manifest::Manifest;
use taflbase::memory::available_bytes;
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::SideCounts;

use crate::answers::{answer, json};
use crate::errors::{BuildError, ManifestError, SliceError, open_error};
use crate::open::load_rules;
use crate::parameters::{Strings, parse_in_range, parse_optional_whole, parse_slice, parse_word};
use crate::work;

/// Builds the tables of slices and of all slices that they depend on, as `taflbase build`
/// does, in a folder with a subfolder for each ruleset. Returns a report for each slice.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// tables: the folder; it is created if necessary. Existing tables are reused.
/// men: build every slice with at most this many men, including the king.
/// slices: build these slices, as "K2v4" or ["K2v4", "K1v5"], instead of men.
/// metric: "wdl" writes no distances for slices that no other slice of the build needs.
/// force: rebuild existing tables.
/// threads: worker threads; 0 for one per core.
/// memory_bytes: the memory limit; by default the free memory. Slices that do not fit are
///     solved in partitions, with the inactive ones on disk.
/// scratch: a folder for work in progress; by default beside the tables.
/// level: the compression level, 1 to 22; 19 is for tables that are published.
/// progress: called with a Progress at the start of each phase, and regularly within it.
///
/// An exception in progress, or Ctrl-C, stops the build between two steps. The same call
/// resumes it, as after any other interruption. Raises RulesetError, SliceError, BuildError,
/// or FolderError or WrongTable for existing files that cannot be read.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
#[pyo3(signature = (
    rules, tables, *, men=None, slices=None, metric="dtw", force=false, threads=0,
    memory_bytes=None, scratch=None, level=None, progress=None
))]
pub fn build<'py>(
    py: Python<'py>,
    rules: PathBuf,
    tables: PathBuf,
    men: Option<i64>,
    slices: Option<Strings>,
    metric: &str,
    force: bool,
    threads: i64,
    #[pyo3(from_py_with = parse_optional_whole)] memory_bytes: Option<u64>,
    scratch: Option<PathBuf>,
    level: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let rules = load_rules(&rules)?;
    let targets = parse_slices(&rules, men, slices)?;
    let options = BuildOptions {
        metric: parse_word("metric", metric)?,
        force,
        threads: parse_in_range("threads", threads, 0..=1024)? as usize,
        memory_bytes: memory_bytes.or_else(available_bytes).unwrap_or(u64::MAX),
        level: level.map(|level| parse_in_range("level", level, 1..=22)).transpose()?,
        scratch,
    };
    let built = work::run(
        py,
        progress.as_ref(),
        || {},
        |reporter| Build::new(&rules, &tables, &targets).options(&options).progress(reporter).run(),
    )?;
    let reports = built.map_err(build_error)?;
    reports.iter().map(|report| built_slice(py, &rules, report)).collect()
}

/// Returns the requested slices, without those that they depend on.
fn parse_slices(
    rules: &Ruleset,
    men: Option<i64>,
    slices: Option<Strings>,
) -> PyResult<Vec<Slice>> {
    match (men, slices) {
        (Some(men @ 2..), None) => Ok(slices_up_to(rules, usize::try_from(men)?)),
        (Some(men), None) => Err(PyValueError::new_err(format!(
            "men must be 2 or more, not {men}: the smallest slice, K0v1, has 2 men"
        ))),
        (None, Some(Strings::One(slice))) => Ok(vec![parse_slice(&slice)?]),
        (None, Some(Strings::Several(slices))) => {
            slices.iter().map(|slice| parse_slice(slice)).collect()
        }
        _ => Err(PyTypeError::new_err("give either men or slices")),
    }
}

fn built_slice<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    report: &SliceReport,
) -> PyResult<Bound<'py, PyAny>> {
    let SliceReport { slice, built, summaries, bytes, times, .. } = report;
    let counts =
        Side::ALL.map(|side| SideCounts::new(rules, side, &summaries[side], report.counted()));
    let files: Vec<_> = bytes.iter().map(|&(metric, bytes)| (metric.name(), bytes)).collect();
    let seconds: f64 = times.iter().map(|time| time.as_secs_f64()).sum();
    answer(py, "built_slice", (slice.to_string(), *built, json(&counts)?, files, seconds))
}

fn build_error(error: taflbase::build::BuildError) -> PyErr {
    match error {
        taflbase::build::BuildError::Probe(error) => open_error(error),
        taflbase::build::BuildError::Index(error) => SliceError::new_err(error.to_string()),
        error => BuildError::new_err(error.to_string()),
    }
}

/// Reads the manifest of a ruleset's tables.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// path: the file, its folder, or the parent of that folder.
///
/// Raises RulesetError or ManifestError.
#[pyfunction]
pub fn read_manifest<'py>(
    py: Python<'py>,
    rules: PathBuf,
    path: PathBuf,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = load_rules(&rules)?;
    let manifest = py
        .detach(|| Manifest::find(&path, &rules))
        .map_err(|error| ManifestError::new_err(error.to_string()))?;
    answer(py, "manifest", (json(&manifest)?,))
}
