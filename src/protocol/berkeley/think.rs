use std::time::{Duration, Instant};

use crate::engine::{Clock, Engine, EngineError, Iteration, Limits, Line, Score};
use crate::game::board::Symmetry;
use crate::game::history::Game;
use crate::game::moves::{Move, find_move, legal_moves};
use crate::system::random::SeededRng;

/// How long a [`Session`](super::Session)'s engine thinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// At least so many plies a move, as long as there is time.
    pub plies: u32,
    /// As many plies as these positions take, if that is more.
    pub nodes: u64,
    /// For all moves of a game, of both sides: moves that come late get less.
    pub game: Duration,
    /// From this ply of a game on, moves are random where no win or loss is in sight:
    /// there are no draws, and two careful players may never come to an end.
    pub careful_plies: usize,
}

impl Default for Effort {
    /// A win within four own moves is found. A game with itself ends within three
    /// minutes. Only on a slow machine is it the time that ends a search, so that the
    /// same game can be played again.
    fn default() -> Effort {
        let game = Duration::from_secs(80);
        Effort { plies: 7, nodes: 1_000_000, game, careful_plies: 200 }
    }
}

/// Chooses the engine's moves.
pub(super) struct Thinker {
    engine: Engine,
    effort: Effort,
    /// What is left of the game's time.
    left: Duration,
    random: SeededRng,
}

impl Thinker {
    pub(super) fn new(engine: Engine, effort: Effort, seed: u64) -> Thinker {
        Thinker { engine, effort, left: effort.game, random: random(seed) }
    }

    /// A new game begins.
    pub(super) fn begin(&mut self) {
        self.left = self.effort.game;
        self.engine.clear();
    }

    /// From here on, the same moves are answered by the same moves.
    pub(super) fn seed(&mut self, seed: u64) {
        self.random = random(seed);
        self.engine.clear();
    }

    /// A move in a game that is not over.
    pub(super) fn choose(&mut self, game: &Game) -> Result<Move, EngineError> {
        let started = Instant::now();
        let found = self.search(game, started);
        self.left = self.left.saturating_sub(started.elapsed());
        let best = &found?.lines[0];
        if game.moves().len() >= self.effort.careful_plies && is_undecided(best) {
            let moves = legal_moves(game.rules(), game.position());
            return Ok(*self.random.choose(&moves).unwrap_or(&best.moves[0]));
        }
        Ok(self.some_image(game, best.moves[0]))
    }

    fn search(&mut self, game: &Game, started: Instant) -> Result<Iteration, EngineError> {
        let clock = Clock::Game { left: self.left, increment: Duration::ZERO };
        let limits = clock.limits(Duration::ZERO);
        let few = Limits { nodes: Some(self.effort.nodes), ..limits };
        let found = self.engine.search(game, few, &mut |_| {})?;
        let time = limits.time.map(|time| time.saturating_sub(started.elapsed()));
        if found.depth >= self.effort.plies
            || !is_undecided(&found.lines[0])
            || time == Some(Duration::ZERO)
        {
            return Ok(found);
        }
        let deep = Limits { depth: Some(self.effort.plies), nodes: None, time };
        let deeper = self.engine.search(game, deep, &mut |_| {})?;
        Ok(if deeper.depth >= found.depth { deeper } else { found })
    }

    /// One of the mirror images of a move, where none is better than another: all
    /// positions of the game are mirror images of themselves, too.
    fn some_image(&mut self, game: &Game, chosen: Move) -> Move {
        let rules = game.rules();
        let keeps = |symmetry: &Symmetry| {
            game.positions().iter().all(|position| position.image(rules, *symmetry) == *position)
        };
        let kept: Vec<Symmetry> = rules.symmetries().iter().filter(keeps).collect();
        let image = |symmetry: &Symmetry| {
            let square = |square| symmetry.apply(rules.board, square);
            find_move(rules, game.position(), square(chosen.from), square(chosen.to))
        };
        self.random.choose(&kept).and_then(image).unwrap_or(chosen)
    }
}

fn is_undecided(line: &Line) -> bool {
    matches!(line.score, Score::Estimate(_))
}

fn random(seed: u64) -> SeededRng {
    SeededRng::for_purpose(seed, b"berkeley")
}
