use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::game::position::Position;
use crate::game::slice::Slice;
use crate::tablebase::{MoveProbe, Probe, ProbeAnswer, ProbeError, Probed};

use super::super::asked::{Asked, OfRules, Sent, given, position};
use super::super::problem::Problem;
use super::super::site::{Served, Site};
use super::super::told::{Caching, Told};

/// Positions that are answered at once, and with all their moves.
const MOST: usize = 1000;
const MOST_WITH_MOVES: usize = 100;

#[derive(Deserialize)]
pub(super) struct Query {
    pub(super) position: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Lot {
    positions: Vec<String>,
    #[serde(default)]
    moves: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    probe: ProbeAnswer<'a>,
    slice: String,
    /// The slices without a table.
    missing: Vec<String>,
}

#[derive(Serialize)]
struct Answers {
    answers: Vec<serde_json::Value>,
}

/// What is known of a position and its moves.
struct Known {
    position: Position,
    value: Option<Probed>,
    moves: Vec<MoveProbe>,
}

/// One position, with its moves.
pub(super) async fn one(
    State(site): State<Arc<Site>>,
    OfRules(served): OfRules,
    Asked(query): Asked<Query>,
) -> Result<Told, Problem> {
    let text = given(query.position)?;
    let answer = move || {
        let known = Known::of(&served, position(&text, &served.rules)?)?;
        let told = Told::json(&known.answer(&served), known.caching(&served))?;
        Ok(told.about(served.name(), Some(known.position.slice().to_string())))
    };
    site.probes.work(answer).await
}

/// Many positions; of each the value alone, unless moves are wanted.
pub(super) async fn many(
    State(site): State<Arc<Site>>,
    OfRules(served): OfRules,
    Sent(lot): Sent<Lot>,
) -> Result<Told, Problem> {
    let most = if lot.moves { MOST_WITH_MOVES } else { MOST };
    if lot.positions.len() > most {
        let wrong = format!("{} positions: send at most {most} at once", lot.positions.len());
        return Err(Problem::bad_parameter(wrong));
    }
    let answer = move || {
        let answers = lot.positions.iter().map(|text| {
            let answered = position(text, &served.rules).and_then(|position| match lot.moves {
                true => Known::of(&served, position),
                false => Known::without_moves(&served, position),
            });
            let answer = answered.map(|known| serde_json::to_value(known.answer(&served)));
            answer.unwrap_or_else(serde_json::to_value).unwrap_or_default()
        });
        let answers = Answers { answers: answers.collect() };
        Ok(Told::json(&answers, Caching::Revalidate)?.about(served.name(), None))
    };
    site.probes.work(answer).await
}

impl Known {
    fn of(served: &Served, position: Position) -> Result<Known, Problem> {
        let base = &served.base;
        let probed = match base.probe(&position) {
            Ok(Probe { value, moves }) => Ok((Some(value), moves)),
            Err(ProbeError::MissingTable { .. }) => {
                base.probe_moves(&position).map(|moves| (None, moves))
            }
            Err(error) => Err(error),
        };
        let (value, moves) = probed.map_err(|e| Problem::of_tables(served.name(), &e))?;
        Ok(Known { position, value, moves })
    }

    fn without_moves(served: &Served, position: Position) -> Result<Known, Problem> {
        let value = match served.base.probe_value(&position) {
            Err(ProbeError::MissingTable { .. }) => None,
            value => Some(value.map_err(|e| Problem::of_tables(served.name(), &e))?),
        };
        Ok(Known { position, value, moves: Vec::new() })
    }

    fn answer<'a>(&self, served: &'a Served) -> Answer<'a> {
        let Known { position, value, moves } = self;
        let missing = self.missing().into_iter().map(|slice| slice.to_string());
        Answer {
            probe: ProbeAnswer::new(&served.base, position, *value, moves),
            slice: position.slice().to_string(),
            missing: missing.collect(),
        }
    }

    /// The slices without a table, of the position and of those that moves lead to.
    fn missing(&self) -> BTreeSet<Slice> {
        let unknown = self.moves.iter().filter(|probed| probed.value.is_none());
        let after = unknown.map(|probed| self.position.after(&probed.played).slice());
        let own = self.value.is_none().then(|| self.position.slice());
        after.chain(own).collect()
    }

    /// Tables may come, and files of rules may change; what everybody means by a name,
    /// and is known exactly, stays.
    fn caching(&self, served: &Served) -> Caching {
        let values = self.moves.iter().map(|probed| probed.value).chain([self.value]);
        let is_exact = values.into_iter().all(|value| value.is_some_and(Probed::is_exact));
        if served.is_builtin && is_exact { Caching::Day } else { Caching::Revalidate }
    }
}
