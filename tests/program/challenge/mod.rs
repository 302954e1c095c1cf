//! The Bologna Tablut Challenge: whole games on a server of the tests, and servers that
//! do what they should not.

mod broken;
mod games;
mod program;
mod server;
mod wire;
