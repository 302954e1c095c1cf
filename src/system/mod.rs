//! What the work stands on and who is told of it: files, mapped memory, progress.

pub mod bytes;
#[cfg(feature = "build")]
pub(crate) mod filesystem;
pub(crate) mod mapping;
#[cfg(feature = "build")]
pub mod memory;
#[cfg(feature = "build")]
pub(crate) mod pages;
pub(crate) mod positioned;
pub(crate) mod prefetch;
#[cfg(feature = "serve")]
pub(crate) mod priority;
pub mod progress;
pub(crate) mod random;
pub(crate) mod tree_hash;
