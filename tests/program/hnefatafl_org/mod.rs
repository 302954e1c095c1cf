//! The server of hnefatafl.org: games with a stand-in that speaks its lines, and servers that break
//! the protocol. `scripts/test-hnefatafl-org.sh` plays on the real one.

mod broken;
mod games;
mod standin;
