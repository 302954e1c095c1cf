//! Protocols for playing against other programs.

pub mod berkeley;
pub mod challenge;
pub mod otep;
