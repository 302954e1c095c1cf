use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::{Clock, Engine, Iteration, Limits, Score, SearchRequest};
use crate::game::history::Game;
use crate::game::moves::{Move, find_move, legal_moves};
use crate::game::rules::{BySide, Side};
use crate::protocol::SessionOptions;
use crate::protocol::htp::ruleset;

use super::error::ServerError;
use super::message::{Beginning, GameId, Play, ResumedGame};

/// Time that a move takes on its way.
const OVERHEAD: Duration = Duration::from_millis(500);

/// A game in progress.
pub(super) struct Table {
    pub(super) id: GameId,
    pub(super) game: Game,
    side: Side,
    engine: Engine,
    options: SessionOptions,
    clocks: Option<Clocks>,
    /// When our turn began.
    turn_began: Instant,
    /// Moves that the server has rejected in this position.
    rejected: Vec<Move>,
    /// The score of our last move.
    score: Option<Score>,
}

/// The clocks as the server last sent them.
#[derive(Clone, Copy)]
struct Clocks {
    left: BySide<Duration>,
    increment: Duration,
}

/// A move that the engine has chosen, with the search result unless it was forced.
pub(super) struct Choice {
    pub(super) played: Move,
    pub(super) found: Option<Iteration>,
}

impl Table {
    /// Sits down at a game that begins.
    pub(super) fn begin(
        id: GameId,
        side: Side,
        beginning: &Beginning,
        options: &SessionOptions,
    ) -> Result<Table, ServerError> {
        let mut table = Table::new(id, side, beginning.size, options)?;
        table.clocks = beginning.time.map(|control| Clocks {
            left: BySide::from_fn(|_| control.time),
            increment: control.increment,
        });
        Ok(table)
    }

    /// Sits down at a game that is in progress.
    pub(super) fn resume(
        side: Side,
        resumed: &ResumedGame,
        options: &SessionOptions,
    ) -> Result<Table, ServerError> {
        let mut table = Table::new(resumed.id, side, resumed.dim, options)?;
        table.catch_up(resumed)?;
        Ok(table)
    }

    fn new(
        id: GameId,
        side: Side,
        size: usize,
        options: &SessionOptions,
    ) -> Result<Table, ServerError> {
        let rules = ruleset(size).map(Arc::new).map_err(ServerError::InvalidMessage)?;
        let engine = options.open_engine(&rules).map_err(ServerError::Engine)?;
        let game = Game::new(rules).map_err(|error| ServerError::Engine(error.to_string()))?;
        Ok(Table {
            id,
            game,
            side,
            engine,
            options: options.clone(),
            clocks: None,
            turn_began: Instant::now(),
            rejected: Vec::new(),
            score: None,
        })
    }

    /// Replaces the game by the server's.
    pub(super) fn catch_up(&mut self, resumed: &ResumedGame) -> Result<(), ServerError> {
        let rules = Arc::clone(self.game.rules());
        self.game = Game::new(rules).map_err(|error| ServerError::Engine(error.to_string()))?;
        for text in resumed.moves.split_whitespace().filter(|text| *text != "---") {
            // Captured squares follow the target, each after an x.
            let squares = text.split('x').next().and_then(|path| path.split_once('-'));
            let (from, to) = squares.ok_or_else(|| illegal(text))?;
            self.push(from, to)?;
        }
        self.clocks = resumed.clocks().map(|(left, increment)| Clocks { left, increment });
        self.turn_began = Instant::now();
        self.rejected.clear();
        Ok(())
    }

    pub(super) fn set_time(&mut self, left: BySide<Duration>) {
        if let Some(clocks) = &mut self.clocks {
            clocks.left = left;
        }
    }

    pub(super) fn is_our_turn(&self) -> bool {
        self.game.position().to_move == self.side
    }

    /// Plays the opponent's move; `None` if it resigns, which the server then confirms.
    pub(super) fn opponent_played(&mut self, play: &Play) -> Result<Option<Move>, ServerError> {
        let Play::Move(from, to) = play else {
            return Ok(None);
        };
        self.turn_began = Instant::now();
        self.rejected.clear();
        self.push(from, to).map(Some)
    }

    /// Plays a move, even if the game is over by our rules: the server's count.
    fn push(&mut self, from: &str, to: &str) -> Result<Move, ServerError> {
        let rules = self.game.rules();
        let square = |name: &str| rules.board.parse(&name.to_ascii_lowercase());
        let found = square(from)
            .zip(square(to))
            .and_then(|(from, to)| find_move(rules, self.game.position(), from, to));
        let played = found.ok_or_else(|| illegal(&format!("{from}-{to}")))?;
        self.game.push(&played);
        Ok(played)
    }

    /// Searches for our move and plays it; `None` if there is none that the server has not rejected.
    pub(super) fn choose(&mut self) -> Option<Choice> {
        let (rules, position) = (self.game.rules(), self.game.position());
        let mut moves = legal_moves(rules, position);
        moves.retain(|played| !self.rejected.contains(played));
        let barred = |played: &Move| self.game.is_barred(played);
        if moves.iter().any(|played| !barred(played)) {
            moves.retain(|played| !barred(played));
        }
        let found = match moves.len() {
            0 | 1 => None,
            _ => {
                let limits = self.limits();
                let root_moves = if self.rejected.is_empty() { &[][..] } else { &moves };
                let request = SearchRequest { root_moves, ..SearchRequest::from(limits) };
                self.engine.search(&self.game, request, &mut |_| {}).ok()
            }
        };
        // If the game is over by our rules, any legal move is better than losing on time.
        let best = found.as_ref().map(|found| found.lines[0].moves[0]);
        let played = best.or_else(|| moves.first().copied())?;
        self.score = found.as_ref().map(|found| found.lines[0].score);
        self.game.push(&played);
        Some(Choice { played, found })
    }

    fn limits(&self) -> Limits {
        match self.clocks {
            Some(Clocks { left, increment }) => {
                let left = left[self.side].saturating_sub(self.turn_began.elapsed());
                Clock::Game { left, increment }.limits(OVERHEAD)
            }
            None => self.options.limits,
        }
    }

    /// Takes back our move, which the server has rejected, and excludes it from now on.
    pub(super) fn was_rejected(&mut self) -> Option<Move> {
        if self.is_our_turn() {
            return None;
        }
        let rejected = self.game.undo()?;
        self.rejected.push(rejected);
        Some(rejected)
    }

    /// Returns whether a draw is better for us than to play on, judging by our last search.
    pub(super) fn wants_draw(&self) -> bool {
        match self.score {
            Some(Score::Estimate(hundredths)) => hundredths < -self.options.contempt,
            Some(Score::Loss(_) | Score::TableLoss | Score::ProvedLoss) => true,
            Some(Score::Win(_) | Score::TableWin | Score::ProvedWin) | None => false,
        }
    }
}

fn illegal(text: &str) -> ServerError {
    ServerError::InvalidMessage(format!("{:?} is not a legal move here", text.trim()))
}
