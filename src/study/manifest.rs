//! Manifests: what a ruleset's tables are, slice by slice, for others to compare
//! theirs with.
//!
//! A manifest is a JSON file with one slice on each line, so that a new slice
//! is one new line:
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

/// No manifest is larger than that: a device may have no end.
const LARGEST_BYTES: u64 = 1 << 28;

/// What a ruleset's tables are; what it displays is its file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name of the ruleset.
    pub rules: String,
    /// Its fingerprint as it is shown: what the tables hold for.
    pub fingerprint: String,
    /// The slices, smallest first.
    pub slices: Vec<SliceEntry>,
}

/// What the tables of one slice are.
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

/// What one file is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// `wdl` or `dtw`.
    pub metric: String,
    /// The size.
    pub bytes: u64,
    /// The file's checksum, which its footer holds, in hexadecimal.
    pub blake3: String,
    /// The hash of the values, whatever they were compressed with.
    pub values: String,
}

/// How a table compares with the one of a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The same bytes.
    SameFile,
    /// The same values, compressed in another way.
    SameValues,
    /// Other values: one of them is wrong.
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

    /// How a table compares with this entry.
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
    /// The entry of a slice, from what its files say of themselves.
    ///
    /// # Errors
    /// If it has no tables, or one cannot be read.
    pub fn of(base: &Tablebase, slice: Slice) -> Result<SliceEntry, ProbeError> {
        let mut files = Vec::new();
        let mut last = None;
        for metric in Metric::ALL {
            match base.table(slice, metric) {
                Err(ProbeError::MissingTable { .. }) => {}
                table => {
                    let table = table?;
                    files.push(FileEntry::of(table));
                    last = Some((metric, table));
                }
            }
        }
        let missing = ProbeError::MissingTable { slice, metric: Metric::Dtw };
        // DTW comes last and knows more.
        let (metric, table) = last.ok_or(missing)?;
        let side = |side| SideCounts::new(base.rules(), side, table.summary(side), metric);
        Ok(SliceEntry { slice, sides: BySide::from_fn(side), files })
    }

    /// The entry of the file of that metric.
    pub fn file(&self, metric: Metric) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.metric == metric.name())
    }
}

impl Manifest {
    /// A manifest of these rules without slices.
    pub fn new(rules: &Ruleset) -> Manifest {
        let fingerprint = rules.fingerprint().to_string();
        Manifest { rules: rules.name.clone(), fingerprint, slices: Vec::new() }
    }

    /// Reads a manifest of these rules.
    ///
    /// # Errors
    /// If the file cannot be read, is no manifest, or one of other rules.
    pub fn read(path: &Path, rules: &Ruleset) -> Result<Manifest, ManifestError> {
        let error = |kind| ManifestError { path: path.to_owned(), kind };
        let mut text = String::new();
        let read =
            File::open(path).and_then(|file| file.take(LARGEST_BYTES).read_to_string(&mut text));
        read.map_err(|e| error(ManifestErrorKind::Read(e)))?;
        let mut manifest: Manifest =
            serde_json::from_str(&text).map_err(|e| error(ManifestErrorKind::Parse(e)))?;
        if manifest.fingerprint != rules.fingerprint().to_string() {
            let [found, wanted] = [manifest.rules, rules.name.clone()];
            return Err(error(ManifestErrorKind::WrongRules { found, wanted }));
        }
        manifest.slices.sort_by_key(|entry| entry.slice);
        Ok(manifest)
    }

    /// Reads a manifest of these rules from its file, from its folder, or from the folder
    /// above it, where that of another ruleset with the same rules will do.
    ///
    /// # Errors
    /// As [`read`](Manifest::read), or if there is none in the folder.
    pub fn find(path: &Path, rules: &Ruleset) -> Result<Manifest, ManifestError> {
        if !path.is_dir() {
            return Manifest::read(path, rules);
        }
        let own = [path.join(&rules.name), path.to_owned()];
        let own = own.map(|folder| folder.join(MANIFEST_FILE));
        if let Some(file) = own.iter().find(|file| file.exists()) {
            return Manifest::read(file, rules);
        }
        let folders = fs::read_dir(path).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = folders.map(|it| it.path().join(MANIFEST_FILE)).collect();
        files.sort();
        let same = files.iter().find_map(|file| Manifest::read(file, rules).ok());
        let missing = || ManifestErrorKind::Missing { rules: rules.name.clone() };
        same.ok_or_else(|| ManifestError { path: path.to_owned(), kind: missing() })
    }

    /// The entry of a slice.
    pub fn slice(&self, slice: Slice) -> Option<&SliceEntry> {
        self.slices.iter().find(|entry| entry.slice == slice)
    }

    /// Takes an entry in place of the slice's old one; returns whether that
    /// changed anything.
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
    /// The file's text: one line for each slice.
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

mod slice_text {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    use crate::game::slice::Slice;

    pub(super) fn serialize<S: Serializer>(slice: &Slice, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(slice)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Slice, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Why a manifest cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct ManifestError {
    /// The manifest's file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: ManifestErrorKind,
}

/// What is wrong with a manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum ManifestErrorKind {
    /// The folder has none.
    Missing {
        /// The ruleset that it was to be of.
        rules: String,
    },
    /// It cannot be read.
    Read(io::Error),
    /// It is no manifest.
    Parse(serde_json::Error),
    /// It is one of other rules.
    WrongRules {
        /// The name of its ruleset.
        found: String,
        /// The ruleset that was asked for.
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
                write!(f, "a manifest of another ruleset, {found}, and not of {wanted}")
            }
        }
    }
}

impl std::error::Error for ManifestError {}
