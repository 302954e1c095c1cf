//! Statistics, searches and other studies of whole tables.

#[cfg(feature = "build")]
pub mod bound;
pub mod compare;
pub mod find;
#[cfg(feature = "build")]
pub mod manifest;
mod multiplicity;
pub mod proportion;
pub mod puzzles;
#[cfg(feature = "build")]
pub mod report;
pub mod rows;
mod scan;
pub mod short;
pub mod stats;
mod zugzwang;
