//! A second, independent implementation of every game, with which the library is compared: of
//! the built-in rulesets from their texts, and of ruleset files from `docs/rulesets.md`.
//!
//! It shares no code with the library, uses no symmetry, and does everything in the most
//! obvious way: a board is a list of letters, a move makes a new board, and a slice is solved
//! by examining all its positions again and again. Change it only if it misread the rules'
//! text.

// Each test program uses a part of this module.
#![allow(dead_code, unused_imports)]

mod boards;
mod custom;
mod enclosures;
mod event;
mod file;
mod game;
mod position;
mod rules;
mod solve;

pub(crate) use custom::Custom;
pub(crate) use event::Event;
pub(crate) use game::Game;
pub(crate) use position::{ATTACKER, DEFENDER, KING, Position, Side};
pub(crate) use rules::Rules;
pub(crate) use solve::{Outcome, Solver};
