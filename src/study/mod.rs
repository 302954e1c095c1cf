//! What tables tell when they are read as a whole.

#[cfg(feature = "build")]
pub mod bound;
pub mod find;
#[cfg(feature = "build")]
pub mod manifest;
mod scan;
pub mod share;
pub mod short;
pub mod stats;
mod weights;
