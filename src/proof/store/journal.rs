//! Journals of the results of jobs.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::game::rules::Side;
use crate::system::filesystem::Output;

use super::error::StoreError;
use super::folder::{Folder, JOURNALS, hash};

/// The digits of a line's hash.
const HASH_DIGITS: usize = 16;

/// The result of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct JobRecord {
    /// The canonical position with the side to move.
    pub(super) position: String,
    /// The side whose win the job was to prove or disprove.
    pub(super) side: Side,
    /// The nodes and milliseconds of this job.
    pub(super) nodes: u64,
    pub(super) millis: u64,
    #[serde(flatten)]
    pub(super) finding: Finding,
}

/// The answer of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer")]
pub(super) enum Finding {
    #[serde(rename = "won")]
    Won {
        /// The name of the certificate.
        certificate: String,
    },
    #[serde(rename = "not won")]
    NotWon {
        /// The name of the certificate.
        certificate: String,
    },
    #[serde(rename = "open")]
    Open {
        proof: u32,
        disproof: u32,
        /// Whether the job used up its nodes. If not, it is to be continued.
        finished: bool,
        /// The moves to positions that neither the rules nor the tables decide, with the proof and
        /// disproof numbers of these positions.
        moves: Vec<(String, u32, u32)>,
    },
}

impl JobRecord {
    /// Returns the line of the journal.
    fn line(&self) -> Result<Vec<u8>, serde_json::Error> {
        let json = serde_json::to_string(self)?;
        Ok(format!("{} {json}\n", hash(json.as_bytes(), HASH_DIGITS)).into_bytes())
    }

    /// Parses a line without its newline; `None` if it is damaged.
    fn parse(line: &[u8]) -> Option<JobRecord> {
        let (digits, rest) = line.split_at_checked(HASH_DIGITS)?;
        let json = rest.strip_prefix(b" ")?;
        let is_whole = hash(json, HASH_DIGITS).as_bytes() == digits;
        is_whole.then(|| serde_json::from_slice(json).ok()).flatten()
    }
}

/// The journal of this process. The file is created with the first record.
#[derive(Debug, Default)]
pub(super) struct JournalWriter {
    file: Option<(PathBuf, Box<dyn Output>)>,
    /// Whether the last line may be incomplete, since its write failed.
    is_torn: bool,
}

impl JournalWriter {
    /// Appends a record durably.
    pub(super) fn append(&mut self, folder: &Folder, record: &JobRecord) -> Result<(), StoreError> {
        let (path, out) = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(folder.create_journal()?),
        };
        let mut line = record.line().map_err(|error| StoreError::at(path)(error.into()))?;
        if self.is_torn {
            line.insert(0, b'\n');
        }
        let written = out.write_all(&line).and_then(|()| out.sync());
        self.is_torn = written.is_err();
        written.map_err(StoreError::at(path))
    }

    /// Returns the path of the journal, if the file exists.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| &**path)
    }
}

/// Reads new records of the journals.
#[derive(Debug, Default)]
pub(super) struct JournalReader {
    /// By journal, the number of bytes already read.
    read: BTreeMap<PathBuf, u64>,
}

/// A damaged line of a journal.
#[derive(Debug)]
pub(super) struct DamagedLine {
    path: PathBuf,
    offset: u64,
}

impl fmt::Display for DamagedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DamagedLine { path, offset } = self;
        write!(f, "{}: the line at byte {offset} is damaged and was skipped", path.display())
    }
}

impl JournalReader {
    /// Returns whether a journal that was read is missing or shorter now. Then another store is in
    /// the place of this one.
    pub(super) fn is_outdated(&self, folder: &Folder) -> bool {
        let is_there = |path: &Path, read| folder.files.length(path).is_ok_and(|now| now >= read);
        !self.read.iter().all(|(path, &read)| is_there(path, read))
    }

    /// Reads the records that were added to the journals, except `own`, since the last call. An
    /// incomplete last line is left for the next call.
    pub(super) fn read_new(
        &mut self,
        folder: &Folder,
        own: Option<&Path>,
    ) -> Result<(Vec<JobRecord>, Vec<DamagedLine>), StoreError> {
        let journals = folder.root.join(JOURNALS);
        let mut paths = folder.files.list(&journals).map_err(StoreError::at(&journals))?;
        paths.sort();
        let (mut records, mut damaged) = (Vec::new(), Vec::new());
        for path in paths.into_iter().filter(|path| own != Some(path)) {
            let length = folder.files.length(&path).map_err(StoreError::at(&path))?;
            let start = self.read.get(&path).copied().unwrap_or(0);
            if length <= start {
                continue;
            }
            let new = folder.files.read(&path, start, (length - start) as usize);
            let new = new.map_err(StoreError::at(&path))?;
            let mut offset = start;
            for line in new.split_inclusive(|&byte| byte == b'\n') {
                let Some(content) = line.strip_suffix(b"\n") else { break };
                match JobRecord::parse(content) {
                    Some(record) => records.push(record),
                    None => damaged.push(DamagedLine { path: path.clone(), offset }),
                }
                offset += line.len() as u64;
            }
            self.read.insert(path, offset);
        }
        Ok((records, damaged))
    }
}
