use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use memmap2::Mmap;

use crate::index::SliceIndex;
use crate::rules::Ruleset;
use crate::slice::Slice;
use crate::table::{Header, Metric, Table};

use super::ProbeError;

/// The files that may hold a ruleset's tables, by what their names say.
#[derive(Debug, Default)]
pub(super) struct Files {
    candidates: BTreeMap<(Slice, Metric), Vec<Candidate>>,
    /// Made once for each slice, for both metrics.
    indexes: Mutex<BTreeMap<Slice, Arc<SliceIndex>>>,
    opened: AtomicU64,
}

/// A file that is named like a table.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    /// Whether it is in the ruleset's own folder, so that it must be its table.
    own: bool,
    opened: OnceLock<Opened>,
}

/// A table that has been found to be what it should be.
#[derive(Debug)]
pub(super) struct Opened {
    pub table: Table<Mmap>,
    pub index: Arc<SliceIndex>,
    /// Tells the table from all others of the tablebase.
    pub id: u64,
}

impl Files {
    /// The slices with a file of that metric, smallest first.
    pub fn slices(&self, metric: Metric) -> Vec<Slice> {
        let keys = self.candidates.keys().filter(|(_, m)| *m == metric);
        keys.map(|&(slice, _)| slice).collect()
    }

    /// Adds the files of a ruleset's own directory that are named like tables.
    pub fn add_directory(&mut self, directory: &Path) -> Result<usize, ProbeError> {
        let mut added = 0;
        for path in entries(directory)? {
            if let Some(key) = slice_and_metric(&path) {
                self.add_file(key, path, true);
                added += 1;
            }
        }
        Ok(added)
    }

    /// Adds one file; one that is known by this path is opened anew.
    pub fn add_file(&mut self, key: (Slice, Metric), path: PathBuf, own: bool) {
        let candidates = self.candidates.entry(key).or_default();
        candidates.retain(|known| known.path != path);
        let at = if own { 0 } else { candidates.len() };
        candidates.insert(at, Candidate { path, own, opened: OnceLock::new() });
    }

    /// Adds the ruleset's tables in the folders beside its own, going by their
    /// headers: what else is there, or cannot be read, is others' business.
    pub fn add_beside(
        &mut self,
        rules: &Ruleset,
        tables: &Path,
        own: &Path,
    ) -> Result<(), ProbeError> {
        if !tables.exists() {
            return Ok(());
        }
        let ours = |path: &Path| {
            let header = path.is_file().then(|| Header::read(path));
            header.is_some_and(|h| h.is_ok_and(|h| h.fingerprint == rules.fingerprint()))
        };
        let folders = entries(tables)?.into_iter().filter(|path| path.is_dir() && path != own);
        for path in folders.flat_map(|folder| entries(&folder).unwrap_or_default()) {
            if let Some(key) = slice_and_metric(&path).filter(|_| ours(&path)) {
                self.add_file(key, path, false);
            }
        }
        Ok(())
    }

    /// The table of a slice, if there is one of these rules.
    pub fn open(
        &self,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&Opened>, ProbeError> {
        for candidate in self.candidates.get(&(slice, metric)).into_iter().flatten() {
            if let Some(opened) = candidate.opened.get() {
                return Ok(Some(opened));
            }
            match self.try_open(candidate, rules, slice, metric) {
                Ok(opened) => return Ok(Some(candidate.opened.get_or_init(|| opened))),
                Err(error) if candidate.own => return Err(error),
                // Another ruleset's business.
                Err(_) => {}
            }
        }
        Ok(None)
    }

    fn try_open(
        &self,
        candidate: &Candidate,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<Opened, ProbeError> {
        let path = || candidate.path.clone();
        let table = Table::open(&candidate.path)?;
        let header = table.header();
        if header.fingerprint != rules.fingerprint() {
            return Err(ProbeError::WrongRules { path: path(), rules: rules.name.clone() });
        }
        if (header.slice, header.metric) != (slice, metric) {
            return Err(ProbeError::WrongName { path: path() });
        }
        let index = self.index(rules, slice)?;
        if (header.grid.lanes(), header.grid.rows()) != (index.lanes().count(), index.rows()) {
            return Err(ProbeError::Foreign { slice, metric });
        }
        let id = self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(Opened { table, index, id })
    }

    fn index(&self, rules: &Ruleset, slice: Slice) -> Result<Arc<SliceIndex>, ProbeError> {
        let mut indexes = self.indexes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(index) = indexes.get(&slice) {
            return Ok(index.clone());
        }
        let index = Arc::new(SliceIndex::new(rules, slice).map_err(ProbeError::Index)?);
        indexes.insert(slice, index.clone());
        Ok(index)
    }
}

/// The slice and metric that a file's name stands for, if it is a table's.
fn slice_and_metric(path: &Path) -> Option<(Slice, Metric)> {
    let slice: Slice = path.file_stem()?.to_str()?.parse().ok()?;
    let extension = path.extension()?.to_str()?;
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == extension)?;
    (metric.file_name(slice) == path.file_name()?.to_str()?).then_some((slice, metric))
}

/// What is in a folder, in the order of names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ProbeError> {
    let error = |source| ProbeError::Directory { path: folder.to_owned(), source };
    let mut paths = fs::read_dir(folder)
        .map_err(error)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(error)?;
    paths.sort();
    Ok(paths)
}
