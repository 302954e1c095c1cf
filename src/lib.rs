//! Endgame tablebases for tafl games.
#![warn(missing_docs)]

pub mod board;
pub mod build;
mod capture;
pub mod index;
mod mapping;
pub mod moves;
pub mod notation;
pub mod perft;
pub mod position;
pub mod progress;
mod retrograde;
pub mod rules;
pub mod slice;
pub mod stats;
pub mod table;
pub mod tablebase;
pub mod unmoves;
pub mod value;
pub mod verify;

pub use tablebase::Tablebase;
