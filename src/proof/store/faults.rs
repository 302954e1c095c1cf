//! Stores on a file system with faults. Whatever fails, finished jobs are kept, and the next run
//! finds the same value.

use super::contents::Contents;
use super::folder::Folder;
use super::journal::{Finding, JobRecord, JournalWriter};
use super::tests::{Case, RUN, Run};
use super::*;
use crate::proof::certificate::Certificate;
use crate::proof::prover::{ProofOptions, shared};
use crate::proof::search::Shared;
use crate::system::filesystem::faulty::{FAULTS, Fault, FaultyFiles};

/// A proof of a few jobs, so that each of its calls of the file system can be made to fail.
fn few_jobs() -> (Case, Run) {
    (Case::of("5x5-edges-4v4"), Run { table_bytes: 1 << 12, job_nodes: 4, ..RUN })
}

/// A proof of many jobs.
fn many_jobs() -> (Case, Run) {
    (Case::win(), Run { job_nodes: 60, ..RUN })
}

#[test]
fn after_any_failed_call_the_next_run_finds_the_value() {
    calls_may_go_wrong(few_jobs(), 1, 30);
}

#[test]
fn after_failed_calls_of_many_jobs_the_next_run_finds_the_value() {
    calls_may_go_wrong(many_jobs(), 13, 5);
}

/// Makes every `step`th call of a proof fail in every way. More than `least` calls must be reached.
fn calls_may_go_wrong((case, run): (Case, Run), step: usize, least: usize) {
    for fault in FAULTS {
        let mut strikes = 0;
        for after in (0..).step_by(step) {
            let what = format!("{fault:?} after {after} calls");
            let root = tempfile::tempdir().unwrap();
            let folder = root.path().join("store");
            let files = FaultyFiles::new(root.path(), fault, after, after as u64);
            let proof = case.run_on(Arc::new(files.clone()), &folder, run, &|_| ());
            if let Ok(proof) = &proof {
                case.is_proved(proof, &what);
            }
            if !files.has_struck() {
                assert!(proof.is_ok(), "{what}");
                break;
            }
            strikes += 1;
            match fault {
                Fault::Kill => assert!(proof.is_err(), "{what}"),
                Fault::PowerCut => files.lose_power(),
                Fault::Full => {
                    // A run that only reads needs no space.
                    let message = proof.map_or_else(|error| error.to_string(), |_| String::new());
                    assert!(
                        message.is_empty() || message.contains("the disk is full"),
                        "{what}: {message}"
                    );
                }
                _ => {}
            }
            let again = case.run(&folder, run).unwrap_or_else(|error| panic!("{what}: {error}"));
            case.is_proved(&again, &what);
        }
        assert!(strikes > least, "{fault:?}: {strikes} calls");
    }
}

/// The records and the certificate of a finished store.
fn results(case: &Case, run: Run) -> Vec<(JobRecord, Option<Certificate>)> {
    let root = tempfile::tempdir().unwrap();
    case.run(root.path(), run).unwrap();
    let folder = case.store(root.path());
    let results = case.records(root.path()).into_iter().map(|record| {
        let certificate = match &record.finding {
            Finding::Won { certificate } | Finding::NotWon { certificate } => {
                Some(folder.read_certificate(certificate, &case.tables).unwrap())
            }
            Finding::Open { .. } => None,
        };
        (record, certificate)
    });
    results.collect()
}

/// Appends the results until a call fails; the error is the number that was written.
fn append_all(
    case: &Case,
    shared: &Shared<'_, 1>,
    folder: Folder,
    results: &[(JobRecord, Option<Certificate>)],
) -> Result<(), usize> {
    let tables = &case.tables;
    let mut contents = Contents::read(folder, (&case.rules, shared), tables, &|_| (), &mut || true)
        .map_err(|_| 0_usize)?;
    for (number, (record, certificate)) in results.iter().enumerate() {
        let named = match certificate {
            Some(certificate) => {
                let name = contents.folder.write_certificate(certificate).map_err(|_| number)?;
                Some((name, certificate))
            }
            None => None,
        };
        let certificate = named.as_ref().map(|(name, certificate)| (&**name, *certificate));
        contents.append(record, certificate).map_err(|_| number)?;
    }
    Ok(())
}

/// Results written before a fault survive it.
#[test]
fn only_the_running_job_is_lost() {
    let (case, run) = many_jobs();
    let results = results(&case, run);
    assert!(results.len() > 4 && results.iter().any(|(_, certificate)| certificate.is_some()));
    let options = ProofOptions { table_bytes: 1 << 12, ..ProofOptions::default() };
    let shared: Shared<'_, 1> = shared(&case.rules, &options).unwrap();
    for fault in [Fault::Fail, Fault::Full, Fault::Kill, Fault::PowerCut] {
        for after in 0.. {
            let what = format!("{fault:?} after {after} calls");
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join("store");
            case.new_store(&path);
            let files = FaultyFiles::new(root.path(), fault, after, after as u64);
            let folder = Folder { files: Arc::new(files.clone()), root: path.clone() };
            let Err(written) = append_all(&case, &shared, folder, &results) else { break };
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            let kept = case.records(&path);
            assert!(kept.len() >= written, "{what}: {} of {written}", kept.len());
            for (record, (expected, certificate)) in kept.iter().zip(&results) {
                assert_eq!(record, expected, "{what}");
                if let (Some(_), Finding::Won { certificate } | Finding::NotWon { certificate }) =
                    (certificate, &record.finding)
                {
                    case.store(&path).read_certificate(certificate, &case.tables).expect(&what);
                }
            }
        }
    }
}

/// After a write that failed, another worker of the process still appends its record.
#[test]
fn a_record_after_an_incomplete_one_is_kept() {
    let (case, run) = few_jobs();
    let results = results(&case, run);
    let [(lost, _), (kept, _), ..] = results.as_slice() else { panic!("too few results") };
    for fault in [Fault::Fail, Fault::Full] {
        for after in 0.. {
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join("store");
            case.new_store(&path);
            let files = FaultyFiles::new(root.path(), fault, after, after as u64);
            let folder = Folder { files: Arc::new(files.clone()), root: path.clone() };
            let mut writer = JournalWriter::default();
            let is_lost = writer.append(&folder, lost).is_err();
            if !files.has_struck() {
                break;
            }
            assert!(is_lost, "{fault:?} after {after} calls");
            writer.append(&folder, kept).unwrap();
            assert!(case.records(&path).contains(kept), "{fault:?} after {after} calls");
        }
    }
}
