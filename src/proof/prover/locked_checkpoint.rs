//! Writing the table of proof numbers to a checkpoint.

use std::time::Instant;

use crate::game::rules::Ruleset;
use crate::proof::checkpoint::{Checkpoint, CheckpointError, Effort};
use crate::proof::search::Shared;
use crate::system::file_lock::LockedFile;

use super::two_questions::Prover;

/// The search gets at least this many times the time of writing.
const SEARCH_PER_WRITING: u32 = 30;
/// The most time between two writings, as a multiple of the least.
const MOST_PER_LEAST: u32 = 6;

/// The checkpoint of a search, locked against others.
pub(super) struct LockedCheckpoint<'a> {
    _lock: LockedFile,
    pub(super) checkpoint: &'a Checkpoint<'a>,
    /// The effort of the searches that this one continues.
    pub(super) earlier: Effort,
    /// When the table is to be written again.
    due: Instant,
}

impl<'a> LockedCheckpoint<'a> {
    /// Locks the checkpoint, and fills the table from it.
    pub(super) fn open<const W: usize>(
        checkpoint: &'a Checkpoint<'a>,
        rules: &Ruleset,
        shared: &Shared<'_, W>,
    ) -> Result<LockedCheckpoint<'a>, CheckpointError> {
        let lock = checkpoint.lock()?;
        let earlier = checkpoint.read((rules, &shared.keys), &shared.table)?;
        Ok(LockedCheckpoint {
            _lock: lock,
            checkpoint,
            earlier,
            due: Instant::now() + checkpoint.every,
        })
    }
}

impl<const W: usize> Prover<'_, '_, W> {
    /// Writes the table to the checkpoint, if there is one.
    pub(super) fn keep(&mut self) {
        let effort = Effort { nodes: self.nodes(), time: self.started.elapsed() };
        let Some(locked) = &mut self.checkpoint else { return };
        let LockedCheckpoint { checkpoint, earlier, .. } = *locked;
        let started = Instant::now();
        let rules = (self.rules, &self.shared.keys);
        if let Err(error) = checkpoint.write(rules, &self.shared.table, earlier + effort) {
            (checkpoint.notice)(&format!("{error}: the table of proof numbers is not kept"));
        }
        let pause = started.elapsed() * SEARCH_PER_WRITING;
        let every = checkpoint.every;
        locked.due = Instant::now() + pause.clamp(every, every * MOST_PER_LEAST);
    }

    /// Writes the table to the checkpoint if it is time to. While a strategy is constructed, the table
    /// lacks the positions of its line.
    pub(super) fn keep_if_due(&mut self) {
        let is_due = self.checkpoint.as_ref().is_some_and(|locked| Instant::now() >= locked.due);
        if is_due && self.strategy_positions.is_none() {
            self.keep();
        }
    }
}
