//! Berkeley's text interface, as a session of the library and as a program.

mod commands;
mod games;
mod program;
mod session;
