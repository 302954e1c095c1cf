//! OTEP from both sides: a session that hears its host at any time, and a host that plays
//! with other programs.

mod host;
mod session;
