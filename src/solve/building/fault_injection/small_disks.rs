//! Builds on a disk that fills up: they finish if the compressed work fits.

use crate::solve::communicator::SingleProcess;

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
