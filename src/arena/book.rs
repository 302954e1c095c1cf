use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::game::history::Game;
use crate::game::moves::{Move, has_move, legal_moves};
use crate::game::position::{Position, PositionError};
use crate::game::rules::Ruleset;
use crate::system::numbers::counted;
use crate::system::random::SeededRng;

/// The number of useless openings in a row after which the search for more ends.
const MAX_FAILURES: u32 = 2000;

/// An error in the generation of openings.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BookError {
    /// The ruleset's starting position is invalid.
    Start(PositionError),
    /// There are fewer openings than wanted.
    TooFew {
        /// The number of plies of an opening.
        plies: u32,
        /// The number of openings found.
        found: usize,
        /// The number of openings wanted.
        wanted: usize,
        /// Whether most games are over or decided before the end of an opening.
        are_too_long: bool,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::Start(error) => write!(f, "the starting position of these rules: {error}"),
            BookError::TooFew { plies, found, wanted, are_too_long } => write!(
                f,
                "of {wanted} openings of {}, only {found} can be found: take {} openings or fewer \
                 games",
                counted(*plies, ["ply", "plies"]),
                if *are_too_long { "shorter" } else { "longer" }
            ),
        }
    }
}

impl std::error::Error for BookError {}

/// Returns random openings of this many plies from the starting position. They lead to different
/// positions, where mirror images count as equal. No position is repeated within an opening, and
/// at its end neither side could win with its next move. The same seed gives the same openings,
/// and the first ones do not depend on `wanted`. With 0 plies, all openings are empty.
///
/// # Errors
/// If there are fewer openings than wanted, or the starting position is invalid.
pub fn openings(
    rules: &Arc<Ruleset>,
    plies: u32,
    seed: u64,
    wanted: usize,
) -> Result<Vec<Vec<Move>>, BookError> {
    let start = Game::new(Arc::clone(rules)).map_err(BookError::Start)?;
    if plies == 0 {
        return Ok(vec![Vec::new(); wanted]);
    }
    let mut random = SeededRng::for_purpose(seed, b"openings");
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    // Since the last opening: games that were useless, and games to a known position.
    let (mut useless, mut repeated) = (0, 0);
    while found.len() < wanted {
        match random_game(&start, plies, &mut random) {
            Some(game) if known.insert(canonical(rules, game.position())) => {
                found.push(game.moves().to_vec());
                (useless, repeated) = (0, 0);
            }
            Some(_) => repeated += 1,
            None => useless += 1,
        }
        if useless + repeated == MAX_FAILURES {
            let are_too_long = useless > repeated;
            return Err(BookError::TooFew { plies, found: found.len(), wanted, are_too_long });
        }
    }
    Ok(found)
}

/// Plays a random game of this many plies; `None` if it is useless as an opening.
fn random_game(start: &Game, plies: u32, random: &mut SeededRng) -> Option<Game> {
    let mut game = start.clone();
    for _ in 0..plies {
        game.push(random.choose(&game.playable_moves())?);
        let (now, before) = game.positions().split_last()?;
        if game.outcome().is_some() || before.contains(now) {
            return None;
        }
    }
    (!is_decided(game.rules(), game.position())).then_some(game)
}

/// Returns whether the game could end with the next move of either side if it were to move.
fn is_decided(rules: &Ruleset, position: &Position) -> bool {
    let other = Position { to_move: position.to_move.other(), ..*position };
    [position, &other].into_iter().any(|position| may_end_at_once(rules, position))
}

/// Returns whether a move of the side to move ends the game, whoever wins, or leaves the other side
/// without a move.
fn may_end_at_once(rules: &Ruleset, position: &Position) -> bool {
    legal_moves(rules, position)
        .iter()
        .any(|played| played.ending.is_some() || !has_move(rules, &position.after(played)))
}

/// Returns the canonical one of a position's mirror images.
fn canonical(rules: &Ruleset, position: &Position) -> Position {
    let images = rules.symmetries().iter().map(|symmetry| position.image(rules, symmetry));
    images.min().unwrap_or(*position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brandubh() -> Arc<Ruleset> {
        Arc::new(Ruleset::builtin("brandubh").unwrap())
    }

    #[test]
    fn openings_are_legal_distinct_and_open() {
        let rules = brandubh();
        let mut ends = HashSet::new();
        for opening in openings(&rules, 6, 7, 200).unwrap() {
            let mut game = Game::new(Arc::clone(&rules)).unwrap();
            for played in &opening {
                assert!(legal_moves(&rules, game.position()).contains(played));
                game.push(played);
                assert_eq!(game.outcome(), None);
            }
            assert_eq!(game.moves().len(), 6);
            let different: HashSet<_> = game.positions().iter().collect();
            assert_eq!(different.len(), 7);
            for to_move in crate::game::rules::Side::ALL {
                let position = Position { to_move, ..*game.position() };
                for played in legal_moves(&rules, &position) {
                    let after = position.after(&played);
                    assert!(played.ending.is_none() && has_move(&rules, &after));
                }
            }
            for symmetry in rules.symmetries().iter() {
                assert!(!ends.contains(&game.position().image(&rules, symmetry)));
            }
            ends.insert(*game.position());
        }
    }

    #[test]
    fn nothing_comes_twice_even_where_the_rules_allow_it() {
        let text = include_str!("../../tests/rulesets/mini-corner.toml");
        let text = text.replace("repetition = \"draw\"", "repetition = \"allowed\"");
        let rules = Arc::new(Ruleset::from_toml(&text, "here").unwrap());
        for opening in openings(&rules, 12, 0, 100).unwrap() {
            let mut game = Game::new(Arc::clone(&rules)).unwrap();
            opening.iter().for_each(|played| game.push(played));
            assert_eq!(game.positions().iter().collect::<HashSet<_>>().len(), 13);
        }
    }

    #[test]
    fn the_seed_decides_and_longer_books_begin_alike() {
        let rules = brandubh();
        let few = openings(&rules, 4, 1, 20).unwrap();
        assert_eq!(openings(&rules, 4, 1, 50).unwrap()[..20], few);
        assert_ne!(openings(&rules, 4, 2, 20).unwrap(), few);
        assert_eq!(openings(&rules, 0, 1, 2).unwrap(), [[], []]);
    }

    #[test]
    fn too_few_openings_are_an_error() {
        let error = openings(&brandubh(), 1, 0, 50).unwrap_err();
        // The 40 first moves are 5 by symmetry.
        let message =
            "of 50 openings of 1 ply, only 5 can be found: take longer openings or fewer games";
        assert_eq!(error.to_string(), message);
        let text = include_str!("../../tests/rulesets/mini-corner.toml");
        let text = text.replace("size = 5\n", "size = 5\nply-limit = 6\n");
        let rules = Arc::new(Ruleset::from_toml(&text, "here").unwrap());
        let error = openings(&rules, 6, 0, 2).unwrap_err();
        let message =
            "of 2 openings of 6 plies, only 0 can be found: take shorter openings or fewer games";
        assert_eq!(error.to_string(), message);
    }
}
