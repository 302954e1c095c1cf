//! The hnefatafl text protocol from both sides: an engine, and a host that plays with other programs.

mod host;
mod session;
