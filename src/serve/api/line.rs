use std::sync::Arc;

use axum::extract::State;

use crate::tablebase::LineAnswer;

use super::super::asked::{Asked, OfRules, given, position};
use super::super::problem::Problem;
use super::super::site::Site;
use super::super::told::{Caching, Told};
use super::probe::Query;

/// One line of best play to the end.
pub(super) async fn line(
    State(site): State<Arc<Site>>,
    OfRules(served): OfRules,
    Asked(query): Asked<Query>,
) -> Result<Told, Problem> {
    let text = given(query.position)?;
    let answer = move || {
        let base = &served.base;
        let position = position(&text, base.rules())?;
        let refusal = |error| Problem::of_tables(served.name(), &error);
        let value = base.probe_dtw(&position).map_err(refusal)?;
        let line = base.line(&position).map_err(refusal)?;
        let answer = LineAnswer::new(base, &position, value, &line);
        let caching = if served.is_builtin { Caching::Day } else { Caching::Revalidate };
        let told = Told::json(&answer, caching)?;
        Ok(told.about(served.name(), Some(position.slice().to_string())))
    };
    site.probes.work(answer).await
}
