//! The program as users and scripts see it: statuses, streams, messages, JSON, protocols.

mod analyse;
mod arena;
mod asked;
mod berkeley;
mod bound;
mod challenge;
mod citing;
mod closed;
mod compare;
mod damage;
mod examples;
mod find;
#[path = "../support/forge/mod.rs"]
mod forge;
mod hnefatafl_org;
mod hostile;
mod htp;
mod manifest;
mod measures;
mod messages;
mod otep;
mod pictures;
mod place;
mod play;
mod proofs;
#[cfg(feature = "serve")]
mod pull;
mod ranks;
mod readme;
mod replay;
mod report;
mod short;
mod solve;
#[cfg(unix)]
mod stopped;
mod tables;
mod usage;
mod whole_games;
