use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use serde_json::Value;

use crate::arena::Level;
use crate::game::position::Position;
use crate::game::rules::RulesetSummary;

use super::super::app_state::AppState;
use super::super::extract::RulesetPath;
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::served_ruleset::ServedRuleset;

#[derive(Serialize)]
struct RulesetList {
    version: &'static str,
    rulesets: Vec<RulesetEntry>,
    /// `None` if the server runs no engine.
    engine: Option<EngineInfo>,
}

#[derive(Serialize)]
struct EngineInfo {
    /// Levels, from weakest to strongest.
    levels: Vec<&'static str>,
    /// Time limit of an analysis.
    seconds: f64,
    /// What the levels do, in the same order.
    strengths: Vec<Strength>,
}

/// How a level plays.
#[derive(Serialize)]
struct Strength {
    /// Maximum nodes of a search; `None` if only time limits it.
    nodes: Option<u64>,
    /// By how much a move may be worse than the best, in soldiers.
    margin: f64,
    /// Whether it knows the tables.
    tables: bool,
}

impl From<&Level> for Strength {
    fn from(level: &Level) -> Strength {
        let margin = f64::from(level.margin) / 100.0;
        Strength { nodes: level.nodes, margin, tables: level.uses_tables }
    }
}

#[derive(Serialize)]
struct RulesetEntry {
    #[serde(flatten)]
    summary: RulesetSummary,
    /// Start position; `None` if it is not playable.
    start: Option<String>,
    max_men: usize,
    /// Number of certificates, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    proofs: Option<usize>,
    /// Names of the proof stores, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stores: Vec<String>,
}

impl RulesetEntry {
    fn new(served: &ServedRuleset) -> RulesetEntry {
        let rules = &served.rules;
        let start = Position::start(rules).ok().map(|start| start.to_text(rules));
        let proofs = served.book.as_ref().map(|book| book.certificates().len());
        let stores = served.stores.iter().map(|store| store.name.clone()).collect();
        let max_men = served.base.max_men();
        RulesetEntry { summary: rules.summary(), start, max_men, proofs, stores }
    }
}

#[derive(Serialize)]
struct RulesetDetails {
    #[serde(flatten)]
    rules: Value,
    text: String,
}

/// Lists all rulesets.
pub(super) async fn list(State(state): State<Arc<AppState>>) -> Result<JsonReply, Problem> {
    let rulesets = state.rulesets().map(|served| RulesetEntry::new(served)).collect();
    let engine = state.searches.as_ref().map(|searches| EngineInfo {
        levels: Level::ALL.iter().map(|level| level.name).collect(),
        seconds: searches.time.as_secs_f64(),
        strengths: Level::ALL.iter().map(Strength::from).collect(),
    });
    let list = RulesetList { version: env!("CARGO_PKG_VERSION"), rulesets, engine };
    JsonReply::new(&list, Caching::Revalidate)
}

/// Describes a ruleset.
pub(in crate::serve) async fn show(RulesetPath(served): RulesetPath) -> Result<JsonReply, Problem> {
    let rules = &served.rules;
    let details = RulesetDetails { rules: rules.describe_json(), text: rules.describe() };
    Ok(JsonReply::new(&details, Caching::Revalidate)?.about(served.name(), None))
}
