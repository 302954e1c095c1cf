//! The system services that the tables use.

pub(crate) mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering, fence};
    pub(crate) use loom::sync::{Mutex, MutexGuard};
}

pub(crate) mod mapping {
    use std::io;
    use std::ops::Deref;

    use super::sync::AtomicU64;

    /// Zeroed memory shared between threads.
    pub(crate) struct AtomicWords(Box<[AtomicU64]>);

    impl AtomicWords {
        pub(crate) fn new(words: usize) -> io::Result<AtomicWords> {
            Ok(AtomicWords((0..words).map(|_| AtomicU64::new(0)).collect()))
        }
    }

    impl Deref for AtomicWords {
        type Target = [AtomicU64];

        fn deref(&self) -> &[AtomicU64] {
            &self.0
        }
    }
}

pub(crate) mod prefetch {
    /// Has no effect on what a program computes.
    pub(crate) fn prefetch<T>(_: &T) {}
}
