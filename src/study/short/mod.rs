//! Short tafl: the impartial games of C. Tennenhouse's slides "Towards an Impartial Short
//! Tafl Variant", a king and one soldier on a board of any size.
//!
//! The player to move moves either piece; a player who leaves the king without a move wins. The
//! king slides north or west like a rook, over empty squares; the soldier's rule is a
//! [`Soldier`]. Neither piece jumps over the other. No position repeats, so each has a *Grundy
//! value*, the least value that no move from it leads to. If it is 0, the position is a
//! *P-position*: the player to move loses.
//!
//! [`outcomes`] computes the P-positions of a [`Game`], [`grundy_values`] the values.
//! [`theorem`] is the slides' formula, [`patterns`] has proved formulas for the other soldiers,
//! and [`check`] compares both with computed values. [`blocking`] has many soldiers that do not
//! move, [`graph`] plays on any graph, and [`picture`] draws. docs/short-tafl.md has the
//! results.
//!
//! ```
//! use taflbase::short::{Cell, Game, Soldier, outcomes, theorem};
//!
//! # fn main() -> Result<(), taflbase::short::ShortError> {
//! let game = Game::new("8x9".parse()?, Soldier::SouthEast);
//! let solved = outcomes(game, &|_, _| true)?;
//! let (king, soldier) = (Cell::new(6, 8), Cell::new(6, 7));
//! assert!(solved.is_p(king, soldier) && theorem::is_p(king, soldier));
//! assert_eq!(solved.p_positions().count(), 171);
//! # Ok(())
//! # }
//! ```

pub mod blocking;
mod board;
pub mod check;
mod error;
mod game;
pub mod graph;
mod mex;
pub mod patterns;
pub mod picture;
mod soldier;
mod solve;
mod solved;
pub mod theorem;

pub use board::{Board, Cell};
pub use error::ShortError;
pub use game::Game;
pub use soldier::Soldier;
pub use solve::{grundy_values, memory_bytes, outcomes};
pub use solved::Solved;
