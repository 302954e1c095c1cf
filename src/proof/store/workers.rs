//! The workers of one process, which run one job after another.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::state::State;
use crate::game::board::Square;
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::answer::Answer;
use crate::proof::canonical::Canonical;
use crate::proof::certificate::{Certificate, CertificateError, check};
use crate::proof::checkpoint::Effort;
use crate::proof::prover::{
    JobAnswer, JobRequest, Proof, ProofOptions, ProofProgress, answer_job, shared,
};
use crate::proof::search::{Control, REPORT_EVERY, Shared, Worker, is_past};
use crate::tablebase::{Tablebase, TablebaseOptions};

use super::StoreOptions;
use super::assemble::Assembly;
use super::choice::{Choice, Job};
use super::contents::Contents;
use super::error::StoreError;
use super::folder::Folder;
use super::journal::{Finding, JobRecord};
use super::team_state::{TeamState, no_progress};

/// How long a worker without a job waits before it looks for one again.
const WAIT: Duration = Duration::from_millis(200);

/// The workers of a process on one position.
pub(super) struct Team<'a, 't, const W: usize> {
    pub(super) shared: &'a Shared<'t, W>,
    pub(super) rules: &'a Ruleset,
    pub(super) position: &'a Position,
    pub(super) root: Canonical<W>,
    pub(super) options: &'a ProofOptions<'a>,
    pub(super) store: &'a StoreOptions<'a>,
    pub(super) tables: &'a Tablebase,
    pub(super) deadline: Option<Instant>,
    pub(super) started: Instant,
    pub(super) state: Mutex<TeamState<'a, 't, W>>,
    /// Signalled when a job is finished and when a worker ends.
    pub(super) changed: Condvar,
    /// Stops all workers.
    pub(super) stopped: AtomicBool,
    /// The number of workers that have not ended.
    pub(super) working: AtomicUsize,
    /// The nodes of this process's finished jobs.
    pub(super) nodes: AtomicU64,
    /// By worker, the nodes of its running job so far.
    pub(super) running: Vec<AtomicU64>,
}

/// Counts a worker as working until it is dropped, also by a panic.
struct Presence<'e, 'a, 't, const W: usize>(&'e Team<'a, 't, W>);

impl<const W: usize> Drop for Presence<'_, '_, '_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            // The scope passes the panic on when all have ended.
            self.0.stop();
        }
        self.0.working.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}

impl<'a, 't, const W: usize> Team<'a, 't, W> {
    /// Works until the questions are answered or the limits are reached.
    pub(super) fn prove(
        rules: &Ruleset,
        position: &Position,
        options: &ProofOptions<'_>,
        (store, folder): (&StoreOptions<'_>, Folder),
        report: &mut dyn FnMut(&ProofProgress) -> bool,
    ) -> Result<Proof, StoreError> {
        let started = Instant::now();
        let shared: Shared<'_, W> = shared(rules, options)?;
        let no_tables;
        let tables = match options.tables {
            Some(tables) => tables,
            None => {
                let none = TablebaseOptions { embedded: false, ..Default::default() };
                no_tables = Tablebase::with_options(rules.clone(), none);
                &no_tables
            }
        };
        let deadline = options.deadline(started);
        let (mut reported, mut is_stopped) = (started, false);
        // A large store takes long to read.
        let mut go_on = || {
            is_stopped = is_past(deadline);
            if !is_stopped && reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                let time = started.elapsed();
                is_stopped = !report(&ProofProgress { time, ..no_progress(options) });
            }
            !is_stopped
        };
        let parties = (rules, &shared);
        let contents = Contents::read(folder, parties, tables, store.notice, &mut go_on)?;
        let (root, _) = shared.symmetries.canonical(&State::new(&shared.board, position));
        let threads = options.threads.get();
        let team = Team {
            shared: &shared,
            rules,
            position,
            root,
            options,
            store,
            tables,
            deadline,
            started,
            state: Mutex::new(TeamState::new(contents, options, root)),
            changed: Condvar::new(),
            stopped: AtomicBool::new(is_stopped),
            working: AtomicUsize::new(threads),
            nodes: AtomicU64::new(0),
            running: (0..threads).map(|_| AtomicU64::new(0)).collect(),
        };
        thread::scope(|scope| {
            for number in 0..threads {
                let team = &team;
                let work = move || team.work(number);
                // If the system refuses a thread, the others work alone.
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    if number == 0 {
                        team.state().failure = Some(StoreError::Thread(error));
                    }
                    team.working.fetch_sub(threads - number, Ordering::Relaxed);
                    break;
                }
            }
            team.watch(report);
        });
        team.proof()
    }

    fn state(&self) -> MutexGuard<'_, TeamState<'a, 't, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports progress and watches the limits until all workers have ended.
    fn watch(&self, report: &mut dyn FnMut(&ProofProgress) -> bool) {
        let mut state = self.state();
        let mut reported = Instant::now();
        while self.working.load(Ordering::Relaxed) > 0 {
            let waited = self.changed.wait_timeout(state, REPORT_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            let running: u64 = self.running.iter().map(|n| n.load(Ordering::Relaxed)).sum();
            let nodes = self.nodes.load(Ordering::Relaxed) + running;
            // The certificate of the root takes no nodes.
            let max_nodes = self.options.max_nodes.filter(|_| !state.is_concluding);
            let is_over = self.is_late() || max_nodes.is_some_and(|max| nodes >= max);
            let is_interrupted = reported.elapsed() >= REPORT_EVERY && {
                reported = Instant::now();
                let progress = state.progress(nodes, self.started.elapsed());
                // The callback may be slow; the workers need the state meanwhile.
                drop(state);
                let goes_on = report(&progress);
                state = self.state();
                !goes_on
            };
            if is_over || is_interrupted {
                self.stop();
            }
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn is_late(&self) -> bool {
        is_past(self.deadline)
    }

    /// Returns whether the work is to end. Searches look at the deadline themselves, so the first of
    /// them may have ended before `watch` notices that it has passed.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.is_late()
    }

    /// Runs jobs until there are no more.
    fn work(&self, number: usize) {
        let _presence = Presence(self);
        let control = Control::new(self.deadline);
        let state = State::new(&self.shared.board, self.position);
        let mut workers =
            BySide::from_fn(|side| Worker::new(self.shared, &control, side, state.clone()));
        let result = self.do_jobs(number, &mut workers);
        if let Err(error) = result {
            self.state().failure.get_or_insert(error);
            self.stop();
        }
    }

    fn do_jobs(
        &self,
        number: usize,
        workers: &mut BySide<Worker<'_, 't, W>>,
    ) -> Result<(), StoreError> {
        while let Some(job) = self.next_job(workers)? {
            let started = Instant::now();
            let options = ProofOptions { max_nodes: self.nodes_left(), ..self.options.clone() };
            let found = answer_job(
                self.shared,
                self.rules,
                &job.request,
                &options,
                self.deadline,
                &mut |progress| {
                    self.running[number].store(progress.nodes, Ordering::Relaxed);
                    !self.is_stopped()
                },
            );
            self.running[number].store(0, Ordering::Relaxed);
            self.nodes.fetch_add(found.nodes, Ordering::Relaxed);
            self.finish(job, found, started.elapsed())?;
        }
        Ok(())
    }

    /// Returns the remaining nodes; `None` if they are not limited.
    pub(super) fn nodes_left(&self) -> Option<u64> {
        let nodes = self.nodes.load(Ordering::Relaxed);
        self.options.max_nodes.map(|max| max.saturating_sub(nodes))
    }

    /// Claims the next job, waiting for one if necessary; `None` if the work is over.
    pub(super) fn next_job(
        &self,
        workers: &mut BySide<Worker<'_, 't, W>>,
    ) -> Result<Option<Job<W>>, StoreError> {
        let mut state = self.state();
        loop {
            if self.is_stopped() {
                return Ok(None);
            }
            state.contents.read_new()?;
            state.release_others();
            let mut is_news = false;
            for side in state.open_questions() {
                match self.choose(&mut state, &mut workers[side])? {
                    Choice::Job(job) => return Ok(Some(job)),
                    Choice::Advice { id, work } => {
                        let position = state.contents.trees[side].node(id).position;
                        drop(state);
                        let after = self.ask(&position, side, work);
                        state = self.state();
                        state.advise(&mut workers[side], id, after);
                        is_news = true;
                        break;
                    }
                    Choice::Answered(is_won) if !state.is_concluding => {
                        state.is_concluding = true;
                        drop(state);
                        self.conclude(&mut workers[side], is_won)?;
                        state = self.state();
                        state.is_concluding = false;
                        is_news = true;
                        break;
                    }
                    Choice::Answered(_) | Choice::Nothing => {}
                }
            }
            if state.questions.is_answered() {
                self.stop();
                return Ok(None);
            }
            if !is_news && self.nodes_left() == Some(0) {
                return Ok(None);
            }
            if !is_news {
                let waited = self.changed.wait_timeout(state, WAIT);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    /// Stores the result of a job, and releases its claim.
    fn finish(&self, job: Job<W>, found: JobAnswer<W>, time: Duration) -> Result<(), StoreError> {
        let Job { claim, claimed, id, request: JobRequest { position, side, budget, .. } } = job;
        let folder = self.state().contents.folder.clone();
        let position = position.position(self.rules.id());
        let certificate = (!found.parts.is_empty())
            .then(|| self.options.certificate(self.rules, &position, found.parts));
        // Compressing and writing take long, and need no lock.
        let written = certificate.as_ref().map(|certificate| folder.write_certificate(certificate));
        let name = written.transpose()?;
        let finding = match (name.clone(), found.answer) {
            (Some(certificate), Answer::Won) => Finding::Won { certificate },
            (Some(certificate), _) => Finding::NotWon { certificate },
            (None, answer) => {
                let [proof, disproof] = match answer {
                    Answer::Open { proof, disproof } => [proof, disproof],
                    _ => [1, 1],
                };
                let goes_on = self.is_stopped() || found.is_unfinished;
                let moves = found.moves.iter().map(|&(step, [proof, disproof])| {
                    let [from, to] = [step.from(), step.to()]
                        .map(|square| self.rules.board.name(Square::new(square)));
                    (format!("{from}-{to}"), proof, disproof)
                });
                Finding::Open { proof, disproof, finished: !goes_on, moves: moves.collect() }
            }
        };
        let millis = time.as_millis() as u64;
        let position = claimed.position;
        let record = JobRecord { position, side, nodes: found.nodes, millis, finding };
        let mut state = self.state();
        state.planned[side] = state.planned[side].saturating_sub(budget);
        state.in_work -= 1;
        state.contents.append(&record, name.as_deref().zip(certificate.as_ref()))?;
        state.contents.trees[side].node_mut(id).is_busy = false;
        drop(claim);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Assembles the certificate of the root and checks it. If it fails, the stored certificates that
    /// fail are removed, and the search goes on. For a long proof both take hours, so neither holds
    /// the lock; if the work is stopped meanwhile, the next run does it.
    pub(super) fn conclude(
        &self,
        worker: &mut Worker<'_, 't, W>,
        is_won: bool,
    ) -> Result<(), StoreError> {
        let side = worker.prover;
        let claim = if is_won { (side, true) } else { (side.other(), false) };
        let mut state = self.state();
        let contents = &mut state.contents;
        let root = contents.trees[side].id(self.root);
        let solving = contents.trees[side].solving_moves(root);
        let is_known = contents.knowledge.answer(worker, &self.root).is_some();
        let (folder, names) = (contents.folder.clone(), contents.certificates.clone());
        drop(state);
        match self.assemble((&folder, &names), worker, &solving, claim)? {
            Ok(certificate) => {
                let name = if is_known { None } else { self.keep(&folder, &certificate) };
                let mut state = self.state();
                if let Some(name) = name {
                    state.contents.add(&name, &certificate);
                }
                if is_won {
                    // The win is all that is to be proved: that the winner does not lose follows.
                    state.parts.clear();
                }
                state.parts.extend(certificate.into_parts());
                state.questions.answer(side, if is_won { Answer::Won } else { Answer::NotWon });
                Ok(())
            }
            Err(_) if self.is_stopped() => Ok(()),
            Err(reason) => self.repair((&folder, &names), reason),
        }
    }

    /// Removes the stored certificates that fail, for which the root's certificate has failed.
    fn repair(
        &self,
        (folder, names): (&Folder, &BTreeSet<String>),
        reason: String,
    ) -> Result<(), StoreError> {
        let mut failed = Vec::new();
        for name in names {
            if self.is_stopped() {
                return Ok(());
            }
            let certificate = folder.read_certificate(name, self.tables);
            let checked = certificate.and_then(|one| check(&one, self.rules, self.tables));
            failed.extend(checked.err().map(|error| (name.clone(), error)));
        }
        let mut state = self.state();
        state.contents.repair(&failed)?;
        // The first time may be an error of reading.
        state.repairs_in_vain += u32::from(failed.is_empty());
        if state.repairs_in_vain > 1 {
            let path = self.store.folder.to_owned();
            return Err(StoreError::Unsound { path, reason });
        }
        Ok(())
    }

    /// Stores the root's certificate, so that it decides the root in other runs and for readers of the
    /// certificates, and returns its name. The answer does not depend on that.
    fn keep(&self, folder: &Folder, certificate: &Certificate) -> Option<String> {
        let written = folder.write_certificate(certificate);
        let unkept = |error| (self.store.notice)(&format!("{error}: the whole proof is not kept"));
        written.map_err(unkept).ok()
    }

    /// Assembles the strategy from the tree's moves and the stored certificates, and checks it; the
    /// inner error says why it fails.
    fn assemble(
        &self,
        (folder, names): (&Folder, &BTreeSet<String>),
        worker: &mut Worker<'_, 't, W>,
        solving: &HashMap<Canonical<W>, Canonical<W>>,
        claim: (Side, bool),
    ) -> Result<Result<Certificate, String>, StoreError> {
        let stopped = || Ok(Err("the work is stopped".to_owned()));
        let mut assembly = Assembly::new(worker, solving, self.rules, claim);
        for name in names {
            if self.is_stopped() {
                return stopped();
            }
            match folder.read_certificate(name, self.tables) {
                Ok(certificate) => assembly.add(&certificate),
                Err(CertificateError::Io(error)) => {
                    return Err(StoreError::at(self.store.folder)(error));
                }
                Err(error) => return Ok(Err(error.to_string())),
            }
        }
        let part = match assembly.finish(self.root) {
            Ok(part) => part,
            Err(position) => {
                let position = position.position(self.rules.id()).to_text(self.rules);
                return Ok(Err(format!("there is no answer to {position}")));
            }
        };
        if self.is_stopped() {
            return stopped();
        }
        let certificate = self.options.certificate(self.rules, self.position, vec![part]);
        Ok(match check(&certificate, self.rules, self.tables) {
            Ok(_) => Ok(certificate),
            Err(error) => Err(error.to_string()),
        })
    }

    /// Returns the result of the work.
    fn proof(self) -> Result<Proof, StoreError> {
        let mut state = self.state();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        let (parts, answers) = (std::mem::take(&mut state.parts), state.answers_now(self.root));
        drop(state);
        Ok(Proof {
            answers,
            endless: self.rules.endless,
            nodes: self.nodes.load(Ordering::Relaxed),
            time: self.started.elapsed(),
            earlier: Effort::default(),
            certificate: (!parts.is_empty())
                .then(|| self.options.certificate(self.rules, self.position, parts)),
            given_up: BySide::default(),
        })
    }
}
