//! The program as users and scripts meet it: statuses, streams, messages, JSON.

mod asked;
mod bound;
mod closed;
mod damage;
mod find;
#[path = "../forge/mod.rs"]
mod forge;
mod hostile;
mod manifest;
mod measures;
mod pictures;
mod place;
mod ranks;
mod short;
#[cfg(unix)]
mod stopped;
mod tables;
mod usage;
