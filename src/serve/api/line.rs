use std::sync::Arc;

use axum::extract::State;

use crate::tablebase::LineAnswer;

use super::super::app_state::AppState;
use super::super::extract::{QueryParams, RulesetPath, parse_position, required_position};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::probe::Query;

/// Returns a line of best play to the end.
pub(super) async fn line(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    QueryParams(query): QueryParams<Query>,
) -> Result<JsonReply, Problem> {
    let text = required_position(query.position)?;
    let work = move || {
        let base = &served.base;
        let position = parse_position(&text, base.rules())?;
        let (value, line) = base
            .probe_dtw(&position)
            .and_then(|value| Ok((value, base.line(&position)?)))
            .map_err(|error| Problem::of_tables(&served.rules, &error))?;
        let answer = LineAnswer::new(base, &position, value, &line);
        let caching = if served.is_builtin { Caching::Day } else { Caching::Revalidate };
        Ok(JsonReply::new(&answer, caching)?
            .about(served.name(), Some(position.slice().to_string())))
    };
    state.probes.run(work).await
}
