//! What processes of one store read of each other, and what they leave to each other.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::choice::Choice;
use super::claims::{Claim, ClaimedJob};
use super::contents::Contents;
use super::folder::JOURNALS;
use super::journal::{Finding, JournalReader};
use super::team_state::TeamState;
use super::tests::{Case, RUN, Run, files_in};
use super::*;
use crate::engine::state::State;
use crate::game::rules::{BySide, Endless, Side};
use crate::proof::answer::ProvedValue;
use crate::proof::certificate::{Certificate, Part};
use crate::proof::prover::{prove, shared};
use crate::proof::search::{Control, Shared, Worker};

/// A line may be read while it is being written.
#[test]
fn a_line_is_read_once_it_is_complete() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(200), ..RUN }).unwrap();
    let whole = case.records(folder.path());
    assert!(whole.len() > 1);
    let journal = files_in(&folder.path().join(JOURNALS)).remove(0);
    let bytes = fs::read(&journal).unwrap();
    let (store, mut reader) = (case.store(folder.path()), JournalReader::default());
    let mut read = Vec::new();
    for end in (0..bytes.len()).step_by(61).chain([bytes.len()]) {
        fs::write(&journal, &bytes[..end]).unwrap();
        let (records, damaged) = reader.read_new(&store, None).unwrap();
        assert!(damaged.is_empty(), "{damaged:?} of {end} bytes");
        read.extend(records);
    }
    assert_eq!(read, whole);
}

#[test]
fn a_process_does_not_read_its_own_journal() {
    let case = Case::win();
    let [done, fresh] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    case.run(done.path(), Run { max_nodes: Some(200), ..RUN }).unwrap();
    let records = case.records(done.path());
    let store = case.new_store(fresh.path());
    let options = ProofOptions { table_bytes: 1 << 12, ..ProofOptions::default() };
    let shared: Shared<'_, 1> = shared(&case.rules, &options).unwrap();
    let parties = (&case.rules, &shared);
    let mut contents = Contents::read(store, parties, &case.tables, &|_| (), &mut || true).unwrap();
    for record in &records {
        contents.append(record, None).unwrap();
        assert!(!contents.read_new().unwrap(), "{record:?}");
    }
    let counted: u64 = contents.trees.iter().map(|tree| tree.job_nodes).sum();
    assert_eq!(counted, records.iter().map(|record| record.nodes).sum::<u64>());
}

/// Another process may finish a job after this one has read the journals and before it claims the
/// job.
#[test]
fn a_job_that_was_finished_before_the_claim_is_not_repeated() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let options = ProofOptions { table_bytes: 1 << 12, ..ProofOptions::default() };
    with_team(&case, case.new_store(folder.path()), &options, |team| {
        case.run(folder.path(), Run { max_nodes: Some(300), ..RUN }).unwrap();
        let control = Control::new(None);
        let mut state = team.state.lock().unwrap();
        for mut worker in workers(team, &control) {
            let side = worker.prover;
            let choice = team.choose(&mut state, &mut worker).unwrap();
            let Choice::Job(job) = choice else { panic!("no job for {side:?}") };
            assert_ne!(job.request.position, team.root, "{side:?}");
        }
    });
}

#[test]
fn the_engine_is_asked_before_the_next_job_where_work_has_grown() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(300), ..RUN }).unwrap();
    let options = ProofOptions { table_bytes: 1 << 12, ..ProofOptions::default() };
    with_team(&case, case.store(folder.path()), &options, |team| {
        let control = Control::new(None);
        let mut own = workers(team, &control);
        let side = case.position.to_move;
        let id = team.state.lock().unwrap().contents.trees[side].id(team.root);
        for nodes in [0, 100_000] {
            // The question with the fewest nodes comes first.
            let mut state = team.state.lock().unwrap();
            state.contents.trees[side].count(team.root, nodes);
            state.contents.trees[side.other()].job_nodes = u64::MAX / 2;
            drop(state);
            assert!(team.next_job(&mut own).unwrap().is_some());
            let state = team.state.lock().unwrap();
            let advised = state.contents.trees[side].node(id).advised;
            assert_eq!(advised.is_some(), nodes > 0);
            let Some(advised) = advised else { continue };
            let worker = &mut workers(team, &control)[side];
            let engine = worker.advice(worker.key(), 16, None).unwrap();
            worker.set(&state.contents.trees[side].node(advised).position);
            assert_eq!(engine.after, Some(worker.key().check));
        }
    });
}

/// A process with a proved root, whose certificate is not assembled yet.
fn with_proved_root(check: impl FnOnce(&Team<'_, '_, 1>, Side)) {
    let case = Case::win();
    let ProvedValue::Win(winner) = case.value else { panic!("not a win") };
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), RUN).unwrap();
    // No node is left.
    let options = ProofOptions {
        questions: vec![winner],
        max_nodes: Some(0),
        table_bytes: 1 << 12,
        ..ProofOptions::default()
    };
    with_team(&case, case.store(folder.path()), &options, |team| check(team, winner));
}

#[test]
fn only_one_worker_assembles_the_certificate_of_the_root() {
    with_proved_root(|team, side| {
        let control = Control::new(None);
        let mut workers = workers(team, &control);
        let is_open = || team.state.lock().unwrap().questions.is_open(side);
        team.state.lock().unwrap().is_concluding = true;
        assert!(team.next_job(&mut workers).unwrap().is_none());
        assert!(is_open());
        team.state.lock().unwrap().is_concluding = false;
        assert!(team.next_job(&mut workers).unwrap().is_none());
        assert!(!is_open() && !team.state.lock().unwrap().is_concluding);
    });
}

#[test]
fn the_certificate_of_the_root_is_left_to_the_next_run_when_the_work_is_stopped() {
    with_proved_root(|team, side| {
        let control = Control::new(None);
        let mut workers = workers(team, &control);
        let answer = |is_stopped| {
            team.stopped.store(is_stopped, Ordering::Relaxed);
            team.conclude(&mut workers[side], true).unwrap();
            let state = team.state.lock().unwrap();
            (state.questions.is_open(side), state.parts.len(), state.repairs_in_vain)
        };
        assert_eq!([true, false].map(answer), [(true, 0, 0), (false, 1, 0)]);
    });
}

/// Runs a check of a process with one worker, which has done nothing.
fn with_team(
    case: &Case,
    folder: Folder,
    options: &ProofOptions<'_>,
    check: impl FnOnce(&Team<'_, '_, 1>),
) {
    let shared: Shared<'_, 1> = shared(&case.rules, options).unwrap();
    let (root, _) = shared.symmetries.canonical(&State::new(&shared.board, &case.position));
    let parties = (&case.rules, &shared);
    let path = folder.root.clone();
    let contents = Contents::read(folder, parties, &case.tables, &|_| (), &mut || true).unwrap();
    check(&Team {
        shared: &shared,
        rules: &case.rules,
        position: &case.position,
        root,
        options,
        store: &StoreOptions::new(&path, &case.text),
        tables: &case.tables,
        deadline: None,
        started: Instant::now(),
        state: Mutex::new(TeamState::new(contents, options, root)),
        changed: Condvar::new(),
        stopped: AtomicBool::new(false),
        working: AtomicUsize::new(1),
        nodes: AtomicU64::new(0),
        running: Vec::new(),
    });
}

/// Returns a worker for each question at the root.
fn workers<'w, 't>(team: &'w Team<'_, 't, 1>, control: &'w Control) -> BySide<Worker<'w, 't, 1>> {
    let state = State::new(&team.shared.board, team.position);
    BySide::from_fn(|side| Worker::new(team.shared, control, side, state.clone()))
}

/// The journals of processes that work at the same time contain no job twice.
#[test]
fn processes_do_no_job_twice() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    // Each call is as independent of the other as another process: it shares nothing but files.
    std::thread::scope(|scope| {
        for threads in [1, 2] {
            let (case, path) = (&case, folder.path());
            scope.spawn(move || {
                let run = Run { threads, table_bytes: 1 << 12, job_nodes: 20, ..RUN };
                case.goes_on(path, run, "one of two");
            });
        }
    });
    let mut done = BTreeSet::new();
    for record in case.records(folder.path()) {
        let is_solved = !matches!(record.finding, Finding::Open { .. });
        let is_new = done.insert((record.position.clone(), record.side.name()));
        assert!(is_new || !is_solved || record.nodes == 0, "twice: {record:?}");
    }
    assert!(done.len() > 4, "{}", done.len());
}

#[test]
fn a_job_is_claimed_once() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    let store = case.store(folder.path());
    let position = case.position.to_text(&case.rules);
    let job = ClaimedJob { position, side: Side::Attackers };
    let claim = Claim::take(&store, &job).unwrap();
    assert!(claim.is_some());
    assert!(Claim::take(&store, &job).unwrap().is_none());
    let claimed = || case.root(folder.path()).questions.map(|question| question.status.claimed);
    assert_eq!(claimed(), BySide::from_fn(|side| u32::from(side == Side::Attackers)));
    drop(claim);
    assert_eq!(claimed(), BySide::from_fn(|_| 0));
    assert!(Claim::take(&store, &job).unwrap().is_some());
}

#[test]
fn jobs_of_others_are_tried_again_when_their_claims_end() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(1), ..RUN }).unwrap();
    let root = case.records(folder.path()).remove(0).position;
    let store = case.store(folder.path());
    let claims = Side::ALL.map(|side| {
        let job = ClaimedJob { position: root.clone(), side };
        Claim::take(&store, &job).unwrap().unwrap()
    });
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(500));
            drop(claims);
        });
        let run = Run { max_time: Some(Duration::from_secs(60)), ..RUN };
        case.goes_on(folder.path(), run, "after the claims of others");
    });
}

#[test]
fn a_job_that_ran_out_of_nodes_or_was_stopped_is_to_be_continued() {
    let case = Case::of("brandubh-8v2");
    for (max_nodes, goes_on) in [(Some(100), true), (None, false)] {
        let folder = tempfile::tempdir().unwrap();
        let options = ProofOptions { max_nodes, table_bytes: 1 << 20, ..ProofOptions::default() };
        let mut store = StoreOptions::new(folder.path(), &case.text);
        store.job_nodes = Some(1 << 40);
        prove_in_store(&case.rules, &case.position, &options, &store, &mut |_| goes_on).unwrap();
        let records = case.records(folder.path());
        assert_eq!(records.len(), 1, "{records:?}");
        let is_unfinished = matches!(records[0].finding, Finding::Open { finished: false, .. });
        assert!(is_unfinished, "{:?}", records[0]);
    }
}

/// A certificate that can be read and assembled, but makes a false claim: it calls a strategy that
/// only holds a draw a winning one.
#[test]
fn assembled_certificates_are_checked_before_they_are_reported() {
    let mut case = Case::of("5x5-corners-4v0");
    case.position = Position::parse("/1t3/2Kt1/1t3/2t2/5/ a", &case.rules).unwrap();
    case.value = ProvedValue::Endless(Endless::Draw);
    let options = ProofOptions { table_bytes: 1 << 20, certify: true, ..ProofOptions::default() };
    let proof = prove(&case.rules, &case.position, &options, &mut |_| true).unwrap();
    case.is_proved(&proof, "without a store");
    let certificate = proof.certificate.unwrap();
    let holds = certificate.parts().iter().find(|part| part.holder == Side::Attackers);
    let mut part: Part = holds.unwrap().clone();
    part.wins = true;
    let tables = Some(&case.tables);
    let claim = Certificate::new(&case.rules, &case.position, vec![part], tables);
    let folder = tempfile::tempdir().unwrap();
    let store = case.new_store(folder.path());
    let name = store.write_certificate(&claim).unwrap();
    case.goes_on(folder.path(), RUN, "with a false certificate");
    assert!(!store.certificates().unwrap().contains(&name));
}
