//! Between tables and the solver's rows.

pub(super) mod read;
pub(super) mod table_rows;
pub(super) mod write;
