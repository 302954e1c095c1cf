//! Reading and writing checkpoints.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::rules::Ruleset;
use crate::proof::certificate::{begins_with, hexadecimal};
use crate::proof::hashes::HashKeys;
use crate::proof::table::ProofTable;
use crate::system::file_lock::{LockedFile, lock_by};
use crate::system::temporary::{TemporaryFile, write_durably};

use super::{Checkpoint, CheckpointError, Effort};

const MAGIC: &str = "taflbase proof numbers 1\n";
/// The most bytes of a header.
const MAX_HEADER: u64 = 1 << 16;
/// The keys are random, so higher levels take more time and save little.
const LEVEL: i32 = 1;
/// The bytes that go through the compressor at once.
const BUFFER: usize = 1 << 18;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    rules: String,
    fingerprint: String,
    /// Identifies the hash keys of positions.
    hash_keys: u64,
    /// The bytes of the table in memory.
    table_bytes: u64,
    /// The effort of all searches so far.
    nodes: u64,
    millis: u64,
}

impl Checkpoint<'_> {
    /// Locks the file against other searches until the returned lock is dropped.
    pub(in crate::proof) fn lock(&self) -> Result<LockedFile, CheckpointError> {
        let mut lock_file = self.path.clone().into_os_string();
        lock_file.push(".lock");
        let lock = lock_by(Path::new(&lock_file)).map_err(at(&self.path))?;
        lock.ok_or_else(|| CheckpointError::Busy { path: self.path.clone() })
    }

    /// Fills the table from the file, and returns the effort behind it. If there is no file, checks
    /// that it can be created.
    pub(in crate::proof) fn read(
        &self,
        (rules, keys): (&Ruleset, &HashKeys),
        table: &ProofTable,
    ) -> Result<Effort, CheckpointError> {
        let path = &self.path;
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let created = TemporaryFile::create(Arc::clone(&self.files), path);
                return created.map(|_| Effort::default()).map_err(at(path));
            }
            file => file.map_err(at(path))?,
        };
        let not_a_checkpoint = || CheckpointError::NotACheckpoint { path: path.clone() };
        let damaged = |fault: String| CheckpointError::Damaged { path: path.clone(), fault };
        let mut input = BufReader::with_capacity(BUFFER, file);
        if !begins_with(&mut input, MAGIC).map_err(at(path))? {
            return Err(not_a_checkpoint());
        }
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it is cut short".to_owned()),
            _ => damaged(error.to_string()),
        };
        let decoder = zstd::Decoder::with_buffer(input).map_err(unreadable)?.single_frame();
        let mut body = BufReader::with_capacity(BUFFER, decoder);
        let mut line = Vec::new();
        body.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line).map_err(unreadable)?;
        let header: Header = serde_json::from_slice(&line)
            .map_err(|error| damaged(format!("its header: {error}")))?;
        if header.fingerprint != hexadecimal(rules.fingerprint().0) {
            return Err(CheckpointError::OtherRules { path: path.clone(), rules: header.rules });
        }
        if header.hash_keys != keys.identity() {
            return Err(not_a_checkpoint());
        }
        let bytes = header.table_bytes;
        if bytes != table.bytes() {
            return Err(CheckpointError::OtherSize { path: path.clone(), bytes });
        }
        table.read_entries(&mut body).map_err(unreadable)?;
        let is_longer = body.read(&mut [0]).map_err(unreadable)? > 0;
        let mut input = body.into_inner().finish();
        if is_longer || input.read(&mut [0]).map_err(at(path))? > 0 {
            return Err(damaged("it has more bytes than its table".to_owned()));
        }
        Ok(Effort { nodes: header.nodes, time: Duration::from_millis(header.millis) })
    }

    /// Replaces the file by one with this table. After a crash it has the old content or the new.
    pub(in crate::proof) fn write(
        &self,
        (rules, keys): (&Ruleset, &HashKeys),
        table: &ProofTable,
        effort: Effort,
    ) -> Result<(), CheckpointError> {
        let header = Header {
            rules: rules.name.clone(),
            fingerprint: hexadecimal(rules.fingerprint().0),
            hash_keys: keys.identity(),
            table_bytes: table.bytes(),
            nodes: effort.nodes,
            millis: effort.time.as_millis() as u64,
        };
        let written = write_durably(Arc::clone(&self.files), &self.path, |out| {
            out.write_all(MAGIC.as_bytes())?;
            let mut encoder = zstd::Encoder::new(out, LEVEL)?;
            encoder.include_checksum(true)?;
            let mut body = BufWriter::with_capacity(BUFFER, encoder);
            serde_json::to_writer(&mut body, &header)?;
            body.write_all(b"\n")?;
            table.write_entries(&mut body)?;
            body.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
            Ok(())
        });
        written.map_err(at(&self.path))
    }
}

/// Adds the path to an I/O error.
fn at(path: &Path) -> impl Fn(io::Error) -> CheckpointError + '_ {
    |source| CheckpointError::Io { path: path.to_owned(), source }
}
