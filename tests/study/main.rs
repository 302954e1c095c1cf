//! State-space bounds, and short tafl.

mod bound;
mod short;
