//! Endgame tablebases for tafl games.
#![warn(missing_docs)]

pub mod board;
pub mod index;
pub mod position;
pub mod retrograde;
pub mod rules;
pub mod slice;
pub mod value;
