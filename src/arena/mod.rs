//! Matches between two players, and the difference in their strength.
//!
//! [`factory`] creates players from descriptions like `engine:hash=16`. A [`Tournament`] plays
//! pairs of games with reversed colours from random [`openings`], several games at a time. A
//! [`Store`] saves the games, so that an interrupted match can be resumed. [`Pairs`] estimates
//! the difference in [`Elo`], and an [`Sprt`] stops the match when it is decided.
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
//! let context = PlayerContext { rules: Arc::clone(&rules), tables: None, proofs: None, seed: 1 };
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
mod description;
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
pub use description::{DescriptionError, Factory, PlayerContext};
pub use elo::{Elo, Pairs};
pub use levels::Level;
pub use players::factory;
pub use record::{GameRecord, PlayerId, SavedSettings, Settings};
pub use results::{Results, Standing, Tally};
pub use sprt::{Hypothesis, Sprt};
pub use store::{Store, StoreError};
pub use tournament::{Tournament, TournamentError};
