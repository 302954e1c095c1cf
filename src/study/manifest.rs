//! Manifests: counts and checksums of a ruleset's tables, for others to compare with theirs.
//!
//! A manifest is a JSON file with one slice on each line, so that a new slice adds one line:
//!
//! ```json
//! {
//!   "rules": "brandubh",
//!   "fingerprint": "27e632691dd014bf84bc8a4029256f95",
//!   "slices": [
//!     {"slice":"K0v1","sides":[…],"files":[…]}
//!   ]
//! }
//! ```

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::game::rules::{BySide, Ruleset};
use crate::game::slice::Slice;
use crate::study::stats::SideCounts;
use crate::table::{Metric, Table, TableFile};
use crate::tablebase::{ProbeError, Tablebase};

/// The name of a ruleset's manifest in the folder of its tables.
pub const MANIFEST_FILE: &str = "MANIFEST.json";

/// The maximum size of a manifest in bytes: a path may name a device that never ends.
const MAX_BYTES: u64 = 1 << 28;

/// The manifest of a ruleset's tables. It is displayed as the text of its file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name of the ruleset.
    pub rules: String,
    /// The fingerprint of the rules that the tables were made for.
    pub fingerprint: String,
    /// The slices, smallest first.
    pub slices: Vec<SliceEntry>,
}

/// The tables of one slice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceEntry {
    /// The slice.
    #[serde(with = "slice_text")]
    pub slice: Slice,
    /// Counts by side to move.
    pub sides: BySide<SideCounts>,
    /// The files, WDL before DTW.
    pub files: Vec<FileEntry>,
}

/// One table file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// `wdl` or `dtw`.
    pub metric: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The checksum in the file's footer, in hexadecimal.
    pub blake3: String,
    /// The hash of the values, which does not depend on the compression.
    pub values: String,
}

/// The result of comparing a table with its entry in a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The same bytes.
    SameFile,
    /// The same values, compressed differently.
    SameValues,
    /// Different values: one of the two is wrong.
    OtherValues,
}

impl FileEntry {
    fn of(table: &Table<TableFile>) -> FileEntry {
        FileEntry {
            metric: table.header().metric.name().to_owned(),
            bytes: table.size_bytes(),
            blake3: table.file_checksum().to_string(),
            values: table.value_hash().to_string(),
        }
    }

    /// Compares a table with this entry.
    pub fn compare(&self, table: &Table<TableFile>) -> Comparison {
        let found = FileEntry::of(table);
        if found == *self {
            Comparison::SameFile
        } else if found.values == self.values {
            Comparison::SameValues
        } else {
            Comparison::OtherValues
        }
    }
}

impl SliceEntry {
    /// Creates the entry of a slice from the headers and footers of its files.
    ///
    /// # Errors
    /// If the slice has no table, or one cannot be read.
    pub fn of(base: &Tablebase, slice: Slice) -> Result<SliceEntry, ProbeError> {
        let mut files = Vec::new();
        let mut last = None;
        for metric in Metric::ALL {
            match base.table(slice, metric) {
                Err(ProbeError::MissingTable { .. }) => {}
                Err(error) => return Err(error),
                Ok(table) => {
                    files.push(FileEntry::of(table));
                    last = Some((metric, table));
                }
            }
        }
        let missing = ProbeError::MissingTable { slice, metric: Metric::Dtw };
        // DTW comes last and has the longest distances, too.
        let (metric, table) = last.ok_or(missing)?;
        let sides = BySide::from_fn(|side| {
            SideCounts::new(base.rules(), side, table.summary(side), metric)
        });
        Ok(SliceEntry { slice, sides, files })
    }

    /// Returns the entry of the file with that metric.
    pub fn file(&self, metric: Metric) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.metric == metric.name())
    }
}

impl Manifest {
    /// Creates a manifest of these rules without slices.
    pub fn new(rules: &Ruleset) -> Manifest {
        let fingerprint = rules.fingerprint().to_string();
        Manifest { rules: rules.name.clone(), fingerprint, slices: Vec::new() }
    }

    /// Reads a manifest of these rules.
    ///
    /// # Errors
    /// If the file cannot be read, is not a manifest, or was made for other rules.
    pub fn read(path: &Path, rules: &Ruleset) -> Result<Manifest, ManifestError> {
        Manifest::parse_file(path, rules)
            .map_err(|kind| ManifestError { path: path.to_owned(), kind })
    }

    fn parse_file(path: &Path, rules: &Ruleset) -> Result<Manifest, ManifestErrorKind> {
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
            .map_err(ManifestErrorKind::Read)?;
        let mut manifest: Manifest =
            serde_json::from_str(&text).map_err(ManifestErrorKind::Parse)?;
        if manifest.fingerprint != rules.fingerprint().to_string() {
            let [found, wanted] = [manifest.rules, rules.name.clone()];
            return Err(ManifestErrorKind::WrongRules { found, wanted });
        }
        manifest.slices.sort_by_key(|entry| entry.slice);
        Ok(manifest)
    }

    /// Reads a manifest of these rules from a file, from a ruleset's folder, or from the folder
    /// above it. In the last case the manifest of another ruleset with the same fingerprint is
    /// accepted.
    ///
    /// # Errors
    /// As [`read`](Manifest::read), or if the folder has no such manifest.
    pub fn find(path: &Path, rules: &Ruleset) -> Result<Manifest, ManifestError> {
        Manifest::find_file(path, rules).map(|(_, manifest)| manifest)
    }

    /// Finds a manifest as [`find`](Manifest::find) does, and returns its file, too.
    ///
    /// # Errors
    /// As [`find`](Manifest::find).
    pub fn find_file(path: &Path, rules: &Ruleset) -> Result<(PathBuf, Manifest), ManifestError> {
        let read = |file: PathBuf| Manifest::read(&file, rules).map(|manifest| (file, manifest));
        if !path.is_dir() {
            return read(path.to_owned());
        }
        let own_files = [path.join(&rules.name).join(MANIFEST_FILE), path.join(MANIFEST_FILE)];
        if let Some(file) = own_files.into_iter().find(|file| file.exists()) {
            return read(file);
        }
        let folders = fs::read_dir(path).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> =
            folders.map(|entry| entry.path().join(MANIFEST_FILE)).collect();
        files.sort();
        let same = files.into_iter().find_map(|file| read(file).ok());
        same.ok_or_else(|| ManifestError {
            path: path.to_owned(),
            kind: ManifestErrorKind::Missing { rules: rules.name.clone() },
        })
    }

    /// Returns the entry of a slice.
    pub fn slice(&self, slice: Slice) -> Option<&SliceEntry> {
        self.slices.iter().find(|entry| entry.slice == slice)
    }

    /// Inserts an entry or replaces the slice's old one; returns whether the manifest changed.
    pub fn insert(&mut self, entry: SliceEntry) -> bool {
        match self.slices.binary_search_by_key(&entry.slice, |known| known.slice) {
            Ok(at) if self.slices[at] == entry => return false,
            Ok(at) => self.slices[at] = entry,
            Err(at) => self.slices.insert(at, entry),
        }
        true
    }
}

impl fmt::Display for Manifest {
    /// Writes the text of the file: one line for each slice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn json(value: &impl Serialize) -> Result<String, fmt::Error> {
            serde_json::to_string(value).map_err(|_| fmt::Error)
        }
        writeln!(f, "{{")?;
        writeln!(f, "  \"rules\": {},", json(&self.rules)?)?;
        writeln!(f, "  \"fingerprint\": {},", json(&self.fingerprint)?)?;
        writeln!(f, "  \"slices\": [")?;
        for (number, entry) in self.slices.iter().enumerate() {
            let comma = if number + 1 < self.slices.len() { "," } else { "" };
            writeln!(f, "    {}{comma}", json(entry)?)?;
        }
        writeln!(f, "  ]\n}}")
    }
}

pub(super) mod slice_text {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    use crate::game::slice::Slice;

    pub(in crate::study) fn serialize<S: Serializer>(
        slice: &Slice,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(slice)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Slice, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// The reason why a manifest cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct ManifestError {
    /// The manifest's file.
    pub path: PathBuf,
    /// The reason.
    pub kind: ManifestErrorKind,
}

/// The reason for a [`ManifestError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ManifestErrorKind {
    /// The folder has no manifest of the ruleset.
    Missing {
        /// The name of the ruleset.
        rules: String,
    },
    /// The file cannot be read.
    Read(io::Error),
    /// The file is not a manifest.
    Parse(serde_json::Error),
    /// The manifest was made for other rules.
    WrongRules {
        /// The name of its ruleset.
        found: String,
        /// The name of the expected ruleset.
        wanted: String,
    },
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if let ManifestErrorKind::Missing { rules } = &self.kind {
            return write!(f, "there is no {MANIFEST_FILE} of {rules} in {path}");
        }
        write!(f, "{path}: ")?;
        match &self.kind {
            ManifestErrorKind::Missing { .. } => Ok(()),
            ManifestErrorKind::Read(error) => write!(f, "cannot read the manifest: {error}"),
            ManifestErrorKind::Parse(error) => write!(f, "not a manifest of tables: {error}"),
            ManifestErrorKind::WrongRules { found, wanted } if found == wanted => {
                write!(f, "a manifest of another version of the rules of {wanted}")
            }
            ManifestErrorKind::WrongRules { found, wanted } => {
                write!(f, "a manifest of another ruleset, {found}, not of {wanted}")
            }
        }
    }
}

impl std::error::Error for ManifestError {}
