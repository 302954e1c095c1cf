//! The engine's search: tactics, histories, and the certainty of its word.

mod certain;
mod engine;
mod histories;
#[path = "../support/minimax/mod.rs"]
mod minimax;
#[path = "../support/shuffled/mod.rs"]
mod shuffled;
mod tactics;
