#![doc = include_str!("FORMAT.md")]

pub(super) mod codec;
mod compression;
mod error;
mod file;
mod index;
mod planes;
mod spill_file;
mod stage;
mod stages;

pub(super) use compression::Compression;
pub(super) use error::at;
pub use error::{ScratchError, ScratchErrorKind};
pub(super) use file::{StageFile, StageWriter};
pub(super) use index::{Hash, RECORD_BYTES};
pub(super) use spill_file::{SPILL_HEADER_BYTES, SpillFile, SpillHeader, SpillRecord};
pub(super) use stage::{Content, Key, Stage};
pub(super) use stages::{Parts, Stages};

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use crate::system::filesystem::FileSystem;
use crate::table::progress::Progress;

use compression::CompressionPolicy;
use file::Unsynced;
use index::{Header, Index};
use stage::{Part, is_scratch_file};

/// The extension of a slice's scratch folder.
pub(super) const WORK_EXTENSION: &str = "work";

/// The scratch folder of one slice.
pub(super) struct ScratchFolder<'a> {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
    identity: Hash,
    policy: Arc<CompressionPolicy>,
    unsynced: Unsynced,
    progress: &'a dyn Progress,
}

impl fmt::Debug for ScratchFolder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScratchFolder").field(&self.folder).finish()
    }
}

/// The settings of a scratch folder.
#[derive(Clone)]
pub(super) struct ScratchOptions<'a> {
    /// The file system.
    pub files: Arc<dyn FileSystem>,
    /// The time between two syncs of finished stages. Only synced stages survive a power cut.
    pub sync_every: Duration,
    /// Which records are compressed.
    pub compression: Compression,
    /// Receives notices about work that has to be repeated.
    pub progress: &'a dyn Progress,
}

impl<'a> ScratchFolder<'a> {
    /// Opens the folder and creates it if necessary; no other build may use it. `identity` is a
    /// hash of everything that the results depend on.
    pub(super) fn open(
        folder: &Path,
        identity: Hash,
        options: ScratchOptions<'a>,
    ) -> Result<ScratchFolder<'a>, ScratchError> {
        let ScratchOptions { files, sync_every, compression, progress } = options;
        files.make_folders(folder).map_err(at(folder))?;
        let (folder, unsynced) = (folder.to_owned(), Unsynced::new(sync_every));
        let policy =
            Arc::new(CompressionPolicy::new(Arc::clone(&files), folder.clone(), compression));
        Ok(ScratchFolder { files, folder, identity, policy, unsynced, progress })
    }

    /// Deletes unfinished stages and work of another identity; compresses the rest if the disk is
    /// short of space.
    pub(super) fn sweep(&self) -> Result<(), ScratchError> {
        let (files, mut others) = (&*self.files, 0);
        for path in scratch_files(files, &self.folder).map_err(at(&self.folder))? {
            let stage = path.extension().is_none();
            let header = if stage { Header::read(files, &path).map_err(at(&path))? } else { None };
            if header.is_none_or(|header| header.identity != self.identity) {
                files.remove(&path).map_err(at(&path))?;
                others += usize::from(stage);
            }
        }
        if others > 0 {
            self.progress.notice(&format!(
                "{}: the work saved there is damaged, or belongs to other rules, other smaller \
                 tables or another version of this program; it is done again",
                self.folder.display()
            ));
        }
        if self.policy.is_at_reserve() {
            self.compress()?;
        }
        Ok(())
    }

    /// Frees space on a full disk: compresses finished stages and everything that follows. Returns
    /// `false` if everything was compressed before and nothing was gained.
    pub(super) fn make_room(&self) -> Result<bool, ScratchError> {
        let was_plain = self.policy.mark_full();
        self.remove_unfinished()?;
        let gains = self.compress()?;
        // The disk may have become full while the name of a stage was synced.
        self.files.sync_folder(&self.folder).map_err(at(&self.folder))?;
        Ok(gains || was_plain)
    }

    /// Deletes unfinished stages.
    fn remove_unfinished(&self) -> Result<(), ScratchError> {
        let all = scratch_files(&*self.files, &self.folder).map_err(at(&self.folder))?;
        let mut unfinished = all.iter().filter(|path| path.extension().is_some());
        unfinished.try_for_each(|path| self.files.remove(path).map_err(at(path)))
    }

    /// Compresses uncompressed stages; returns `true` if that made them smaller.
    fn compress(&self) -> Result<bool, ScratchError> {
        let mut plain = Vec::new();
        for part in self.parts()? {
            let path = self.path(&part);
            let header = Header::read(&*self.files, &path).map_err(at(&path))?;
            let base = header.filter(|header| header.identity == self.identity).map(|h| h.base);
            let Some(base) = base else { continue };
            if let Some(file) = self.finished(&part, base)?.filter(StageFile::is_plain) {
                plain.push((file.bytes(), part, file, base));
            }
        }
        // Space gained from small files makes room for large ones.
        plain.sort_by_key(|(bytes, ..)| *bytes);
        let mut gains = false;
        for (bytes, part, file, base) in &plain {
            gains |= self.compressed(part, *base, file)?.bytes() < *bytes;
        }
        Ok(gains)
    }

    /// Replaces a part by one with all records compressed.
    fn compressed(
        &'a self,
        part: &Part,
        base: Hash,
        plain: &StageFile,
    ) -> Result<StageFile<'a>, ScratchError> {
        let writer = self.begin(part.clone(), base);
        match writer.and_then(|writer| writer.finish_with(plain.packed())) {
            // There is no space for both files: the new one waits in memory until the old one is
            // deleted.
            Err(error) if error.is_full() => {
                let records = plain.packed().collect::<Result<Vec<_>, _>>()?;
                self.remove_unfinished()?;
                self.remove(part)?;
                self.begin(part.clone(), base)?.finish_with(records.into_par_iter().map(Ok))
            }
            done => done,
        }
    }

    /// Returns `true` if a folder, which need not exist, has work in progress.
    pub(super) fn has_work(files: &dyn FileSystem, folder: &Path) -> Result<bool, ScratchError> {
        match scratch_files(files, folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            found => Ok(!found.map_err(at(folder))?.is_empty()),
        }
    }

    /// Deletes the work in a folder, and the folder if it is empty then.
    pub(super) fn clear(files: &dyn FileSystem, folder: &Path) -> Result<(), ScratchError> {
        match remove_scratch_files(files, folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            cleared => cleared.map_err(at(folder)),
        }
    }

    /// Returns the finished parts of all stages, by the names of the files.
    fn parts(&self) -> Result<Vec<Part>, ScratchError> {
        let paths = self.files.list(&self.folder).map_err(at(&self.folder))?;
        let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
        Ok(names.filter_map(Part::named).collect())
    }

    /// Opens a part of a stage if it is finished and based on `base`, the [`Parts::hash`] of the
    /// stage before. Any other file of that name is deleted.
    fn finished(&'a self, part: &Part, base: Hash) -> Result<Option<StageFile<'a>>, ScratchError> {
        let (files, path) = (&*self.files, self.path(part));
        let header = Header { identity: self.identity, base };
        let index = match Header::read(files, &path) {
            Ok(Some(found)) if found == header => Index::read(files, &path, part, header),
            other => other.map(|_| None),
        };
        match index {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(&path)(error)),
            Ok(Some(index)) => {
                let chunks = part.chunks.clone();
                Ok(Some(StageFile { files, path, chunks, index }))
            }
            Ok(None) => {
                self.discard(&path)?;
                Ok(None)
            }
        }
    }

    /// Deletes a part: of an incomplete stage, or to replace it by a compressed one.
    fn remove(&self, part: &Part) -> Result<(), ScratchError> {
        let path = self.path(part);
        self.files.remove(&path).map_err(at(&path))
    }

    /// Deletes a file that is damaged or based on another stage.
    pub(super) fn discard(&self, path: &Path) -> Result<(), ScratchError> {
        match self.files.remove(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(path)(error)),
            _ => {}
        }
        self.progress.notice(&format!(
            "{}: the file or one that it is based on is damaged; this part of the work is done again",
            path.display()
        ));
        Ok(())
    }

    /// Creates the file of a part of a stage based on `base`.
    fn begin(&'a self, part: Part, base: Hash) -> Result<StageWriter<'a>, ScratchError> {
        let header = Header { identity: self.identity, base };
        StageWriter::begin(self, part, header)
    }

    fn path(&self, part: &Part) -> PathBuf {
        self.folder.join(part.to_string())
    }
}

/// Returns the files in a folder whose names are those of scratch files.
fn scratch_files(files: &dyn FileSystem, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = files.list(folder)?;
    paths.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(is_scratch_file));
    Ok(paths)
}

/// Deletes the scratch files in a folder, and the folder if it is empty then.
fn remove_scratch_files(files: &dyn FileSystem, folder: &Path) -> io::Result<()> {
    for path in scratch_files(files, folder)? {
        files.remove(&path)?;
    }
    match files.remove_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;

    use super::*;
    use crate::game::rules::Side;
    use crate::solve::rows::numbers::ChunkNumber;
    use crate::system::filesystem::SystemFiles;

    const KEY: Key = Key { content: Content::Found, winner: Side::Defenders, ply: 3, chunk: CHUNK };
    const CHUNK: ChunkNumber = ChunkNumber::new(7);
    const OTHER: ChunkNumber = ChunkNumber::new(2);
    const STAGE: Stage = Stage::Ply { winner: Side::Defenders, ply: 3 };
    const IDENTITY: Hash = [1; 32];
    const BASE: Hash = [2; 32];
    const PART: Part = Part { stage: STAGE, chunks: 0..12 };

    #[derive(Default)]
    struct Notices(Mutex<Vec<String>>);

    impl Progress for Notices {
        fn notice(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }
    }

    fn open<'a>(folder: &Path, identity: Hash, progress: &'a dyn Progress) -> ScratchFolder<'a> {
        let options = ScratchOptions {
            files: Arc::new(SystemFiles),
            sync_every: Duration::ZERO,
            compression: Compression::ALWAYS,
            progress,
        };
        let scratch = ScratchFolder::open(folder, identity, options).unwrap();
        scratch.sweep().unwrap();
        scratch
    }

    /// Writes a stage; returns its bytes.
    fn written(folder: &Path) -> Vec<u8> {
        let scratch = open(folder, IDENTITY, &());
        let writer = scratch.begin(PART, BASE).unwrap();
        writer.add(KEY, b"rows").unwrap();
        writer.add(Key { chunk: OTHER, ..KEY }, b"").unwrap();
        assert!(scratch.finished(&PART, BASE).unwrap().is_none());
        let file = writer.finish().unwrap();
        assert_eq!(file.read(KEY).unwrap().unwrap(), b"rows");
        fs::read(folder.join(PART.to_string())).unwrap()
    }

    #[test]
    fn a_finished_stage_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let scratch = open(folder.path(), IDENTITY, &());
        let file = scratch.finished(&PART, BASE).unwrap().unwrap();
        assert_eq!(file.read(KEY).unwrap().unwrap(), b"rows");
        assert_eq!(file.keys().map(|key| key.chunk).collect::<Vec<_>>(), [OTHER, CHUNK]);
        assert_eq!(file.read(Key { chunk: ChunkNumber::new(8), ..KEY }).unwrap(), None);
        assert!(scratch.finished(&Part { chunks: 0..13, ..PART }, BASE).unwrap().is_none());
    }

    #[test]
    fn the_order_of_writing_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = open(folder.path(), IDENTITY, &());
        let hashes = [[3, 5], [5, 3]].map(|chunks| {
            let writer = scratch.begin(PART, BASE).unwrap();
            for number in chunks {
                let chunk = ChunkNumber::from(number);
                writer.add(Key { chunk, ..KEY }, &[number as u8; 9]).unwrap();
            }
            writer.finish().unwrap().hash()
        });
        assert_eq!(hashes[0], hashes[1]);
    }

    #[test]
    fn stages_with_another_base_are_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let whole = written(folder.path());
        let path = folder.path().join(PART.to_string());
        let notices = Notices::default();
        let scratch = open(folder.path(), IDENTITY, &notices);
        assert!(scratch.finished(&PART, [3; 32]).unwrap().is_none());
        assert!(!path.exists());
        let other = Part { stage: Stage::Ply { winner: Side::Defenders, ply: 5 }, chunks: 0..12 };
        fs::write(folder.path().join(other.to_string()), &whole).unwrap();
        assert!(scratch.finished(&other, BASE).unwrap().is_none());
        assert_eq!(notices.0.lock().unwrap().len(), 2);
    }

    #[test]
    fn sweep_deletes_work_of_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        for name in ["attackers-1@0-12", "attackers-2@0-12.part", "attackers-1", "notes.txt"] {
            fs::write(folder.path().join(name), "something").unwrap();
        }
        let notices = Notices::default();
        let left = |identity| {
            open(folder.path(), identity, &notices);
            let paths = SystemFiles.list(folder.path()).unwrap();
            let mut names: Vec<String> =
                paths.iter().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(left(IDENTITY), ["attackers-1", "defenders-3@0-12", "notes.txt"]);
        assert_eq!(left([9; 32]), ["attackers-1", "notes.txt"]);
        assert_eq!(notices.0.lock().unwrap().len(), 2);
        ScratchFolder::clear(&SystemFiles, folder.path()).unwrap();
        assert_eq!(left(IDENTITY), ["attackers-1", "notes.txt"]);
    }

    /// Reading a stage returns exactly the records that were written, or an error.
    #[test]
    fn truncated_and_damaged_stages_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let whole = written(folder.path());
        let path = folder.path().join(PART.to_string());
        let scratch = open(folder.path(), IDENTITY, &());
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(scratch.finished(&PART, BASE).unwrap().is_none(), "{length} bytes");
        }
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).unwrap();
            let Some(file) = scratch.finished(&PART, BASE).unwrap() else { continue };
            for (key, record) in [(KEY, &b"rows"[..]), (Key { chunk: OTHER, ..KEY }, b"")] {
                match file.read(key) {
                    Ok(read) => assert_eq!(read.as_deref(), Some(record), "bit {bit}"),
                    Err(error) => assert!(matches!(error.kind, ScratchErrorKind::Damaged)),
                }
            }
        }
    }
}
