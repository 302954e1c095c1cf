//! Captures by all moves, and the positions that the side to move decides at once.

pub(super) mod by_attackers;
pub(super) mod by_defenders;
pub(super) mod decided;
pub(super) mod groups;
pub(super) mod soldiers;
