//! OTEP from both sides: a session that accepts its host's lines at any time, and a host that
//! plays with other programs.

mod host;
mod session;
