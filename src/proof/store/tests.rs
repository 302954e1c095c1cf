//! Proofs in stores that are interrupted, shared, merged and damaged.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::folder::{Folder, JOURNALS};
use super::journal::{Finding, JobRecord, JournalReader, JournalWriter};
use super::*;
use crate::game::moves::{Move, legal_moves};
use crate::game::rules::Side;
use crate::game::value::Wdl;
use crate::proof::answer::{Answer, ProvedValue};
use crate::proof::certificate::STORE_FOLDER;
use crate::proof::tests::{
    assert_certified, random_positions, rules, table_value, tables, tables_up_to,
};
use crate::proof::{Certificate, ProofBook, prove};
use crate::tablebase::{Tablebase, TablebaseOptions};

/// A small game that the defenders win, without tables.
pub(super) struct Case {
    pub(super) rules: Ruleset,
    pub(super) text: String,
    pub(super) tables: Tablebase,
    pub(super) position: Position,
    pub(super) value: ProvedValue,
}

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The side to ask about; both if `None`.
    pub(super) question: Option<Side>,
    pub(super) threads: usize,
    pub(super) table_bytes: usize,
    pub(super) job_nodes: u64,
    pub(super) max_nodes: Option<u64>,
    pub(super) max_time: Option<Duration>,
}

pub(super) const RUN: Run = Run {
    question: None,
    threads: 1,
    table_bytes: 1 << 20,
    job_nodes: 40,
    max_nodes: Some(200_000),
    max_time: None,
};

fn rules_text(name: &str) -> String {
    let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Ruleset::text(name).or_else(|_| Ruleset::text(&path)).unwrap()
}

impl Case {
    pub(super) fn of(game: &str) -> Case {
        let path = format!("{}/examples/rulesets/{game}.toml", env!("CARGO_MANIFEST_DIR"));
        let (rules, text) = (Ruleset::load(&path).unwrap(), Ruleset::text(&path).unwrap());
        let options = TablebaseOptions { embedded: false, ..Default::default() };
        let tables = Tablebase::with_options(rules.clone(), options);
        let position = Position::start(&rules).unwrap();
        Case { rules, text, tables, position, value: ProvedValue::Win(Side::Defenders) }
    }

    /// A game of some 500 nodes, and so of many jobs.
    pub(super) fn win() -> Case {
        Case::of("5x5-corners-6v4")
    }

    pub(super) fn run(&self, folder: &Path, run: Run) -> Result<Proof, StoreError> {
        self.run_on(Arc::new(SystemFiles), folder, run, &|_| ())
    }

    pub(super) fn run_on(
        &self,
        files: Arc<dyn FileSystem>,
        folder: &Path,
        run: Run,
        notice: &(dyn Fn(&str) + Sync),
    ) -> Result<Proof, StoreError> {
        let options = ProofOptions {
            questions: run.question.map_or(Side::ALL.to_vec(), |side| vec![side]),
            max_nodes: run.max_nodes,
            max_time: run.max_time,
            table_bytes: run.table_bytes,
            threads: NonZeroUsize::new(run.threads).unwrap(),
            tables: Some(&self.tables),
            ..ProofOptions::default()
        };
        let job_nodes = Some(run.job_nodes);
        let store = StoreOptions { folder, rules_text: &self.text, job_nodes, notice, files };
        prove_in_store(&self.rules, &self.position, &options, &store, &mut |_| true)
    }

    /// Asserts that the value is proved, with a certificate that holds.
    pub(super) fn is_proved(&self, proof: &Proof, what: &str) {
        assert_eq!(proof.value(), self.value, "{what}");
        assert_certified(proof, &self.tables, &self.position, what);
    }

    pub(super) fn goes_on(&self, folder: &Path, run: Run, what: &str) -> Proof {
        let proof = self.run(folder, run).unwrap_or_else(|error| panic!("{what}: {error}"));
        self.is_proved(&proof, what);
        proof
    }

    pub(super) fn records(&self, folder: &Path) -> Vec<JobRecord> {
        JournalReader::default().read_new(&self.store(folder), None).unwrap().0
    }

    pub(super) fn new_store(&self, folder: &Path) -> Folder {
        Folder::create(Arc::new(SystemFiles), folder, &self.rules, &self.text).unwrap()
    }

    pub(super) fn store(&self, folder: &Path) -> Folder {
        Folder::open(Arc::new(SystemFiles), folder, &self.rules).unwrap()
    }

    /// What the store says about the position.
    pub(super) fn root(&self, folder: &Path) -> TreeRoot {
        look(self, folder, |tree| tree.root(&self.position))
    }
}

/// Returns what `check` finds in the tree of a store.
pub(super) fn look<R>(
    case: &Case,
    folder: &Path,
    mut check: impl FnMut(&mut dyn StoreTree) -> R,
) -> R {
    let mut found = None;
    with_tree(folder, &case.tables, &|_| (), &mut |tree| found = Some(check(tree))).unwrap();
    found.unwrap()
}

pub(super) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn copy(from: &Path, to: &Path) {
    for folder in [JOURNALS, STORE_FOLDER] {
        for path in files_in(&from.join(folder)) {
            fs::copy(&path, to.join(folder).join(path.file_name().unwrap())).unwrap();
        }
    }
}

/// Proves random positions in stores and compares the values with those of tables. Returns how
/// many draws there were.
fn compare(name: &str, slice: &str, table_men: usize, count: usize, run: Run) -> usize {
    let rules = rules(name);
    let (_folder, tables) = tables(&rules, slice);
    let (_small_folder, small) = tables_up_to(&rules, table_men);
    let (mut open, mut draws) = (0, 0);
    for position in random_positions(&rules, slice, count, 20_261_126) {
        let text = position.to_text(&rules);
        let folder = tempfile::tempdir().unwrap();
        let rules_text = rules_text(name);
        let options = ProofOptions {
            max_nodes: Some(50_000),
            table_bytes: run.table_bytes,
            threads: NonZeroUsize::new(run.threads).unwrap(),
            tables: Some(&small),
            ..ProofOptions::default()
        };
        let mut store = StoreOptions::new(folder.path(), &rules_text);
        store.job_nodes = Some(run.job_nodes);
        let proof = prove_in_store(&rules, &position, &options, &store, &mut |_| true).unwrap();
        if proof.value() == ProvedValue::Open {
            open += 1;
            continue;
        }
        assert_eq!(proof.value(), table_value(&rules, &tables, &position), "{name} {text}");
        draws += usize::from(matches!(proof.value(), ProvedValue::Endless(_)));
        assert_certified(&proof, &tables, &position, &format!("{name} {text}"));
    }
    assert!(open <= count / 20, "{name} {slice}: {open} of {count} are open");
    draws
}

#[test]
fn proofs_in_stores_agree_with_tables() {
    compare("brandubh", "K1v4", 4, 30, Run { job_nodes: 10, ..RUN });
    compare("mini-corner", "K2v3", 0, 20, Run { job_nodes: 50, threads: 2, ..RUN });
    compare("berkeley", "K1v2", 2, 15, Run { job_nodes: 5, ..RUN });
}

#[test]
fn draws_are_proved_in_stores() {
    let run = Run { job_nodes: 20, ..RUN };
    let draws =
        compare("brandubh", "K0v4", 3, 150, run) + compare("mini-corner", "K0v4", 2, 150, run);
    assert!(draws > 0, "no draw among the positions");
}

#[test]
fn an_interrupted_proof_continues_with_other_threads_and_memory() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let mut runs = 0;
    let proof = loop {
        let threads = 1 + runs % 2;
        let run = Run { threads, table_bytes: 1 << (14 + runs % 7), max_nodes: Some(100), ..RUN };
        let proof = case.run(folder.path(), run).unwrap();
        if proof.value() != ProvedValue::Open {
            break proof;
        }
        assert!(proof.nodes >= 1, "a run without a node");
        runs += 1;
        assert!(runs < 2000, "no end");
    };
    assert!(runs > 2, "{runs} runs");
    case.is_proved(&proof, "in the end");
    let again = case.goes_on(folder.path(), RUN, "again");
    assert_eq!(again.nodes, 0, "a proved position is not searched again");
}

#[test]
fn folders_that_are_no_store_for_the_rules_are_refused() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.goes_on(folder.path(), RUN, "first");
    let rules = Ruleset::load("brandubh").unwrap();
    let position = Position::start(&rules).unwrap();
    let store = StoreOptions::new(folder.path(), &case.text);
    let options = ProofOptions { table_bytes: 1 << 16, ..ProofOptions::default() };
    let refused = prove_in_store(&rules, &position, &options, &store, &mut |_| true);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("other rules") && message.contains("6v4"), "{message}");
    // The rules are the user's own file.
    for (name, text) in [("letters.txt", "dear"), ("rules.toml", &case.text)] {
        let foreign = tempfile::tempdir().unwrap();
        fs::write(foreign.path().join(name), text).unwrap();
        let refused = case.run(foreign.path(), RUN).unwrap_err().to_string();
        assert!(refused.contains("not a proof store"), "{refused}");
        assert_eq!(files_in(foreign.path()), [foreign.path().join(name)]);
    }
}

#[test]
fn only_the_damaged_lines_of_a_journal_are_lost() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(200), ..RUN }).unwrap();
    let whole = case.records(folder.path());
    assert!(whole.len() >= 3, "{}", whole.len());
    let journal = files_in(&folder.path().join(JOURNALS)).remove(0);
    let bytes = fs::read(&journal).unwrap();
    let second = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    // A line in the middle, and the end.
    let mut changed = bytes.clone();
    changed[second + 40] ^= 4;
    changed.truncate(bytes.len() - 7);
    fs::write(&journal, &changed).unwrap();
    let left = case.records(folder.path());
    assert_eq!(left.len(), whole.len() - 2);
    assert_eq!(left[0], whole[0]);
    let notices = Mutex::new(Vec::new());
    let files = Arc::new(SystemFiles);
    let notice = |text: &str| notices.lock().unwrap().push(text.to_owned());
    let proof = case.run_on(files, folder.path(), RUN, &notice).unwrap();
    case.is_proved(&proof, "after the damage");
    let notices = notices.into_inner().unwrap();
    let place = format!("byte {second} is damaged");
    assert!(notices.len() == 1 && notices[0].contains(&place), "{notices:?}");
}

#[test]
fn journals_may_claim_any_number_of_nodes() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    let (store, records) = (case.store(folder.path()), case.records(folder.path()));
    let mut writer = JournalWriter::default();
    for record in records.iter().chain(&records) {
        let endless = JobRecord { nodes: u64::MAX, millis: u64::MAX, ..record.clone() };
        writer.append(&store, &endless).unwrap();
    }
    let question = &case.root(folder.path()).questions[records[0].side];
    assert_eq!(question.status.nodes, u64::MAX);
    assert_eq!(question.time, Duration::from_millis(u64::MAX));
    case.goes_on(folder.path(), Run { threads: 2, ..RUN }, "after endless jobs");
}

#[test]
fn damaged_certificates_are_ignored_and_proved_again() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.goes_on(folder.path(), RUN, "first");
    let certificates = files_in(&folder.path().join(STORE_FOLDER));
    assert!(certificates.len() > 1);
    let path = certificates.iter().max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() - 20;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
    let notices = Mutex::new(Vec::new());
    let notice = |text: &str| notices.lock().unwrap().push(text.to_owned());
    let proof = case.run_on(Arc::new(SystemFiles), folder.path(), RUN, &notice).unwrap();
    case.is_proved(&proof, "after the damage");
    let notices = notices.into_inner().unwrap();
    assert!(notices.iter().any(|text| text.contains("damaged")), "{notices:?}");
}

/// Reading a large store takes long, so limits count meanwhile.
#[test]
fn a_run_without_time_reads_no_certificate() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.goes_on(folder.path(), RUN, "first");
    for path in files_in(&folder.path().join(STORE_FOLDER)) {
        fs::write(path, "damaged").unwrap();
    }
    let notice = |text: &str| panic!("{text}");
    let run = Run { max_time: Some(Duration::ZERO), ..RUN };
    let proof = case.run_on(Arc::new(SystemFiles), folder.path(), run, &notice).unwrap();
    assert_eq!((proof.value(), proof.nodes), (ProvedValue::Open, 0));
}

/// A search ends by its own look at the deadline, before anything else notices that it has passed.
#[test]
fn a_job_that_the_time_limit_ends_is_to_be_continued() {
    let (rules, text) = (rules("brandubh"), rules_text("brandubh"));
    let position = Position::start(&rules).unwrap();
    let tables = Tablebase::new(rules.clone());
    let case = Case { rules, text, tables, position, value: ProvedValue::Open };
    let folder = tempfile::tempdir().unwrap();
    let run = Run { question: Some(Side::Defenders), job_nodes: 1 << 40, max_nodes: None, ..RUN };
    // A busy machine may start no job in the first time.
    let mut runs = (7..17).map(|log| {
        let max_time = Some(Duration::from_millis(1 << log));
        case.run(folder.path(), Run { max_time, ..run }).unwrap();
        case.records(folder.path())
    });
    for record in runs.find(|records| !records.is_empty()).unwrap() {
        assert!(matches!(record.finding, Finding::Open { finished: false, .. }), "{record:?}");
    }
}

/// A job of which the limit of the run cuts off the end of the closed set.
#[test]
fn a_job_that_the_node_limit_ends_is_to_be_continued() {
    let (rules, text) = (rules("mini-corner"), rules_text("mini-corner"));
    let position = Position::parse("/2t2/3tt/1T2K/4t/5/ a", &rules).unwrap();
    let tables = Tablebase::new(rules.clone());
    let case = Case { rules, text, tables, position, value: ProvedValue::Open };
    let run = Run { question: Some(Side::Attackers), job_nodes: 400, ..RUN };
    let first_job = |max_nodes| {
        let folder = tempfile::tempdir().unwrap();
        case.run(folder.path(), Run { max_nodes, ..run }).unwrap();
        case.records(folder.path()).remove(0)
    };
    let whole = first_job(None);
    assert!(matches!(whole.finding, Finding::NotWon { .. }) && whole.nodes > 400, "{whole:?}");
    let cut = first_job(Some(whole.nodes - 1));
    assert!(matches!(cut.finding, Finding::Open { finished: false, .. }), "{cut:?}");
}

#[test]
fn the_greatest_time_is_no_limit() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let run = Run { max_time: Some(Duration::MAX), max_nodes: Some(40), ..RUN };
    assert!(case.run(folder.path(), run).unwrap().nodes >= 40);
    let options = ProofOptions { max_time: run.max_time, ..ProofOptions::default() };
    let proof = prove(&case.rules, &case.position, &options, &mut |_| true).unwrap();
    assert_eq!(proof.value(), case.value);
}

/// Open results leave out the moves that the tables of their run decided.
#[test]
fn a_run_with_fewer_tables_searches_what_earlier_tables_decided() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let run = Run { question: Some(Side::Defenders), max_nodes: Some(40), ..RUN };
    case.run(folder.path(), run).unwrap();
    let mut record = case.records(folder.path()).remove(0);
    let Finding::Open { finished: true, moves, .. } = &mut record.finding else {
        panic!("{record:?}")
    };
    assert!(moves.len() > 1, "{moves:?}");
    moves.truncate(1);
    record.nodes += 1;
    JournalWriter::default().append(&case.store(folder.path()), &record).unwrap();
    case.goes_on(folder.path(), RUN, "without the tables");
}

#[test]
fn certificates_whose_tables_are_missing_are_left_out_with_a_notice() {
    let rules = Ruleset::load("brandubh").unwrap();
    let text = Ruleset::text("brandubh").unwrap();
    let position = Position::parse("/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d", &rules).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let notices = Mutex::new(Vec::new());
    let run = |tables: &Tablebase| {
        let options = ProofOptions {
            tables: Some(tables),
            table_bytes: 1 << 20,
            max_nodes: Some(100_000),
            ..ProofOptions::default()
        };
        let notice = |text: &str| notices.lock().unwrap().push(text.to_owned());
        let mut store = StoreOptions::new(folder.path(), &text);
        store.notice = &notice;
        prove_in_store(&rules, &position, &options, &store, &mut |_| true).unwrap()
    };
    let tables = Tablebase::new(rules.clone());
    assert_eq!(run(&tables).value(), ProvedValue::Win(Side::Defenders));
    assert_eq!(run(&tables).nodes, 0);
    assert_eq!(*notices.lock().unwrap(), [""; 0]);
    let options = TablebaseOptions { embedded: false, ..Default::default() };
    let none = Tablebase::with_options(rules.clone(), options);
    let again = run(&none);
    assert!(again.nodes > 0, "decided by certificates without their tables");
    let notices = notices.into_inner().unwrap();
    assert!(notices.len() == 1 && notices[0].contains("ignored"), "{notices:?}");
}

/// A certificate that can be read, but makes a false claim: that the loser wins.
#[test]
fn false_certificates_are_found_and_removed() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    let ProvedValue::Win(winner) = case.value else { panic!("not a win") };
    let part = super::super::certificate::Part::new(&case.rules, winner.other(), true, []);
    let parts = vec![part];
    let tables = Some(&case.tables);
    let false_claim = Certificate::new(&case.rules, &case.position, parts, tables);
    let store = case.store(folder.path());
    let name = store.write_certificate(&false_claim).unwrap();
    case.goes_on(folder.path(), RUN, "with a false certificate");
    assert!(!store.certificates().unwrap().contains(&name));
}

#[test]
fn a_merged_store_has_the_results_of_both() {
    let case = Case::win();
    let [one, other, merged] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let part = Run { max_nodes: Some(250), ..RUN };
    case.run(one.path(), part).unwrap();
    case.run(other.path(), Run { threads: 2, table_bytes: 1 << 12, job_nodes: 30, ..part })
        .unwrap();
    case.run(merged.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    let own = case.records(merged.path()).len();
    copy(one.path(), merged.path());
    copy(other.path(), merged.path());
    let records = case.records(merged.path()).len();
    assert_eq!(records, own + case.records(one.path()).len() + case.records(other.path()).len());
    case.goes_on(merged.path(), RUN, "merged");
    // A finished store answers for an empty one.
    let fresh = tempfile::tempdir().unwrap();
    case.run(fresh.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    copy(merged.path(), fresh.path());
    assert_eq!(case.goes_on(fresh.path(), RUN, "copied").nodes, 0);
}

#[test]
fn the_status_counts_the_results_and_writes_nothing() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    assert!(with_tree(folder.path(), &case.tables, &|_| (), &mut |_| ()).is_err());
    let proof = case.run(folder.path(), Run { max_nodes: Some(150), ..RUN }).unwrap();
    let listing =
        || [JOURNALS, STORE_FOLDER, "claims"].map(|name| files_in(&folder.path().join(name)));
    let before = listing();
    let questions = case.root(folder.path()).questions;
    assert_eq!(listing(), before);
    assert_eq!(questions.iter().map(|question| question.status.nodes).sum::<u64>(), proof.nodes);
    let records = case.records(folder.path());
    for side in Side::ALL {
        let question = &questions[side];
        let own: Vec<&JobRecord> = records.iter().filter(|record| record.side == side).collect();
        let millis = own.iter().map(|record| record.millis).sum();
        assert_eq!(question.status.jobs as usize, own.len(), "{side:?}");
        assert_eq!(question.time, Duration::from_millis(millis), "{side:?}");
        assert!(matches!(question.status.answer(), Answer::Open { .. }), "{side:?}");
        assert!(question.status.jobs > 0 && question.open > 0, "{question:?}");
        assert_eq!(question.moves[0].played, question.line[0]);
    }
    assert!(disk_bytes(folder.path()).unwrap() > 0);
    case.goes_on(folder.path(), RUN, "in the end");
    let ProvedValue::Win(winner) = case.value else { panic!("not a win") };
    let questions = case.root(folder.path()).questions;
    assert_eq!(questions[winner].status.answer(), Answer::Won);
    assert_eq!(questions[winner.other()].status.answer(), Answer::NotWon);
    assert!(questions.iter().all(|question| question.open == 0 && question.line.is_empty()));
    assert!(look(&case, folder.path(), |tree| tree.certificates()) > 0);
}

#[test]
fn the_status_of_a_position_without_jobs_shows_the_results_of_its_moves() {
    let mut case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let run = Run { question: Some(Side::Defenders), max_nodes: Some(40), ..RUN };
    case.run(folder.path(), run).unwrap();
    let question = |case: &Case| case.root(folder.path()).questions[Side::Defenders].clone();
    let reached = question(&case).moves.pop().unwrap();
    case.position = case.position.after(&reached.played);
    let before = case.position;
    let unknown = |played: &Move| !question(&case).moves.iter().any(|one| one.played == *played);
    let played = legal_moves(&case.rules, &before).into_iter().find(unknown).unwrap();
    case.position = before.after(&played);
    assert_eq!(question(&case).status.answer(), Answer::Unasked);
    case.run(folder.path(), run).unwrap();
    let answer = question(&case).status.answer();
    assert!(answer != Answer::Unasked && answer != Answer::UNKNOWN);
    case.position = before;
    let found = question(&case).moves.into_iter().find(|one| one.played == played);
    assert_eq!(found.map(|one| one.status.answer()), Some(answer));
}

#[test]
fn a_win_answers_the_question_about_the_other_side() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let ProvedValue::Win(winner) = case.value else { panic!("not a win") };
    case.run(folder.path(), Run { question: Some(winner), ..RUN }).unwrap();
    let questions = case.root(folder.path()).questions;
    assert_eq!(questions[winner].status.answer(), Answer::Won);
    let other = &questions[winner.other()].status;
    assert_eq!((other.answer(), other.jobs), (Answer::NotWon, 0));
    let asked = case.run(folder.path(), Run { question: Some(winner.other()), ..RUN }).unwrap();
    assert_eq!((asked.answers[winner.other()], asked.nodes), (Answer::NotWon, 0));
    // Nor does the tree above the jobs matter to readers of the certificates.
    let tables = Arc::new(Tablebase::new(case.rules.clone()));
    let book = ProofBook::open(&[folder.path().to_owned()], tables).unwrap();
    let outcome = if case.position.to_move == winner { Wdl::Win } else { Wdl::Loss };
    assert_eq!(book.bounds(&case.position).exact(), Some(outcome));
}
