use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use taflbase::Tablebase;
use taflbase::arena::{Contestant, Surroundings, factory};
use taflbase::history::Game;

use super::super::failure::Failure;

/// The player that is described like in a match.
pub(super) fn opponent(
    described: &str,
    tables: &Arc<Tablebase>,
    game: &Game,
) -> Result<Box<dyn Contestant>, Failure> {
    let around = Surroundings {
        rules: Arc::clone(game.rules()),
        tables: Some(Arc::clone(tables)),
        // Every game is another one.
        seed: RandomState::new().hash_one(0),
    };
    let refused = |error| Failure::Error(format!("--opponent {described:?}: {error}"));
    let make = factory(described, &around).map_err(refused)?;
    let mut player = make().map_err(Failure::error)?;
    player.begin(game).map_err(Failure::error)?;
    Ok(player)
}
