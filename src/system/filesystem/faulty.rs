//! A file system with fault injection: a call fails, a write is cut short, a read returns a
//! flipped bit, the process is killed, or a power cut loses what was not synced.
//!
//! It works in a real folder, so that other code can read there, and tracks separately what
//! would survive.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::system::random::SeededRng;

use super::{FileSystem, Output, SystemFiles, TempFile};

/// An injected fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The call fails without effect.
    Fail,
    /// The disk is full: only a part of a write reaches the file.
    Full,
    /// Other programs fill the disk up to [`FaultyFiles::with_capacity`].
    Crowded,
    /// One bit of the data that a call reads is flipped.
    Flip,
    /// The process is killed: this call and all later ones have no effect.
    Kill,
    /// As `Kill`, and unsynced data may be lost: see [`FaultyFiles::lose_power`].
    PowerCut,
    /// The call does not return: the process prints [`FROZEN`] and waits to be killed.
    Freeze,
}

/// The line that a process prints on [`Fault::Freeze`].
pub(crate) const FROZEN: &str = "frozen";

/// The faults that the test process itself survives.
pub(crate) const FAULTS: [Fault; 5] =
    [Fault::Fail, Fault::Full, Fault::Flip, Fault::Kill, Fault::PowerCut];

/// Given as the number of calls before the fault, this means that no fault strikes.
pub(crate) const NEVER: usize = usize::MAX - 1;

/// A folder in which one call meets a fault.
#[derive(Clone, Debug)]
pub(crate) struct FaultyFiles(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    root: PathBuf,
    fault: Fault,
    /// Calls before the fault; `usize::MAX` after it.
    left: usize,
    dead: bool,
    random: SeededRng,
    /// Disk capacity in bytes, now and once the disk is crowded; the bytes of temporary files, and
    /// the peak of all files.
    capacity: u64,
    crowded_capacity: u64,
    temp_bytes: u64,
    peak_bytes: u64,
    /// Open temporary files, and their peak number.
    open_temp_files: usize,
    peak_temp_files: usize,
    files: Vec<Contents>,
    /// The current names, and those that would survive a power cut; folders map to `None`.
    names: Names,
    durable: Names,
    /// Unsynced changes of names, in order.
    pending: Vec<Change>,
    created: BTreeSet<PathBuf>,
    finished: BTreeSet<PathBuf>,
    /// Renamed files, by their new names, in order.
    named: Vec<PathBuf>,
}

type Names = BTreeMap<PathBuf, Option<usize>>;

/// The bytes of a file, and the length of the synced prefix.
#[derive(Debug)]
struct Contents {
    bytes: Vec<u8>,
    synced: usize,
}

/// A change of names: the name removed, and the name added with its file.
#[derive(Debug)]
struct Change {
    removed: Option<PathBuf>,
    added: Option<(PathBuf, Option<usize>)>,
}

impl Change {
    fn is_in(&self, folder: &Path) -> bool {
        let added = self.added.as_ref().map(|(path, _)| path);
        let path = self.removed.as_ref().or(added);
        path.and_then(|path| path.parent()) == Some(folder)
    }

    fn apply(&self, names: &mut Names) {
        if let Some(path) = &self.removed {
            names.remove(path);
        }
        if let Some((path, node)) = &self.added {
            names.insert(path.clone(), *node);
        }
    }
}

impl FaultyFiles {
    /// Wraps the folder with its present contents as synced; the fault strikes after `after` calls.
    pub(crate) fn new(root: &Path, fault: Fault, after: usize, seed: u64) -> FaultyFiles {
        let mut state = State {
            root: root.to_owned(),
            fault,
            left: after,
            dead: false,
            random: SeededRng::new(seed),
            capacity: u64::MAX,
            crowded_capacity: u64::MAX,
            temp_bytes: 0,
            peak_bytes: 0,
            open_temp_files: 0,
            peak_temp_files: 0,
            files: Vec::new(),
            names: Names::new(),
            durable: Names::new(),
            pending: Vec::new(),
            created: BTreeSet::new(),
            finished: BTreeSet::new(),
            named: Vec::new(),
        };
        state.scan(root);
        state.durable = state.names.clone();
        FaultyFiles(Arc::new(Mutex::new(state)))
    }

    /// Sets the disk's capacity after [`Fault::Crowded`].
    pub(crate) fn with_capacity(self, bytes: u64) -> FaultyFiles {
        self.state().crowded_capacity = bytes;
        self
    }

    /// Limits the disk to `bytes` from now on, or to the bytes in use if those are more.
    pub(crate) fn full(self, bytes: u64) -> FaultyFiles {
        self.state().fill(bytes);
        self
    }

    /// Returns the peak number of bytes in use.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.state().peak_bytes
    }

    /// Returns the peak number of open temporary files.
    pub(crate) fn peak_temp_files(&self) -> usize {
        self.state().peak_temp_files
    }

    /// Returns whether the fault has struck.
    pub(crate) fn has_struck(&self) -> bool {
        self.state().left == usize::MAX
    }

    /// Returns the number of calls so far, if created with [`NEVER`].
    pub(crate) fn calls(&self) -> usize {
        NEVER - self.state().left
    }

    /// Returns the files created, without their temporary extensions.
    pub(crate) fn created(&self) -> BTreeSet<PathBuf> {
        self.state().created.clone()
    }

    /// Returns the files whose final names are synced.
    pub(crate) fn finished(&self) -> BTreeSet<PathBuf> {
        self.state().finished.clone()
    }

    /// Returns the renamed files, except the last, whose final names are not synced.
    pub(crate) fn unfinished(&self) -> Vec<PathBuf> {
        let state = self.state();
        let mut named = state.named.clone();
        named.pop();
        named.retain(|path| !state.finished.contains(path));
        named
    }

    /// Leaves in the folder what a power cut may leave: any of the unsynced changes of names, and
    /// a prefix of unsynced bytes, or wrong ones.
    pub(crate) fn lose_power(self) {
        let mut state = self.state();
        let State { root, random, files, durable, pending, .. } = &mut *state;
        pending.retain(|_| random.below(2) == 0);
        pending.iter().for_each(|change| change.apply(durable));
        fs::remove_dir_all(&*root).unwrap();
        fs::create_dir(&*root).unwrap();
        // A folder sorts before its contents.
        for (path, node) in &*durable {
            if path.parent().is_some_and(Path::is_dir) {
                match node {
                    None => fs::create_dir(path).unwrap(),
                    Some(file) => fs::write(path, files[*file].after_power_cut(random)).unwrap(),
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Counts a call, before it has any effect. Returns the fault if it strikes in this call and
    /// the call must simulate it.
    fn call(&self) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = self.state();
        let now = state.left == 0;
        state.left = match state.left {
            0 | usize::MAX => usize::MAX,
            left => left - 1,
        };
        if now && state.fault == Fault::Freeze {
            // Not `println`, whose output the test harness captures.
            writeln!(io::stdout(), "{FROZEN}")?;
            loop {
                std::thread::park();
            }
        }
        if now && state.fault == Fault::Crowded {
            let bytes = state.crowded_capacity;
            state.fill(bytes);
        }
        state.dead |= now && matches!(state.fault, Fault::Kill | Fault::PowerCut);
        if state.dead || now && state.fault == Fault::Fail {
            return Err(io::Error::other("injected"));
        }
        let fault = now.then_some(state.fault);
        Ok((state, fault))
    }

    /// As [`call`](FaultyFiles::call), for calls that fail on a full disk without a partial effect.
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

    /// Returns the bytes of all files.
    fn used(&self) -> u64 {
        let named = self.names.values().flatten().map(|&file| self.files[file].bytes.len() as u64);
        named.sum::<u64>() + self.temp_bytes
    }

    /// Limits the capacity to `bytes`, or to the bytes in use if those are more.
    fn fill(&mut self, bytes: u64) {
        self.capacity = bytes.max(self.used());
    }

    /// Returns how many of `bytes` more bytes fit, and records the peak.
    fn fitting(&mut self, bytes: u64) -> u64 {
        let used = self.used();
        let fitting = bytes.min(self.capacity.saturating_sub(used));
        self.peak_bytes = self.peak_bytes.max(used + fitting);
        fitting
    }

    /// Adds a file with synced bytes and returns its number.
    fn add(&mut self, bytes: Vec<u8>) -> usize {
        self.files.push(Contents { synced: bytes.len(), bytes });
        self.files.len() - 1
    }

    /// Flips a random bit of the data read, if the fault is [`Fault::Flip`].
    fn flip(&mut self, fault: Option<Fault>, read: &mut [u8]) {
        if fault == Some(Fault::Flip) && !read.is_empty() {
            let bit = self.random.below(8 * read.len());
            read[bit / 8] ^= 1 << (bit % 8);
        }
    }

    fn rename(&mut self, removed: Option<PathBuf>, added: Option<(PathBuf, Option<usize>)>) {
        let change = Change { removed, added };
        change.apply(&mut self.names);
        self.pending.push(change);
    }
}

impl Contents {
    fn sync(&mut self) {
        self.synced = self.bytes.len();
    }

    /// Returns bytes that a power cut may leave.
    fn after_power_cut(&self, random: &mut SeededRng) -> Vec<u8> {
        const SECTOR: usize = 64;
        let (synced, whole) = (self.synced, self.bytes.len());
        let mut bytes = self.bytes.clone();
        match random.below(4) {
            0 => bytes.truncate(synced),
            1 => bytes.truncate(synced + random.below(whole - synced + 1)),
            2 => {
                for sector in bytes[synced..].chunks_mut(SECTOR) {
                    if random.below(2) == 0 {
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

    fn temp_file(&self, folder: &Path) -> io::Result<Box<dyn TempFile>> {
        let mut state = self.change()?;
        state.open_temp_files += 1;
        state.peak_temp_files = state.peak_temp_files.max(state.open_temp_files);
        let (file, end) = (SystemFiles.temp_file(folder)?, AtomicU64::new(0));
        Ok(Box::new(FaultyTempFile { files: self.clone(), file, end }))
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
        let State { pending, durable, finished, .. } = &mut *state;
        for change in pending.extract_if(.., |change| change.is_in(folder)) {
            change.apply(durable);
            if let (Some(_), Some((path, _))) = (change.removed, change.added) {
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
        let wanted = if full { state.random.below(bytes.len() + 1) } else { bytes.len() };
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
struct FaultyTempFile {
    files: FaultyFiles,
    file: Box<dyn TempFile>,
    end: AtomicU64,
}

impl Drop for FaultyTempFile {
    fn drop(&mut self) {
        let mut state = self.files.state();
        state.temp_bytes -= self.end.load(Ordering::Relaxed);
        state.open_temp_files -= 1;
    }
}

impl TempFile for FaultyTempFile {
    fn write_at(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut state, fault) = self.files.call()?;
        let (end, new) = (self.end.load(Ordering::Relaxed), start + bytes.len() as u64);
        let more = new.saturating_sub(end);
        if fault == Some(Fault::Full) || state.fitting(more) < more {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write_at(start, bytes)?;
        state.temp_bytes += more;
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
