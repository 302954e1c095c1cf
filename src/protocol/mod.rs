//! The languages in which other programs play with the engine.

pub mod berkeley;
pub mod challenge;
pub mod otep;
