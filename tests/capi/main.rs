//! The C interface as C programs see it: compiled against the checked-in header, and linked
//! with the shared and with the static library.
#![cfg(all(feature = "capi", unix))]

#[path = "../../examples/alpha_beta/search.rs"]
#[allow(dead_code)]
mod alpha_beta;
mod header;
mod libraries;
#[path = "../support/positions/mod.rs"]
mod positions;
mod programs;
