//! What tables tell when they are read as a whole.

pub mod find;
#[cfg(feature = "build")]
pub mod manifest;
mod scan;
pub mod short;
pub mod stats;
mod weights;
