//! The positions that the certificates of a store decide.

use std::collections::HashSet;

use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::canonical::Canonical;
use crate::proof::certificate::Certificate;
use crate::proof::search::{Shared, Worker};
use crate::proof::walk::Leaf;

/// The positions of certificates, all with the holder to move, by their hashes.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// By holder, the positions in which it wins.
    wins: BySide<HashSet<u64>>,
    /// By holder, the positions in which it does not lose.
    holds: BySide<HashSet<u64>>,
}

impl Knowledge {
    /// Adds the positions of a certificate, here and to the table of proof numbers, so that the search
    /// does not prove them again.
    pub(super) fn add<const W: usize>(
        &mut self,
        shared: &Shared<'_, W>,
        rules: &Ruleset,
        certificate: &Certificate,
    ) {
        shared.put_certificate(rules, certificate, &Side::ALL, &mut |holder, wins, key| {
            let sets = if wins { &mut self.wins } else { &mut self.holds };
            sets[holder].insert(key.check);
        });
    }

    /// Returns whether the worker's side wins from a position, if the rules, the tables or the
    /// certificates decide that.
    pub(super) fn answer<const W: usize>(
        &self,
        worker: &mut Worker<'_, '_, W>,
        position: &Canonical<W>,
    ) -> Option<bool> {
        let side = worker.prover;
        if self.proves(worker, position, side, true) {
            return Some(true);
        }
        self.proves(worker, position, side.other(), false).then_some(false)
    }

    /// Returns whether it is proved that the holder wins if `wins`, or else that it does not lose.
    fn proves<const W: usize>(
        &self,
        worker: &mut Worker<'_, '_, W>,
        position: &Canonical<W>,
        holder: Side,
        wins: bool,
    ) -> bool {
        worker.set(position);
        match worker.leaf(holder, wins) {
            Leaf::Held => return true,
            Leaf::Lost => return false,
            Leaf::Inner if position.to_move == holder => {
                return self.contains(worker, holder, wins);
            }
            Leaf::Inner => {}
        }
        worker.successors().iter().all(|(_, reply)| {
            worker.set(reply);
            worker.leaf(holder, wins) == Leaf::Held || self.contains(worker, holder, wins)
        })
    }

    /// Returns whether the worker's state is in a strategy of the holder.
    fn contains<const W: usize>(
        &self,
        worker: &Worker<'_, '_, W>,
        holder: Side,
        wins: bool,
    ) -> bool {
        let check = worker.shared.keys.hashes(&worker.state).key(holder).check;
        self.wins[holder].contains(&check) || !wins && self.holds[holder].contains(&check)
    }
}
