//! The tables that threads share without locks, compiled with the atomics of
//! [Loom](https://docs.rs/loom).
//!
//! Loom repeats a test with the interleavings of its threads that differ, and with the values that
//! the memory model lets a load return. Other tests see only what the scheduler and the processor
//! happen to do, and a processor may be stricter than the model. The modules are the library's
//! own sources; what they import is replaced here.

// Parts of the sources serve other modules of the library.
#![allow(dead_code)]

mod engine;
pub mod proof;
mod system;
pub mod tablebase;

use loom::sync::Arc;
use loom::thread;

/// Lets a reader and at least one writer work on the same data, each in a thread of its own, until all
/// have ended.
///
/// Loom first lets the writers run to their end, and then moves each load of the reader before the
/// stores that it may race with. The other way round, with the reader in the thread that starts the
/// writers, it misses stores to what their own thread has loaded since.
pub fn race<T, W>(
    data: &Arc<T>,
    read: impl FnOnce(&T) + 'static,
    writers: impl IntoIterator<Item = W>,
) where
    T: 'static,
    W: FnOnce(&T) + 'static,
{
    let start = |work: Box<dyn FnOnce(&T)>| {
        let data = Arc::clone(data);
        thread::spawn(move || work(&data))
    };
    let reader = start(Box::new(read));
    let mut writers = writers.into_iter();
    let own = writers.next().expect("a writer");
    let others: Vec<_> = writers.map(|write| start(Box::new(write))).collect();
    own(data);
    for thread in others.into_iter().chain([reader]) {
        thread.join().expect("no panic");
    }
}
