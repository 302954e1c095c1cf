//! The plies of one outcome: a least fixpoint, computed in order of distance.

pub(super) mod chunks;
mod cursor;
mod dispatch;
pub(super) mod frontier;
pub(super) mod history;
pub(super) mod in_memory;
pub(super) mod in_partitions;
pub(super) mod layout;
mod losing;
mod outbox;
mod packed_table;
pub(super) mod ply;
pub(super) mod row_batch;
mod stored_table;
pub(super) mod tables;
mod winning;
mod worker;
