use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engine::bits::with_width;
use crate::engine::board_tables::BoardTables;
use crate::engine::check::check_rules;
use crate::engine::limits::{Clock, Limits};
use crate::engine::player::{Player, PlayerError};
use crate::engine::state::{State, Step};
use crate::engine::stopper::Stopper;
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::{Repetition, Ruleset};
use crate::system::random::{SeededRng, mix};

use super::heuristic::{best_steps, greedy_steps};
use super::method::{Definitions, Method};
use super::paths::Paths;
use super::simulation::Simulation;

/// One of the paper's players. Its random choices depend on the seed, the game's number and
/// the number of moves played, so that games without a time limit are reproducible.
pub struct PilarskiPlayer {
    name: String,
    rules: Arc<Ruleset>,
    method: Method,
    seed: u64,
    game_number: u64,
    chooser: Box<dyn MoveChooser>,
    stopped: Arc<AtomicBool>,
    /// The part of the clock that is reserved for sending the move.
    overhead: Duration,
    stats: MoveStats,
}

/// Statistics of a move's search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct MoveStats {
    /// The thinking time.
    pub time: Duration,
    /// The number of simulations; 0 without Monte Carlo.
    pub simulations: u64,
    /// The number of moves played in simulations.
    pub plies: u64,
    /// The size of the tree in bytes.
    pub bytes: usize,
}

/// An error in the creation of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PilarskiError {
    /// The method requires the corners as goals.
    OtherGoals,
}

impl fmt::Display for PilarskiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PilarskiError::OtherGoals => f.write_str(
                "the player's heuristic is for games in which the king escapes to the four corners",
            ),
        }
    }
}

impl std::error::Error for PilarskiError {}

impl PilarskiPlayer {
    /// Creates a player for games of these rules.
    ///
    /// # Errors
    /// If the method looks for paths to corners, and the goals are not the corners.
    pub fn new(
        name: String,
        rules: Arc<Ruleset>,
        method: Method,
        seed: u64,
    ) -> Result<PilarskiPlayer, PilarskiError> {
        if method.needs_corners() && rules.goals != rules.board.corners() {
            return Err(PilarskiError::OtherGoals);
        }
        let chooser: Box<dyn MoveChooser> =
            with_width!(rules.board, W => Box::new(SizedBoard::<W>::new(&rules)));
        Ok(PilarskiPlayer {
            name,
            rules,
            method,
            seed,
            game_number: 0,
            chooser,
            stopped: Arc::default(),
            overhead: Duration::from_millis(5),
            stats: MoveStats::default(),
        })
    }

    /// Returns the statistics of the last move.
    pub fn last_move_stats(&self) -> MoveStats {
        self.stats
    }

    /// Returns a handle that stops the search from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stopped))
    }

    /// Sets the number of the games that begin next. Random choices depend on it.
    pub fn set_game_number(&mut self, number: u64) {
        self.game_number = number;
    }

    /// Checks that it can play by this clock.
    ///
    /// # Errors
    /// If simulations would not end: their number does not follow from a depth.
    pub fn check_clock(&self, clock: Clock) -> Result<(), PlayerError> {
        match (&self.method, clock) {
            (Method::MonteCarlo(_), Clock::Depth(_)) => {
                Err(self.refusal("Monte Carlo needs a time or a number of positions"))
            }
            _ => Ok(()),
        }
    }

    fn refusal(&self, reason: &str) -> PlayerError {
        PlayerError::new(&self.name, reason)
    }
}

impl Player for PilarskiPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        check_rules(game, &self.rules).map_err(|error| self.refusal(&error.to_string()))
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        let started = Instant::now();
        self.check_clock(clock)?;
        let limits = clock.limits(self.overhead);
        let place = (game.moves().len() as u64) << 32 | self.game_number;
        let random = SeededRng::new(mix(self.seed ^ mix(place)));
        let request = MoveRequest { game, limits, started, stopped: &self.stopped, random };
        let (step, stats) = self.chooser.choose(&self.method, request);
        // A stop ends one search.
        self.stopped.store(false, Ordering::Relaxed);
        self.stats = MoveStats { time: started.elapsed(), ..stats };
        step.ok_or_else(|| self.refusal("the game is over"))
    }
}

impl Method {
    fn needs_corners(&self) -> bool {
        match self {
            Method::Greedy => false,
            Method::Heuristic(_) => true,
            Method::MonteCarlo(method) => {
                method.filter.is_some() || method.definitions != Definitions::Never
            }
        }
    }
}

/// A request for a move.
struct MoveRequest<'a> {
    game: &'a Game,
    limits: Limits,
    started: Instant,
    stopped: &'a AtomicBool,
    random: SeededRng,
}

impl MoveRequest<'_> {
    /// Leaves out the moves that the game's history bars. If no other is left, returns all moves
    /// that it does not.
    fn playable<const W: usize>(
        &self,
        board: &BoardTables<W>,
        state: &State<W>,
        steps: Vec<Step>,
    ) -> Vec<Step> {
        let rules = self.game.rules();
        if rules.repetition != Repetition::DefendersBarred {
            return steps;
        }
        let is_playable = |step: &Step| {
            state.full_move(rules, *step).is_some_and(|played| !self.game.is_barred(&played))
        };
        let playable: Vec<Step> = steps.into_iter().filter(is_playable).collect();
        if !playable.is_empty() {
            return playable;
        }
        state.steps(board).into_iter().filter(is_playable).collect()
    }

    fn is_over(&self, plies: u64) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self.limits.nodes.is_some_and(|most| plies >= most)
            || self.limits.time.is_some_and(|most| self.started.elapsed() >= most)
    }
}

/// A move chooser for boards of any size.
trait MoveChooser: Send {
    fn choose(&self, method: &Method, request: MoveRequest<'_>) -> (Option<Move>, MoveStats);
}

/// The lookup tables for a board of `W` words.
struct SizedBoard<const W: usize> {
    board: BoardTables<W>,
    paths: Paths<W>,
}

impl<const W: usize> SizedBoard<W> {
    fn new(rules: &Ruleset) -> SizedBoard<W> {
        let board = BoardTables::new(rules);
        SizedBoard { paths: Paths::new(&board), board }
    }

    /// Returns the best moves, and the statistics of the search for them.
    fn best(
        &self,
        method: &Method,
        state: &mut State<W>,
        request: &mut MoveRequest<'_>,
    ) -> (Vec<Step>, MoveStats) {
        let SizedBoard { board, paths } = self;
        let stats = MoveStats::default();
        match method {
            Method::Greedy => (request.playable(board, state, greedy_steps(board, state)), stats),
            &Method::Heuristic(heuristic) => {
                let steps = best_steps(heuristic, board, paths, state);
                (request.playable(board, state, steps), stats)
            }
            Method::MonteCarlo(method) => {
                let steps = match method.filter {
                    Some(heuristic) => best_steps(heuristic, board, paths, state),
                    None => state.steps(board),
                };
                let steps = request.playable(board, state, steps);
                if steps.len() < 2 {
                    return (steps, stats);
                }
                let left = request.game.plies_left();
                let random = SeededRng::new(request.random.next_u64());
                let root = state.clone();
                let mut search = Simulation::new(*method, board, paths, root, &steps, left, random);
                let mut simulations = 0;
                while !request.is_over(search.plies) || simulations == 0 {
                    search.simulate();
                    simulations += 1;
                }
                let (plies, bytes) = (search.plies, search.bytes());
                (search.most_visited(), MoveStats { simulations, plies, bytes, ..stats })
            }
        }
    }
}

impl<const W: usize> MoveChooser for SizedBoard<W> {
    fn choose(&self, method: &Method, mut request: MoveRequest<'_>) -> (Option<Move>, MoveStats) {
        let mut state = State::new(&self.board, request.game.position());
        let (steps, stats) = self.best(method, &mut state, &mut request);
        if steps.is_empty() {
            return (None, stats);
        }
        let step = steps[request.random.below(steps.len())];
        (state.full_move(request.game.rules(), step), stats)
    }
}
