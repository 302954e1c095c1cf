//! Stage files: written once, then read record by record.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use zstd::bulk::Compressor;

use crate::system::filesystem::{FileSystem, Output};
use crate::table::decompress;

use super::ScratchFolder;
use super::error::{ScratchError, at};
use super::index::{Checksum, HEADER_BYTES, Hash, Header, Index, IndexEntry, checksum};
use super::stage::{Key, PARTIAL, Part};

/// A level of compression that takes little time compared with computing the records.
const LEVEL: i32 = 1;

/// Fewer uncompressed bytes than this hardly become smaller.
const MIN_PLAIN_BYTES: u64 = 64;

/// A finished part of a stage.
#[derive(Debug)]
pub(crate) struct StageFile<'a> {
    pub(super) files: &'a dyn FileSystem,
    pub(super) path: PathBuf,
    pub(super) chunks: Range<usize>,
    pub(super) index: Index,
}

impl StageFile<'_> {
    /// Returns the chunks of the part.
    pub(crate) fn chunks(&self) -> Range<usize> {
        self.chunks.clone()
    }

    /// Returns the number of records.
    pub(crate) fn records(&self) -> usize {
        self.index.entries.len()
    }

    /// Returns the keys of the records.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.index.entries.iter().map(|entry| entry.key)
    }

    /// Returns the hash of the contents and of everything they were computed from.
    pub(crate) fn hash(&self) -> Hash {
        self.index.hash
    }

    /// Returns the stored size of all records.
    pub(super) fn bytes(&self) -> u64 {
        self.index.entries.iter().map(|entry| u64::from(entry.packed)).sum()
    }

    /// Returns `true` if enough bytes are uncompressed for compression to pay.
    pub(super) fn is_plain(&self) -> bool {
        let plain = self.index.entries.iter().filter(|entry| entry.packed == entry.length);
        plain.map(|entry| u64::from(entry.packed)).sum::<u64>() >= MIN_PLAIN_BYTES
    }

    /// Returns all records, compressed.
    pub(super) fn packed(
        &self,
    ) -> impl ParallelIterator<Item = Result<(Key, PackedRecord<'static>), ScratchError>> {
        self.index.entries.par_iter().map(|entry| {
            let record = Cow::Owned(self.record(entry)?);
            Ok((entry.key, PackedRecord::of(record, true).map_err(at(&self.path))?))
        })
    }

    /// Reads a record; `None` if there is none.
    ///
    /// # Errors
    /// If the record cannot be read or is damaged.
    pub(crate) fn read(&self, key: Key) -> Result<Option<Vec<u8>>, ScratchError> {
        self.index.find(key).map(|entry| self.record(entry)).transpose()
    }

    fn record(&self, entry: &IndexEntry) -> Result<Vec<u8>, ScratchError> {
        let packed = match self.files.read(&self.path, entry.start, entry.packed as usize) {
            Ok(packed) => packed,
            // The file was truncated or deleted after its index was read.
            Err(error) if is_gone(&error) => return Err(self.damaged()),
            Err(error) => return Err(at(&self.path)(error)),
        };
        let bytes = match entry.packed == entry.length {
            true => Some(packed),
            false => decompress(&packed, entry.length as usize),
        };
        bytes.filter(|bytes| checksum(bytes) == entry.sum).ok_or_else(|| self.damaged())
    }

    /// Returns the error for a file that does not hold what was written.
    pub(crate) fn damaged(&self) -> ScratchError {
        ScratchError::damaged(&self.path)
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound)
}

/// A part of a stage in progress. Records may be added from many threads.
#[derive(Debug)]
pub(crate) struct StageWriter<'a> {
    scratch: &'a ScratchFolder<'a>,
    part: Part,
    header: Header,
    path: PathBuf,
    state: Mutex<WriterState>,
}

#[derive(Debug)]
struct WriterState {
    file: Box<dyn Output>,
    end: u64,
    entries: Vec<IndexEntry>,
}

/// A record as it is stored.
pub(super) struct PackedRecord<'b> {
    length: u32,
    sum: Checksum,
    bytes: Cow<'b, [u8]>,
}

impl<'b> PackedRecord<'b> {
    /// Compresses the bytes if `compresses` is set and that makes them smaller.
    fn of(bytes: Cow<'b, [u8]>, compresses: bool) -> io::Result<PackedRecord<'b>> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let sum = checksum(&bytes);
        let packed = compresses.then(|| compress(&bytes)).transpose()?;
        let smaller = packed.filter(|packed| packed.len() < bytes.len());
        Ok(PackedRecord { length, sum, bytes: smaller.map_or(bytes, Cow::Owned) })
    }
}

impl<'a> StageWriter<'a> {
    /// Creates the file of a part.
    pub(super) fn begin(
        scratch: &'a ScratchFolder<'a>,
        part: Part,
        header: Header,
    ) -> Result<StageWriter<'a>, ScratchError> {
        let path = scratch.path(&part);
        let partial = path.with_extension(PARTIAL);
        let mut file = scratch.files.create(&partial, false).map_err(at(&path))?;
        file.write_all(&header.to_bytes()).map_err(at(&path))?;
        let state = WriterState { file, end: HEADER_BYTES as u64, entries: Vec::new() };
        Ok(StageWriter { scratch, part, header, path, state: Mutex::new(state) })
    }

    /// Adds a record. Empty records may be left out.
    pub(crate) fn add(&self, key: Key, bytes: &[u8]) -> Result<(), ScratchError> {
        let compresses = self.scratch.policy.should_compress(bytes.len());
        let packed = PackedRecord::of(Cow::Borrowed(bytes), compresses);
        packed.and_then(|packed| self.put(key, &packed)).map_err(at(&self.path))
    }

    fn put(&self, key: Key, record: &PackedRecord) -> io::Result<()> {
        let &PackedRecord { length, sum, ref bytes } = record;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.write_all(bytes)?;
        let entry = IndexEntry { key, length, sum, start: state.end, packed: bytes.len() as u32 };
        state.end += u64::from(entry.packed);
        state.entries.push(entry);
        Ok(())
    }

    /// Adds these records and finishes the part; it is synced, so that it survives a power cut.
    pub(super) fn finish_with<'b>(
        self,
        records: impl ParallelIterator<Item = Result<(Key, PackedRecord<'b>), ScratchError>>,
    ) -> Result<StageFile<'a>, ScratchError> {
        records.try_for_each(|record| {
            let (key, record) = record?;
            self.put(key, &record).map_err(at(&self.path))
        })?;
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .file
            .sync()
            .map_err(at(&self.path))?;
        self.finish()
    }

    /// Finishes the part: writes the index, then gives the file its final name.
    pub(crate) fn finish(self) -> Result<StageFile<'a>, ScratchError> {
        let StageWriter { scratch, part, header, path, state } = self;
        let WriterState { file, entries, .. } =
            state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let index = Index::new(&part, header, entries);
        commit(scratch, &path, file, &index)?;
        Ok(StageFile { files: &*scratch.files, path, chunks: part.chunks, index })
    }
}

/// Writes the index of a file and gives it its final name; syncs it and the files before it if a
/// sync is due.
fn commit(
    scratch: &ScratchFolder,
    path: &Path,
    mut file: Box<dyn Output>,
    index: &Index,
) -> Result<(), ScratchError> {
    let files = &*scratch.files;
    file.write_all(&index.to_bytes()).map_err(at(path))?;
    let mut unsynced = scratch.unsynced.stages();
    let (earlier, last_sync) = &mut *unsynced;
    let is_due = last_sync.elapsed() >= scratch.unsynced.every;
    if is_due {
        // A stage is of no use without those it is based on: all are synced before it is named.
        file.sync().map_err(at(path))?;
        earlier.iter().try_for_each(|path| sync_if_there(files, path).map_err(at(path)))?;
    }
    files.rename(&path.with_extension(PARTIAL), path).map_err(at(path))?;
    if is_due {
        files.sync_folder(&scratch.folder).map_err(at(&scratch.folder))?;
        // Only now: after an error, the next sync repeats all of this.
        earlier.clear();
        *last_sync = Instant::now();
    } else {
        earlier.push(path.to_owned());
    }
    Ok(())
}

/// Syncs a stage file, unless it was found to be damaged and deleted.
fn sync_if_there(files: &dyn FileSystem, path: &Path) -> io::Result<()> {
    match files.sync(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        synced => synced,
    }
}

/// Finished stages that have not been synced yet: a power cut may lose them.
#[derive(Debug)]
pub(super) struct Unsynced {
    every: Duration,
    /// Their paths, and the time of the last sync.
    stages: Mutex<(Vec<PathBuf>, Instant)>,
}

impl Unsynced {
    /// Creates an empty list whose stages are synced once that much time has passed.
    pub(super) fn new(every: Duration) -> Unsynced {
        Unsynced { every, stages: Mutex::new((Vec::new(), Instant::now())) }
    }

    fn stages(&self) -> MutexGuard<'_, (Vec<PathBuf>, Instant)> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compresses with a compressor for each thread: creating one costs more than compressing a small
/// record.
pub(super) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::game::rules::Side;
    use crate::game::value::Plies;
    use crate::solve::rows::numbers::ChunkNumber;
    use crate::solve::store::{Compression, Content, ScratchOptions, Stage};
    use crate::system::filesystem::faulty::{Fault, FaultyFiles};

    fn part(ply: Plies) -> Part {
        Part { stage: Stage::Ply { winner: Side::Defenders, ply }, chunks: 0..1 }
    }

    fn finish(scratch: &ScratchFolder, ply: Plies) -> Result<(), ScratchError> {
        let (content, winner) = (Content::Found, Side::Defenders);
        let writer = scratch.begin(part(ply), [2; 32])?;
        writer.add(Key { content, winner, ply, chunk: ChunkNumber::FIRST }, b"rows")?;
        writer.finish().map(drop)
    }

    /// If a sync fails and the build goes on, the next one includes the earlier stages.
    #[test]
    fn a_failed_sync_is_repeated() {
        let mut failed_files = BTreeSet::new();
        for after in 2..100 {
            let root = tempfile::tempdir().unwrap();
            let files = FaultyFiles::new(root.path(), Fault::Full, after, after as u64);
            let options = ScratchOptions {
                files: Arc::new(files.clone()),
                sync_every: Duration::MAX,
                compression: Compression::ALWAYS,
                progress: &(),
            };
            let folder = root.path().join("work");
            let mut scratch = ScratchFolder::open(&folder, [1; 32], options).unwrap();
            let mut finished = Vec::new();
            for ply in 1..7 {
                if ply == 4 {
                    scratch.unsynced.every = Duration::ZERO;
                }
                match finish(&scratch, ply) {
                    Ok(()) => finished.push(folder.join(part(ply).to_string())),
                    Err(error) => {
                        failed_files.insert((
                            ply,
                            error.path.strip_prefix(root.path()).unwrap().to_owned(),
                        ));
                    }
                }
            }
            let all = finished.iter().map(|path| fs::read(path).unwrap());
            let kept: Vec<Vec<u8>> = all.collect();
            drop(scratch);
            files.lose_power();
            for (path, bytes) in finished.iter().zip(kept) {
                assert!(fs::read(path).is_ok_and(|read| read == bytes), "{after} {path:?}");
            }
        }
        // Errors name the file that could not be synced.
        let earlier = Path::new("work/defenders-2@0-1").to_owned();
        assert!(failed_files.contains(&(4, earlier)), "{failed_files:?}");
    }
}
