//! The plies of one outcome, with tables in memory or on disk.

pub(super) mod chunks;
pub(super) mod fixpoint;
pub(super) mod frontier;
pub(super) mod in_memory;
pub(super) mod on_disk;
pub(super) mod ply;
pub(super) mod tables;
pub(super) mod worker;
