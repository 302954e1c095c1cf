//! Every value follows from the values after its moves: tables of slices that
//! are out of the brute-force reference's reach, held against forward moves.
//!
//! A table in which *all* values follow is proved, those of its captures
//! given: wins and losses by induction on the distance, and who is in a drawn
//! position can stay in drawn positions for ever. Where only samples are
//! checked, half of them have the men close to each other, so that there is
//! something to capture.

mod builtin;
mod invented;
mod tables;
