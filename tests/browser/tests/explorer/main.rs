//! Every feature of the explorer's page, used as a visitor would.

mod analysis;
mod answers;
mod applied;
mod board;
mod clocks;
mod editing;
mod endless;
mod engine;
mod formations;
mod games;
mod late;
mod layout;
mod live;
mod looks;
mod proofs;
mod recovery;
mod searches;
mod sounds;
mod statistics;
mod studies;
mod trees;

/// A position beyond the tables that a certificate of `scripts/browser.sh` proves: the defenders win.
const PROVED: &str = "#brandubh/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/_d";

/// The position of the first visit: one of 19 moves wins.
const WELCOME: &str = "#brandubh/3t3/1K1T3/7/1t5/7/1t5/7/_a";
