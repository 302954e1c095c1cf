//! The players of S. Pilarski, "Designing an Effective Tablut Artificial Intelligence":
//! greedy, heuristic, and Monte Carlo tree search in several forms.
//!
//! They are opponents to measure the engine against, and his tables of results can be
//! replayed with them. What his paper leaves open is an option where it can be read in
//! two ways; `docs/pilarski.md` quotes the words that each choice follows.

mod heuristic;
mod paths;
mod player;
mod simulation;
#[cfg(test)]
mod tests;
mod tree;

pub use player::{MoveStats, PilarskiError, PilarskiPlayer};

/// How a move is chosen.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Method {
    /// A capture if there is one, else the king nearer to a goal, else any move.
    Greedy,
    /// The move whose score is the highest; one of them, if there are several.
    Heuristic(Heuristic),
    /// Monte Carlo tree search.
    MonteCarlo(MonteCarlo),
}

/// How the heuristic is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heuristic {
    /// Whether the king takes a path to victory whatever the scores say ("if there is an
    /// escape that guarantees victory, meaning no danger, it should be taken"), or only
    /// gets the 5 points for it.
    pub takes_paths: bool,
    /// Whether a "central square" is the throne alone, or one of the squares beside it,
    /// too, which the paper calls central in its rules.
    pub throne_only: bool,
}

impl Default for Heuristic {
    fn default() -> Heuristic {
        Heuristic { takes_paths: true, throne_only: false }
    }
}

/// A form of Monte Carlo tree search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MonteCarlo {
    /// The random plies at the end of a simulation.
    pub depth: u32,
    /// Whether `depth` counts all plies of a simulation, those inside the tree, too.
    pub whole: bool,
    /// The constant of the UCT formula.
    pub exploration: f64,
    /// What a position is worth.
    pub reward: Reward,
    /// Whose visits the logarithm of the UCT formula is of.
    pub visits: Visits,
    /// Playing which colour the player counts a king who can be captured, and a king who
    /// has a path to victory, as the end of the game.
    pub definitions: Definitions,
    /// Whether that counts whoever is to move, or only for the side that is.
    pub whoever_moves: bool,
    /// The heuristic whose best moves are the only ones to be looked at.
    pub filter: Option<Heuristic>,
    /// Bytes that the tree may take.
    pub memory: usize,
}

/// What a position is worth to the side that has moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reward {
    /// Wins / total.
    Wins,
    /// (Wins - losses) / total.
    Difference,
}

/// Whose visits the logarithm of the UCT formula is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visits {
    /// Those of the position in which the choice is made.
    Parent,
    /// The sum of those of the positions that can be chosen. They may have been reached
    /// in other ways, too.
    Children,
}

/// Playing which colour the expanded definitions of a win are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definitions {
    /// Neither.
    Never,
    /// The defenders, the paper's Swedes.
    Defenders,
    /// Both.
    Always,
}

impl MonteCarlo {
    /// The paper's "traditional" one: UCT with wins / total, c = sqrt 2, depth 8.
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
            // The paper's machine had as much for everything.
            memory: 500 << 20,
        }
    }

    /// The traditional one with the expanded definitions of a win, as in tables IV and V.
    pub fn expanded() -> MonteCarlo {
        MonteCarlo { definitions: Definitions::Always, ..MonteCarlo::traditional() }
    }

    /// All three changes of section IV.B: the other reward, the other logarithm, and the
    /// expanded definitions.
    pub fn improved() -> MonteCarlo {
        MonteCarlo {
            reward: Reward::Difference,
            visits: Visits::Children,
            ..MonteCarlo::expanded()
        }
    }

    /// The improved one among the heuristic's best moves: the paper's final player.
    pub fn combination() -> MonteCarlo {
        MonteCarlo { filter: Some(Heuristic::default()), ..MonteCarlo::improved() }
    }
}
