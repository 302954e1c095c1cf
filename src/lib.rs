//! Endgame tablebases for tafl games.
#![warn(missing_docs)]

pub mod board;
pub mod index;
mod mapping;
pub mod position;
pub mod retrograde;
pub mod rules;
pub mod slice;
pub mod table;
pub mod value;
