//! What a build keeps on disk while it works on a slice, so that it can be
//! stopped at any moment and go on: one file for each finished stage of the
//! work, and nothing else.
//!
//! A *stage file* is a sequence of records, compressed and with a checksum each,
//! in the order in which the workers were done. It is written under a temporary
//! name and gets its own when it is complete, so the files that are there are
//! the stages that are done. Files are not flushed to the disk: a killed program
//! loses nothing by that, and after a failure of the machine a file that is not
//! whole is seen by its checksums and done again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zstd::bulk::Compressor;

use crate::rules::Side;
use crate::value::Plies;

/// The first bytes of a stage file; the last one counts versions.
const MAGIC: [u8; 8] = *b"TAFLWRK\x01";
const IDENTITY: usize = 32;
const PARTIAL: &str = "part";
/// Compression that costs little beside what the records took to compute.
const LEVEL: i32 = -3;

/// A part of the work on a slice that is done as a whole or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The initial pass over a part of the chunks.
    Initial {
        /// Its number.
        part: usize,
    },
    /// One ply of one outcome.
    Ply {
        /// The side that wins.
        winner: Side,
        /// The distance.
        ply: Plies,
    },
    /// All plies of one outcome: its file is empty.
    Outcome {
        /// The side that wins.
        winner: Side,
    },
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Initial { part } => write!(f, "initial-{part}"),
            Stage::Ply { winner, ply } => write!(f, "{}-{ply}", winner.name()),
            Stage::Outcome { winner } => write!(f, "{}-all", winner.name()),
        }
    }
}

/// What a record holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Content {
    /// The loser's positions that moves without captures decide.
    Open = 0,
    /// The loser's positions without a move.
    Stuck = 1,
    /// Positions that captures or the rules win at a ply.
    Wins = 2,
    /// Positions that captures cease to hold back at a ply.
    Releases = 3,
    /// What a ply found.
    Found = 4,
}

/// Names a record within its file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// What it holds.
    pub content: Content,
    /// For the outcome that this side wins.
    pub winner: Side,
    /// At which distance.
    pub ply: Plies,
    /// Of which rows.
    pub chunk: u32,
}

/// The folder in which the work on one slice is kept.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    identity: [u8; IDENTITY],
}

/// The disk did not do what it was asked for.
#[derive(Debug)]
pub struct ScratchError {
    /// The file or folder.
    pub path: PathBuf,
    /// The system's answer.
    pub source: io::Error,
}

impl fmt::Display for ScratchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: cannot keep the work done so far: {}", self.path.display(), self.source)?;
        match self.source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => f.write_str(
                "; free some space or name another disk with --scratch, \
                 and the next build goes on from here",
            ),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ScratchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl Scratch {
    /// Opens the folder, and makes it if it is not there. `identity` stands for
    /// all that the results depend on: files of another identity are ignored
    /// and replaced.
    pub fn open(folder: &Path, identity: [u8; IDENTITY]) -> Result<Scratch, ScratchError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        Ok(Scratch { folder: folder.to_owned(), identity })
    }

    /// Deletes the folder with all that is in it, if it is there.
    pub fn clear(folder: &Path) -> Result<(), ScratchError> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(folder)(error)),
            _ => Ok(()),
        }
    }

    /// The file of a stage, if the stage is done.
    pub fn finished(&self, stage: Stage) -> Result<Option<StageFile>, ScratchError> {
        let path = self.folder.join(stage.to_string());
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(at(&path)(error)),
        };
        let index = read_index(io::BufReader::new(file), &self.identity).map_err(at(&path))?;
        Ok(index.map(|index| StageFile { path, index }))
    }

    /// Begins the file of a stage.
    pub fn begin(&self, stage: Stage) -> Result<StageWriter, ScratchError> {
        let path = self.folder.join(stage.to_string());
        let partial = path.with_extension(PARTIAL);
        let begin = || {
            let mut file = File::create(&partial)?;
            file.write_all(&MAGIC)?;
            file.write_all(&self.identity)?;
            Ok(file)
        };
        let file = begin().map_err(at(&partial))?;
        let end = (MAGIC.len() + IDENTITY) as u64;
        let writing = Mutex::new(Writing { file, end, index: HashMap::new() });
        Ok(StageWriter { path, partial, writing })
    }

    /// A file of zeros of that length, for tables that are larger than memory.
    /// Its place on the disk is taken at once, since a full disk could not be
    /// told of when the file is mapped.
    pub fn table(&self, name: &str, bytes: u64) -> Result<File, ScratchError> {
        let path = self.folder.join(name);
        let create = || {
            let options = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(&path)?;
            fs4::FileExt::allocate(&options, bytes)?;
            Ok(options)
        };
        create().map_err(at(&path))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Adds the path to what the system says.
pub fn at(path: &Path) -> impl Fn(io::Error) -> ScratchError + '_ {
    |source| ScratchError { path: path.to_owned(), source }
}

/// A stage that is done.
#[derive(Debug)]
pub struct StageFile {
    path: PathBuf,
    /// Where each record is, and its head.
    index: HashMap<Key, (u64, Head)>,
}

impl StageFile {
    /// The records.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.index.keys()
    }

    /// The bytes of a record; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or is not what was written.
    pub fn read(&self, key: Key) -> Result<Option<Vec<u8>>, ScratchError> {
        let Some(&(offset, head)) = self.index.get(&key) else {
            return Ok(None);
        };
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut packed = vec![0; head.packed as usize];
            file.read_exact(&mut packed)?;
            if head.checksum != checksum(&packed) {
                return Err(damaged());
            }
            let bytes = zstd::bulk::decompress(&packed, head.length as usize)?;
            if bytes.len() == head.length as usize { Ok(bytes) } else { Err(damaged()) }
        };
        read().map(Some).map_err(at(&self.path))
    }

    /// The error of a record that makes no sense.
    pub fn nonsense(&self) -> ScratchError {
        at(&self.path)(damaged())
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

fn damaged() -> io::Error {
    io::Error::other("the file is damaged; delete the folder and build again")
}

/// The stage files of a pass that is done in parts.
#[derive(Debug)]
pub struct Parts {
    /// The parts in order.
    files: Vec<StageFile>,
    /// How many chunks each part has; the last one may have fewer.
    part_chunks: usize,
}

impl Parts {
    /// Parts of so many chunks each.
    pub fn new(files: Vec<StageFile>, part_chunks: usize) -> Parts {
        Parts { files, part_chunks }
    }

    /// The records of all parts.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.files.iter().flat_map(StageFile::keys)
    }

    /// The file with the records of a chunk.
    pub fn of(&self, chunk: usize) -> &StageFile {
        &self.files[chunk / self.part_chunks]
    }
}

/// A stage that is being done; records may be added from many threads.
#[derive(Debug)]
pub struct StageWriter {
    path: PathBuf,
    partial: PathBuf,
    writing: Mutex<Writing>,
}

#[derive(Debug)]
struct Writing {
    file: File,
    end: u64,
    index: HashMap<Key, (u64, Head)>,
}

impl StageWriter {
    /// Adds a record. One without bytes need not be added.
    pub fn add(&self, key: Key, bytes: &[u8]) -> Result<(), ScratchError> {
        let add = || {
            let packed = compress(bytes)?;
            let head = Head {
                length: u32::try_from(bytes.len()).map_err(io::Error::other)?,
                packed: u32::try_from(packed.len()).map_err(io::Error::other)?,
                checksum: checksum(&packed),
            };
            let mut record = head.to_bytes(key).to_vec();
            record.extend_from_slice(&packed);
            let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            writing.file.write_all(&record)?;
            let offset = writing.end + HEAD as u64;
            writing.end += record.len() as u64;
            writing.index.insert(key, (offset, head));
            Ok(())
        };
        add().map_err(at(&self.partial))
    }

    /// Declares the stage done.
    pub fn finish(self) -> Result<StageFile, ScratchError> {
        let StageWriter { path, partial, writing } = self;
        let Writing { mut file, index, .. } =
            writing.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut end = || {
            file.write_all(&end_mark(index.len()))?;
            fs::rename(&partial, &path)
        };
        end().map_err(at(&partial))?;
        Ok(StageFile { path, index })
    }
}

/// What stands before a record's packed bytes, besides its key.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// Bytes before packing.
    length: u32,
    packed: u32,
    checksum: u64,
}

/// A head and a key in bytes; content, winner, ply, chunk, then the head's fields.
const HEAD: usize = 1 + 1 + 2 + 4 + 4 + 4 + 8;
/// In the place of a content: the file is complete.
const END: u8 = 0xff;

impl Head {
    fn to_bytes(self, key: Key) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[0] = key.content as u8;
        bytes[1] = key.winner as u8;
        bytes[2..4].copy_from_slice(&key.ply.to_le_bytes());
        bytes[4..8].copy_from_slice(&key.chunk.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.length.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.packed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEAD]) -> Option<(Key, Head)> {
        use Content::{Found, Open, Releases, Stuck, Wins};
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let contents = [Open, Stuck, Wins, Releases, Found];
        let key = Key {
            content: *contents.get(usize::from(bytes[0]))?,
            winner: *Side::ALL.get(usize::from(bytes[1]))?,
            ply: u16::from_le_bytes([bytes[2], bytes[3]]),
            chunk: number(4),
        };
        let checksum = u64::from_le_bytes(std::array::from_fn(|i| bytes[16 + i]));
        Some((key, Head { length: number(8), packed: number(12), checksum }))
    }
}

fn end_mark(records: usize) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[0] = END;
    bytes[16..24].copy_from_slice(&(records as u64).to_le_bytes());
    bytes
}

fn checksum(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    u64::from_le_bytes(std::array::from_fn(|i| hash.as_bytes()[i]))
}

/// Where the records are; `None` if the file is another identity's or not whole.
fn read_index(
    mut file: io::BufReader<File>,
    identity: &[u8; IDENTITY],
) -> io::Result<Option<HashMap<Key, (u64, Head)>>> {
    let mut start = [0; MAGIC.len() + IDENTITY];
    let read = |result: io::Result<()>| match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    };
    if !read(file.read_exact(&mut start))? || start[..8] != MAGIC || start[8..] != identity[..] {
        return Ok(None);
    }
    let mut offset = start.len() as u64;
    let mut index = HashMap::new();
    let mut bytes = [0; HEAD];
    loop {
        if !read(file.read_exact(&mut bytes))? {
            return Ok(None);
        }
        offset += HEAD as u64;
        if bytes == end_mark(index.len()) {
            return Ok(Some(index));
        }
        let Some((key, head)) = Head::from_bytes(&bytes) else {
            return Ok(None);
        };
        index.insert(key, (offset, head));
        file.seek_relative(i64::from(head.packed))?;
        offset += u64::from(head.packed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key { content: Content::Found, winner: Side::Defenders, ply: 3, chunk: 7 };
    const STAGE: Stage = Stage::Ply { winner: Side::Defenders, ply: 3 };

    fn written(folder: &Path) -> Scratch {
        let scratch = Scratch::open(folder, [1; IDENTITY]).unwrap();
        let writer = scratch.begin(STAGE).unwrap();
        writer.add(KEY, b"rows").unwrap();
        assert!(scratch.finished(STAGE).unwrap().is_none());
        let file = writer.finish().unwrap();
        assert_eq!(file.read(KEY).unwrap().unwrap(), b"rows");
        scratch
    }

    #[test]
    fn a_finished_stage_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = written(folder.path());
        let file = scratch.finished(STAGE).unwrap().unwrap();
        assert_eq!(file.read(KEY).unwrap().unwrap(), b"rows");
        assert_eq!(file.read(Key { chunk: 8, ..KEY }).unwrap(), None);
        assert!(scratch.finished(Stage::Initial { part: 0 }).unwrap().is_none());
        let other = Scratch::open(folder.path(), [2; IDENTITY]).unwrap();
        assert!(other.finished(STAGE).unwrap().is_none());
    }

    #[test]
    fn what_is_cut_short_or_damaged_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = written(folder.path());
        let path = folder.path().join(STAGE.to_string());
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(scratch.finished(STAGE).unwrap().is_none(), "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            if let Some(file) = scratch.finished(STAGE).unwrap() {
                assert!(!matches!(file.read(KEY), Ok(Some(_))), "byte {at}");
            }
        }
    }
}
