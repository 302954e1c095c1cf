//! The workers of one process, which run one job after another.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::state::State;
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::answer::Answer;
use crate::proof::canonical::Canonical;
use crate::proof::certificate::{Certificate, CertificateError, Part, check};
use crate::proof::checkpoint::Effort;
use crate::proof::prover::{JobAnswer, Proof, ProofOptions, ProofProgress, answer_job, shared};
use crate::proof::search::{Control, REPORT_EVERY, Shared, Worker};
use crate::tablebase::{Tablebase, TablebaseOptions};

use super::StoreOptions;
use super::assemble::Assembly;
use super::choice::{Choice, Job};
use super::claims::ClaimedJob;
use super::contents::Contents;
use super::desk::Desk;
use super::error::StoreError;
use super::folder::Folder;
use super::journal::{Finding, JobRecord};

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
    pub(super) desk: Mutex<Desk<'a, 't, W>>,
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
        if std::thread::panicking() {
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
        let contents = Contents::read(folder, (rules, &shared), tables, store.notice)?;
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
            deadline: options.max_time.map(|time| started + time),
            started,
            desk: Mutex::new(Desk::new(contents, options, root)),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
            working: AtomicUsize::new(threads),
            nodes: AtomicU64::new(0),
            running: (0..threads).map(|_| AtomicU64::new(0)).collect(),
        };
        std::thread::scope(|scope| {
            for number in 0..threads {
                let team = &team;
                scope.spawn(move || team.work(number));
            }
            team.watch(report);
        });
        team.proof()
    }

    fn desk(&self) -> MutexGuard<'_, Desk<'a, 't, W>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports progress and watches the limits until all workers have ended.
    fn watch(&self, report: &mut dyn FnMut(&ProofProgress) -> bool) {
        let mut desk = self.desk();
        let mut reported = Instant::now();
        while self.working.load(Ordering::Relaxed) > 0 {
            let waited = self.changed.wait_timeout(desk, REPORT_EVERY);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
            let running: u64 = self.running.iter().map(|n| n.load(Ordering::Relaxed)).sum();
            let nodes = self.nodes.load(Ordering::Relaxed) + running;
            let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
                || self.options.max_nodes.is_some_and(|max| nodes >= max);
            let is_interrupted = reported.elapsed() >= REPORT_EVERY && {
                reported = Instant::now();
                let progress = desk.progress(nodes, self.started.elapsed());
                // The callback may be slow; the workers need the desk meanwhile.
                drop(desk);
                let goes_on = report(&progress);
                desk = self.desk();
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

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
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
            self.desk().failure.get_or_insert(error);
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
                (self.shared, self.rules),
                (&job.position, job.claimed.side),
                (job.budget, job.seeks_closed_set),
                (&options, self.deadline),
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
        let mut desk = self.desk();
        loop {
            if self.is_stopped() {
                return Ok(None);
            }
            desk.contents.read_new()?;
            desk.release_others();
            let mut is_news = false;
            for side in desk.open_questions() {
                match self.choose(&mut desk, &mut workers[side])? {
                    Choice::Job(job) => return Ok(Some(job)),
                    Choice::Advice { id, work } => {
                        let position = desk.contents.trees[side].node(id).position;
                        drop(desk);
                        let after = self.ask(&position, side, work);
                        desk = self.desk();
                        desk.advise(&mut workers[side], id, after);
                        is_news = true;
                        break;
                    }
                    Choice::Answered(is_won) => {
                        self.conclude(&mut desk, &mut workers[side], is_won)?;
                        is_news = true;
                        break;
                    }
                    Choice::Nothing => {}
                }
            }
            if desk.questions.is_answered() {
                self.stop();
                return Ok(None);
            }
            if !is_news && self.nodes_left() == Some(0) {
                return Ok(None);
            }
            if !is_news {
                let waited = self.changed.wait_timeout(desk, WAIT);
                desk = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    /// Stores the result of a job, and releases its claim.
    fn finish(&self, job: Job<W>, found: JobAnswer<W>, time: Duration) -> Result<(), StoreError> {
        let Job { claim, claimed, position, id, wanted, budget, .. } = job;
        let side = claimed.side;
        let folder = self.desk().contents.folder.clone();
        let position = position.position(self.rules.id());
        let certificate = (!found.parts.is_empty()).then(|| {
            let max_men = self.options.max_table_men;
            Certificate::new(self.rules, &position, found.parts, self.options.tables, max_men)
        });
        // Compressing and writing take long, and need no lock.
        let name = certificate.as_ref().map(|certificate| folder.write_certificate(certificate));
        let finding = match (name.transpose()?, found.answer) {
            (Some(certificate), Answer::Won) => Finding::Won { certificate },
            (Some(certificate), _) => Finding::NotWon { certificate },
            (None, answer) => {
                let [proof, disproof] = match answer {
                    Answer::Open { proof, disproof } => [proof, disproof],
                    _ => [1, 1],
                };
                let goes_on = self.is_stopped() || budget < wanted || found.lacks_closed_set;
                let moves = found.moves.iter().map(|&(step, [proof, disproof])| {
                    let [from, to] = [step.from(), step.to()].map(|square| {
                        self.rules.board.square(square).map(|square| self.rules.board.name(square))
                    });
                    let squares = from.zip(to).map(|(from, to)| format!("{from}-{to}"));
                    (squares.unwrap_or_default(), proof, disproof)
                });
                Finding::Open { proof, disproof, finished: !goes_on, moves: moves.collect() }
            }
        };
        let name = match &finding {
            Finding::Won { certificate } | Finding::NotWon { certificate } => certificate.clone(),
            Finding::Open { .. } => String::new(),
        };
        let millis = time.as_millis() as u64;
        let ClaimedJob { position, side: _ } = claimed;
        let record = JobRecord { position, side, nodes: found.nodes, millis, finding };
        let mut desk = self.desk();
        desk.planned[side] = desk.planned[side].saturating_sub(budget);
        desk.in_work -= 1;
        desk.contents.append(&record, certificate.as_ref().map(|found| (&*name, found)))?;
        desk.contents.trees[side].node_mut(id).is_busy = false;
        drop(claim);
        drop(desk);
        self.changed.notify_all();
        Ok(())
    }

    /// Assembles the certificate of the root and checks it. If it fails, the stored certificates that
    /// fail are removed, and the search goes on.
    fn conclude(
        &self,
        desk: &mut Desk<'a, 't, W>,
        worker: &mut Worker<'_, 't, W>,
        is_won: bool,
    ) -> Result<(), StoreError> {
        let side = worker.prover;
        let claim = if is_won { (side, true) } else { (side.other(), false) };
        let is_known = desk.contents.knowledge.answer(worker, &self.root).is_some();
        let reason = match self.assemble(desk, worker, claim)? {
            Ok(certificate) => {
                if !is_known {
                    self.keep(desk, &certificate);
                }
                if is_won {
                    // The win is all that is to be proved: that the winner does not lose follows.
                    desk.parts.clear();
                }
                desk.parts.extend(certificate.into_parts());
                desk.questions.answer(side, if is_won { Answer::Won } else { Answer::NotWon });
                return Ok(());
            }
            Err(reason) => reason,
        };
        // The first time may be an error of reading.
        desk.repairs_in_vain += u32::from(desk.contents.repair()? == 0);
        if desk.repairs_in_vain > 1 {
            let path = self.store.folder.to_owned();
            return Err(StoreError::Unsound { path, reason });
        }
        Ok(())
    }

    /// Stores the root's certificate, so that it decides the root in other runs and for readers of the
    /// certificates. The answer does not depend on that.
    fn keep(&self, desk: &mut Desk<'a, 't, W>, certificate: &Certificate) {
        match desk.contents.folder.write_certificate(certificate) {
            Ok(name) => desk.contents.add(&name, certificate),
            Err(error) => (self.store.notice)(&format!("{error}: the whole proof is not kept")),
        }
    }

    /// Assembles the strategy and checks it; the inner error says why it fails.
    fn assemble(
        &self,
        desk: &mut Desk<'a, 't, W>,
        worker: &mut Worker<'_, 't, W>,
        claim: (Side, bool),
    ) -> Result<Result<Certificate, String>, StoreError> {
        let contents = &mut desk.contents;
        let side = worker.prover;
        let root = contents.trees[side].id(self.root);
        let values = contents.trees[side].values(root);
        let tree = (&contents.trees[side], &values);
        let mut assembly = Assembly::new(worker, tree, self.rules, claim);
        for name in &contents.certificates {
            match contents.read_certificate(name) {
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
        let certificate = self.certificate(vec![part]);
        Ok(match check(&certificate, self.rules, self.tables) {
            Ok(_) => Ok(certificate),
            Err(error) => Err(error.to_string()),
        })
    }

    fn certificate(&self, parts: Vec<Part>) -> Certificate {
        let (tables, max_men) = (self.options.tables, self.options.max_table_men);
        Certificate::new(self.rules, self.position, parts, tables, max_men)
    }

    /// Returns the result of the work.
    fn proof(self) -> Result<Proof, StoreError> {
        let mut desk = self.desk();
        if let Some(failure) = desk.failure.take() {
            return Err(failure);
        }
        let (parts, answers) = (std::mem::take(&mut desk.parts), desk.answers_now(self.root));
        drop(desk);
        Ok(Proof {
            answers,
            endless: self.rules.endless,
            nodes: self.nodes.load(Ordering::Relaxed),
            time: self.started.elapsed(),
            earlier: Effort::default(),
            certificate: (!parts.is_empty()).then(|| self.certificate(parts)),
        })
    }
}
