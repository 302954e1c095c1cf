//! Conversion between table files and the solver's rows.

pub(super) mod output;
mod pending_rows;
pub(super) mod read;
pub(super) mod table_rows;
mod tile;
pub(super) mod write;
