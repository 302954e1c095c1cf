//! OTEP, the protocol between OpenTafl and its engines: lines of text over pipes.
//!
//! A [`Session`] is the engine's side, an [`ExternalPlayer`] the host's. `docs/protocols.md`
//! describes the messages and our choices where the protocol leaves something open.

mod analysis;
mod clock;
mod host;
mod host_game;
mod notation;
mod search_thread;
mod session;
mod task;

pub use host::ExternalPlayer;
pub use session::Session;
