use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use crate::game::rules::Ruleset;
use crate::tablebase::Tablebase;

use super::evaluate::weights::Weights;
use super::proved::ProvedPositions;

/// Options of an [`Engine`](super::Engine).
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The number of search threads.
    pub threads: NonZeroUsize,
    /// The size of the transposition table in bytes.
    pub table_bytes: usize,
    /// The endgame tables to probe; `None` to play without. By default, the tables embedded in the
    /// library.
    pub tables: Option<Arc<Tablebase>>,
    /// The proved positions to know at the root of a search. The default is `None`.
    pub proofs: Option<Arc<dyn ProvedPositions>>,
    /// The weights of the evaluation; `None` for those of the ruleset.
    pub weights: Option<Weights>,
    /// The penalty for a draw to the side that the engine moves for, in hundredths of a soldier,
    /// within ±[`EngineOptions::MAX_CONTEMPT`]. A positive value avoids draws against weaker
    /// players. The default is 0.
    pub contempt: i32,
    /// The part of a player's clock that is reserved for sending the move.
    pub overhead: Duration,
}

impl EngineOptions {
    /// The bound of [contempt](EngineOptions::contempt): larger values are clamped to it.
    pub const MAX_CONTEMPT: i32 = 1000;

    /// Returns the defaults: one thread, 64 MiB, and the tables of these rules that are embedded in
    /// the library.
    pub fn new(rules: &Ruleset) -> EngineOptions {
        EngineOptions {
            threads: NonZeroUsize::MIN,
            table_bytes: 64 << 20,
            tables: Some(Arc::new(Tablebase::new(rules.clone()))),
            proofs: None,
            weights: None,
            contempt: 0,
            overhead: Duration::from_millis(20),
        }
    }
}
