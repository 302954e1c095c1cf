use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use serde_json::Value;

use crate::arena::Level;
use crate::game::position::Position;
use crate::game::rules::RulesetSummary;

use super::super::asked::OfRules;
use super::super::problem::Problem;
use super::super::site::{Served, Site};
use super::super::told::{Caching, Told};

#[derive(Serialize)]
struct List {
    version: &'static str,
    rulesets: Vec<Entry>,
    /// What the engine offers, if it is served.
    engine: Option<Offer>,
}

#[derive(Serialize)]
struct Offer {
    /// From the weakest to the strongest.
    levels: Vec<&'static str>,
    /// The time that an analysis takes.
    seconds: f64,
}

#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    summary: RulesetSummary,
    /// The position at the start, if anybody could move in it.
    start: Option<String>,
    max_men: usize,
}

impl Entry {
    fn new(served: &Served) -> Entry {
        let rules = &served.rules;
        let start = Position::start(rules).ok().map(|start| start.to_text(rules));
        Entry { summary: rules.summary(), start, max_men: served.base.max_men() }
    }
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    rules: Value,
    text: String,
}

/// All rulesets.
pub(super) async fn list(State(site): State<Arc<Site>>) -> Result<Told, Problem> {
    let rulesets = site.rulesets().map(|served| Entry::new(served)).collect();
    let engine = site.searches.as_ref().map(|searches| Offer {
        levels: Level::ALL.iter().map(Level::name).collect(),
        seconds: searches.time.as_secs_f64(),
    });
    let list = List { version: env!("CARGO_PKG_VERSION"), rulesets, engine };
    Told::json(&list, Caching::Revalidate)
}

/// One ruleset with all its decisions.
pub(in super::super) async fn show(OfRules(served): OfRules) -> Result<Told, Problem> {
    let rules = &served.rules;
    let shown = Shown { rules: rules.describe_json(), text: rules.describe() };
    Ok(Told::json(&shown, Caching::Revalidate)?.about(served.name(), None))
}
