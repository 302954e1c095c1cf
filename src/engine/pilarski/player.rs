use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engine::board_tables::BoardTables;
use crate::engine::state::{State, Step};
use crate::engine::{Clock, Limits, Player, PlayerError, Stopper, check_rules};
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::Ruleset;
use crate::system::random::{SeededRng, mix};

use super::Method;
use super::heuristic::{best_steps, greedy_steps};
use super::paths::Paths;
use super::simulation::Simulation;

/// One of the paper's players. Chance depends on a seed, on the game's number and on the
/// game so far: one that is not ended by a clock repeats itself.
pub struct PilarskiPlayer {
    name: String,
    rules: Arc<Ruleset>,
    method: Method,
    seed: u64,
    game_number: u64,
    chooser: Box<dyn MoveChooser>,
    stopped: Arc<AtomicBool>,
    /// Kept back from the clock for the way of the answer.
    overhead: Duration,
    stats: MoveStats,
}

/// What a player's last move has taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct MoveStats {
    /// The time.
    pub time: Duration,
    /// Simulations; none without Monte Carlo.
    pub simulations: u64,
    /// Moves that were played in them.
    pub plies: u64,
    /// Bytes of the tree.
    pub bytes: usize,
}

/// Why a player cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PilarskiError {
    /// The method speaks of corners, and there the king does not escape.
    OtherGoals,
}

impl fmt::Display for PilarskiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PilarskiError::OtherGoals => f.write_str(
                "its heuristic is for games in which the king escapes to the four corners",
            ),
        }
    }
}

impl std::error::Error for PilarskiError {}

impl PilarskiPlayer {
    /// A player of games of these rules.
    ///
    /// # Errors
    /// If the method looks for paths to corners, and the goals are others.
    pub fn new(
        name: String,
        rules: Arc<Ruleset>,
        method: Method,
        seed: u64,
    ) -> Result<PilarskiPlayer, PilarskiError> {
        if method.needs_corners() && rules.goals != rules.board.corners() {
            return Err(PilarskiError::OtherGoals);
        }
        let chooser: Box<dyn MoveChooser> = match rules.board.area().div_ceil(64) {
            1 => Box::new(SizedBoard::<1>::new(&rules)),
            2 => Box::new(SizedBoard::<2>::new(&rules)),
            3 => Box::new(SizedBoard::<3>::new(&rules)),
            _ => Box::new(SizedBoard::<6>::new(&rules)),
        };
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

    /// What its last move has taken.
    pub fn last_move_stats(&self) -> MoveStats {
        self.stats
    }

    /// What can end its thinking from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stopped))
    }

    /// The games that begin now have this number: in another one it makes other choices.
    pub fn set_game_number(&mut self, number: u64) {
        self.game_number = number;
    }

    fn refusal(&self, reason: &str) -> PlayerError {
        PlayerError { player: self.name.clone(), reason: reason.to_owned() }
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
        let began = Instant::now();
        let limits = clock.limits(self.overhead);
        let is_endless = limits.time.is_none() && limits.nodes.is_none();
        if matches!(self.method, Method::MonteCarlo(_)) && is_endless {
            return Err(self.refusal("Monte Carlo needs a time or a number of positions"));
        }
        self.stopped.store(false, Ordering::Relaxed);
        let place = (game.moves().len() as u64) << 32 | self.game_number;
        let random = SeededRng::new(mix(self.seed ^ mix(place)));
        let request = MoveRequest { game, limits, began, stopped: &self.stopped, random };
        let (step, stats) = self.chooser.choose(&self.method, request);
        self.stats = MoveStats { time: began.elapsed(), ..stats };
        step.ok_or_else(|| self.refusal("the game is over"))
    }
}

impl Method {
    fn needs_corners(&self) -> bool {
        match self {
            Method::Greedy => false,
            Method::Heuristic(_) => true,
            Method::MonteCarlo(method) => {
                method.filter.is_some() || method.definitions != super::Definitions::Never
            }
        }
    }
}

/// A move that is wanted.
struct MoveRequest<'a> {
    game: &'a Game,
    limits: Limits,
    began: Instant,
    stopped: &'a AtomicBool,
    random: SeededRng,
}

impl MoveRequest<'_> {
    fn is_over(&self, plies: u64) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self.limits.nodes.is_some_and(|most| plies >= most)
            || self.limits.time.is_some_and(|most| self.began.elapsed() >= most)
    }
}

/// A player's board, whatever its size.
trait MoveChooser: Send {
    fn choose(&self, method: &Method, request: MoveRequest<'_>) -> (Option<Move>, MoveStats);
}

/// What never changes of a board.
struct SizedBoard<const W: usize> {
    board: BoardTables<W>,
    paths: Paths<W>,
}

impl<const W: usize> SizedBoard<W> {
    fn new(rules: &Ruleset) -> SizedBoard<W> {
        let board = BoardTables::new(rules);
        SizedBoard { paths: Paths::new(&board), board }
    }

    /// The moves that are as good as any other, and what it took to find them.
    fn best(
        &self,
        method: &Method,
        state: &mut State<W>,
        request: &mut MoveRequest<'_>,
    ) -> (Vec<Step>, MoveStats) {
        let SizedBoard { board, paths } = self;
        let stats = MoveStats::default();
        match method {
            Method::Greedy => (greedy_steps(board, state), stats),
            &Method::Heuristic(heuristic) => (best_steps(heuristic, board, paths, state), stats),
            Method::MonteCarlo(method) => {
                let steps = match method.filter {
                    Some(heuristic) => best_steps(heuristic, board, paths, state),
                    None => state.steps(board),
                };
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
