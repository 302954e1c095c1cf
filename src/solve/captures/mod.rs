//! What moves capture, and which positions the side to move decides at once.

pub mod by_king;
pub mod decided;
pub mod soldiers;
