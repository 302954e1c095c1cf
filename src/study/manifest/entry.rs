use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::game::rules::{BySide, Ruleset};
use crate::game::slice::Slice;
use crate::study::stats::{LongestWin, SideCounts, SideStats};
use crate::system::date;
use crate::system::version::commit;
use crate::table::{Metric, Table, TableFile};
use crate::tablebase::{ProbeError, Tablebase};

/// The tables of one slice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceEntry {
    /// The slice.
    #[serde(with = "slice_text")]
    pub slice: Slice,
    /// Counts by side to move.
    pub sides: BySide<SideCounts>,
    /// The longest win of each side that wins at all, with its position; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub longest: Vec<LongestWin>,
    /// The files, WDL before DTW.
    pub files: Vec<FileEntry>,
    /// The program that listed these files, and when; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listing>,
}

/// The program that added a slice to a manifest, and when. The files themselves do not record
/// the program that built them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The version of the program.
    pub version: String,
    /// The commit of its source; `None` if unknown: see [`commit`](crate::version::commit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The day, in UTC: `2026-11-26`.
    pub date: String,
}

impl Listing {
    /// Returns this version and the current day; `None` if the clock is set to before 1970.
    pub fn now() -> Option<Listing> {
        Some(Listing {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit().map(str::to_owned),
            date: date::of(SystemTime::now())?,
        })
    }
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
        let tables = base.tables_of(slice)?;
        let missing = ProbeError::MissingTable { slice, metric: Metric::Dtw };
        // DTW comes last and has the longest distances, too.
        let table = *tables.last().ok_or(missing)?;
        let metric = table.header().metric;
        let files = tables.into_iter().map(FileEntry::of).collect();
        let sides = BySide::from_fn(|side| {
            SideCounts::new(base.rules(), side, table.summary(side), metric)
        });
        Ok(SliceEntry { slice, sides, longest: Vec::new(), files, listed: None })
    }

    /// Adds the longest wins with the positions that were counted from the slice's table. An entry
    /// without distances has none.
    pub fn add_longest(&mut self, rules: &Ruleset, counted: &BySide<SideStats>) {
        self.longest = LongestWin::of_counts(self.sides.iter());
        for win in &mut self.longest {
            win.position = win.example(counted).map(|example| example.to_text(rules));
        }
    }

    /// Names this program and the current day as those that list the slice.
    #[must_use]
    pub fn listed_now(mut self) -> SliceEntry {
        self.listed = Listing::now();
        self
    }

    /// Takes over what an older entry knows of the same tables: the positions of longest wins
    /// if the values are the same, and who listed them if the files are.
    pub(super) fn inherit(&mut self, older: &SliceEntry) {
        let values = |entry: &SliceEntry| {
            let files = entry.files.iter();
            files.map(|file| (file.metric.clone(), file.values.clone())).collect::<Vec<_>>()
        };
        if self.longest.is_empty() && self.sides == older.sides && values(self) == values(older) {
            self.longest.clone_from(&older.longest);
        }
        if older.listed.is_some() && self.sides == older.sides && self.files == older.files {
            self.listed.clone_from(&older.listed);
        }
    }

    /// Returns the entry of the file with that metric.
    pub fn file(&self, metric: Metric) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.metric == metric.name())
    }
}

pub(in crate::study) mod slice_text {
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
