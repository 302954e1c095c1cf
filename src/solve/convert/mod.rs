//! Between tables and the solver's rows.

pub(super) mod output;
pub(super) mod read;
pub(super) mod table_rows;
mod tile;
mod waiting;
pub(super) mod write;
