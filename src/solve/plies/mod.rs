//! The plies of one outcome: a least fixpoint, reached in order of distance.

mod at_rest;
pub(super) mod chunks;
mod cursor;
mod dispatch;
pub(super) mod frontier;
pub(super) mod in_memory;
pub(super) mod in_shares;
pub(super) mod known;
mod losing;
mod packed;
pub(super) mod parcel;
pub(super) mod ply;
mod post;
pub(super) mod shares;
pub(super) mod tables;
mod winning;
mod worker;
