//! The search for a proof of a position's value.

mod certify;
mod closed_set;
mod error;
mod extract;
mod job;
mod locked_checkpoint;
mod progress;
#[cfg(test)]
mod tests;
mod two_questions;

pub use error::ProofError;
pub(in crate::proof) use job::{JobAnswer, JobRequest, answer_job};
pub use progress::{JobCounts, ProofProgress};

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::engine::bits::with_width;
use crate::game::position::Position;
use crate::game::rules::{BySide, Endless, Ruleset, Side};
use crate::tablebase::Tablebase;

use super::answer::{Answer, ProvedValue, value};
use super::book::each_certificate;
use super::certificate::{Certificate, Part};
use super::checkpoint::{Checkpoint, Effort};
use super::estimates::Estimates;
use super::search::{Control, Sampler, Shared, SolvedPosition};
use super::table::ProofTable;
use locked_checkpoint::LockedCheckpoint;
use two_questions::Prover;

/// The most positions among which a closed set is sought, which limits the memory.
pub const MAX_CLOSED_SET: usize = 4_000_000;

/// Options of a search for a proof.
#[derive(Clone, Debug)]
pub struct ProofOptions<'a> {
    /// The sides for which to answer whether they can force a win.
    pub questions: Vec<Side>,
    /// The maximum number of expanded positions.
    pub max_nodes: Option<u64>,
    /// The maximum time of the search.
    pub max_time: Option<Duration>,
    /// Memory for the table of proof numbers, in bytes.
    pub table_bytes: usize,
    /// The number of threads. With more than one, runs differ in the order of their search.
    pub threads: NonZeroUsize,
    /// The tables to probe, which must be for the same rules.
    pub tables: Option<&'a Tablebase>,
    /// Certificates whose positions are not to be proved again, as for
    /// [`ProofBook::open`](super::ProofBook::open): they are trusted as tables are. All tables that
    /// they depend on must be there.
    pub proofs: &'a [PathBuf],
    /// Whether to make a certificate of a win, which takes time and memory beyond the search.
    pub certify: bool,
}

impl ProofOptions<'_> {
    /// Returns when a search that starts at `started` has to end. Clearing a large table takes seconds,
    /// so the search starts before that.
    pub(in crate::proof) fn deadline(&self, started: Instant) -> Option<Instant> {
        self.max_time.and_then(|time| started.checked_add(time))
    }

    /// Returns a certificate that depends on the tables to probe.
    pub(in crate::proof) fn certificate(
        &self,
        rules: &Ruleset,
        position: &Position,
        parts: Vec<Part>,
    ) -> Certificate {
        Certificate::new(rules, position, parts, self.tables)
    }
}

impl Default for ProofOptions<'_> {
    /// Asks both questions without limits, on one thread with 256 MiB and without tables.
    fn default() -> Self {
        ProofOptions {
            questions: vec![Side::Attackers, Side::Defenders],
            max_nodes: None,
            max_time: None,
            table_bytes: 256 << 20,
            threads: NonZeroUsize::MIN,
            tables: None,
            proofs: &[],
            certify: false,
        }
    }
}

/// The result of a search for a proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// By side, whether it can force a win.
    pub answers: BySide<Answer>,
    /// The value of endless play under the rules.
    pub endless: Endless,
    /// The number of expanded positions.
    pub nodes: u64,
    /// The time that the search took.
    pub time: Duration,
    /// What the searches took that this one continues by a [`Checkpoint`].
    pub earlier: Effort,
    /// The certificate of the answers. A win has one only if [`ProofOptions::certify`] is set, or
    /// the search used a store, and its strategy could be reconstructed within the limits.
    pub certificate: Option<Certificate>,
    /// By side, whether the question of its win is open because the search has given it up: it finds no
    /// win, but would have to seek the closed set that proves that there is none among more than
    /// [`MAX_CLOSED_SET`](super::MAX_CLOSED_SET) positions. A search with a store gives up none.
    pub given_up: BySide<bool>,
}

impl Proof {
    /// Returns the value of the position.
    pub fn value(&self) -> ProvedValue {
        value(Side::ALL.map(|side| self.answers[side]), self.endless)
    }
}

/// Searches for a proof of a position's value. `report` is called several times a second; return
/// `false` to stop.
///
/// # Errors
/// If the position is invalid or final, the tables are for other rules, one of them cannot be opened,
/// a certificate cannot be used, or there is not enough memory.
pub fn prove(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Proof, ProofError> {
    check_input(rules, position, options)?;
    with_width!(rules.board, W => prove_on::<W>((rules, position), options, None, report))
}

/// Searches for a proof as [`prove`] does, and keeps the table of proof numbers in a file, from which
/// a later call continues, also for another position. It is written from time to time, when a win is
/// found, and when the search ends without an answer. Whatever ends the search, the file is whole. It
/// is trusted: the certificate of an answer can be checked.
///
/// # Errors
/// As those of [`prove`], or if another search uses the file, it is no checkpoint for these rules and
/// this size of the table, or it cannot be created.
pub fn prove_with_checkpoint(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    checkpoint: &Checkpoint<'_>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Proof, ProofError> {
    check_input(rules, position, options)?;
    let kept = Some(checkpoint);
    with_width!(rules.board, W => prove_on::<W>((rules, position), options, kept, report))
}

/// Checks that the position and the tables are for these rules, that the tables to probe can be opened,
/// and that the game is not over.
pub(in crate::proof) fn check_input(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
) -> Result<(), ProofError> {
    position.check(rules)?;
    let Some(tables) = options.tables else { return Ok(()) };
    if tables.rules().fingerprint() != rules.fingerprint() {
        return Err(ProofError::OtherTables);
    }
    tables.open_all_tables().map_err(ProofError::Tables)
}

fn prove_on<const W: usize>(
    (rules, position): (&Ruleset, &Position),
    options: &ProofOptions<'_>,
    checkpoint: Option<&Checkpoint<'_>>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Proof, ProofError> {
    let started = Instant::now();
    let control = Control::new(options.deadline(started));
    let shared: Shared<'_, W> = empty_shared(rules, options)?;
    let open = |checkpoint| LockedCheckpoint::open(checkpoint, rules, &shared);
    let locked = checkpoint.map(open).transpose().map_err(ProofError::Checkpoint)?;
    let earlier = locked.as_ref().map_or(Effort::default(), |locked| locked.earlier);
    put_proofs(&shared, rules, options)?;
    let mut prover = Prover::new(&shared, &control, (rules, position), options, report);
    prover.checkpoint = locked;
    let answers = prover.answer_all();
    if !prover.questions.is_answered() {
        prover.keep();
    }
    let (nodes, time) = (control.nodes.load(Ordering::Relaxed), started.elapsed());
    let parts = std::mem::take(&mut prover.parts);
    let certificate = (!parts.is_empty()).then(|| options.certificate(rules, position, parts));
    let given_up = prover.questions.is_given_up;
    Ok(Proof { answers, endless: rules.endless, nodes, time, earlier, certificate, given_up })
}

/// Searches for a proof by the engine's estimates, and returns one in `one_in` of the positions that it
/// has expanded and solved, each once. Fitted estimates are not used, so that they do not depend on
/// earlier ones.
///
/// # Errors
/// As those of [`prove`].
#[doc(hidden)]
pub fn solved_positions(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    one_in: u64,
) -> Result<Vec<SolvedPosition>, ProofError> {
    check_input(rules, position, options)?;
    with_width!(rules.board, W => solved_positions_on::<W>(rules, position, options, one_in))
}

fn solved_positions_on<const W: usize>(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    one_in: u64,
) -> Result<Vec<SolvedPosition>, ProofError> {
    let sampler = Some(Sampler::new(one_in));
    let control = Control { sampler, ..Control::new(options.deadline(Instant::now())) };
    let estimates = Estimates::by_engine(rules);
    let shared: Shared<'_, W> = Shared { estimates, ..shared(rules, options)? };
    let mut report = |_: &_| true;
    Prover::new(&shared, &control, (rules, position), options, &mut report).answer_all();
    Ok(control.sampler.map_or_else(Vec::new, Sampler::into_positions))
}

/// Creates the data that all threads share: the table of proof numbers, with what is proved already,
/// and others.
pub(in crate::proof) fn shared<'a, const W: usize>(
    rules: &Ruleset,
    options: &ProofOptions<'a>,
) -> Result<Shared<'a, W>, ProofError> {
    let shared = empty_shared(rules, options)?;
    put_proofs(&shared, rules, options)?;
    Ok(shared)
}

fn empty_shared<'a, const W: usize>(
    rules: &Ruleset,
    options: &ProofOptions<'a>,
) -> Result<Shared<'a, W>, ProofError> {
    let bytes = options.table_bytes;
    let table = ProofTable::new(bytes).map_err(|_| ProofError::Memory { bytes })?;
    Ok(Shared::new(rules, options.tables, table, options.threads.get() > 1))
}

fn put_proofs<const W: usize>(
    shared: &Shared<'_, W>,
    rules: &Ruleset,
    options: &ProofOptions<'_>,
) -> Result<(), ProofError> {
    let ProofOptions { questions, proofs, tables, .. } = options;
    each_certificate(proofs, rules, *tables, &mut |certificate| {
        shared.put_certificate(rules, certificate, questions, &mut |_, _, _| {});
    })
    .map_err(ProofError::Proofs)
}
