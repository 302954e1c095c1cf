//! The atomics of the tables that threads read without a lock, and the locks of those who write.
//!
//! `tests/loom` compiles these tables with Loom's atomics and locks in the place of this module,
//! to explore the interleavings of their threads.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard};
