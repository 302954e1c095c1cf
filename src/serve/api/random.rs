use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::index::{SliceIndex, Slot};
use crate::study::find::parse_outcome;
use crate::study::stats::SliceReport;
use crate::system::random::{SeededRng, fresh_seed};
use crate::tablebase::{Probed, Tablebase};

use super::super::app_state::AppState;
use super::super::extract::{QueryParams, SlicePath};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::served_ruleset::ServedRuleset;
use super::slices::{check_slice, pending};

/// Maximum random placements to try.
const MAX_TRIES: usize = 20_000;

#[derive(Deserialize)]
pub(super) struct Query {
    to_move: Option<String>,
    category: Option<String>,
    dtw: Option<Plies>,
}

#[derive(Serialize)]
struct RandomReply {
    position: String,
}

/// The wanted side to move and value.
struct Filter {
    side: Option<Side>,
    wdl: Option<Wdl>,
    plies: Option<Plies>,
}

impl Filter {
    fn new(query: &Query, rules: &Ruleset) -> Result<Filter, Problem> {
        let side = parse_side(query.to_move.as_deref())?;
        let wdl = parse_category(rules, query.category.as_deref())?;
        Ok(Filter { side, wdl, plies: query.dtw })
    }

    fn matches(&self, value: Probed) -> bool {
        self.wdl.is_none_or(|wanted| value.wdl == wanted) && self.matches_plies(value.plies)
    }

    fn matches_plies(&self, plies: Option<Plies>) -> bool {
        self.plies.is_none_or(|wanted| plies == Some(wanted))
    }

    /// Returns the example of a histogram bar that matches.
    fn example(&self, base: &Tablebase, report: &SliceReport) -> Option<String> {
        let category = self.wdl.map(|wdl| base.category(wdl));
        let reports = report.sides.iter().map(|side| &side.report);
        let wanted =
            reports.filter(|report| self.side.is_none_or(|side| report.counts.to_move == side));
        wanted
            .flat_map(|side| &side.histogram)
            .find(|bar| {
                category.is_none_or(|wanted| bar.category == wanted) && self.matches_plies(bar.dtw)
            })?
            .example
            .clone()
    }
}

/// Parses the side to move, if there is one.
pub(super) fn parse_side(name: Option<&str>) -> Result<Option<Side>, Problem> {
    match name {
        None => Ok(None),
        Some("a" | "attackers") => Ok(Some(Side::Attackers)),
        Some("d" | "defenders") => Ok(Some(Side::Defenders)),
        Some(other) => {
            let detail = format!("to_move is {other:?}: use attackers or defenders");
            Err(Problem::bad_parameter(detail))
        }
    }
}

/// Parses the wanted outcome, if there is one.
pub(super) fn parse_category(rules: &Ruleset, name: Option<&str>) -> Result<Option<Wdl>, Problem> {
    let outcome = name.map(|name| parse_outcome(rules, name)).transpose();
    outcome.map_err(|error| Problem::bad_parameter(format!("category: {error}")))
}

/// Returns a random position of the slice that matches the filter. If matches are too rare to be
/// drawn, returns an example from the statistics.
pub(super) async fn random(
    State(state): State<Arc<AppState>>,
    SlicePath(served, slice): SlicePath,
    QueryParams(query): QueryParams<Query>,
) -> Result<Response, Problem> {
    let filter = Filter::new(&query, &served.rules)?;
    let app = Arc::clone(&state);
    let work = state.probes.run(move || {
        check_slice(&served, slice)?;
        let found = match draw(&served, slice, &filter)? {
            Some(position) => Some(position.to_text(&served.rules)),
            None => match app.stats.get(&served, slice)? {
                None => return Ok(None),
                Some(stats) => filter.example(&served.base, &stats.report),
            },
        };
        let position =
            found.ok_or_else(|| Problem::not_found(format!("no position of {slice} matches")))?;
        let reply = JsonReply::new(&RandomReply { position }, Caching::Never)?;
        Ok(Some(reply.about(served.name(), Some(slice.to_string()))))
    });
    match work.await? {
        Some(reply) => Ok(reply.into_response()),
        None => pending(slice),
    }
}

/// Draws random placements until one matches.
fn draw(
    served: &ServedRuleset,
    slice: Slice,
    filter: &Filter,
) -> Result<Option<Position>, Problem> {
    let base = &served.base;
    let index = base.index(slice).map_err(|error| Problem::of_tables(&served.rules, &error))?;
    let mut random = SeededRng::new(fresh_seed());
    for _ in 0..MAX_TRIES {
        let Some(position) = placement(served, index, &mut random, filter.side) else {
            continue;
        };
        let value = base
            .probe_value(&position)
            .map_err(|error| Problem::of_tables(&served.rules, &error))?;
        if filter.matches(value) {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

/// Returns a random placement, or `None` if it is not a valid position.
fn placement(
    served: &ServedRuleset,
    index: &SliceIndex,
    random: &mut SeededRng,
    side: Option<Side>,
) -> Option<Position> {
    let rules = &served.rules;
    let lane = random.next_u64() % index.lanes().count().max(1) as u64;
    let row = random.next_u64() % index.rows().max(1);
    let slot = Slot { lane: u16::try_from(lane).ok()?, row };
    let side = side.or_else(|| random.choose(&Side::ALL).copied())?;
    let canonical = index.unrank(slot, side)?;
    let symmetries: Vec<_> = rules.symmetries().iter().collect();
    let position = canonical.image(rules, *random.choose(&symmetries)?);
    position.check(rules).is_ok().then_some(position)
}
