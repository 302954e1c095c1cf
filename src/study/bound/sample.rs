//! Random samples of placements, and estimates of how many are reachable.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::game::history::Game;
use crate::game::moves::{Move, each_legal_move, has_move};
use crate::game::position::Position;
use crate::game::rules::{Repetition, Ruleset};
use crate::study::proportion::Proportion;
use crate::system::random::{SeededRng, mix};
use crate::table::dont_care::is_decided;

use super::bounds::{Bounds, unmoved};
use super::error::BoundError;
use super::number::part;
use super::placements::Placements;
use super::proof::{ProofGame, prove};
use super::reachability::Reachability;

/// The parameters of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// The number of placements.
    pub placements: u64,
    /// The random seed; the same seed draws the same placements.
    pub seed: u64,
    /// The maximum number of positions that each search for a proof game generates.
    pub budget: u64,
}

/// A placement of a sample, with a side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampledPlacement {
    /// The position.
    pub position: Position,
    /// The result of the search for a proof game.
    pub proof_game: ProofGame,
    /// The side to move wins at once, by an escape or by capturing the king.
    pub is_decided: bool,
    /// The side to move has no move.
    pub is_stuck: bool,
}

/// Estimates for all placements, from a sample.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Placements to which a proof game was found.
    pub reached: Proportion,
    /// Placements proved to be unreachable.
    pub unreachable: Proportion,
    /// Placements for which the budget was too small.
    pub unknown: Proportion,
    /// Placements in which the side to move wins at once.
    pub decided: Proportion,
    /// Placements in which the side to move has no move.
    pub stuck: Proportion,
    /// The mean and the maximum length of the proof games, in plies.
    pub plies: Option<(f64, usize)>,
    /// The estimated number of reachable positions, and the ends of its exact 95 % interval.
    pub positions: [BigUint; 3],
}

/// Draws placements uniformly from those that the tightest bound counts, with either side to
/// move, searches for a proof game of each, and replays it by the rules.
///
/// `go_on(done, total)` is called from any thread; return `false` to stop. The result does not
/// depend on the number of threads.
///
/// # Errors
/// If the ruleset's start is not a legal position, or `go_on` returned `false`.
pub fn sample(
    reachability: &Reachability,
    sampling: Sampling,
    go_on: &(dyn Fn(u64, u64) -> bool + Sync),
) -> Result<Vec<SampledPlacement>, BoundError> {
    let start = Position::start(reachability.rules)?;
    let placements = Placements::new(reachability, unmoved(reachability)?);
    let rules = Arc::new(reachability.rules.clone());
    let (stop, finished) = (AtomicBool::new(false), AtomicU64::new(0));
    let drawn: Option<Vec<SampledPlacement>> = (0..sampling.placements)
        .into_par_iter()
        .map(|number| {
            let mut random = SeededRng::new(mix(mix(sampling.seed) ^ number));
            let position = placements.draw(&mut random);
            let mut proof_game = prove(reachability, &start, &position, sampling.budget, &stop)?;
            if let ProofGame::Reached(game) = &proof_game
                && !is_game(&rules, game, &position)
            {
                // The search for games does not know which repetitions the defenders may not make.
                let is_barred = rules.repetition == Repetition::DefendersBarred;
                assert!(is_barred, "no game leads to {position:?}");
                proof_game = ProofGame::Unknown;
            }
            let done = finished.fetch_add(1, Ordering::Relaxed) + 1;
            if !go_on(done, sampling.placements) {
                stop.store(true, Ordering::Relaxed);
            }
            let is_decided = is_decided(reachability.rules, &position);
            let is_stuck = !has_move(reachability.rules, &position);
            Some(SampledPlacement { position, proof_game, is_decided, is_stuck })
        })
        .collect();
    match drawn {
        Some(drawn) if !stop.load(Ordering::Relaxed) => Ok(drawn),
        _ => Err(BoundError::Stopped),
    }
}

/// Returns whether these are the positions of a game from the ruleset's start to the target
/// that does not end before it.
pub fn is_game(rules: &Arc<Ruleset>, positions: &[Position], target: &Position) -> bool {
    let Ok(mut game) = Game::new(Arc::clone(rules)) else {
        return false;
    };
    for position in positions.iter().skip(1) {
        match move_between(rules, game.position(), position) {
            Some(played) if game.outcome().is_none() && !game.is_barred(&played) => {
                game.push(&played);
            }
            _ => return false,
        }
    }
    // A side to move without a move has lost, but its position counts as a placement.
    let is_over = game.outcome().is_some_and(|_| has_move(rules, game.position()));
    positions.first() == game.positions().first() && game.position() == target && !is_over
}

/// Returns the moves of a proof game as text.
pub fn moves(rules: &Ruleset, positions: &[Position]) -> Vec<String> {
    let moves = positions.windows(2).filter_map(|pair| move_between(rules, &pair[0], &pair[1]));
    moves.map(|played| played.display(rules.board).to_string()).collect()
}

/// Returns the legal move that leads from one position to the other.
fn move_between(rules: &Ruleset, before: &Position, after: &Position) -> Option<Move> {
    each_legal_move(rules, before).find(|played| before.after(played) == *after)
}

impl Estimate {
    /// Computes the estimates from a sample.
    pub fn new(bounds: &Bounds, sample: &[SampledPlacement]) -> Estimate {
        let lengths: Vec<usize> = sample.iter().filter_map(SampledPlacement::plies).collect();
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
        let reached = proportion(sample, |it| matches!(it.proof_game, ProofGame::Reached(_)));
        let positions = bounds.placements() * 2_u8;
        let estimates = [reached.value, reached.low, reached.high];
        Estimate {
            reached,
            unreachable: proportion(sample, |it| it.proof_game == ProofGame::Unreachable),
            unknown: proportion(sample, |it| it.proof_game == ProofGame::Unknown),
            decided: proportion(sample, |it| it.is_decided),
            stuck: proportion(sample, |it| it.is_stuck),
            plies: lengths.iter().max().map(|&longest| (mean, longest)),
            positions: estimates.map(|share| part(&positions, share)),
        }
    }
}

fn proportion(
    sample: &[SampledPlacement],
    holds: impl Fn(&SampledPlacement) -> bool,
) -> Proportion {
    let successes = sample.iter().filter(|placement| holds(placement)).count();
    Proportion::exact(successes as u64, sample.len() as u64)
}

impl SampledPlacement {
    /// Returns the length of the proof game in plies, if one was found.
    pub fn plies(&self) -> Option<usize> {
        match &self.proof_game {
            ProofGame::Reached(game) => Some(game.len() - 1),
            _ => None,
        }
    }
}
