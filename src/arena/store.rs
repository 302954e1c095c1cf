//! A file of games, one per line.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::system::file_lock::LockedFile;

use super::record::{GameRecord, SavedSettings, Settings};

/// A file to which games are appended. It is locked against other matches.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: LockedFile,
}

/// An error in reading or writing a file of games.
#[derive(Debug)]
pub struct StoreError {
    path: PathBuf,
    kind: StoreErrorKind,
}

#[derive(Debug)]
enum StoreErrorKind {
    Io(io::Error),
    InUse,
    /// A line, counted from 1, that is not a game.
    Line(usize, serde_json::Error),
    /// A line with a game of another match, and the difference.
    Other(usize, String),
}

impl From<io::Error> for StoreErrorKind {
    fn from(error: io::Error) -> StoreErrorKind {
        StoreErrorKind::Io(error)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            StoreErrorKind::Io(error) => write!(f, "{path}: {error}"),
            StoreErrorKind::InUse => write!(f, "{path}: another match is writing there"),
            StoreErrorKind::Line(line, error) => {
                write!(f, "{path}: line {line} is not a game of a match: {error}")
            }
            StoreErrorKind::Other(line, what) => {
                write!(f, "{path}: line {line} is of another match: {what}; name another file")
            }
        }
    }
}

impl std::error::Error for StoreError {}

impl Store {
    /// Opens or creates the file, and returns its games. An incomplete game at the end, which an
    /// interruption has left, is removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, is in use, or contains anything but games of these
    /// settings.
    pub fn open(path: &Path, settings: &Settings) -> Result<(Store, Vec<GameRecord>), StoreError> {
        match open_file(path, &settings.into()) {
            Ok((file, games)) => Ok((Store { path: path.to_owned(), file }, games)),
            Err(kind) => Err(StoreError { path: path.to_owned(), kind }),
        }
    }

    /// Appends a game in one write, which a power cut does not undo.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        let written = serde_json::to_string(game).map_err(io::Error::from).and_then(|line| {
            let mut file = &*self.file;
            file.write_all((line + "\n").as_bytes())?;
            file.sync_data()
        });
        written.map_err(|error| StoreError {
            path: self.path.clone(),
            kind: StoreErrorKind::Io(error),
        })
    }

    /// Returns the error for a game that cannot belong to the match.
    pub(super) fn other(&self, line: usize, what: String) -> StoreError {
        StoreError { path: self.path.clone(), kind: StoreErrorKind::Other(line, what) }
    }
}

fn open_file(
    path: &Path,
    settings: &SavedSettings,
) -> Result<(LockedFile, Vec<GameRecord>), StoreErrorKind> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
    let locked = LockedFile::lock(file).ok_or(StoreErrorKind::InUse)?;
    let mut file = &*locked;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // A power cut may leave zeros where nothing was written yet.
    let written = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let (games, kept) = parse_games(&bytes[..written], settings)?;
    file.set_len(kept.len() as u64)?;
    file.seek(SeekFrom::End(0))?;
    if kept.last().is_some_and(|&last| last != b'\n') {
        file.write_all(b"\n")?;
    }
    Ok((locked, games))
}

/// Returns the games, and the bytes without an incomplete game at the end.
fn parse_games<'a>(
    bytes: &'a [u8],
    settings: &SavedSettings,
) -> Result<(Vec<GameRecord>, &'a [u8]), StoreErrorKind> {
    let mut games = Vec::new();
    let mut end = 0;
    for (line, number) in bytes.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        if line != b"\n" {
            let game: GameRecord = match serde_json::from_slice(line) {
                Err(_) if !line.ends_with(b"\n") && begins_game(line, settings)? => break,
                parsed => parsed.map_err(|error| StoreErrorKind::Line(number, error))?,
            };
            if let Some(what) = difference(&game.settings, settings) {
                return Err(StoreErrorKind::Other(number, what));
            }
            games.push(game);
        }
        end += line.len();
    }
    Ok((games, &bytes[..end]))
}

/// Returns whether bytes are the beginning of a line with a game of these settings, which come first.
fn begins_game(bytes: &[u8], settings: &SavedSettings) -> io::Result<bool> {
    let mut start = serde_json::to_vec(settings)?;
    // The game follows in the same object.
    start.pop();
    let length = bytes.len().min(start.len());
    Ok(bytes[..length] == start[..length])
}

/// Describes the first setting that differs: `"seed" is 1 there, 2 here`.
fn difference(there: &SavedSettings, here: &SavedSettings) -> Option<String> {
    let mut fields = there.fields().into_iter().zip(here.fields());
    let ((name, there), (_, here)) = fields.find(|(there, here)| there != here)?;
    Some(format!("{name:?} is {there} there, {here} here"))
}
