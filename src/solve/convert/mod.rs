//! Between tables and the solver's rows.

pub mod read;
pub mod table_rows;
pub mod write;
