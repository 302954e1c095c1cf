//! Games in a file, one a line, as they end.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::record::{GameRecord, SavedSettings, Settings};

/// A file to which games are added. Nobody else adds to it meanwhile.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
}

/// Why games cannot be saved, or those in a file not be taken.
#[derive(Debug)]
pub struct StoreError {
    path: PathBuf,
    kind: StoreErrorKind,
}

#[derive(Debug)]
enum StoreErrorKind {
    Io(io::Error),
    InUse,
    /// A line, counted from 1, that is no game.
    Line(usize, serde_json::Error),
    /// A line with a game of another match: a setting, there and here.
    Other(usize, String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            StoreErrorKind::Io(error) => write!(f, "{path}: {error}"),
            StoreErrorKind::InUse => write!(f, "{path}: another match is writing there"),
            StoreErrorKind::Line(line, error) => {
                write!(f, "{path}: line {line} is no game of a match: {error}")
            }
            StoreErrorKind::Other(line, what) => {
                write!(f, "{path}: line {line} is of another match: {what}; name another file")
            }
        }
    }
}

impl std::error::Error for StoreError {}

impl Store {
    /// Opens or makes the file, and returns the games that are there. A last line without
    /// an end, which an interruption has torn, is dropped.
    ///
    /// # Errors
    /// If the file cannot be read or written, is in use, or has something else in it than
    /// games of these settings.
    pub fn open(path: &Path, settings: &Settings) -> Result<(Store, Vec<GameRecord>), StoreError> {
        let failed = |kind| StoreError { path: path.to_owned(), kind };
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(StoreErrorKind::Io).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => failed(StoreErrorKind::InUse),
            TryLockError::Error(error) => failed(StoreErrorKind::Io(error)),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(StoreErrorKind::Io).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let games = read(&bytes[..whole], &settings.into()).map_err(failed)?;
        let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(StoreErrorKind::Io).map_err(failed)?;
        Ok((Store { path: path.to_owned(), file }, games))
    }

    /// Adds a game, in one piece.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        let written = serde_json::to_string(game).map_err(io::Error::from).and_then(|line| {
            self.file.write_all((line + "\n").as_bytes())?;
            self.file.flush()
        });
        written.map_err(|error| StoreError {
            path: self.path.clone(),
            kind: StoreErrorKind::Io(error),
        })
    }

    /// The file has another game than it could have.
    pub(super) fn other(&self, line: usize, what: String) -> StoreError {
        StoreError { path: self.path.clone(), kind: StoreErrorKind::Other(line, what) }
    }
}

fn read(bytes: &[u8], settings: &SavedSettings) -> Result<Vec<GameRecord>, StoreErrorKind> {
    let lines = bytes.split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.is_empty());
    let game = |(line, number): (&[u8], usize)| {
        let game: GameRecord =
            serde_json::from_slice(line).map_err(|error| StoreErrorKind::Line(number, error))?;
        match difference(&game.settings, settings) {
            Some(what) => Err(StoreErrorKind::Other(number, what)),
            None => Ok(game),
        }
    };
    lines.map(game).collect()
}

/// The first setting that is not the same: `"seed" is 1 there, 2 here`.
fn difference(there: &SavedSettings, here: &SavedSettings) -> Option<String> {
    let mut fields = there.fields().into_iter().zip(here.fields());
    let ((name, there), (_, here)) = fields.find(|(there, here)| there != here)?;
    Some(format!("{name:?} is {there} there, {here} here"))
}
