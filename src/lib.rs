//! Endgame tablebases for tafl games: every position with few pieces, solved exactly.
//!
//! [`rules`] are data; a [`slice`](mod@slice) is all positions of one material;
//! [`build`](mod@build) solves slices and writes [`table`]s; a [`Tablebase`] opens them and
//! returns the value of positions; [`verify`] recomputes stored values.
//!
//! ```
//! use taflbase::Tablebase;
//! use taflbase::build::{Build, slices_up_to};
//! use taflbase::position::Position;
//! use taflbase::rules::Ruleset;
//! use taflbase::value::Value;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Ruleset::load("brandubh")?;
//! let folder = tempfile::tempdir()?;
//! // Slices of the king and at most two soldiers, as `taflbase build` does.
//! let slices = slices_up_to(&rules, 3);
//! Build::new(&rules, folder.path(), &slices).run()?;
//!
//! let position = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &rules)?;
//! let board = rules.board;
//! let tables = Tablebase::open(rules, folder.path())?;
//! assert_eq!(tables.probe_dtw(&position)?, Value::Win(3));
//! let line = tables.line(&position)?;
//! let moves: Vec<String> = line.iter().map(|m| m.display(board).to_string()).collect();
//! assert_eq!(moves, ["Kc5-c1", "e2-e1", "Kc1-a1--"]);
//! # Ok(())
//! # }
//! ```
//!
//! An engine makes positions from its squares and bitboards. [`tablebase`] describes how to probe
//! in a search, from many threads.
//!
//! ```
//! use taflbase::Tablebase;
//! use taflbase::board::SquareSet;
//! use taflbase::position::Position;
//! use taflbase::rules::{Ruleset, Side};
//! use taflbase::tablebase::{BlockCache, TablebaseOptions};
//! use taflbase::value::Wdl;
//! # use taflbase::build::{Build, slices_up_to};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let rules = Ruleset::load("brandubh")?;
//! # let folder = tempfile::tempdir()?;
//! # Build::new(&rules, folder.path(), &slices_up_to(&rules, 3)).run()?;
//! # let folder = folder.path();
//! let rules = Ruleset::load("brandubh")?;
//! // The squares of a 7x7 board are numbered 7 * rank + file, from a1: this is c5.
//! let king = rules.board.square(7 * 4 + 2).ok_or("not on the board")?;
//! let attackers = SquareSet::from_words([1 << (7 + 4) | 1 << (7 * 6 + 2), 0, 0, 0, 0, 0]);
//! let position = Position::new(&rules, king, SquareSet::EMPTY, attackers, Side::Defenders)?;
//!
//! let options = TablebaseOptions { cache: BlockCache::new(256 << 20), ..Default::default() };
//! let tables = Tablebase::open_with(rules, folder, options)?;
//! assert_eq!(tables.probe_wdl(&position)?, Wdl::Win);
//! # Ok(())
//! # }
//! ```

// docs.rs builds with a nightly compiler and shows the feature that each item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without `build`, parts of the lower modules that only the builder, verifier and studies use
// are dead code.
#![cfg_attr(not(feature = "build"), allow(dead_code, unused_imports))]

#[cfg(feature = "engine")]
pub mod arena;
#[cfg(feature = "capi")]
pub mod capi;
pub mod draw;
#[cfg(feature = "engine")]
pub mod engine;
mod game;
pub mod index;
#[cfg(feature = "engine")]
pub mod proof;
#[cfg(feature = "engine")]
pub mod protocol;
#[cfg(feature = "serve")]
pub mod pull;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "build")]
mod solve;
mod study;
mod system;
pub mod table;
pub mod tablebase;
#[cfg(feature = "build")]
pub mod verify;

#[cfg(feature = "build")]
#[doc(hidden)]
pub mod kernels {
    //! Inner loops for the benchmarks; not part of the stable interface.
    pub use crate::solve::Kernels;
}

/// Runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use game::{
    board, formations, history, moves, notation, perft, position, record, replay, retractions,
    rules, slice, unmoves, value,
};
#[cfg(feature = "build")]
pub use solve::building as build;
#[cfg(feature = "build")]
pub use study::{bound, manifest, report};
pub use study::{compare, find, proportion, puzzles, rows, short, stats};
#[cfg(feature = "build")]
pub use system::memory;
pub use system::random;
pub use system::{bytes, date, numbers, version};
pub use table::{dont_care, progress};

pub use board::Square;
pub use history::Game;
pub use position::Position;
pub use rules::{Ruleset, Side};
pub use slice::Slice;
pub use tablebase::{ProbeError, Tablebase};
pub use value::{Value, Wdl};
