//! Builds on a disk that fills up: they finish if the compressed work fits.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::rules::Side;
use crate::solve::communicator::SingleProcess;
use crate::table::progress::{Phase, Progress};

use super::*;

/// Compresses nothing before the disk is nearly full.
const LATE: Compression = Compression { always: false, reserve_bytes: 0, writers: 1 };

fn env(files: &FaultyFiles, placement: &Storage, compression: Compression) -> BuildEnv<'static> {
    let (files, placement) = (Arc::new(files.clone()), Some(*placement));
    BuildEnv {
        comm: &SingleProcess,
        files,
        placement,
        compression: Some(compression),
        ..BuildEnv::default()
    }
}

impl Case {
    /// Returns the peak disk usage of a build, and the number of its calls.
    fn peak_usage(&self, placement: &Storage, compression: Compression) -> (u64, usize) {
        let root = tempfile::tempdir().unwrap();
        let files = FaultyFiles::new(root.path(), Fault::Fail, NEVER, 0);
        self.build(&env(&files, placement, compression), root.path()).unwrap();
        (files.peak_bytes(), files.calls())
    }
}

/// Fills the disk at various moments, leaving room only for the compressed work.
fn others_may_fill_the_disk(placement: &Storage, percent: u64) {
    let case = Case::new("mini-corner", "K2v3");
    let (packed, _) = case.peak_usage(placement, Compression::ALWAYS);
    let (plain, calls) = case.peak_usage(placement, LATE);
    assert!(plain > 3 * packed, "{plain} bytes, compressed {packed}");
    for after in (0..calls).step_by(41) {
        let what = format!("{placement:?}, full after {after} of {calls} calls");
        let root = tempfile::tempdir().unwrap();
        let full = FaultyFiles::new(root.path(), Fault::Crowded, after, 0)
            .with_capacity(packed * percent / 100);
        let built = case.build(&env(&full, placement, LATE), root.path());
        built.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(case.files(root.path()) == case.whole, "{what}: other tables");
    }
}

#[test]
fn others_may_fill_the_disk_in_memory() {
    others_may_fill_the_disk(&IN_MEMORY, 100);
}

/// Replaced records leave gaps in the files of partitions.
#[test]
fn others_may_fill_the_disk_in_partitions() {
    others_may_fill_the_disk(&IN_PARTITIONS, 125);
}

/// Damages the stage of the first ply once, in the next one, which does not read it.
struct Damage {
    work: PathBuf,
    is_done: AtomicBool,
}

impl Progress for Damage {
    fn phase(&self, _: Slice, phase: Phase, _: u64) {
        if phase != (Phase::Ply { winner: Side::Attackers, ply: 2 }) {
            return;
        }
        for entry in fs::read_dir(&self.work).into_iter().flatten() {
            let path = entry.unwrap().path();
            let is_first_ply =
                path.file_name().unwrap().to_str().unwrap().starts_with("attackers-1@");
            if is_first_ply && !self.is_done.swap(true, Ordering::Relaxed) {
                let mut bytes = fs::read(&path).unwrap();
                // The first byte after the header.
                bytes[72] ^= 1;
                fs::write(path, bytes).unwrap();
            }
        }
    }
}

/// Stages found to be damaged while room is made are computed again, too.
#[test]
fn stages_may_be_damaged_when_the_disk_is_full() {
    let case = Case::new("mini-corner", "K2v3");
    let (packed, _) = case.peak_usage(&IN_MEMORY, Compression::ALWAYS);
    let (_, calls) = case.peak_usage(&IN_MEMORY, LATE);
    for after in (calls / 2..calls).step_by(97) {
        let root = tempfile::tempdir().unwrap();
        let full = FaultyFiles::new(root.path(), Fault::Crowded, after, 0).with_capacity(packed);
        let progress = Damage { work: case.work(root.path()), is_done: AtomicBool::new(false) };
        let built = case.build_with(&env(&full, &IN_MEMORY, LATE), root.path(), &progress);
        built.unwrap_or_else(|error| panic!("full after {after} of {calls} calls: {error}"));
        assert!(case.files(root.path()) == case.whole, "full after {after} of {calls} calls");
        assert!(progress.is_done.into_inner());
    }
}

/// Systems limit open files: the number must not grow with the plies.
#[test]
fn few_files_are_open_at_a_time() {
    let case = Case::new("mini-corner", "K2v3");
    let root = tempfile::tempdir().unwrap();
    let files = FaultyFiles::new(root.path(), Fault::Fail, NEVER, 0);
    case.build(&env(&files, &IN_PARTITIONS, Compression::ALWAYS), root.path()).unwrap();
    // For tables, for seeds, and for the rows sent by the last ply and by the next one.
    assert!((2..=4).contains(&files.peak_temp_files()), "{}", files.peak_temp_files());
}

/// A build that resumes on a full disk makes room first, which may fail at any call.
#[test]
fn the_next_build_finds_a_full_disk() {
    let case = Case::new("mini-corner", "K1v3");
    let (packed, _) = case.peak_usage(&IN_MEMORY, Compression::ALWAYS);
    let (_, calls) = case.peak_usage(&IN_MEMORY, LATE);
    // During the work on the largest slice.
    for killed_after in [calls - calls / 8] {
        for fault in FAULTS {
            for after in (0..).step_by(23) {
                let what = format!("killed after {killed_after} calls, {fault:?} after {after}");
                let root = tempfile::tempdir().unwrap();
                let killed = FaultyFiles::new(root.path(), Fault::Kill, killed_after, 0);
                case.build(&env(&killed, &IN_MEMORY, LATE), root.path()).unwrap_err();
                let files = FaultyFiles::new(root.path(), fault, after, after as u64).full(packed);
                let built = case.build(&env(&files, &IN_MEMORY, LATE), root.path());
                let has_struck = files.has_struck();
                if fault == Fault::PowerCut {
                    files.lose_power();
                }
                case.is_sound(root.path(), &what);
                if !has_struck {
                    built.unwrap_or_else(|error| panic!("{what}: {error}"));
                    break;
                }
                let files = FaultyFiles::new(root.path(), Fault::Fail, NEVER, 0).full(packed);
                let built = case.build(&env(&files, &IN_MEMORY, LATE), root.path());
                built.unwrap_or_else(|error| panic!("{what}: {error}"));
                case.goes_on(&IN_MEMORY, root.path(), &what);
            }
        }
    }
}
