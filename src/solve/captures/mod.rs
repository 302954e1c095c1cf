//! What moves capture, and which positions the side to move decides at once.

pub(super) mod by_king;
pub(super) mod decided;
pub(super) mod soldiers;
