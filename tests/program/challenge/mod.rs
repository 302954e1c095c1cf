//! The Bologna Tablut Challenge: whole games with a server of the tests, and servers that break
//! the protocol.

mod broken;
mod games;
mod program;
mod server;
mod wire;
