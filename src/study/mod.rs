//! What tables tell when they are read as a whole.

pub mod manifest;
pub mod stats;
