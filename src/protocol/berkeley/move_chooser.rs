use std::time::{Duration, Instant};

use crate::engine::{Clock, Engine, EngineError, Iteration, Limits, Line, Score};
use crate::game::board::Symmetry;
use crate::game::history::Game;
use crate::game::moves::{Move, find_move};
use crate::system::random::SeededRng;

/// The search limits of a [`Session`](super::Session).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchBudget {
    /// Minimum depth of a search, if time permits.
    pub plies: u32,
    /// Positions to search if the minimum depth takes fewer.
    pub nodes: u64,
    /// Total time for a game, for both sides; late moves get less.
    pub game: Duration,
    /// From this ply on, moves are random unless a win or loss is proved. These rules have no
    /// draws, and two careful players might never finish.
    pub careful_plies: usize,
}

impl Default for SearchBudget {
    /// Finds wins in up to four own moves. A game against itself takes at most three minutes. The
    /// time limit ends searches on slow machines only, so that games are reproducible.
    fn default() -> SearchBudget {
        let game = Duration::from_secs(80);
        SearchBudget { plies: 7, nodes: 1_000_000, game, careful_plies: 200 }
    }
}

/// Chooses the engine's moves.
pub(super) struct MoveChooser {
    engine: Engine,
    budget: SearchBudget,
    /// Remaining time of the game.
    time_left: Duration,
    random: SeededRng,
}

impl MoveChooser {
    pub(super) fn new(engine: Engine, budget: SearchBudget, seed: u64) -> MoveChooser {
        MoveChooser { engine, budget, time_left: budget.game, random: seeded_rng(seed) }
    }

    /// Starts a new game.
    pub(super) fn begin(&mut self) {
        self.time_left = self.budget.game;
        self.engine.clear();
    }

    /// Seeds the random choices: the same seed and moves give the same replies.
    pub(super) fn seed(&mut self, seed: u64) {
        self.random = seeded_rng(seed);
        self.engine.clear();
    }

    /// Chooses a move in a game that is not over.
    pub(super) fn choose(&mut self, game: &Game) -> Result<Move, EngineError> {
        let started = Instant::now();
        let found = self.search(game, started);
        self.time_left = self.time_left.saturating_sub(started.elapsed());
        let best = &found?.lines[0];
        if game.moves().len() >= self.budget.careful_plies && is_undecided(best) {
            let moves = game.playable_moves();
            return Ok(*self.random.choose(&moves).unwrap_or(&best.moves[0]));
        }
        Ok(self.random_image(game, best.moves[0]))
    }

    fn search(&mut self, game: &Game, started: Instant) -> Result<Iteration, EngineError> {
        let clock = Clock::Game { left: self.time_left, increment: Duration::ZERO };
        let limits = clock.limits(Duration::ZERO);
        // First spend the node budget, then search on to the minimum depth if that was not enough.
        let first = Limits { nodes: Some(self.budget.nodes), ..limits };
        let found = self.engine.search(game, first, &mut |_| {})?;
        let time = limits.time.map(|time| time.saturating_sub(started.elapsed()));
        if found.depth >= self.budget.plies
            || !is_undecided(&found.lines[0])
            || time == Some(Duration::ZERO)
        {
            return Ok(found);
        }
        let rest = Limits { depth: Some(self.budget.plies), nodes: None, time };
        let deeper = self.engine.search(game, rest, &mut |_| {})?;
        Ok(if deeper.depth >= found.depth { deeper } else { found })
    }

    /// Returns a random mirror image of a move, under the symmetries that all positions of the game
    /// have: these images are equally good.
    fn random_image(&mut self, game: &Game, chosen: Move) -> Move {
        let rules = game.rules();
        let shared: Vec<Symmetry> =
            rules.symmetries().iter().filter(|symmetry| is_symmetric(game, *symmetry)).collect();
        self.random
            .choose(&shared)
            .and_then(|symmetry| image(game, chosen, *symmetry))
            .unwrap_or(chosen)
    }
}

/// Whether all positions of a game have a symmetry.
fn is_symmetric(game: &Game, symmetry: Symmetry) -> bool {
    game.positions().iter().all(|position| position.image(game.rules(), symmetry) == *position)
}

/// Finds the image of a move.
fn image(game: &Game, played: Move, symmetry: Symmetry) -> Option<Move> {
    let board = game.rules().board;
    let (from, to) = (symmetry.apply(board, played.from), symmetry.apply(board, played.to));
    find_move(game.rules(), game.position(), from, to)
}

fn is_undecided(line: &Line) -> bool {
    matches!(line.score, Score::Estimate(_))
}

fn seeded_rng(seed: u64) -> SeededRng {
    SeededRng::for_purpose(seed, b"berkeley")
}
