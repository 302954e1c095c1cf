//! The probe of proved positions at the root, where the tables lack the position.
//!
//! Proofs ignore a game's history and its ply limit, as tables do. A proved win holds for this game
//! if none of its positions that can be repeated can occur in play by the strategy: each has a
//! higher order than the current position, or none.

use crate::engine::iteration::{Line, Score};
use crate::engine::proved::ProvedPositions;
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::Repetition;
use crate::game::value::{Wdl, WdlBounds};

use super::certainty::wins_hold;
use super::root_probe::{KnownValue, RankedMove, RootProbe, endless_holds};

/// A root move with what is proved of it, for the side that plays it.
type BoundedMove = (Move, WdlBounds);

/// Asks the proofs about these moves.
pub(super) fn probe_root(proofs: &dyn ProvedPositions, game: &Game, moves: &[Move]) -> RootProbe {
    if let Some(line) = winning_line(proofs, game, moves) {
        return RootProbe::Lines(vec![line]);
    }
    let bounded: Vec<BoundedMove> =
        moves.iter().map(|&played| (played, move_bounds(proofs, game, &played))).collect();
    if bounded.iter().all(|(_, bounds)| !bounds.is_known()) {
        return RootProbe::None;
    }
    // Of a choice among some of the moves, only the best of these is known.
    let bounds = WdlBounds::best(bounded.iter().map(|&(_, bounds)| bounds));
    match bounds.exact() {
        Some(Wdl::Win) => won(game, bounded),
        Some(Wdl::Loss) => lost(game, bounded),
        Some(Wdl::Draw) => drawn(game, bounded),
        None => rest(bounded, None, |bounds| bounds.at_most > Wdl::Loss),
    }
}

/// Returns the move of a strategy that wins this game, with its history, whatever is played.
fn winning_line(proofs: &dyn ProvedPositions, game: &Game, moves: &[Move]) -> Option<Line> {
    let position = game.position();
    let played = proofs.winning_move(position).filter(|played| moves.contains(played))?;
    let order = proofs.order(position, position.to_move)?;
    let is_met_again = |earlier| {
        let other = proofs.order(earlier, position.to_move);
        other.is_some_and(|other| other < order)
    };
    // A win of unknown length may come too late.
    let holds = game.plies_left().is_none()
        && wins_hold(game.rules(), position.to_move)
        && !game.earlier_positions().any(is_met_again);
    holds.then(|| Line { score: Score::ProvedWin, depth: 1, moves: vec![played] })
}

/// Returns the bounds of a move in this game, where it may end the game by repetition.
fn move_bounds(proofs: &dyn ProvedPositions, game: &Game, played: &Move) -> WdlBounds {
    let mover = game.position().to_move;
    let mut then = game.clone();
    then.push(played);
    match then.outcome() {
        Some(outcome) => WdlBounds::exactly(match outcome.winner {
            Some(winner) if winner == mover => Wdl::Win,
            Some(_) => Wdl::Loss,
            None => Wdl::Draw,
        }),
        None => -proofs.bounds(then.position()),
    }
}

/// Leaves the choice among the moves that keep a win to the search, which knows the history.
fn won(game: &Game, moves: Vec<BoundedMove>) -> RootProbe {
    let is_certain = wins_hold(game.rules(), game.position().to_move);
    let holds = is_certain && !game.can_repeat() && game.plies_left().is_none();
    let known = holds.then_some(KnownValue::ProvedWin);
    // If the winner would have to repeat and lose, other moves may be better.
    let loses_by_repetition =
        game.can_repeat() && game.rules().repetition == Repetition::MoverLoses;
    if loses_by_repetition || !is_certain {
        return rest(moves, known, |bounds| bounds.at_most > Wdl::Loss);
    }
    rest(moves, known, |bounds| bounds.at_least == Wdl::Win)
}

/// Leaves the choice of a defence to the search.
fn lost(game: &Game, moves: Vec<BoundedMove>) -> RootProbe {
    let holds = wins_hold(game.rules(), game.position().to_move.other())
        && !game.can_repeat()
        && game.plies_left().is_none();
    rest(moves, holds.then_some(KnownValue::ProvedLoss), |_| true)
}

/// Leaves the choice among the moves after which neither side can force a win to the search.
fn drawn(game: &Game, moves: Vec<BoundedMove>) -> RootProbe {
    let known = match endless_holds(game, game.position().to_move) {
        Some(Wdl::Draw) => Some(KnownValue::Draw),
        Some(Wdl::Win) => Some(KnownValue::ProvedWin),
        Some(Wdl::Loss) => Some(KnownValue::ProvedLoss),
        None => None,
    };
    rest(moves, known, |bounds| bounds.at_least == Wdl::Draw)
}

fn rest(
    moves: Vec<BoundedMove>,
    known: Option<KnownValue>,
    keeps: impl Fn(WdlBounds) -> bool,
) -> RootProbe {
    let kept = moves.into_iter().filter(|&(_, bounds)| keeps(bounds));
    RootProbe::Moves {
        moves: kept.map(|(played, _)| RankedMove::unproved(played)).collect(),
        known,
    }
}
