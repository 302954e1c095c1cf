//! What tables tell when they are read as a whole.

#[cfg(feature = "build")]
pub mod manifest;
pub mod stats;
