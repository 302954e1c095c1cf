//! Checks of a request before the search.

use crate::game::history::Game;
use crate::game::moves::{Move, find_move};
use crate::game::rules::Ruleset;

use super::error::EngineError;

/// Checks that the game is played by these rules.
pub(super) fn check_rules(game: &Game, rules: &Ruleset) -> Result<(), EngineError> {
    if game.rules().is_same_game_as(rules) { Ok(()) } else { Err(EngineError::OtherRules) }
}

/// Checks that these are legal moves in the game's position.
pub(super) fn check_moves(game: &Game, moves: &[Move]) -> Result<(), EngineError> {
    let (rules, position) = (game.rules(), game.position());
    for mv in moves {
        let is_legal = find_move(rules, position, mv.from, mv.to).as_ref() == Some(mv);
        if !is_legal || game.is_barred(mv) {
            return Err(EngineError::IllegalMove { text: mv.display(rules.board).to_string() });
        }
    }
    Ok(())
}
