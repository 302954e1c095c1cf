//! Matches: any two players against each other, over many games, with what their results
//! say about their strength.
//!
//! [`factory`] makes players of descriptions like `engine:hash=16`. A [`Tournament`] has
//! them play pairs of games from random [`openings`], both colours, some games at a time;
//! a [`Store`] keeps the games and lets a match go on that was stopped. [`Pairs`] tells
//! the difference in [`Elo`], and an [`Sprt`] when enough games are played.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//!
//! use taflbase::Ruleset;
//! use taflbase::arena::{PlayerContext, Settings, Tournament, factory};
//! use taflbase::engine::Clock;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Arc::new(Ruleset::load("brandubh")?);
//! let context = PlayerContext { rules: Arc::clone(&rules), tables: None, seed: 1 };
//! let players = ["random:seed=1".to_owned(), "random:seed=2".to_owned()];
//! let tournament = Tournament {
//!     players: [factory(&players[0], &context)?, factory(&players[1], &context)?],
//!     settings: Settings {
//!         rules,
//!         players,
//!         clock: Clock::Nodes(1000),
//!         seed: 1,
//!         book_plies: 4,
//!         max_plies: 400,
//!     },
//!     pairs: 5,
//!     sprt: None,
//!     concurrency: NonZeroUsize::MIN,
//! };
//! let results = tournament.run(None, &AtomicBool::new(false), &mut |_, _| {})?;
//! assert_eq!(results.standing().games(), 10);
//! # Ok(())
//! # }
//! ```

mod book;
mod contestant;
mod elo;
mod levels;
mod pilarski;
mod played_game;
mod players;
mod record;
mod results;
mod sprt;
mod store;
mod tournament;

pub use book::{BookError, openings};
pub use contestant::Contestant;
pub use elo::{Elo, Pairs};
pub use levels::Level;
pub use players::{DescriptionError, Factory, PlayerContext, factory};
pub use record::{GameRecord, PlayerId, SavedSettings, Settings};
pub use results::{Results, Standing, Tally};
pub use sprt::{Hypothesis, Sprt};
pub use store::{Store, StoreError};
pub use tournament::{Tournament, TournamentError};
