//! Manifests: counts and checksums of a ruleset's tables, for others to compare with theirs.
//!
//! A manifest is a JSON file with one slice on each line, so that a new slice adds one line:
//!
//! ```json
//! {
//!   "rules": "brandubh",
//!   "fingerprint": "27e632691dd014bf84bc8a4029256f95",
//!   "license": "CC0-1.0",
//!   "slices": [
//!     {"slice":"K0v1","sides":[…],"longest":[…],"files":[…],"listed":{…}}
//!   ]
//! }
//! ```
//!
//! Of these keys `license`, `longest` and `listed` may be missing.

mod entry;
mod error;

use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;

pub(super) use entry::slice_text;
pub use entry::{Comparison, FileEntry, Listing, SliceEntry};
pub use error::{ManifestError, ManifestErrorKind};

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
    /// The licence of the manifest and of the tables, as an SPDX identifier; `None` if whoever
    /// publishes them does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The slices, smallest first.
    pub slices: Vec<SliceEntry>,
}

impl Manifest {
    /// Creates a manifest of these rules without slices.
    pub fn new(rules: &Ruleset) -> Manifest {
        let fingerprint = rules.fingerprint().to_string();
        Manifest { rules: rules.name.clone(), fingerprint, license: None, slices: Vec::new() }
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
        let mut text = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut text))
            .map_err(ManifestErrorKind::Read)?;
        Manifest::parse(&text, rules)
    }

    /// Reads the text of a manifest of these rules.
    ///
    /// # Errors
    /// If the text is not a manifest, or was made for other rules.
    pub fn parse(text: &[u8], rules: &Ruleset) -> Result<Manifest, ManifestErrorKind> {
        let mut manifest: Manifest =
            serde_json::from_slice(text).map_err(ManifestErrorKind::Parse)?;
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
    ///
    /// Who listed a slice, and when, changes only with its files. The positions of its longest
    /// wins are kept if the values are the same and the entry has none.
    pub fn insert(&mut self, mut entry: SliceEntry) -> bool {
        match self.slices.binary_search_by_key(&entry.slice, |known| known.slice) {
            Err(at) => self.slices.insert(at, entry),
            Ok(at) => {
                let known = &mut self.slices[at];
                entry.inherit(known);
                if *known == entry {
                    return false;
                }
                *known = entry;
            }
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
        if let Some(license) = &self.license {
            writeln!(f, "  \"license\": {},", json(license)?)?;
        }
        writeln!(f, "  \"slices\": [")?;
        for (number, entry) in self.slices.iter().enumerate() {
            let comma = if number + 1 < self.slices.len() { "," } else { "" };
            writeln!(f, "    {}{comma}", json(entry)?)?;
        }
        writeln!(f, "  ]\n}}")
    }
}
