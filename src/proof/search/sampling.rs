//! Samples of the positions that a search solves, from which estimates are fitted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::engine::evaluate::features::KingMobility;
use crate::game::position::Position;
use crate::game::rules::Side;
use crate::proof::hashes::Key;
use crate::proof::lookahead::judge;

use super::numbers::Numbers;
use super::worker::Worker;

/// A position that a search has expanded and solved.
#[derive(Clone, Copy, Debug)]
pub struct SolvedPosition {
    /// The position.
    pub position: Position,
    /// The side whose win was searched for.
    pub prover: Side,
    /// Whether the side to move reached its aim: to win, if it is the prover, and else to prevent
    /// that. That the prover does not win may rest on repetitions.
    pub succeeds: bool,
    /// Whether the attackers are to move, need not stop an escape, and the king would win by a fork
    /// after a pass.
    pub is_threat: bool,
}

/// Collects a part of the solved positions.
pub(in crate::proof) struct Sampler {
    /// One position of this many is taken, chosen by its hash: the same whenever it is solved.
    one_in: u64,
    /// By [`Key::check`]. A position that is solved again replaces its former result.
    positions: Mutex<HashMap<u64, SolvedPosition>>,
}

impl Sampler {
    pub(in crate::proof) fn new(one_in: u64) -> Sampler {
        Sampler { one_in: one_in.max(1), positions: Mutex::default() }
    }

    /// Returns the positions in the order of their hashes.
    pub(in crate::proof) fn into_positions(self) -> Vec<SolvedPosition> {
        let positions = self.positions.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut positions: Vec<_> = positions.into_iter().collect();
        positions.sort_unstable_by_key(|(check, _)| *check);
        positions.into_iter().map(|(_, position)| position).collect()
    }
}

impl<const W: usize> Worker<'_, '_, W> {
    /// Adds the current state to the sample, if it is solved and chosen.
    #[inline]
    pub(super) fn sample(&mut self, key: Key, numbers: Numbers) {
        if let Some(sampler) = &self.control.sampler
            && numbers.is_solved()
            && key.check.is_multiple_of(sampler.one_in)
        {
            let board = &self.shared.board;
            let (judgement, king) =
                (judge(board, &self.state), KingMobility::of(board, &self.state));
            let solved = SolvedPosition {
                position: self.state.position(self.shared.rules),
                prover: self.prover,
                succeeds: numbers.phi == 0,
                is_threat: self.is_threat(judgement, &king),
            };
            let mut positions = sampler.positions.lock().unwrap_or_else(PoisonError::into_inner);
            positions.insert(key.check, solved);
        }
    }
}
