//! The plies of one outcome, with tables in memory or on disk.

pub mod chunks;
pub mod fixpoint;
pub mod frontier;
pub mod in_memory;
pub mod on_disk;
pub mod row_table;
