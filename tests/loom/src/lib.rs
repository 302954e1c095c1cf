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
