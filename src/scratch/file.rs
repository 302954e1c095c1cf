//! Stage files: written once, then read record by record.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use zstd::bulk::Compressor;

use crate::filesystem::{FileSystem, Output};

use super::error::{ScratchError, at};
use super::index::{Entry, HEADER_BYTES, Hash, Header, Index, sum};
use super::stage::{Key, PARTIAL, Stage};

/// Compression that costs little beside what the records took to compute.
const LEVEL: i32 = -3;

/// A stage that is done.
#[derive(Debug)]
pub struct StageFile<'a> {
    pub(super) files: &'a dyn FileSystem,
    pub(super) path: PathBuf,
    pub(super) index: Index,
}

impl StageFile<'_> {
    /// The records.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.index.entries.iter().map(|entry| entry.key)
    }

    /// Stands for all that is in the file, and all that it was made from.
    pub fn hash(&self) -> Hash {
        self.index.hash
    }

    /// The bytes of a record; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or is not what was written.
    pub fn read(&self, key: Key) -> Result<Option<Vec<u8>>, ScratchError> {
        self.index.find(key).map(|entry| self.record(entry)).transpose()
    }

    fn record(&self, entry: &Entry) -> Result<Vec<u8>, ScratchError> {
        let packed = self.files.read(&self.path, entry.start, entry.packed as usize);
        let packed = match packed {
            // Since the index was read, the file has been cut short or taken away.
            Err(error) if is_gone(&error) => return Err(self.damaged()),
            packed => packed.map_err(at(&self.path))?,
        };
        zstd::bulk::decompress(&packed, entry.length as usize)
            .ok()
            .filter(|bytes| bytes.len() == entry.length as usize && sum(bytes) == entry.sum)
            .ok_or_else(|| self.damaged())
    }

    /// The error of a file that does not hold what was written.
    pub fn damaged(&self) -> ScratchError {
        ScratchError::damaged(&self.path)
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound)
}

/// A stage that is being done; records may be added from many threads.
#[derive(Debug)]
pub struct StageWriter<'a> {
    files: &'a dyn FileSystem,
    stage: Stage,
    header: Header,
    path: PathBuf,
    durable: bool,
    writing: Mutex<Writing>,
}

#[derive(Debug)]
struct Writing {
    file: Box<dyn Output>,
    end: u64,
    entries: Vec<Entry>,
}

impl<'a> StageWriter<'a> {
    /// Begins the file of a stage at `path`; if `durable`, it will outlast a power cut.
    pub(super) fn begin(
        files: &'a dyn FileSystem,
        path: PathBuf,
        stage: Stage,
        header: Header,
        durable: bool,
    ) -> Result<StageWriter<'a>, ScratchError> {
        let partial = path.with_extension(PARTIAL);
        let begin = || {
            let mut file = files.create(&partial, false)?;
            file.write_all(&header.to_bytes())?;
            Ok(file)
        };
        let file = begin().map_err(at(&partial))?;
        let writing = Writing { file, end: HEADER_BYTES as u64, entries: Vec::new() };
        Ok(StageWriter { files, stage, header, path, durable, writing: Mutex::new(writing) })
    }

    /// Adds a record. One without bytes need not be added.
    pub fn add(&self, key: Key, bytes: &[u8]) -> Result<(), ScratchError> {
        let add = || {
            let packed = compress(bytes)?;
            let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
            let (sum, size) = (sum(bytes), u32::try_from(packed.len()).map_err(io::Error::other)?);
            let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            writing.file.write_all(&packed)?;
            let entry = Entry { key, length, sum, start: writing.end, packed: size };
            writing.end += u64::from(size);
            writing.entries.push(entry);
            Ok(())
        };
        add().map_err(at(&self.path))
    }

    /// Declares the stage done: writes the index, and only then gives the file its name.
    pub fn finish(self) -> Result<StageFile<'a>, ScratchError> {
        let StageWriter { files, stage, header, path, durable, writing } = self;
        let Writing { mut file, entries, .. } =
            writing.into_inner().unwrap_or_else(PoisonError::into_inner);
        let index = Index::new(stage, header, entries);
        let mut end = || {
            file.write_all(&index.to_bytes())?;
            if durable {
                file.sync()?;
            }
            files.rename(&path.with_extension(PARTIAL), &path)?;
            match path.parent() {
                Some(folder) if durable => files.sync_folder(folder),
                _ => Ok(()),
            }
        };
        end().map_err(at(&path))?;
        Ok(StageFile { files, path, index })
    }
}

/// Compresses with the thread's own context: making one costs more than a small
/// record.
fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    thread_local! {
        static CONTEXT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|context| {
        let mut ready = match context.take() {
            Some(ready) => ready,
            None => Compressor::new(LEVEL)?,
        };
        let packed = ready.compress(bytes);
        *context = Some(ready);
        packed
    })
}
