use std::sync::{Arc, OnceLock};

use crate::engine::ProvedPositions;
use crate::game::rules::Ruleset;
use crate::proof::ProofBook;
use crate::tablebase::Tablebase;

use super::response::CachedBody;
use super::store_tree::ServedStore;

/// What an engine knows besides its search.
pub(super) struct Knowledge {
    pub(super) tables: Arc<Tablebase>,
    pub(super) proofs: Option<Arc<dyn ProvedPositions>>,
}

/// A ruleset, its tables and proofs.
pub(super) struct ServedRuleset {
    pub(super) base: Arc<Tablebase>,
    /// What is proved beyond the tables.
    pub(super) book: Option<Arc<ProofBook>>,
    /// The stores of long proofs, whose trees are shown.
    pub(super) stores: Vec<Arc<ServedStore>>,
    /// The rules, shared by games.
    pub(super) rules: Arc<Ruleset>,
    /// The list of slices, made for the first request when all tables can be read.
    pub(super) slices: OnceLock<CachedBody>,
    /// The lessons, made for the first request.
    pub(super) lessons: OnceLock<CachedBody>,
    /// Whether the name means the same rules on every server.
    pub(super) is_builtin: bool,
}

impl ServedRuleset {
    pub(super) fn new(
        base: Arc<Tablebase>,
        book: Option<Arc<ProofBook>>,
        stores: Vec<Arc<ServedStore>>,
        is_builtin: bool,
    ) -> ServedRuleset {
        let rules = Arc::new(base.rules().clone());
        let (slices, lessons) = (OnceLock::new(), OnceLock::new());
        ServedRuleset { base, book, stores, rules, slices, lessons, is_builtin }
    }

    /// Returns the tables and the proofs as an engine takes them.
    pub(super) fn knowledge(&self) -> Knowledge {
        Knowledge {
            tables: Arc::clone(&self.base),
            proofs: self.book.clone().map(|book| -> Arc<dyn ProvedPositions> { book }),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.rules.name
    }
}
