use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::study::find::{
    CountAnswer, FindError, Found, FoundAnswer, Pattern, Query, Search, parse_plies, random,
};

use super::super::app_state::AppState;
use super::super::extract::{QueryParams, SlicePath};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::served_ruleset::ServedRuleset;
use super::random::{parse_category, parse_side};
use super::slices::check_slice;

/// Maximum slots of a table that is searched: some seconds of one core.
const MAX_SLOTS: u64 = 1 << 30;
/// Time limit of a search, within that of a request.
const MAX_TIME: Duration = Duration::from_secs(6);
/// Maximum and default number of positions.
const MAX_LIMIT: usize = 200;
const DEFAULT_LIMIT: usize = 50;
/// Maximum number of positions before the first of a response: the longest of them are all held in
/// memory.
const MAX_SKIP: usize = 100_000;

#[derive(Deserialize, Debug)]
pub(super) struct Params {
    to_move: Option<String>,
    category: Option<String>,
    plies: Option<String>,
    pattern: Option<String>,
    #[serde(default)]
    zugzwang: bool,
    /// Only the longest.
    #[serde(default)]
    longest: bool,
    /// Only a random sample.
    seed: Option<u64>,
    /// Only counts.
    #[serde(default)]
    count: bool,
    limit: Option<usize>,
    #[serde(default)]
    skip: usize,
}

#[derive(Serialize)]
struct FindReply {
    rules: String,
    slice: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counts: Vec<CountAnswer>,
    positions: Vec<FoundAnswer>,
    /// Whether there are more after these.
    more: bool,
    /// Whether the whole table was searched, as far as it was needed; if not, time ran out.
    complete: bool,
}

/// Searches a slice.
pub(super) async fn find(
    State(state): State<Arc<AppState>>,
    SlicePath(served, slice): SlicePath,
    QueryParams(params): QueryParams<Params>,
) -> Result<JsonReply, Problem> {
    params.check_kind()?;
    let query = params.query(&served.rules)?;
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Problem::bad_parameter(format!("limit is {limit}: use 1 to {MAX_LIMIT}")));
    }
    if params.skip > MAX_SKIP {
        let detail = format!("skip is {}: use 0 to {MAX_SKIP}", params.skip);
        return Err(Problem::bad_parameter(detail));
    }
    let key = format!("{} {slice} {params:?}", served.name());
    let work = move || {
        check_slice(&served, slice)?;
        let reply = run(&served, slice, &query, &params, limit)?;
        let is_complete = reply.complete;
        let answer = JsonReply::new(&reply, Caching::Revalidate)?;
        Ok((answer.about(served.name(), Some(slice.to_string())), is_complete))
    };
    state.finds.get(key, work).await
}

impl Params {
    /// Checks that one kind of answer is asked for, and that it has an order if some are to be skipped.
    fn check_kind(&self) -> Result<(), Problem> {
        let kinds =
            [("longest", self.longest), ("seed", self.seed.is_some()), ("count", self.count)];
        let asked = kinds.into_iter().filter(|&(_, is_asked)| is_asked).map(|(name, _)| name);
        match asked.collect::<Vec<_>>()[..] {
            ["count"] if self.limit.is_some() => {
                Err(Problem::bad_parameter("count and limit: leave one of them out"))
            }
            [] | ["longest"] => Ok(()),
            [_] if self.skip == 0 => Ok(()),
            [one] => Err(Problem::bad_parameter(format!("{one} and skip: leave one of them out"))),
            ref more => {
                Err(Problem::bad_parameter(format!("{}: use only one", more.join(" and "))))
            }
        }
    }

    fn query(&self, rules: &Ruleset) -> Result<Query, Problem> {
        let bad = |name: &str, error: &dyn std::fmt::Display| {
            Problem::bad_parameter(format!("{name}: {error}"))
        };
        let plies = self.plies.as_deref().map(parse_plies);
        let plies = plies.transpose().map_err(|error| bad("plies", &error))?;
        let pattern = self.pattern.as_deref().map(|text| Pattern::parse(text, rules.board));
        let pattern = pattern.transpose().map_err(|error| bad("pattern", &error))?;
        Ok(Query {
            to_move: parse_side(self.to_move.as_deref())?,
            wdl: parse_category(rules, self.category.as_deref())?,
            plies,
            zugzwang: self.zugzwang,
            pattern: pattern.unwrap_or_default(),
        })
    }
}

fn run(
    served: &ServedRuleset,
    slice: Slice,
    query: &Query,
    params: &Params,
    limit: usize,
) -> Result<FindReply, Problem> {
    let base = &served.base;
    let of_tables = |error| Problem::of_tables(&served.rules, &error);
    if base.index(slice).map_err(of_tables)?.slots() > MAX_SLOTS {
        return Err(Problem::bad_parameter(format!(
            "{slice} is too large to be searched here: run `taflbase find {} --slice {slice}`",
            served.name()
        )));
    }
    let table = base.best_table(slice).map_err(of_tables)?;
    let (end, is_late) = (Instant::now() + MAX_TIME, AtomicBool::new(false));
    let go_on = || {
        is_late.store(Instant::now() >= end, Ordering::Relaxed);
        !is_late.load(Ordering::Relaxed)
    };
    let of_search = |error| Problem::of_search(Some(slice), &error);
    let search = Search::new(base.rules(), table, query).map_err(of_search)?.cancel_unless(&go_on);
    let mut counts = Vec::new();
    let (found, more) = match params.count {
        true => {
            let by_side = search.count().map_err(of_search)?;
            let sides = query.sides().iter();
            counts.extend(sides.map(|&side| CountAnswer::new(base, slice, side, by_side[side])));
            (Vec::new(), false)
        }
        false => positions(search, params, limit).map_err(of_search)?,
    };
    Ok(FindReply {
        rules: served.name().to_owned(),
        slice: slice.to_string(),
        counts,
        positions: found.iter().map(|one| FoundAnswer::new(base, one)).collect(),
        more,
        complete: !is_late.load(Ordering::Relaxed),
    })
}

/// Returns the wanted positions, and whether there are more.
fn positions(
    search: Search<'_>,
    params: &Params,
    limit: usize,
) -> Result<(Vec<Found>, bool), FindError> {
    if let Some(seed) = params.seed {
        return Ok((random(&[search], limit, seed)?, false));
    }
    let mut found: Vec<Found> = Vec::new();
    if params.longest {
        found.extend(search.longest(params.skip + limit + 1)?.into_iter().skip(params.skip));
    } else {
        let mut left = params.skip;
        search.each(|one| {
            if left > 0 {
                left -= 1;
            } else {
                found.push(one);
            }
            if found.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    let more = found.len() > limit;
    found.truncate(limit);
    Ok((found, more))
}
