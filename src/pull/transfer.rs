use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use hyper::header::CONTENT_RANGE;

use crate::study::manifest::Comparison;
use crate::table::{Access, TableErrorKind};
use crate::tablebase::{ProbeError, Tablebase, TablebaseOptions};

use super::Pull;
use super::client::Response;
use super::error::{PullError, ServerFault};
use super::remote::{RemoteFile, refusal};

/// The extension of files that have not arrived completely. Readers and builds ignore them.
const EXTENSION: &str = "part";
/// A connection that brought this many bytes is no failure in a row.
const ENOUGH_BYTES: u64 = 1 << 20;
/// The time before the first new attempt; doubled for each further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The maximum time before a new attempt.
const LONGEST_WAIT: Duration = Duration::from_secs(8);
/// How often a waiting transfer asks whether to go on.
const TICK: Duration = Duration::from_millis(50);

/// What a server sent that is a table, but not the right one.
const OTHER_TABLE: &str = "another table than its manifest lists";

/// A file on its way into its folder.
pub(super) struct Transfer<'a> {
    pull: &'a Pull<'a>,
    pub(super) file: &'a RemoteFile,
    /// What has arrived. The name contains the file's checksum, so that nobody continues another
    /// version of the file.
    pub(super) part: PathBuf,
    target: PathBuf,
    /// The bytes that have arrived.
    have: u64,
}

impl<'a> Transfer<'a> {
    /// Prepares to fetch a file, or to continue it.
    pub(super) fn new(
        pull: &'a Pull<'a>,
        file: &'a RemoteFile,
        folder: &Path,
    ) -> Result<Transfer<'a>, PullError> {
        let part = folder.join(format!("{file}.{}.{EXTENSION}", &file.entry.blake3[..16]));
        let have = match pull.files.length(&part) {
            Ok(bytes) if bytes <= file.entry.bytes => bytes,
            // It is written anew.
            Ok(_) => 0,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(PullError::file(&part, error)),
        };
        Ok(Transfer { pull, file, part, target: folder.join(file.to_string()), have })
    }

    /// Returns the bytes that are still to arrive.
    pub(super) fn left(&self) -> u64 {
        self.file.entry.bytes - self.have
    }

    /// Fetches the file, checks it and gives it its name.
    pub(super) fn run(&mut self, go_on: &dyn Fn(u64) -> bool) -> Result<(), PullError> {
        let (mut failures, mut counted_from) = (0, self.have);
        while self.left() > 0 {
            let Err(error) = self.attempt(go_on) else { continue };
            if self.have >= counted_from + ENOUGH_BYTES {
                (failures, counted_from) = (0, self.have);
            }
            if !error.is_transient() || failures == self.pull.remote.retries {
                return Err(error);
            }
            self.wait(FIRST_WAIT.saturating_mul(1 << failures.min(16)).min(LONGEST_WAIT), go_on)?;
            failures += 1;
        }
        self.check()?;
        self.finish().map_err(|source| PullError::file(&self.target, source))
    }

    fn wait(&self, time: Duration, go_on: &dyn Fn(u64) -> bool) -> Result<(), PullError> {
        let began = Instant::now();
        while began.elapsed() < time {
            if !go_on(self.have) {
                return Err(PullError::Stopped);
            }
            thread::sleep(TICK);
        }
        Ok(())
    }

    /// Appends what one request brings. Returns `Ok` only if nothing is left.
    fn attempt(&mut self, go_on: &dyn Fn(u64) -> bool) -> Result<(), PullError> {
        let pull = self.pull;
        let address = pull.remote.address_of(self.file);
        let mut response =
            pull.remote.client.get(&address, self.have).map_err(|fault| self.failed(fault))?;
        self.check_head(&mut response).map_err(|fault| self.failed(fault))?;
        let opened = match self.have {
            0 => pull.files.create(&self.part, false),
            have => pull.files.open(&self.part, have),
        };
        let mut out = opened.map_err(|source| PullError::file(&self.part, source))?;
        while let Some(piece) = response.next_piece().map_err(|fault| self.failed(fault))? {
            if piece.len() as u64 > self.left() {
                return Err(self.failed(self.other_size()));
            }
            out.write_all(&piece).map_err(|source| PullError::file(&self.part, source))?;
            self.have += piece.len() as u64;
            if !go_on(self.have) {
                return Err(PullError::Stopped);
            }
        }
        if self.left() > 0 { Err(self.failed(ServerFault::Cut)) } else { Ok(()) }
    }

    /// Checks that the body is what is left of the file, or the whole of it: a server need not
    /// support ranges.
    fn check_head(&mut self, response: &mut Response<'_>) -> Result<(), ServerFault> {
        match response.status {
            StatusCode::OK => self.have = 0,
            StatusCode::PARTIAL_CONTENT if self.is_rest(response) => {}
            StatusCode::PARTIAL_CONTENT => return Err(ServerFault::OtherPart),
            StatusCode::RANGE_NOT_SATISFIABLE => return Err(self.other_size()),
            _ => return Err(refusal(response)),
        }
        match response.length() {
            Some(length) if length != self.left() => Err(self.other_size()),
            _ => Ok(()),
        }
    }

    /// Returns whether a partial response is what is left of the file.
    fn is_rest(&self, response: &Response<'_>) -> bool {
        let bytes = self.file.entry.bytes;
        let rest = format!("bytes {}-{}/{bytes}", self.have, bytes.saturating_sub(1));
        self.have > 0 && response.headers.get(CONTENT_RANGE).is_some_and(|range| *range == *rest)
    }

    fn other_size(&self) -> ServerFault {
        ServerFault::OtherSize { listed: self.file.entry.bytes }
    }

    fn failed(&self, fault: ServerFault) -> PullError {
        PullError::Server { url: self.pull.remote.address_of(self.file).to_string(), fault }
    }

    /// Checks the complete file, and deletes it if it is not the one that the manifest lists.
    fn check(&self) -> Result<(), PullError> {
        let options = TablebaseOptions {
            access: Access::Read,
            embedded: false,
            ..TablebaseOptions::default()
        };
        let mut arrived = Tablebase::with_options(self.pull.rules.clone(), options);
        arrived.add_file(self.file.slice, self.file.metric, self.part.clone());
        let found = match arrived.table(self.file.slice, self.file.metric) {
            Ok(table) => match table.check() {
                Ok(()) if self.file.entry.compare(table) == Comparison::SameFile => return Ok(()),
                Ok(()) => OTHER_TABLE,
                Err(errors) => match errors.into_iter().find(|error| is_local(&error.kind)) {
                    Some(error) => return Err(PullError::Tables(error.into())),
                    None => "a damaged table",
                },
            },
            Err(error @ (ProbeError::Unreadable(_) | ProbeError::Unsupported(_))) => {
                return Err(PullError::Tables(error));
            }
            Err(ProbeError::WrongRules { .. }) => "a table of other rules",
            Err(ProbeError::WrongName { .. } | ProbeError::Foreign { .. }) => OTHER_TABLE,
            Err(ProbeError::Corrupted(error)) if error.kind.is_damage() => "a damaged table",
            Err(_) => "something that is no table",
        };
        self.pull.files.remove(&self.part).map_err(|source| PullError::file(&self.part, source))?;
        let url = self.pull.remote.address_of(self.file).to_string();
        Err(PullError::Content { url, found })
    }

    /// Gives the file its name, durably.
    fn finish(&self) -> io::Result<()> {
        self.pull.files.sync(&self.part)?;
        self.pull.files.rename(&self.part, &self.target)?;
        self.pull.files.sync_folder(self.target.parent().unwrap_or(Path::new(".")))
    }
}

/// Returns whether this is what has arrived of any version of a file.
pub(super) fn is_part(path: &Path, file: &RemoteFile) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let version = name.strip_prefix(&file.to_string());
    version.is_some_and(|version| {
        version.starts_with('.') && version.ends_with(&format!(".{EXTENSION}"))
    })
}

/// Returns whether an error is of this machine's disk.
fn is_local(kind: &TableErrorKind) -> bool {
    matches!(kind, TableErrorKind::Io { .. })
}
