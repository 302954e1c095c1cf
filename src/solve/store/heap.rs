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

/// Packed bytes, one after the other; they may be added and read by many threads.
#[derive(Debug)]
pub(crate) struct Heap {
    file: Mutex<(Box<dyn Unnamed>, u64)>,
    /// What messages call it.
    path: PathBuf,
}

/// Bytes in a heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    start: u64,
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
        let file = scratch.files.unnamed(&scratch.folder).map_err(at(&scratch.folder))?;
        Ok(Heap { file: Mutex::new((file, 0)), path: scratch.folder.join("shares") })
    }

    /// Adds bytes, fewer than 2^31.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn add(&self, bytes: &[u8]) -> Result<Kept, ScratchError> {
        let packed = compress(bytes).map_err(at(&self.path))?;
        let (length, sum) = (bytes.len() as u32, sum(bytes));
        let mut file = self.file();
        let (file, end) = &mut *file;
        file.append(&packed).map_err(at(&self.path))?;
        let kept = Kept { start: *end, packed: packed.len() as u32, length, sum };
        *end += packed.len() as u64;
        Ok(kept)
    }

    /// The bytes.
    ///
    /// # Errors
    /// If the disk fails, or has changed them.
    pub(crate) fn read(&self, kept: &Kept) -> Result<Vec<u8>, ScratchError> {
        let packed = self.file().0.read_again(kept.start, kept.packed as usize);
        let bytes = decompress(&packed.map_err(at(&self.path))?, kept.length as usize);
        bytes.filter(|bytes| sum(bytes) == kept.sum).ok_or_else(|| self.damaged())
    }

    /// The error of a heap that does not hold what was added.
    pub(crate) fn damaged(&self) -> ScratchError {
        ScratchError::damaged(&self.path)
    }

    fn file(&self) -> MutexGuard<'_, (Box<dyn Unnamed>, u64)> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
