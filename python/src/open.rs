use std::path::{Path, PathBuf};

use pyo3::{PyResult, Python, pyfunction};
use taflbase::rules::Ruleset;
use taflbase::tablebase::{BlockCache, TablebaseOptions};

use crate::errors::{RulesetError, open_error};
use crate::parameters::{parse_whole, parse_word};
use crate::tablebase::Tablebase;

/// The signature below needs a literal, because Python displays it.
const _: () = assert!(BlockCache::DEFAULT_BYTES == 67_108_864);

/// Opens the tables of a ruleset.
///
/// rules: a built-in name (see rulesets), or a path to a ruleset file.
/// tables: the folder that `taflbase build` writes to, with a subfolder for each ruleset.
///     Slices that it lacks are read from the tables of few men embedded in the package.
///     The largest slices may have no distances: see max_men_dtw.
/// directories: further folders, each with tables of this ruleset only; the last one has
///     priority.
/// cache_bytes: the maximum memory for decoded blocks; 64 MiB by default.
/// embedded: whether to use the tables embedded in the package.
/// access: "mapped" maps files into memory; "scanned" does so and has the system read ahead, the
///     fastest way to read whole tables; "read" reads them block by block, for unreliable drives
///     and folders that other programs write to.
///
/// A file is opened when its slice is first probed. Raises RulesetError or FolderError.
#[pyfunction]
#[pyo3(signature = (
    rules, tables=None, *, directories=None, cache_bytes=67_108_864, access="mapped",
    embedded=true
))]
pub fn open(
    py: Python<'_>,
    rules: PathBuf,
    tables: Option<PathBuf>,
    directories: Option<Vec<PathBuf>>,
    #[pyo3(from_py_with = parse_whole)] cache_bytes: u64,
    access: &str,
    embedded: bool,
) -> PyResult<Tablebase> {
    let rules = load_rules(&rules)?;
    let cache = BlockCache::new(cache_bytes as usize);
    let options = TablebaseOptions { access: parse_word("access", access)?, cache, embedded };
    let mut base = match tables {
        None => taflbase::Tablebase::with_options(rules, options),
        Some(folder) => py
            .detach(|| taflbase::Tablebase::open_with(rules, &folder, options))
            .map_err(open_error)?,
    };
    for directory in directories.unwrap_or_default() {
        base.add_directory(&directory).map_err(open_error)?;
    }
    Ok(Tablebase::new(base))
}

/// Loads a built-in ruleset or a ruleset file.
pub fn load_rules(name_or_path: &Path) -> PyResult<Ruleset> {
    Ruleset::load(&name_or_path.to_string_lossy())
        .map_err(|error| RulesetError::new_err(error.to_string()))
}

/// Returns the names of the built-in rulesets.
#[pyfunction]
pub fn rulesets() -> Vec<&'static str> {
    Ruleset::builtin_names().to_vec()
}
