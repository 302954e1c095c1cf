//! Monte Carlo tree search (Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning",
//! 2006): random playouts, more of them from promising positions.

use crate::engine::board_tables::BoardTables;
use crate::engine::state::{State, Step};
use crate::game::rules::Side;
use crate::system::random::SeededRng;

use super::method::{Definitions, MonteCarlo};
use super::paths::Paths;
use super::tree::{Formula, NO_NODE, Tree};

/// The maximum depth of a simulation in the tree.
const MAX_PLIES: usize = 200;

/// A search from one position.
pub(super) struct Simulation<'a, const W: usize> {
    method: MonteCarlo,
    formula: Formula,
    board: &'a BoardTables<W>,
    paths: Option<&'a Paths<W>>,
    root: State<W>,
    /// The plies until the ply limit of the game.
    plies_left: usize,
    tree: Tree,
    random: SeededRng,
    /// The nodes of the current simulation from the root on.
    path: Vec<u32>,
    steps: Vec<Step>,
    /// The number of moves played in all simulations.
    pub(super) plies: u64,
}

impl<'a, const W: usize> Simulation<'a, W> {
    /// Creates a search of these moves. The expanded definitions need `paths`.
    pub(super) fn new(
        method: MonteCarlo,
        board: &'a BoardTables<W>,
        paths: &'a Paths<W>,
        root: State<W>,
        moves: &[Step],
        plies_left: Option<u32>,
        random: SeededRng,
    ) -> Simulation<'a, W> {
        let uses_definitions = match method.definitions {
            Definitions::Never => false,
            Definitions::Defenders => root.to_move == Side::Defenders,
            Definitions::Always => true,
        };
        let MonteCarlo { reward, visits, exploration, .. } = method;
        let mut tree = Tree::new(method.memory);
        // There is always room for the root, which is node 0.
        let start = tree.node(root.key).unwrap_or(0);
        tree.expand(start, moves);
        Simulation {
            method,
            formula: Formula { reward, visits, exploration },
            board,
            paths: uses_definitions.then_some(paths),
            root,
            plies_left: plies_left.map_or(MAX_PLIES, |left| (left as usize).min(MAX_PLIES)),
            tree,
            random,
            path: Vec::new(),
            steps: Vec::new(),
            plies: 0,
        }
    }

    /// Returns the size of the tree in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Returns the moves with the most visits.
    pub(super) fn most_visited(&self) -> Vec<Step> {
        self.tree.most_visited(0)
    }

    /// Runs a simulation: selection, expansion by one node, playout and backpropagation.
    pub(super) fn simulate(&mut self) {
        let mut state = self.root.clone();
        let mover = state.to_move.other();
        self.path.clear();
        self.path.push(0);
        let winner = self.descend(&mut state);
        self.tree.backpropagate(&self.path, mover, winner);
    }

    /// Descends the tree by the formula, adds a node, and returns the winner of the simulation.
    fn descend(&mut self, state: &mut State<W>) -> Option<Side> {
        let mut node = 0;
        loop {
            let plies = self.path.len() - 1;
            if plies >= self.max_tree_plies() {
                return None;
            }
            if !self.tree.has_moves(node) {
                // A node gets its children only at its second visit, which saves most of them.
                if self.tree.nodes[node as usize].visits == 0 {
                    return self.playout(state, plies);
                }
                self.list_steps(state);
                if self.steps.is_empty() {
                    return Some(state.to_move.other());
                }
                self.tree.expand(node, &self.steps);
                if !self.tree.has_moves(node) {
                    return self.playout(state, plies);
                }
            }
            let random = &mut self.random;
            let branch = self.tree.choose(node, &self.formula, |count| random.below(count));
            let chosen = self.tree.branch(branch);
            let end = self.play(state, chosen.step);
            let next = match (chosen.node, end) {
                (NO_NODE, Some(winner)) => self.tree.add_end(winner),
                (NO_NODE, None) => self.tree.node(state.key),
                (known, _) => Some(known),
            };
            // Without room for another node, the simulation continues outside the tree.
            let Some(next) = next else {
                return end.or_else(|| self.playout(state, plies + 1));
            };
            if self.path.contains(&next) {
                // A cycle through a transposition would never end.
                return None;
            }
            self.tree.set_child(branch, next);
            self.path.push(next);
            if let Some(winner) = self.tree.nodes[next as usize].winner {
                return Some(winner);
            }
            if let Some(winner) = self.expected_winner(state) {
                self.tree.nodes[next as usize].winner = Some(winner);
                return Some(winner);
            }
            node = next;
        }
    }

    /// Returns the maximum number of plies of a simulation inside the tree.
    fn max_tree_plies(&self) -> usize {
        let depth = if self.method.whole { self.method.depth as usize } else { usize::MAX };
        depth.min(self.plies_left)
    }

    /// Plays random moves, starting `plies` plies from the root; returns the winner.
    fn playout(&mut self, state: &mut State<W>, plies: usize) -> Option<Side> {
        let depth = self.method.depth as usize;
        let max_plies = if self.method.whole { depth.saturating_sub(plies) } else { depth };
        for _ in 0..max_plies.min(self.plies_left.saturating_sub(plies)) {
            self.list_steps(state);
            if self.steps.is_empty() {
                return Some(state.to_move.other());
            }
            let step = self.steps[self.random.below(self.steps.len())];
            let end = self.play(state, step).or_else(|| self.expected_winner(state));
            if end.is_some() {
                return end;
            }
        }
        None
    }

    fn list_steps(&mut self, state: &State<W>) {
        self.steps.clear();
        let steps = &mut self.steps;
        state.each_step(self.board, |step| steps.push(step));
    }

    /// Plays a move; returns the winner if it ends the game.
    fn play(&mut self, state: &mut State<W>, step: Step) -> Option<Side> {
        let side = state.to_move;
        let wins = match side {
            Side::Defenders => step.from() == state.king && self.board.goals.contains(step.to()),
            Side::Attackers => state.king_capture_squares(self.board).contains(step.to()),
        };
        state.play(self.board, step);
        self.plies += 1;
        if wins { Some(side) } else { state.region_winner(self.board) }
    }

    /// Returns the winner by the expanded definitions, if they are used.
    fn expected_winner(&self, state: &State<W>) -> Option<Side> {
        let paths = self.paths?;
        let (mover, other) = (state.to_move, state.to_move.other());
        if self.can_win(paths, state, mover) {
            return Some(mover);
        }
        (self.method.whoever_moves && self.can_win(paths, state, other)).then_some(other)
    }

    /// Returns whether the side can capture the king, or the king has a path to victory.
    fn can_win(&self, paths: &Paths<W>, state: &State<W>, side: Side) -> bool {
        match side {
            Side::Attackers => state.king_capture(self.board).is_some(),
            Side::Defenders => paths.has_path(self.board, state),
        }
    }
}
