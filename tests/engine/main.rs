//! The engine's search: tactics, histories, the correctness of reported wins and losses, and
//! proofs.

mod certain;
mod engine;
mod histories;
#[path = "../support/minimax/mod.rs"]
mod minimax;
mod proof;
mod proved;
#[path = "../support/shuffled/mod.rs"]
mod shuffled;
mod tactics;
