//! A file system on which things go wrong: a call fails, a write is cut short, a bit
//! flips on its way back, the program is killed, or the power fails and takes with it
//! what was not synced.
//!
//! It works in a real folder, so that everything else can read there, and keeps a
//! second account of what would last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use fastrand::Rng;

use super::{FileSystem, Output, SystemFiles, Unnamed};

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The call fails, and does nothing.
    Fail,
    /// The disk is full: a write gets some of its bytes to the file.
    Full,
    /// Others fill the disk, but for so many bytes: see [`FaultyFiles::with_capacity`].
    Crowded,
    /// Of what a call reads, one bit is another.
    Flip,
    /// The program is killed: this call and all that follow do nothing.
    Kill,
    /// The same, and what is not synced may be lost: see [`FaultyFiles::lose_power`].
    PowerCut,
    /// The call does not come back: the process says [`FROZEN`] and waits to be killed.
    Freeze,
}

/// What a process prints when it has come to its [`Fault::Freeze`].
pub(crate) const FROZEN: &str = "frozen";

/// All kinds that a process outlives.
pub(crate) const FAULTS: [Fault; 5] =
    [Fault::Fail, Fault::Full, Fault::Flip, Fault::Kill, Fault::PowerCut];

/// After how many calls something goes wrong if nothing is to.
pub(crate) const NEVER: usize = usize::MAX - 1;

/// A folder in which one call goes wrong.
#[derive(Clone, Debug)]
pub(crate) struct FaultyFiles(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    root: PathBuf,
    fault: Fault,
    /// Calls until it goes wrong.
    left: usize,
    dead: bool,
    random: Rng,
    /// The bytes that there is room for, now and when others have filled the disk; those of
    /// files without names, and of all files at their most.
    capacity: u64,
    crowded: u64,
    unnamed: u64,
    most_used: u64,
    /// How many files without names there are, and have been at the most.
    open: usize,
    most_open: usize,
    files: Vec<Written>,
    /// What has which name now, and what would have it after a power cut; folders are
    /// `None`.
    names: Names,
    lasting: Names,
    /// Changes of names that are not synced, in their order.
    pending: Vec<Change>,
    created: BTreeSet<PathBuf>,
    finished: BTreeSet<PathBuf>,
    /// Files that got their names, in this order.
    named: Vec<PathBuf>,
}

type Names = BTreeMap<PathBuf, Option<usize>>;

/// The bytes of a file, of which so many are synced.
#[derive(Debug)]
struct Written {
    bytes: Vec<u8>,
    synced: usize,
}

/// A change of a name: what goes, and what comes.
#[derive(Debug)]
struct Change {
    gone: Option<PathBuf>,
    come: Option<(PathBuf, Option<usize>)>,
}

impl Change {
    fn is_in(&self, folder: &Path) -> bool {
        let path = self.gone.as_ref().or(self.come.as_ref().map(|(path, _)| path));
        path.and_then(|path| path.parent()) == Some(folder)
    }

    fn apply(&self, names: &mut Names) {
        if let Some(path) = &self.gone {
            names.remove(path);
        }
        if let Some((path, node)) = &self.come {
            names.insert(path.clone(), *node);
        }
    }
}

impl FaultyFiles {
    /// The folder as it is, all synced; the call after so many goes wrong.
    pub(crate) fn new(root: &Path, fault: Fault, after: usize, seed: u64) -> FaultyFiles {
        let mut state = State {
            root: root.to_owned(),
            fault,
            left: after,
            dead: false,
            random: Rng::with_seed(seed),
            capacity: u64::MAX,
            crowded: u64::MAX,
            unnamed: 0,
            most_used: 0,
            open: 0,
            most_open: 0,
            files: Vec::new(),
            names: Names::new(),
            lasting: Names::new(),
            pending: Vec::new(),
            created: BTreeSet::new(),
            finished: BTreeSet::new(),
            named: Vec::new(),
        };
        state.scan(root);
        state.lasting = state.names.clone();
        FaultyFiles(Arc::new(Mutex::new(state)))
    }

    /// The same, with room for so many bytes once others have filled the disk.
    pub(crate) fn with_capacity(self, bytes: u64) -> FaultyFiles {
        self.state().crowded = bytes;
        self
    }

    /// The same, on a disk that others have filled: there is room for so many bytes, or for
    /// those that are there.
    pub(crate) fn full(self, bytes: u64) -> FaultyFiles {
        self.state().fill(bytes);
        self
    }

    /// The most bytes that there have been at a time.
    pub(crate) fn most_used(&self) -> u64 {
        self.state().most_used
    }

    /// The most files without names that there have been at a time.
    pub(crate) fn most_open(&self) -> usize {
        self.state().most_open
    }

    /// Whether it has gone wrong.
    pub(crate) fn has_struck(&self) -> bool {
        self.state().left == usize::MAX
    }

    /// How many calls there have been, if none was to go wrong.
    pub(crate) fn calls(&self) -> usize {
        NEVER - self.state().left
    }

    /// The files that were begun.
    pub(crate) fn created(&self) -> BTreeSet<PathBuf> {
        self.state().created.clone()
    }

    /// The files that got their names, which were synced.
    pub(crate) fn finished(&self) -> BTreeSet<PathBuf> {
        self.state().finished.clone()
    }

    /// The files that got their names before another one did, and were not synced.
    pub(crate) fn unfinished(&self) -> Vec<PathBuf> {
        let state = self.state();
        let mut named = state.named.clone();
        named.pop();
        named.retain(|path| !state.finished.contains(path));
        named
    }

    /// Leaves in the folder what a power cut may leave: of changes of names that were
    /// not synced any, of bytes that were not synced a part, or others.
    pub(crate) fn lose_power(self) {
        let mut state = self.state();
        let State { root, random, files, lasting, pending, .. } = &mut *state;
        pending.retain(|_| random.bool());
        pending.iter().for_each(|change| change.apply(lasting));
        fs::remove_dir_all(&*root).unwrap();
        fs::create_dir(&*root).unwrap();
        // A folder comes before what is in it.
        for (path, node) in &*lasting {
            if path.parent().is_some_and(Path::is_dir) {
                match node {
                    None => fs::create_dir(path).unwrap(),
                    Some(file) => fs::write(path, files[*file].remains(random)).unwrap(),
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Counts a call that does no more than its fault allows; the fault, if it is now.
    fn call(&self) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = self.state();
        let now = state.left == 0;
        state.left = match state.left {
            0 | usize::MAX => usize::MAX,
            left => left - 1,
        };
        if now && state.fault == Fault::Freeze {
            // Not `println`, which a test keeps to itself.
            writeln!(io::stdout(), "{FROZEN}")?;
            loop {
                std::thread::park();
            }
        }
        if now && state.fault == Fault::Crowded {
            let bytes = state.crowded;
            state.fill(bytes);
        }
        state.dead |= now && matches!(state.fault, Fault::Kill | Fault::PowerCut);
        if state.dead || now && state.fault == Fault::Fail {
            return Err(io::Error::other("injected"));
        }
        let fault = now.then_some(state.fault);
        Ok((state, fault))
    }

    /// A call that changes names, or one that only fails when the disk is full.
    fn change(&self) -> io::Result<MutexGuard<'_, State>> {
        match self.call()? {
            (_, Some(Fault::Full)) => Err(io::ErrorKind::StorageFull.into()),
            (state, _) => Ok(state),
        }
    }
}

impl State {
    fn scan(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.names.insert(path.clone(), None);
                self.scan(&path);
            } else {
                let bytes = fs::read(&path).unwrap();
                let file = self.add(bytes);
                self.names.insert(path, Some(file));
            }
        }
    }

    /// The bytes of all files.
    fn used(&self) -> u64 {
        let named = self.names.values().flatten().map(|&file| self.files[file].bytes.len() as u64);
        named.sum::<u64>() + self.unnamed
    }

    /// Others take all but so many bytes, or those that are there.
    fn fill(&mut self, bytes: u64) {
        self.capacity = bytes.max(self.used());
    }

    /// Of so many more bytes, those that there is room for.
    fn fitting(&mut self, bytes: u64) -> u64 {
        let used = self.used();
        let fitting = bytes.min(self.capacity.saturating_sub(used));
        self.most_used = self.most_used.max(used + fitting);
        fitting
    }

    /// A file with synced bytes.
    fn add(&mut self, bytes: Vec<u8>) -> usize {
        self.files.push(Written { synced: bytes.len(), bytes });
        self.files.len() - 1
    }

    /// Flips a bit on its way back, if that is what goes wrong.
    fn flip(&mut self, fault: Option<Fault>, read: &mut [u8]) {
        if fault == Some(Fault::Flip) && !read.is_empty() {
            let bit = self.random.usize(0..8 * read.len());
            read[bit / 8] ^= 1 << (bit % 8);
        }
    }

    fn rename(&mut self, gone: Option<PathBuf>, come: Option<(PathBuf, Option<usize>)>) {
        let change = Change { gone, come };
        change.apply(&mut self.names);
        self.pending.push(change);
    }
}

impl Written {
    fn sync(&mut self) {
        self.synced = self.bytes.len();
    }

    /// What a power cut may leave.
    fn remains(&self, random: &mut Rng) -> Vec<u8> {
        const SECTOR: usize = 64;
        let (synced, whole) = (self.synced, self.bytes.len());
        let mut bytes = self.bytes.clone();
        match random.u8(0..4) {
            0 => bytes.truncate(synced),
            1 => bytes.truncate(random.usize(synced..=whole)),
            2 => {
                for sector in bytes[synced..].chunks_mut(SECTOR) {
                    if random.bool() {
                        sector.fill(0);
                    }
                }
            }
            _ => {}
        }
        bytes
    }
}

impl FileSystem for FaultyFiles {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        SystemFiles.make_folder(path)?;
        state.rename(None, Some((path.to_owned(), None)));
        Ok(())
    }

    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Output>> {
        let mut state = self.change()?;
        let output = SystemFiles.create(path, new)?;
        let file = state.add(Vec::new());
        state.rename(None, Some((path.to_owned(), Some(file))));
        state.created.insert(path.with_extension(""));
        Ok(Box::new(FaultyOutput { files: self.clone(), file, at: 0, output }))
    }

    fn open(&self, path: &Path, start: u64) -> io::Result<Box<dyn Output>> {
        let state = self.change()?;
        let output = SystemFiles.open(path, start)?;
        let file = state.names.get(path).copied().flatten().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(FaultyOutput { files: self.clone(), file, at: start as usize, output }))
    }

    fn unnamed(&self, folder: &Path) -> io::Result<Box<dyn Unnamed>> {
        let mut state = self.change()?;
        state.open += 1;
        state.most_open = state.most_open.max(state.open);
        let (file, end) = (SystemFiles.unnamed(folder)?, AtomicU64::new(0));
        Ok(Box::new(FaultyUnnamed { files: self.clone(), file, end }))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let _state = self.call()?;
        SystemFiles.list(folder)
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        let _state = self.call()?;
        SystemFiles.length(path)
    }

    fn read(&self, path: &Path, start: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let (mut state, fault) = self.call()?;
        let mut read = SystemFiles.read(path, start, bytes)?;
        state.flip(fault, &mut read);
        Ok(read)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        SystemFiles.rename(from, to)?;
        state.named.push(to.to_owned());
        let node = state.names[from];
        state.rename(Some(from.to_owned()), Some((to.to_owned(), node)));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let (mut state, _) = self.call()?;
        SystemFiles.remove(path)?;
        state.rename(Some(path.to_owned()), None);
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (mut state, _) = self.call()?;
        SystemFiles.remove_folder(path)?;
        state.rename(Some(path.to_owned()), None);
        Ok(())
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        if let Some(&Some(file)) = state.names.get(path) {
            state.files[file].sync();
        }
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        let State { pending, lasting, finished, .. } = &mut *state;
        for change in pending.extract_if(.., |change| change.is_in(folder)) {
            change.apply(lasting);
            if let (Some(_), Some((path, _))) = (change.gone, change.come) {
                finished.insert(path);
            }
        }
        Ok(())
    }

    fn available(&self, _: &Path) -> io::Result<u64> {
        let (state, _) = self.call()?;
        Ok(state.capacity.saturating_sub(state.used()))
    }
}

#[derive(Debug)]
struct FaultyOutput {
    files: FaultyFiles,
    file: usize,
    at: usize,
    output: Box<dyn Output>,
}

impl Write for FaultyOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (mut state, fault) = self.files.call()?;
        let mut full = fault == Some(Fault::Full);
        let wanted = if full { state.random.usize(0..=bytes.len()) } else { bytes.len() };
        let count = state.fitting(wanted as u64) as usize;
        full |= count < bytes.len();
        self.output.write_all(&bytes[..count])?;
        let (start, end) = (self.at, self.at + count);
        let written = &mut state.files[self.file].bytes;
        written.resize(written.len().max(end), 0);
        written[start..end].copy_from_slice(&bytes[..count]);
        self.at = end;
        if full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Output for FaultyOutput {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.files.change()?;
        state.files[self.file].sync();
        Ok(())
    }
}

#[derive(Debug)]
struct FaultyUnnamed {
    files: FaultyFiles,
    file: Box<dyn Unnamed>,
    end: AtomicU64,
}

impl Drop for FaultyUnnamed {
    fn drop(&mut self) {
        let mut state = self.files.state();
        state.unnamed -= self.end.load(Ordering::Relaxed);
        state.open -= 1;
    }
}

impl Unnamed for FaultyUnnamed {
    fn write_at(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut state, fault) = self.files.call()?;
        let (end, new) = (self.end.load(Ordering::Relaxed), start + bytes.len() as u64);
        let more = new.saturating_sub(end);
        if fault == Some(Fault::Full) || state.fitting(more) < more {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write_at(start, bytes)?;
        state.unnamed += more;
        self.end.store(end + more, Ordering::Relaxed);
        Ok(())
    }

    fn read_at(&self, start: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let (mut state, fault) = self.files.call()?;
        let mut read = self.file.read_at(start, bytes)?;
        state.flip(fault, &mut read);
        Ok(read)
    }
}
