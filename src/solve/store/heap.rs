//! What waits on the disk for as long as it is asked for: nothing of it outlasts the
//! build.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::system::filesystem::Unnamed;
use crate::table::decompress;

use super::ScratchFolder;
use super::error::{ScratchError, at};
use super::file::compress;
use super::index::{Sum, sum};

/// Packed bytes; they may be added, changed and read by many threads.
#[derive(Debug)]
pub(crate) struct Heap {
    file: Mutex<File>,
    /// What messages call it.
    path: PathBuf,
}

#[derive(Debug)]
struct File {
    unnamed: Box<dyn Unnamed>,
    end: u64,
}

/// Bytes in a heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    start: u64,
    /// Bytes that there is room for.
    room: u32,
    packed: u32,
    length: u32,
    sum: Sum,
}

impl Heap {
    /// An empty one in a scratch folder.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(scratch: &ScratchFolder) -> Result<Heap, ScratchError> {
        let unnamed = scratch.files.unnamed(&scratch.folder).map_err(at(&scratch.folder))?;
        let file = Mutex::new(File { unnamed, end: 0 });
        Ok(Heap { file, path: scratch.folder.join("shares") })
    }

    /// Adds bytes, fewer than 2^31.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn add(&self, bytes: &[u8]) -> Result<Kept, ScratchError> {
        let packed = compress(bytes).map_err(at(&self.path))?;
        let (length, sum) = (bytes.len() as u32, sum(&packed));
        let mut file = self.file();
        let (start, room) = (file.end, packed.len() as u32);
        file.unnamed.write_at(start, &packed).map_err(at(&self.path))?;
        file.end += packed.len() as u64;
        Ok(Kept { start, room, packed: room, length, sum })
    }

    /// Puts other bytes in the place of some, if need be elsewhere.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn replace(&self, kept: &mut Kept, bytes: &[u8]) -> Result<(), ScratchError> {
        let packed = compress(bytes).map_err(at(&self.path))?;
        (kept.length, kept.sum) = (bytes.len() as u32, sum(&packed));
        let mut file = self.file();
        let size = packed.len() as u32;
        if size > kept.room {
            // More room than is needed now: what grew once may grow again.
            (kept.start, kept.room) = (file.end, size + size / 4);
            file.end += u64::from(kept.room);
        }
        file.unnamed.write_at(kept.start, &packed).map_err(at(&self.path))?;
        kept.packed = size;
        Ok(())
    }

    /// The bytes.
    ///
    /// # Errors
    /// If the disk fails, or has changed them.
    pub(crate) fn read(&self, kept: &Kept) -> Result<Vec<u8>, ScratchError> {
        let packed = self.file().unnamed.read_at(kept.start, kept.packed as usize);
        let packed = packed.map_err(at(&self.path))?;
        let bytes = (sum(&packed) == kept.sum).then(|| decompress(&packed, kept.length as usize));
        bytes.flatten().ok_or_else(|| self.damaged())
    }

    /// The error of a heap that does not hold what was added.
    pub(crate) fn damaged(&self) -> ScratchError {
        ScratchError::damaged(&self.path)
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
