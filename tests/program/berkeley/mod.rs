//! Berkeley's text interface: as a session, and as the program that others play with.

mod commands;
mod games;
mod program;
mod session;
