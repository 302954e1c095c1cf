//! Every value follows from the values after its moves: tables of slices that are too large for
//! the brute-force reference are compared with forward moves.
//!
//! A table in which *all* values follow is proved, given the tables that its captures lead to:
//! wins and losses by induction on the distance, and in a drawn position either side can stay
//! in drawn positions for ever. Where only samples are checked, half of them have the men close
//! to each other, so that captures are possible.

mod builtin;
mod invented;
mod tables;
