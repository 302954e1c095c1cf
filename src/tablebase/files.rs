use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::index::SliceIndex;
use crate::table::{Access, Header, Metric, Table, TableError, TableFile, TableHead};

use super::cache::CachedTable;
use super::{ProbeError, TablebaseOptions, embedded};

/// The files that may hold a ruleset's tables, according to their names.
#[derive(Default)]
pub(super) struct Files {
    options: TablebaseOptions,
    /// By attackers, then by defenders, so that a probe finds its slice in two steps.
    slices: Vec<Vec<SliceFiles>>,
}

/// The files of one slice.
#[derive(Default)]
struct SliceFiles {
    /// Candidates for the WDL table, in order of preference.
    wdl: Vec<Candidate>,
    /// Candidates for the DTW table, in order of preference.
    dtw: Vec<Candidate>,
    /// Shared by both metrics.
    index: OnceLock<Arc<SliceIndex>>,
}

/// A file or embedded table that may be that of a slice and metric.
struct Candidate {
    location: TableLocation,
    opened: OnceLock<OpenedTable>,
}

impl Candidate {
    fn new(location: TableLocation) -> Candidate {
        Candidate { location, opened: OnceLock::new() }
    }
}

/// The location of a table.
#[derive(PartialEq, Eq)]
enum TableLocation {
    /// A file in a folder of the ruleset; a table of other rules there is an error.
    Own(PathBuf),
    /// A file in the folder of another ruleset.
    Sibling(PathBuf),
    /// A table embedded in the program.
    Embedded(&'static [u8]),
}

/// An open table whose header matches its slice and rules.
pub(super) struct OpenedTable {
    pub table: Table<TableFile>,
    pub index: Arc<SliceIndex>,
    pub blocks: CachedTable,
}

impl OpenedTable {
    /// Returns the error for a table that does not match its slice.
    #[cold]
    pub(super) fn foreign(&self) -> ProbeError {
        foreign(self.table.path(), self.table.header())
    }
}

/// Returns the error for a table that does not match its slice.
#[cold]
pub(crate) fn foreign(path: Option<&Path>, header: &Header) -> ProbeError {
    let Header { slice, metric, .. } = *header;
    ProbeError::Foreign { path: path.map(Path::to_owned), slice, metric }
}

impl Files {
    /// Creates an empty list of files, to be opened with these options.
    pub(super) fn new(options: TablebaseOptions) -> Files {
        Files { options, slices: Vec::new() }
    }

    /// Returns the options for opening files.
    pub(super) fn options(&self) -> &TablebaseOptions {
        &self.options
    }

    /// Returns the slices with a file of a metric, smallest first.
    pub(super) fn slices(&self, metric: Metric) -> Vec<Slice> {
        let mut slices = Vec::new();
        for (attackers, by_defenders) in self.slices.iter().enumerate() {
            for (defenders, files) in by_defenders.iter().enumerate() {
                if !files.candidates(metric).is_empty() {
                    slices.push(Slice { defenders, attackers });
                }
            }
        }
        slices.sort();
        slices
    }

    /// Returns the number of open tables.
    pub(super) fn tables_open(&self) -> usize {
        self.slices
            .iter()
            .flatten()
            .flat_map(|files| Metric::ALL.map(|metric| files.candidates(metric)))
            .flatten()
            .filter(|candidate| candidate.opened.get().is_some())
            .count()
    }

    /// Adds the files named like tables in a directory of the ruleset, and returns their
    /// number.
    pub(super) fn add_directory(&mut self, directory: &Path) -> Result<usize, ProbeError> {
        let mut added = 0;
        for path in entries(directory)? {
            if let Some(key) = slice_and_metric(&path) {
                self.add_file(key, path);
                added += 1;
            }
        }
        Ok(added)
    }

    /// Adds a file of the ruleset with the highest preference; a file already known by this
    /// path is opened again.
    pub(super) fn add_file(&mut self, key: (Slice, Metric), path: PathBuf) {
        let candidates = self.candidates_mut(key);
        let location = TableLocation::Own(path);
        candidates.retain(|candidate| candidate.location != location);
        candidates.insert(0, Candidate::new(location));
    }

    /// Adds the tables of these rules under a common folder.
    pub(super) fn add_tables(&mut self, rules: &Ruleset, tables: &Path) -> Result<(), ProbeError> {
        let own = tables.join(&rules.name);
        let folders = entries(tables)?;
        if exists(&own)? {
            self.add_directory(&own)?;
        } else if folders.iter().any(|path| slice_and_metric(path).is_some()) {
            let (path, rules) = (tables.to_owned(), rules.name.clone());
            return Err(ProbeError::TablesWithoutFolder { path, rules });
        }
        self.add_siblings(rules, folders, &own);
        Ok(())
    }

    /// Adds the embedded tables of these rules with the lowest preference.
    pub(super) fn add_embedded(&mut self, rules: &Ruleset) {
        for bytes in embedded::TABLES {
            if let Ok(header) = Header::of(bytes)
                && header.fingerprint == rules.fingerprint()
            {
                let candidate = Candidate::new(TableLocation::Embedded(bytes));
                self.candidates_mut((header.slice, header.metric)).push(candidate);
            }
        }
    }

    fn candidates_mut(&mut self, (slice, metric): (Slice, Metric)) -> &mut Vec<Candidate> {
        let by_defenders = get_or_grow(&mut self.slices, slice.attackers);
        get_or_grow(by_defenders, slice.defenders).candidates_mut(metric)
    }

    /// Adds the tables in the folders beside the ruleset's own whose headers have its
    /// fingerprint. Other or unreadable files there are ignored.
    fn add_siblings(&mut self, rules: &Ruleset, folders: Vec<PathBuf>, own: &Path) {
        let siblings = folders.into_iter().filter(|path| path.is_dir() && path != own);
        for path in siblings.flat_map(|folder| entries(&folder).unwrap_or_default()) {
            if let Some(key) = slice_and_metric(&path)
                && is_table_of(rules, &path)
            {
                self.add_before_embedded(key, TableLocation::Sibling(path));
            }
        }
    }

    fn add_before_embedded(&mut self, key: (Slice, Metric), location: TableLocation) {
        let candidates = self.candidates_mut(key);
        let at = candidates
            .iter()
            .position(|known| matches!(known.location, TableLocation::Embedded(_)))
            .unwrap_or(candidates.len());
        candidates.insert(at, Candidate::new(location));
    }

    /// Opens the table of a slice, unless it is open already; `None` if there is none.
    pub(super) fn open(
        &self,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&OpenedTable>, ProbeError> {
        let Some(files) = self.slice_files(slice) else { return Ok(None) };
        for candidate in files.candidates(metric) {
            if let Some(opened) = candidate.opened.get() {
                return Ok(Some(opened));
            }
            match self.try_open(files, candidate, rules, slice, metric) {
                Ok(opened) => return Ok(Some(candidate.opened.get_or_init(|| opened))),
                // The file was replaced by another table since its header was read.
                Err(ProbeError::WrongRules { .. } | ProbeError::WrongName { .. })
                    if matches!(candidate.location, TableLocation::Sibling(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Opens the table of a slice if it is a file. An embedded one is opened when it is needed, which
    /// cannot fail.
    pub(super) fn open_file(
        &self,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<(), ProbeError> {
        match self.slice_files(slice).and_then(|files| files.candidates(metric).first()) {
            Some(Candidate { location: TableLocation::Embedded(_), .. }) | None => Ok(()),
            Some(_) => self.open(rules, slice, metric).map(|_| ()),
        }
    }

    #[inline]
    fn slice_files(&self, slice: Slice) -> Option<&SliceFiles> {
        self.slices.get(slice.attackers)?.get(slice.defenders)
    }

    fn try_open(
        &self,
        files: &SliceFiles,
        candidate: &Candidate,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<OpenedTable, ProbeError> {
        let head = candidate.location.head(self.options.access)?;
        let header = *head.header();
        // Embedded tables were chosen by their headers: only files can be wrong here.
        let path = head.path().map(Path::to_owned).unwrap_or_default();
        if header.fingerprint != rules.fingerprint() {
            return Err(ProbeError::WrongRules { path, rules: rules.name.clone() });
        }
        if (header.slice, header.metric) != (slice, metric) {
            return Err(ProbeError::WrongName { path });
        }
        let index = files.index(rules, slice)?;
        if (header.grid.lanes(), header.grid.rows()) != (index.lanes().count(), index.rows()) {
            return Err(foreign(head.path(), &header));
        }
        // From here on, the size of the slice bounds what the rest of the file takes.
        let table = head.into_table()?;
        let blocks = self.options.cache.table(table.entries(), table.largest_block_bytes());
        Ok(OpenedTable { table, index, blocks })
    }
}

impl TableLocation {
    /// Opens the table and reads its header.
    fn head(&self, access: Access) -> Result<TableHead<TableFile>, TableError> {
        match self {
            TableLocation::Own(path) | TableLocation::Sibling(path) => {
                TableHead::open(path, access)
            }
            TableLocation::Embedded(bytes) => TableHead::new(TableFile::from(*bytes)),
        }
    }
}

impl SliceFiles {
    fn candidates(&self, metric: Metric) -> &Vec<Candidate> {
        match metric {
            Metric::Wdl => &self.wdl,
            Metric::Dtw => &self.dtw,
        }
    }

    fn candidates_mut(&mut self, metric: Metric) -> &mut Vec<Candidate> {
        match metric {
            Metric::Wdl => &mut self.wdl,
            Metric::Dtw => &mut self.dtw,
        }
    }

    fn index(&self, rules: &Ruleset, slice: Slice) -> Result<Arc<SliceIndex>, ProbeError> {
        if let Some(index) = self.index.get() {
            return Ok(index.clone());
        }
        let index = Arc::new(SliceIndex::new(rules, slice).map_err(ProbeError::Index)?);
        Ok(self.index.get_or_init(|| index).clone())
    }
}

/// Returns the element with that number, after growing the list if necessary.
fn get_or_grow<T: Default>(list: &mut Vec<T>, number: usize) -> &mut T {
    if list.len() <= number {
        list.resize_with(number + 1, T::default);
    }
    &mut list[number]
}

/// Returns whether a file is a table of these rules, according to its header.
fn is_table_of(rules: &Ruleset, path: &Path) -> bool {
    path.is_file()
        && Header::read(path).is_ok_and(|header| header.fingerprint == rules.fingerprint())
}

/// Returns the slice and metric of a file named like a table.
fn slice_and_metric(path: &Path) -> Option<(Slice, Metric)> {
    Metric::of_file_name(path.file_name()?.to_str()?)
}

/// Returns whether a path exists; an error if the system cannot tell.
pub(super) fn exists(path: &Path) -> Result<bool, ProbeError> {
    match path.try_exists() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        found => found.map_err(|source| ProbeError::Directory { path: path.to_owned(), source }),
    }
}

/// Returns the paths in a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ProbeError> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|source| ProbeError::Directory { path: folder.to_owned(), source })?;
    paths.sort();
    Ok(paths)
}
