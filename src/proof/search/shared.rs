//! Data that the threads of a search share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::Instant;

use crate::engine::board_tables::BoardTables;
use crate::engine::coverage::Coverage;
use crate::engine::state::{State, Step};
use crate::game::rules::{RulesId, Ruleset, Side};
use crate::proof::canonical::Symmetries;
use crate::proof::certificate::Certificate;
use crate::proof::estimates::Estimates;
use crate::proof::hashes::{HashKeys, Hashes, Key};
use crate::proof::table::{Entry, ProofTable};
use crate::tablebase::Tablebase;

use super::advice::AdviceTable;
use super::numbers::Numbers;
use super::sampling::Sampler;

/// Data that all searches share, whether they run at once or one after the other.
pub(in crate::proof) struct Shared<'a, const W: usize> {
    pub(in crate::proof) board: BoardTables<W>,
    pub(in crate::proof) rules: RulesId,
    pub(in crate::proof) estimates: Estimates,
    /// The endgame tables to probe, and their slices.
    pub(in crate::proof) tables: Option<&'a Tablebase>,
    pub(in crate::proof) coverage: Coverage,
    pub(in crate::proof) symmetries: Symmetries<W>,
    pub(in crate::proof) keys: HashKeys,
    pub(in crate::proof) table: ProofTable,
    /// By hash of a position, the number of threads that search below it. Such positions look more
    /// expensive, so that threads spread out (virtual proof numbers).
    pub(in crate::proof) busy: Vec<AtomicU32>,
    /// The engine's moves in the positions that took much work.
    pub(in crate::proof) advice: AdviceTable,
    /// Whether several threads use the table.
    pub(in crate::proof) is_parallel: bool,
}

/// Limits and state of one search, shared by its threads.
pub(in crate::proof) struct Control {
    pub(in crate::proof) nodes: AtomicU64,
    /// The node count at which the search stops.
    pub(in crate::proof) max_nodes: AtomicU64,
    pub(in crate::proof) deadline: Option<Instant>,
    /// Set when the limits are reached, the root is solved, or the user interrupts: all threads stop.
    pub(in crate::proof) stopped: AtomicBool,
    /// The root's numbers and most promising move so far, as a packed [`Entry`].
    pub(in crate::proof) root: AtomicU64,
    /// Collects the positions that the search solves, if set.
    pub(in crate::proof) sampler: Option<Sampler>,
}

impl Control {
    pub(in crate::proof) fn new(deadline: Option<Instant>) -> Control {
        Control {
            nodes: AtomicU64::new(0),
            max_nodes: AtomicU64::new(0),
            deadline,
            stopped: AtomicBool::new(false),
            root: AtomicU64::new(0),
            sampler: None,
        }
    }

    /// Returns whether the deadline has passed.
    pub(in crate::proof) fn is_late(&self) -> bool {
        is_past(self.deadline)
    }
}

/// Returns whether there is a deadline and it has passed.
pub(in crate::proof) fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// The number of counters for [`Shared::busy`].
const BUSY_COUNTERS: usize = 1 << 16;

impl<'a, const W: usize> Shared<'a, W> {
    /// Prepares searches under these rules.
    pub(in crate::proof) fn new(
        rules: &Ruleset,
        tables: Option<&'a Tablebase>,
        table: ProofTable,
        is_parallel: bool,
    ) -> Self {
        Shared {
            board: BoardTables::new(rules),
            rules: rules.id(),
            estimates: Estimates::of(rules),
            tables,
            coverage: Coverage::new(tables),
            symmetries: Symmetries::new(rules),
            keys: HashKeys::new(rules),
            table,
            busy: (0..BUSY_COUNTERS).map(|_| Default::default()).collect(),
            advice: AdviceTable::new(rules),
            is_parallel,
        }
    }

    /// Returns the entry of a state in the search for this side's win, with its move in the state's
    /// own orientation.
    pub(in crate::proof) fn stored(&self, state: &State<W>, prover: Side) -> Option<Entry> {
        let hashes = self.keys.hashes(state);
        let entry = self.table.get(hashes.key(prover))?;
        let step = match entry.step {
            Step::NONE => Step::NONE,
            step => self.symmetries.step_preimage(step, hashes.symmetry()),
        };
        Some(Entry { step, ..entry })
    }
}

/// The [`Entry::work`] of results from certificates.
const CERTIFIED_WORK: u32 = 6;

impl<const W: usize> Shared<'_, W> {
    /// Adds the positions of a certificate to the table, so that searches for the win of these sides do
    /// not prove them again. `found` is called for each position that has a move, with the holder,
    /// whether it wins, and the key in the search for its win.
    pub(in crate::proof) fn put_certificate(
        &self,
        rules: &Ruleset,
        certificate: &Certificate,
        provers: &[Side],
        found: &mut dyn FnMut(Side, bool, Key),
    ) {
        for (holder, wins, moves) in certificate.strategies(rules) {
            // That the holder does not lose says nothing about its win.
            let provers: Vec<Side> =
                provers.iter().copied().filter(|&prover| wins || prover != holder).collect();
            for strategy_move in moves {
                let step = Step::new(strategy_move.from.into(), strategy_move.to.into());
                let mut state = State::new(&self.board, &strategy_move.position);
                let hashes = self.keys.hashes(&state);
                found(holder, wins, hashes.key(holder));
                let image = self.symmetries.step_image(step, hashes.symmetry());
                self.put_proved(&provers, &hashes, Numbers::SUCCESS, image);
                state.play(&self.board, step);
                let hashes = self.keys.hashes(&state);
                self.put_proved(&provers, &hashes, Numbers::FAILURE, Step::NONE);
            }
        }
    }

    /// Adds a proved result of a position, which is the same in the searches for the win of these
    /// sides. `step` is the move in the canonical orientation.
    fn put_proved(&self, provers: &[Side], hashes: &Hashes, numbers: Numbers, step: Step) {
        let Numbers { phi, delta, .. } = numbers;
        let entry = Entry { phi, delta, step, is_soft: false, work: CERTIFIED_WORK };
        for &prover in provers {
            let key = hashes.key(prover);
            let is_known = |old: Entry| old.is_solved() && !old.is_soft;
            if !self.table.get(key).is_some_and(is_known) {
                self.table.put(key, entry);
            }
        }
    }
}
