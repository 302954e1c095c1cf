//! Short tafl: the impartial games of C. Tennenhouse's slides "Towards an Impartial Short
//! Tafl Variant", a king and one soldier on a board of any size.
//!
//! Whoever is to move moves either piece; whoever leaves the king without a move wins. The
//! king slides north or west like a rook, over empty squares; how the soldier moves is a
//! [`Soldier`]. Neither piece jumps over the other. No position comes back, so each has
//! a *Grundy value*, the least number that no move from it leads to; where that is 0, in
//! a *P-position*, whoever is to move loses.
//!
//! [`outcomes`] finds the P-positions of a [`Game`], [`grundy_values`] the values;
//! [`theorem`] is the slides' formula, [`patterns`] what is known of the other soldiers, and
//! [`check`] compares both with what was computed. [`blocking`] has many soldiers that do not
//! move, [`graph`] plays on any graph, and
//! [`picture`] draws. docs/short-tafl.md tells what was found.
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
