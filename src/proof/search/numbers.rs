//! Proof numbers as the side to move sees them.

use crate::proof::table::{Entry, INFINITE, MAX_ESTIMATE};

/// The proof numbers of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::proof) struct Numbers {
    pub(in crate::proof) phi: u32,
    pub(in crate::proof) delta: u32,
    /// The ply of the earliest position of the line whose repetition the result depends on; [`HARD`]
    /// if there is none.
    pub(super) rest: u32,
}

/// [`Numbers::rest`] of a result that depends on no repetition.
pub(super) const HARD: u32 = u32::MAX;

impl Numbers {
    /// The mover has reached its aim.
    pub(super) const SUCCESS: Numbers = Numbers { phi: 0, delta: INFINITE, rest: HARD };
    /// Not looked up yet.
    pub(super) const UNKNOWN: Numbers = Numbers { phi: 0, delta: 0, rest: HARD };
    /// The mover has failed.
    pub(super) const FAILURE: Numbers = Numbers { phi: INFINITE, delta: 0, rest: HARD };

    pub(in crate::proof) fn of(entry: &Entry) -> Numbers {
        let rest = if entry.is_soft { 0 } else { HARD };
        Numbers { phi: entry.phi, delta: entry.delta, rest }
    }

    /// The numbers of a leaf, limited to the range that the table stores.
    pub(in crate::proof) fn estimated(phi: u32, delta: u32) -> Numbers {
        Numbers { phi: phi.min(MAX_ESTIMATE), delta: delta.min(MAX_ESTIMATE), rest: HARD }
    }

    /// Returns whether the result depends on no repetition.
    pub(in crate::proof) fn is_hard(&self) -> bool {
        self.rest == HARD
    }

    pub(in crate::proof) fn decided(is_success: bool) -> Numbers {
        if is_success { Numbers::SUCCESS } else { Numbers::FAILURE }
    }

    pub(in crate::proof) fn is_solved(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Returns the proof and disproof numbers of the prover's win. `mover_proves` says whether the
    /// mover is the prover.
    pub(in crate::proof) fn of_win(&self, mover_proves: bool) -> [u32; 2] {
        if mover_proves { [self.phi, self.delta] } else { [self.delta, self.phi] }
    }
}
