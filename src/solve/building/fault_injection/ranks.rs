//! Faults in builds by several ranks: all of them stop, and any number of ranks can resume.

use std::sync::OnceLock;

use crate::solve::communicator::{ThreadRank, on_each_rank};

use super::*;

static CASE: OnceLock<Case> = OnceLock::new();

impl Case {
    /// Copies the tables of all smaller slices into a folder.
    fn put_smaller(&self, tables: &Path) {
        let folder = tables.join(&self.rules.name);
        fs::create_dir_all(&folder).unwrap();
        let own = self.slice.to_string();
        for (name, bytes) in self.whole.iter().filter(|(name, _)| !name.starts_with(&own)) {
            fs::write(folder.join(name), bytes).unwrap();
        }
    }

    /// Builds with several ranks; returns the result of each.
    fn build_among(
        &self,
        ranks: usize,
        files: &Arc<dyn FileSystem>,
        sync_every: Duration,
        tables: &Path,
    ) -> Vec<Result<(), BuildError>> {
        let _no_process_starts = PROCESSES.read();
        on_each_rank(ranks, |member: ThreadRank| {
            let env = BuildEnv {
                comm: &member,
                files: Arc::clone(files),
                placement: Some(Storage::Partitions(ranks + 1)),
                sync_every,
                ..BuildEnv::default()
            };
            let options = BuildOptions { threads: 1, ..BuildOptions::default() };
            let slices = [self.slice];
            Build::new(&self.rules, tables, &slices)
                .options(&options)
                .env(env.clone())
                .run()
                .map(drop)
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn faults_may_hit_any_rank(
        faults in prop::collection::vec(
            (1..4_usize, prop::sample::select(&FAULTS[..]), 0..4000_usize, any::<u64>(), delays()),
            1..4,
        ),
        then in 1..4_usize,
    ) {
        // The slice has several chunks, so that each rank has some.
        let case = CASE.get_or_init(|| Case::of(Ruleset::builtin("brandubh").unwrap(), "K1v3"));
        let root = tempfile::tempdir().unwrap();
        case.put_smaller(root.path());
        for (ranks, fault, after, seed, sync_every) in faults {
            let faulty = FaultyFiles::new(root.path(), fault, after, seed);
            let files: Arc<dyn FileSystem> = Arc::new(faulty.clone());
            let ended = case.build_among(ranks, &files, sync_every, root.path());
            // If ranks have stopped, at least one of them reports the original error.
            let failed: Vec<String> =
                ended.iter().filter_map(|end| Some(end.as_ref().err()?.to_string())).collect();
            let is_explained = failed.iter().any(|error| !error.contains("another rank"));
            prop_assert!(failed.is_empty() || is_explained, "{failed:?}");
            drop(files);
            if fault == Fault::PowerCut {
                faulty.lose_power();
            }
            case.is_sound(root.path(), "on the way");
        }
        let files: Arc<dyn FileSystem> = Arc::new(SystemFiles);
        let mut ended = case.build_among(then, &files, Duration::ZERO, root.path());
        // A damaged file is reported, and computed again in the next build.
        if ended.iter().any(|end| matches!(end, Err(BuildError::Again(_)))) {
            ended = case.build_among(then, &files, Duration::ZERO, root.path());
        }
        prop_assert!(ended.iter().all(Result::is_ok), "{ended:?}");
        prop_assert!(case.files(root.path()) == case.whole);
        prop_assert!(!case.work(root.path()).exists());
    }
}
