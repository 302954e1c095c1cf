//! Protocols for playing against other programs.

pub mod berkeley;
pub mod challenge;
mod child_engine;
mod connection;
pub mod hnefatafl_org;
pub mod htp;
pub mod lines;
pub mod otep;
mod process;
mod session_options;
mod shown_layout;

pub use session_options::SessionOptions;
