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

/// The files that may hold a ruleset's tables, by what their names say.
#[derive(Default)]
pub(super) struct Files {
    options: TablebaseOptions,
    /// By attackers, then by defenders: a probe finds its slice in two steps.
    slices: Vec<Vec<SliceFiles>>,
}

/// The files of one slice.
#[derive(Default)]
struct SliceFiles {
    /// By metric, those to be asked first in front.
    candidates: [Vec<Candidate>; 2],
    /// Made once for both metrics.
    index: OnceLock<Arc<SliceIndex>>,
}

/// What may be a table.
struct Candidate {
    place: TablePlace,
    opened: OnceLock<OpenedTable>,
}

impl Candidate {
    fn new(place: TablePlace) -> Candidate {
        Candidate { place, opened: OnceLock::new() }
    }
}

/// Where it is.
#[derive(PartialEq, Eq)]
enum TablePlace {
    /// A file in a folder of the ruleset's own, so that it must be its table.
    Own(PathBuf),
    /// A file in another ruleset's folder.
    Beside(PathBuf),
    /// Part of the program.
    Embedded(&'static [u8]),
}

/// A table that has been found to be what it should be.
pub(super) struct OpenedTable {
    pub table: Table<TableFile>,
    pub index: Arc<SliceIndex>,
    pub blocks: CachedTable,
}

impl OpenedTable {
    /// The error of a table whose values are not those of its slice.
    #[cold]
    pub(super) fn foreign(&self) -> ProbeError {
        foreign(self.table.path(), self.table.header())
    }
}

/// The error of a table that has not the slots or values of its slice.
#[cold]
pub(crate) fn foreign(path: Option<&Path>, header: &Header) -> ProbeError {
    let Header { slice, metric, .. } = *header;
    ProbeError::Foreign { path: path.map(Path::to_owned), slice, metric }
}

impl Files {
    /// No files; those to come are opened in this way.
    pub(super) fn new(options: TablebaseOptions) -> Files {
        Files { options, slices: Vec::new() }
    }

    /// How files are opened.
    pub(super) fn options(&self) -> &TablebaseOptions {
        &self.options
    }

    /// The slices with a file of that metric, smallest first.
    pub(super) fn slices(&self, metric: Metric) -> Vec<Slice> {
        let all = self.slices.iter().enumerate().flat_map(|(attackers, by_defenders)| {
            let slices = by_defenders.iter().enumerate();
            slices.map(move |(defenders, files)| (Slice { defenders, attackers }, files))
        });
        let present = all.filter(|(_, files)| !files.candidates[metric as usize].is_empty());
        let mut slices: Vec<Slice> = present.map(|(slice, _)| slice).collect();
        slices.sort();
        slices
    }

    /// How many tables are open.
    pub(super) fn tables_open(&self) -> usize {
        let candidates = self.slices.iter().flatten().flat_map(|files| &files.candidates);
        candidates.flatten().filter(|candidate| candidate.opened.get().is_some()).count()
    }

    /// Adds the files of a ruleset's own directory that are named like tables.
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

    /// Adds a file of the ruleset's own, to be asked first; one that is known by
    /// this path is opened anew.
    pub(super) fn add_file(&mut self, key: (Slice, Metric), path: PathBuf) {
        let candidates = self.candidates(key);
        let place = TablePlace::Own(path);
        candidates.retain(|known| known.place != place);
        candidates.insert(0, Candidate::new(place));
    }

    /// Adds the tables of these rules under a common folder.
    pub(super) fn add_tables(&mut self, rules: &Ruleset, tables: &Path) -> Result<(), ProbeError> {
        let own = tables.join(&rules.name);
        let folders = entries(tables)?;
        if is_there(&own)? {
            self.add_directory(&own)?;
        }
        self.add_beside(rules, folders, &own);
        Ok(())
    }

    /// Adds the tables of these rules that are part of the program, to be asked
    /// last.
    pub(super) fn add_embedded(&mut self, rules: &Ruleset) {
        let headers = embedded::TABLES.iter().map(|bytes| (bytes, Header::of(bytes)));
        let ours = headers.filter_map(|(bytes, header)| {
            let header = header.ok().filter(|h| h.fingerprint == rules.fingerprint())?;
            Some(((header.slice, header.metric), TablePlace::Embedded(bytes)))
        });
        ours.for_each(|(key, place)| self.candidates(key).push(Candidate::new(place)));
    }

    fn candidates(&mut self, (slice, metric): (Slice, Metric)) -> &mut Vec<Candidate> {
        let by_defenders = grown(&mut self.slices, slice.attackers);
        &mut grown(by_defenders, slice.defenders).candidates[metric as usize]
    }

    /// Adds the ruleset's tables in the folders beside its own, going by their
    /// headers: what else is there, or has no header, is others' business.
    fn add_beside(&mut self, rules: &Ruleset, folders: Vec<PathBuf>, own: &Path) {
        let ours = |path: &Path| {
            let header = path.is_file().then(|| Header::read(path));
            header.is_some_and(|h| h.is_ok_and(|h| h.fingerprint == rules.fingerprint()))
        };
        let folders = folders.into_iter().filter(|path| path.is_dir() && path != own);
        for path in folders.flat_map(|folder| entries(&folder).unwrap_or_default()) {
            if let Some(key) = slice_and_metric(&path).filter(|_| ours(&path)) {
                self.add_before_embedded(key, TablePlace::Beside(path));
            }
        }
    }

    fn add_before_embedded(&mut self, key: (Slice, Metric), place: TablePlace) {
        let candidates = self.candidates(key);
        let embedded = |known: &Candidate| matches!(known.place, TablePlace::Embedded(_));
        let at = candidates.iter().position(embedded).unwrap_or(candidates.len());
        candidates.insert(at, Candidate::new(place));
    }

    /// The table of a slice, if there is one of these rules.
    pub(super) fn open(
        &self,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&OpenedTable>, ProbeError> {
        let by_defenders = self.slices.get(slice.attackers);
        let Some(files) = by_defenders.and_then(|slices| slices.get(slice.defenders)) else {
            return Ok(None);
        };
        for candidate in &files.candidates[metric as usize] {
            if let Some(opened) = candidate.opened.get() {
                return Ok(Some(opened));
            }
            match self.try_open(files, candidate, rules, slice, metric) {
                Ok(opened) => return Ok(Some(candidate.opened.get_or_init(|| opened))),
                // Since its header was read, another ruleset's table has come there.
                Err(ProbeError::WrongRules { .. } | ProbeError::WrongName { .. })
                    if matches!(candidate.place, TablePlace::Beside(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn try_open(
        &self,
        files: &SliceFiles,
        candidate: &Candidate,
        rules: &Ruleset,
        slice: Slice,
        metric: Metric,
    ) -> Result<OpenedTable, ProbeError> {
        let head = candidate.place.head(self.options.access)?;
        let header = *head.header();
        // Tables that are part of the program are there by their headers.
        let path = || head.path().map(Path::to_owned).unwrap_or_default();
        if header.fingerprint != rules.fingerprint() {
            return Err(ProbeError::WrongRules { path: path(), rules: rules.name.clone() });
        }
        if (header.slice, header.metric) != (slice, metric) {
            return Err(ProbeError::WrongName { path: path() });
        }
        let index = files.index(rules, slice)?;
        if (header.grid.lanes(), header.grid.rows()) != (index.lanes().count(), index.rows()) {
            return Err(foreign(head.path(), &header));
        }
        // The rest of the file can only now be no larger than the slice makes it.
        let table = head.into_table()?;
        let blocks = self.options.cache.table(table.entries(), table.largest_block_bytes());
        Ok(OpenedTable { table, index, blocks })
    }
}

impl TablePlace {
    /// What is there, as far as its header.
    fn head(&self, access: Access) -> Result<TableHead<TableFile>, TableError> {
        match self {
            TablePlace::Own(path) | TablePlace::Beside(path) => TableHead::open(path, access),
            TablePlace::Embedded(bytes) => TableHead::new(TableFile::from(*bytes)),
        }
    }
}

impl SliceFiles {
    fn index(&self, rules: &Ruleset, slice: Slice) -> Result<Arc<SliceIndex>, ProbeError> {
        if let Some(index) = self.index.get() {
            return Ok(index.clone());
        }
        let index = Arc::new(SliceIndex::new(rules, slice).map_err(ProbeError::Index)?);
        Ok(self.index.get_or_init(|| index).clone())
    }
}

/// The element with that number, after as many as it takes have been added.
fn grown<T: Default>(list: &mut Vec<T>, number: usize) -> &mut T {
    if list.len() <= number {
        list.resize_with(number + 1, T::default);
    }
    &mut list[number]
}

/// The slice and metric that a file's name stands for, if it is a table's.
fn slice_and_metric(path: &Path) -> Option<(Slice, Metric)> {
    let slice: Slice = path.file_stem()?.to_str()?.parse().ok()?;
    let extension = path.extension()?.to_str()?;
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == extension)?;
    (metric.file_name(slice) == path.file_name()?.to_str()?).then_some((slice, metric))
}

/// Whether there is anything at that path; an error if nobody may know.
pub(super) fn is_there(path: &Path) -> Result<bool, ProbeError> {
    match path.try_exists() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        found => found.map_err(|source| ProbeError::Directory { path: path.to_owned(), source }),
    }
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
