//! Services that know nothing of the games: files, memory, hashing, random numbers and parallel
//! loops.

pub mod bytes;
#[cfg(all(feature = "build", unix))]
mod cgroup;
pub mod date;
pub(crate) mod disk;
#[cfg(feature = "build")]
pub(crate) mod file_lock;
#[cfg(feature = "build")]
pub(crate) mod filesystem;
pub(crate) mod mapping;
#[cfg(feature = "build")]
pub mod memory;
pub mod numbers;
#[cfg(feature = "build")]
pub(crate) mod pages;
pub(crate) mod parallel;
pub(crate) mod positioned;
pub(crate) mod prefetch;
#[cfg(feature = "serve")]
pub(crate) mod priority;
#[cfg(feature = "engine")]
pub(crate) mod processor;
pub mod random;
pub(crate) mod sync;
#[cfg(feature = "build")]
pub(crate) mod temporary;
pub(crate) mod tree_hash;
pub mod version;
