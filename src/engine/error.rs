use std::fmt;

/// An error of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// The game is over.
    GameOver,
    /// The game's rules differ from the player's.
    OtherRules,
    /// The tables' rules differ from the engine's.
    OtherTables {
        /// The ruleset of the tables.
        tables: String,
        /// The engine's ruleset.
        rules: String,
    },
    /// A table cannot be opened.
    UnusableTable {
        /// What is wrong with which file, and what to do.
        reason: String,
    },
    /// The proofs' rules differ from the engine's.
    OtherProofs {
        /// The ruleset of the proofs.
        proofs: String,
        /// The engine's ruleset.
        rules: String,
    },
    /// The weights are those of a board with other squares than the engine's.
    OtherWeights {
        /// The engine's ruleset.
        rules: String,
    },
    /// A root move of the request is illegal.
    IllegalMove {
        /// The move.
        text: String,
    },
    /// The transposition table cannot be allocated.
    Memory {
        /// The size of the transposition table in bytes.
        bytes: usize,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::GameOver => f.write_str("the game is over"),
            EngineError::OtherRules => f.write_str("the game's rules differ from the player's"),
            EngineError::OtherTables { tables, rules } => write!(
                f,
                "the tables of {tables} do not hold for {rules}, whose rules differ: give the \
                 engine tables of its own rules, or none"
            ),
            EngineError::UnusableTable { reason } => f.write_str(reason),
            EngineError::OtherProofs { proofs, rules } => write!(
                f,
                "the proofs for {proofs} do not hold for {rules}, whose rules differ: give the \
                 engine proofs for its own rules, or none"
            ),
            EngineError::OtherWeights { rules } => write!(
                f,
                "these weights are not for the board of {rules}: give the engine weights of its \
                 own rules, or none"
            ),
            EngineError::IllegalMove { text } => {
                write!(f, "{text} is not a legal move here: search legal moves only")
            }
            EngineError::Memory { bytes } => {
                let mib = bytes >> 20;
                write!(
                    f,
                    "cannot allocate {mib} MiB for the engine's hash table: use a smaller one"
                )
            }
        }
    }
}

impl std::error::Error for EngineError {}
