use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::game::position::Position;
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::game::value::Plies;
use crate::index::{SliceIndex, Slot};
use crate::study::stats::SliceReport;
use crate::system::random::SeededRng;

use super::super::asked::{Asked, OfSlice};
use super::super::problem::Problem;
use super::super::site::{Served, Site};
use super::super::told::{Caching, Told};
use super::slices::{awaited, check_slice};

/// Placements that are tried.
const TRIES: usize = 20_000;

#[derive(Deserialize)]
pub(super) struct Query {
    to_move: Option<String>,
    category: Option<String>,
    dtw: Option<Plies>,
}

#[derive(Serialize)]
struct Answer {
    position: String,
}

/// What a position is to be.
struct Wanted {
    sides: Vec<Side>,
    category: Option<String>,
    plies: Option<Plies>,
}

impl Wanted {
    fn new(query: Query) -> Result<Wanted, Problem> {
        let sides = match query.to_move.as_deref() {
            None => Side::ALL.to_vec(),
            Some("a" | "attackers") => vec![Side::Attackers],
            Some("d" | "defenders") => vec![Side::Defenders],
            Some(other) => {
                let wrong = format!("to_move is {other:?}: write attackers or defenders");
                return Err(Problem::bad_parameter(wrong));
            }
        };
        let known = ["win", "draw", "undecided", "loss"];
        if let Some(wrong) = query.category.as_deref().filter(|name| !known.contains(name)) {
            let wrong = format!("category is {wrong:?}: write one of {}", known.join(", "));
            return Err(Problem::bad_parameter(wrong));
        }
        Ok(Wanted { sides, category: query.category, plies: query.dtw })
    }

    fn fits(&self, category: &str, plies: Option<Plies>) -> bool {
        let same_category = self.category.as_ref().is_none_or(|wanted| wanted == category);
        same_category && self.plies.is_none_or(|wanted| plies == Some(wanted))
    }

    /// The example of a bar that fits.
    fn example(&self, report: &SliceReport) -> Option<String> {
        let names: Vec<&str> = self.sides.iter().map(|side| side.name()).collect();
        let sides = report.sides.iter().map(|side| &side.report);
        let sides = sides.filter(|side| names.contains(&side.counts.to_move.as_str()));
        let mut bars = sides.flat_map(|side| &side.histogram);
        bars.find(|bar| self.fits(bar.category, bar.dtw))?.example.clone()
    }
}

/// A position of the slice, at random among those that fit if they are not too rare.
pub(super) async fn random(
    State(site): State<Arc<Site>>,
    OfSlice(served, slice): OfSlice,
    Asked(query): Asked<Query>,
) -> Result<Response, Problem> {
    let wanted = Wanted::new(query)?;
    let counting = Arc::clone(&site);
    let found = site.probes.work(move || {
        check_slice(&served, slice)?;
        let found = match drawn(&served, slice, &wanted)? {
            Some(position) => Some(position.to_text(&served.rules)),
            None => match counting.counting.get(&served, slice)? {
                None => return Ok(None),
                Some(counted) => wanted.example(&counted.report),
            },
        };
        let none = || Problem::not_found(format!("no position of {slice} is like that"));
        let answer = Answer { position: found.ok_or_else(none)? };
        Ok(Some(Told::json(&answer, Caching::Never)?.about(served.name(), Some(slice.to_string()))))
    });
    Ok(found.await?.map_or_else(|| awaited(slice), IntoResponse::into_response))
}

/// The first of many random placements that fits.
fn drawn(served: &Served, slice: Slice, wanted: &Wanted) -> Result<Option<Position>, Problem> {
    let base = &served.base;
    let refusal = |error| Problem::of_tables(served.name(), &error);
    let index = base.index(slice).map_err(refusal)?;
    let mut random = SeededRng::for_purpose(RandomState::new().hash_one(slice), b"random");
    for _ in 0..TRIES {
        let Some(position) = placement(served, index, &mut random, &wanted.sides) else {
            continue;
        };
        let value = base.probe_value(&position).map_err(refusal)?;
        if wanted.fits(base.category(value.wdl), value.plies) {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

/// A random placement, if it is a position.
fn placement(
    served: &Served,
    index: &SliceIndex,
    random: &mut SeededRng,
    sides: &[Side],
) -> Option<Position> {
    let rules = &served.rules;
    let lane = random.next_u64() % index.lanes().count().max(1) as u64;
    let row = random.next_u64() % index.rows().max(1);
    let slot = Slot { lane: u16::try_from(lane).ok()?, row };
    let position = index.unrank(slot, *random.choose(sides)?)?;
    let images: Vec<_> = rules.symmetries().iter().collect();
    let position = position.image(rules, *random.choose(&images)?);
    position.check(rules).is_ok().then_some(position)
}
