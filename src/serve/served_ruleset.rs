use std::sync::{Arc, OnceLock};

use crate::game::rules::Ruleset;
use crate::tablebase::Tablebase;

use super::response::CachedBody;

/// A ruleset and its tables.
pub(super) struct ServedRuleset {
    pub(super) base: Arc<Tablebase>,
    /// The rules, shared by games.
    pub(super) rules: Arc<Ruleset>,
    /// The list of slices, made for the first request.
    pub(super) slices: OnceLock<CachedBody>,
    /// Whether the name means the same rules on every server.
    pub(super) is_builtin: bool,
}

impl ServedRuleset {
    pub(super) fn new(base: Arc<Tablebase>, is_builtin: bool) -> ServedRuleset {
        let rules = Arc::new(base.rules().clone());
        ServedRuleset { base, rules, slices: OnceLock::new(), is_builtin }
    }

    pub(super) fn name(&self) -> &str {
        &self.rules.name
    }
}
