//! A sample of placements: how many of them games can come to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::game::history::Game;
use crate::game::moves::{find_move, has_move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::study::share::Share;
use crate::system::random::{SeededRng, mix};
use crate::table::dont_care::is_decided;

use super::chain::{Bounds, unmoved};
use super::error::BoundError;
use super::ground::Ground;
use super::number::part;
use super::placements::Placements;
use super::proof::{Verdict, prove};

/// Which placements are drawn, and how much is done for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// How many.
    pub placements: u64,
    /// The same seed draws the same ones.
    pub seed: u64,
    /// How many positions the search for a proof game may make.
    pub budget: u64,
}

/// A placement that was drawn, with a side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The position.
    pub position: Position,
    /// What was found of it.
    pub verdict: Verdict,
    /// Whether the side to move wins at once, by an escape or by capturing the king.
    pub is_decided: bool,
    /// Whether the side to move has no move.
    pub is_stuck: bool,
}

/// What a sample tells of all placements.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Those that a proof game leads to.
    pub reached: Share,
    /// Those to which no game leads.
    pub unreachable: Share,
    /// Those of which the budget was too small to tell.
    pub unknown: Share,
    /// Those in which the side to move wins at once.
    pub decided: Share,
    /// Those in which it has no move.
    pub stuck: Share,
    /// The mean length of the proof games, and the longest, in plies.
    pub plies: Option<(f64, usize)>,
    /// Positions that games can come to: what is estimated, with the ends of its exact 95 %
    /// interval.
    pub positions: [BigUint; 3],
}

/// Draws placements, each as likely as any other that the tightest bound counts, with either
/// side to move; looks for a proof game of each, and plays it by the rules.
///
/// `go_on` is told now and then how many of how many are done, from any thread, and whether
/// to go on is its answer. What comes of it does not depend on the threads.
///
/// # Errors
/// If the ruleset's start is no legal position, or `go_on` does not want to.
pub fn sample(
    ground: &Ground,
    sampling: Sampling,
    go_on: &(dyn Fn(u64, u64) -> bool + Sync),
) -> Result<Vec<Drawn>, BoundError> {
    let start = Position::start(ground.rules)?;
    let placements = Placements::new(ground, unmoved(ground)?);
    let rules = Arc::new(ground.rules.clone());
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let drawn: Option<Vec<Drawn>> = (0..sampling.placements)
        .into_par_iter()
        .map(|number| {
            let mut random = SeededRng::new(mix(mix(sampling.seed) ^ number));
            let position = placements.draw(&mut random);
            let verdict = prove(ground, &start, &position, sampling.budget, &stop)?;
            if let Verdict::Reached(game) = &verdict {
                assert!(is_game(&rules, game, &position), "no game leads to {position:?}");
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if !go_on(done, sampling.placements) {
                stop.store(true, Ordering::Relaxed);
            }
            let is_decided = is_decided(ground.rules, &position);
            let is_stuck = !has_move(ground.rules, &position);
            Some(Drawn { position, verdict, is_decided, is_stuck })
        })
        .collect();
    match drawn {
        Some(drawn) if !stop.load(Ordering::Relaxed) => Ok(drawn),
        _ => Err(BoundError::Stopped),
    }
}

/// Whether these are the positions of a game from the ruleset's start that leads to the last
/// one, and goes on until it is there.
pub fn is_game(rules: &Arc<Ruleset>, positions: &[Position], target: &Position) -> bool {
    let Ok(mut game) = Game::new(Arc::clone(rules)) else {
        return false;
    };
    for position in positions.iter().skip(1) {
        let moves = legal_moves(rules, game.position());
        let played = moves.iter().find(|played| game.position().after(played) == *position);
        let Some(played) = played.filter(|_| game.outcome().is_none()) else {
            return false;
        };
        game.push(played);
    }
    let is_over = game.outcome().is_some_and(|_| has_move(rules, game.position()));
    positions.first() == game.positions().first() && game.position() == target && !is_over
}

/// The squares from and to of a proof game's moves.
pub fn moves(rules: &Ruleset, positions: &[Position]) -> Vec<String> {
    let pairs = positions.windows(2).filter_map(|pair| {
        let moves = legal_moves(rules, &pair[0]);
        let played = moves.iter().find(|played| pair[0].after(played) == pair[1])?;
        find_move(rules, &pair[0], played.from, played.to)
    });
    pairs.map(|played| played.display(rules.board).to_string()).collect()
}

impl Estimate {
    /// What these placements tell.
    pub fn new(bounds: &Bounds, drawn: &[Drawn]) -> Estimate {
        let all = drawn.len() as u64;
        let share = |is: &dyn Fn(&Drawn) -> bool| {
            Share::exact(drawn.iter().filter(|drawn| is(drawn)).count() as u64, all)
        };
        let lengths: Vec<usize> = drawn.iter().filter_map(Drawn::plies).collect();
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
        let reached = share(&|drawn| matches!(drawn.verdict, Verdict::Reached(_)));
        let positions = bounds.placements() * 2_u8;
        let estimates = [reached.share, reached.low, reached.high];
        Estimate {
            reached,
            unreachable: share(&|drawn| drawn.verdict == Verdict::Unreachable),
            unknown: share(&|drawn| drawn.verdict == Verdict::Unknown),
            decided: share(&|drawn| drawn.is_decided),
            stuck: share(&|drawn| drawn.is_stuck),
            plies: lengths.iter().max().map(|&longest| (mean, longest)),
            positions: estimates.map(|share| part(&positions, share)),
        }
    }
}

impl Drawn {
    /// How many plies the proof game has.
    pub fn plies(&self) -> Option<usize> {
        match &self.verdict {
            Verdict::Reached(game) => Some(game.len() - 1),
            _ => None,
        }
    }
}
