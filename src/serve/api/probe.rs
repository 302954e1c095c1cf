use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::game::position::Position;
use crate::game::slice::Slice;
use crate::tablebase::{MoveProbe, Probe, ProbeAnswer, ProbeError, Probed};

use super::super::app_state::AppState;
use super::super::extract::{
    JsonBody, QueryParams, RulesetPath, parse_position, required_position,
};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::served_ruleset::ServedRuleset;

/// Maximum positions of a batch.
const MAX_BATCH: usize = 1000;
/// Maximum positions of a batch with moves.
const MAX_BATCH_WITH_MOVES: usize = 100;

#[derive(Deserialize)]
pub(super) struct Query {
    pub(super) position: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Batch {
    positions: Vec<String>,
    #[serde(default)]
    moves: bool,
}

#[derive(Serialize)]
struct PositionReply<'a> {
    #[serde(flatten)]
    probe: ProbeAnswer<'a>,
    slice: String,
    /// Slices without a table.
    missing: Vec<String>,
}

#[derive(Serialize)]
struct BatchReply {
    answers: Vec<serde_json::Value>,
}

/// The value of a position, as far as it is known, and its moves.
struct ProbedPosition {
    position: Position,
    value: Option<Probed>,
    moves: Vec<MoveProbe>,
}

/// Probes a position and its moves.
pub(super) async fn single(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    QueryParams(query): QueryParams<Query>,
) -> Result<JsonReply, Problem> {
    let text = required_position(query.position)?;
    let work = move || {
        let probed = ProbedPosition::with_moves(&served, parse_position(&text, &served.rules)?)?;
        let reply = JsonReply::new(&probed.reply(&served)?, probed.caching(&served))?;
        Ok(reply.about(served.name(), Some(probed.position.slice().to_string())))
    };
    state.probes.run(work).await
}

/// Probes a batch of positions, with their moves on request.
pub(super) async fn batch(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    JsonBody(batch): JsonBody<Batch>,
) -> Result<JsonReply, Problem> {
    let max = if batch.moves { MAX_BATCH_WITH_MOVES } else { MAX_BATCH };
    if batch.positions.len() > max {
        let detail = format!("{} positions: send at most {max}", batch.positions.len());
        return Err(Problem::bad_parameter(detail));
    }
    let work = move || {
        let answers = batch.positions.iter().map(|text| {
            // A position that fails does not fail the batch: its problem takes its place.
            match batch_answer(&served, text, batch.moves) {
                Ok(answer) => answer,
                Err(problem) => serde_json::to_value(problem).unwrap_or_default(),
            }
        });
        let reply = BatchReply { answers: answers.collect() };
        Ok(JsonReply::new(&reply, Caching::Revalidate)?.about(served.name(), None))
    };
    state.probes.run(work).await
}

fn batch_answer(
    served: &ServedRuleset,
    text: &str,
    moves: bool,
) -> Result<serde_json::Value, Problem> {
    let position = parse_position(text, &served.rules)?;
    let probed = match moves {
        true => ProbedPosition::with_moves(served, position)?,
        false => ProbedPosition::without_moves(served, position)?,
    };
    Ok(serde_json::to_value(probed.reply(served)?).unwrap_or_default())
}

impl ProbedPosition {
    fn with_moves(served: &ServedRuleset, position: Position) -> Result<ProbedPosition, Problem> {
        let base = &served.base;
        let probed = match base.probe(&position) {
            Ok(Probe { value, moves }) => Ok((Some(value), moves)),
            Err(ProbeError::MissingTable { .. }) => {
                base.probe_moves(&position).map(|moves| (None, moves))
            }
            Err(error) => Err(error),
        };
        let (value, moves) = probed.map_err(|e| Problem::of_tables(&served.rules, &e))?;
        Ok(ProbedPosition { position, value, moves })
    }

    fn without_moves(
        served: &ServedRuleset,
        position: Position,
    ) -> Result<ProbedPosition, Problem> {
        let value = match served.base.probe_value(&position) {
            Err(ProbeError::MissingTable { .. }) => None,
            value => Some(value.map_err(|e| Problem::of_tables(&served.rules, &e))?),
        };
        Ok(ProbedPosition { position, value, moves: Vec::new() })
    }

    fn reply<'a>(&self, served: &'a ServedRuleset) -> Result<PositionReply<'a>, Problem> {
        let ProbedPosition { position, value, moves } = self;
        let missing = self.missing().into_iter().map(|slice| slice.to_string());
        let probe = match &served.book {
            Some(book) => book.answer(&served.base, position, *value, moves)?,
            None => ProbeAnswer::new(&served.base, position, *value, moves),
        };
        let slice = position.slice().to_string();
        Ok(PositionReply { probe, slice, missing: missing.collect() })
    }

    /// Returns the slices without a table, of the position and of its successors.
    fn missing(&self) -> BTreeSet<Slice> {
        let unknown = self.moves.iter().filter(|probed| probed.value.is_none());
        let after = unknown.map(|probed| self.position.after(&probed.played).slice());
        let own = self.value.is_none().then(|| self.position.slice());
        after.chain(own).collect()
    }

    /// Only complete and exact values of built-in rules are final: tables may be added, and
    /// ruleset files may change.
    fn caching(&self, served: &ServedRuleset) -> Caching {
        let values = self.moves.iter().map(|probed| probed.value).chain([self.value]);
        let is_exact = values.into_iter().all(|value| value.is_some_and(Probed::is_exact));
        if served.is_builtin && is_exact { Caching::Day } else { Caching::Revalidate }
    }
}
