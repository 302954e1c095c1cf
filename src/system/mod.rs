//! What the work stands on and who is told of it: files, mapped memory, progress.

pub mod bytes;
#[cfg(feature = "build")]
pub(crate) mod filesystem;
pub(crate) mod mapping;
pub(crate) mod prefetch;
pub mod progress;
pub(crate) mod random;
