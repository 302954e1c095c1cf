//! The table of proof numbers.

mod hashes {
    /// What identifies a position.
    #[derive(Clone, Copy)]
    pub(crate) struct Key {
        pub(crate) bucket: u64,
        pub(crate) check: u64,
    }
}
#[path = "../../../src/proof/table.rs"]
mod table;

use hashes::Key;
use table::{Entry, ProofTable};

use crate::engine::state::Step;

/// A table of one bucket.
pub struct Table(ProofTable);

impl Default for Table {
    fn default() -> Table {
        Table(ProofTable::new(0).unwrap())
    }
}

impl Table {
    /// Returns what was stored last for a position, if it is still there.
    pub fn get(&self, position: u64) -> Option<u32> {
        self.0.get(key(position)).map(|entry| entry.phi)
    }

    /// Stores a number below 2^20 for a position.
    pub fn put(&self, position: u64, number: u32) {
        let step = Step::from_bits(0);
        self.0.put(key(position), Entry { phi: number, delta: 1, step, is_soft: false, work: 0 });
    }

    /// Removes what is stored for a position, and returns it.
    pub fn take(&self, position: u64) -> Option<u32> {
        self.0.take(key(position)).map(|entry| entry.phi)
    }
}

fn key(position: u64) -> Key {
    Key { bucket: 0, check: position }
}
