//! Work in progress damaged while no build runs.

use crate::system::random::SeededRng;

use super::*;

/// The number of ways to damage a file.
const KINDS: u8 = 7;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Damages the saved work on a slice between two builds.
    #[test]
    fn work_may_be_damaged(
        after in 100..900_usize,
        damages in prop::collection::vec((0..KINDS, any::<u64>()), 1..4),
        [before, then] in [placements(), placements()],
    ) {
        let case = Case::new("mini-corner", "K1v2");
        let root = tempfile::tempdir().unwrap();
        let (env, _) = faulty(root.path(), (Fault::Kill, after, 0), &before, Duration::MAX);
        let _ = case.build(&env, root.path());
        case.is_sound(root.path(), "killed");
        for &(kind, seed) in &damages {
            let random = &mut SeededRng::new(seed);
            let files = files_in(&case.work(root.path()));
            if let Some(path) = random.choose(&files) {
                damage(path, &files, kind, random);
            }
        }
        case.goes_on(&then, root.path(), &format!("{damages:?}"));
    }
}

/// Damages every file of a nearly finished slice in every way.
#[test]
fn every_file_may_be_damaged() {
    let case = Case::new("mini-edge", "K1v1");
    // Kills builds at each call near the end, and uses the one that leaves the most files.
    let killed = (90..160).map(|after| {
        let root = tempfile::tempdir().unwrap();
        let (env, _) = faulty(root.path(), (Fault::Kill, after, 0), &IN_MEMORY, Duration::MAX);
        let _ = case.build(&env, root.path());
        (files_in(&case.work(root.path())), root)
    });
    let (work, root) = killed.max_by_key(|(work, _)| work.len()).unwrap();
    assert!(work.iter().any(|path| path.to_string_lossy().contains("attackers-all@")), "{work:?}");
    let kept: Vec<Vec<u8>> = work.iter().map(|path| fs::read(path).unwrap()).collect();
    for damaged in &work {
        for kind in 0..KINDS {
            fs::create_dir_all(case.work(root.path())).unwrap();
            for (path, bytes) in work.iter().zip(&kept) {
                fs::write(path, bytes).unwrap();
            }
            for name in ["K1v1.wdl", "K1v1.dtw"] {
                let _ = fs::remove_file(root.path().join(&case.rules.name).join(name));
            }
            damage(damaged, &work, kind, &mut SeededRng::new(kind.into()));
            case.goes_on(&IN_MEMORY, root.path(), &format!("{} {kind}", damaged.display()));
        }
    }
}

/// Returns the files in a folder, or none if it does not exist.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Damages a file of a folder.
fn damage(path: &Path, files: &[PathBuf], kind: u8, random: &mut SeededRng) {
    let other = random.choose(files).unwrap();
    let mut bytes = fs::read(path).unwrap();
    match kind {
        0 => return fs::remove_file(path).unwrap(),
        1 => bytes.truncate(random.below(bytes.len() + 1)),
        2 if !bytes.is_empty() => {
            let bit = random.below(8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        3 => bytes.push(0),
        // One stage in the place of another one.
        4 => bytes = fs::read(other).unwrap(),
        5 if !bytes.is_empty() => {
            let start = random.below(bytes.len());
            bytes[start..].iter_mut().take(64).for_each(|byte| *byte = 0);
        }
        _ => return fs::rename(path, other).unwrap(),
    }
    fs::write(path, bytes).unwrap();
}
