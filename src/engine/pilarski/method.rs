/// A method of choosing a move.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Method {
    /// A capture if there is one, else a move of the king towards a goal, else any move.
    Greedy,
    /// One of the moves with the highest score.
    Heuristic(Heuristic),
    /// Monte Carlo tree search.
    MonteCarlo(MonteCarlo),
}

/// The reading of the paper's heuristic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heuristic {
    /// Whether the king always takes a path to victory ("if there is an escape that guarantees
    /// victory, meaning no danger, it should be taken"), or only gets the 5 points for it.
    pub takes_paths: bool,
    /// Whether only the throne is a "central square", or also the squares beside it, which the
    /// paper calls central in its rules.
    pub throne_only: bool,
}

impl Default for Heuristic {
    fn default() -> Heuristic {
        Heuristic { takes_paths: true, throne_only: false }
    }
}

/// A variant of Monte Carlo tree search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MonteCarlo {
    /// The maximum number of random plies at the end of a simulation.
    pub depth: u32,
    /// Whether `depth` also counts the plies of a simulation inside the tree.
    pub whole: bool,
    /// The exploration constant of the UCT formula.
    pub exploration: f64,
    /// The exploitation term of the UCT formula.
    pub reward: Reward,
    /// The visits in the logarithm of the UCT formula.
    pub visits: Visits,
    /// The colours with which the player treats a king that can be captured, and a king that has a
    /// path to victory, as the end of the game.
    pub definitions: Definitions,
    /// Whether these definitions apply to both sides, or only to the side to move.
    pub whoever_moves: bool,
    /// The heuristic that preselects the root moves.
    pub filter: Option<Heuristic>,
    /// The maximum size of the tree in bytes.
    pub memory: usize,
}

/// The value of a position to the side that has just moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reward {
    /// Wins / total.
    Wins,
    /// (Wins - losses) / total.
    Difference,
}

/// The visits in the logarithm of the UCT formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visits {
    /// The visits of the position in which the choice is made.
    Parent,
    /// The sum of the visits of its children, which transpositions may have increased.
    Children,
}

/// The colours with which the player uses the expanded definitions of a win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definitions {
    /// Neither colour.
    Never,
    /// The defenders, the paper's Swedes.
    Defenders,
    /// Both colours.
    Always,
}

impl MonteCarlo {
    /// Returns the paper's "traditional" variant: UCT with wins / total, c = sqrt 2, depth 8.
    pub fn traditional() -> MonteCarlo {
        MonteCarlo {
            depth: 8,
            whole: false,
            exploration: std::f64::consts::SQRT_2,
            reward: Reward::Wins,
            visits: Visits::Parent,
            definitions: Definitions::Never,
            whoever_moves: false,
            filter: None,
            // The total memory of the paper's machine.
            memory: 500 << 20,
        }
    }

    /// Returns the traditional variant with the expanded definitions of a win, as in tables IV
    /// and V.
    pub fn expanded() -> MonteCarlo {
        MonteCarlo { definitions: Definitions::Always, ..MonteCarlo::traditional() }
    }

    /// Returns the variant with all three changes of section IV.B: reward, logarithm, and
    /// expanded definitions.
    pub fn improved() -> MonteCarlo {
        MonteCarlo {
            reward: Reward::Difference,
            visits: Visits::Children,
            ..MonteCarlo::expanded()
        }
    }

    /// Returns the improved variant restricted to the heuristic's best moves: the paper's final
    /// player.
    pub fn combination() -> MonteCarlo {
        MonteCarlo { filter: Some(Heuristic::default()), ..MonteCarlo::improved() }
    }
}
