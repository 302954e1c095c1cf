use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::game::slice::Slice;
use crate::study::manifest::{Manifest, SliceEntry};
use crate::table::Metric;
use crate::tablebase::ProbeError;

use super::super::asked::{OfRules, OfSlice};
use super::super::problem::Problem;
use super::super::site::{Served, Site};
use super::super::told::Kept;

/// What is told as long as there is nothing else.
#[derive(Serialize)]
struct Awaited {
    slice: String,
    status: &'static str,
}

/// All slices of a ruleset, from the headers of their tables.
pub(super) async fn list(
    State(site): State<Arc<Site>>,
    OfRules(served): OfRules,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let listed = Arc::clone(&served);
    let list = site.probes.work(move || match listed.slices.get() {
        Some(list) => Ok(list.clone()),
        None => {
            let list = Kept::json(&manifest(&listed))?;
            Ok(listed.slices.get_or_init(|| list).clone())
        }
    });
    Ok(list.await?.response(&headers))
}

/// What a manifest of the tables says; of those that cannot be read, nothing.
fn manifest(served: &Served) -> Manifest {
    let mut manifest = Manifest::new(&served.rules);
    for slice in Metric::ALL.into_iter().flat_map(|metric| served.base.slices(metric)) {
        if let Ok(entry) = SliceEntry::of(&served.base, slice) {
            manifest.insert(entry);
        }
    }
    manifest
}

/// The statistics of one slice, or that they are being counted.
pub(super) async fn show(
    State(site): State<Arc<Site>>,
    OfSlice(served, slice): OfSlice,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let counting = Arc::clone(&site);
    let counted = site.probes.work(move || {
        check_slice(&served, slice)?;
        counting.counting.get(&served, slice)
    });
    Ok(match counted.await? {
        Some(counted) => counted.answer.response(&headers),
        None => awaited(slice),
    })
}

/// An error if the slice has no table that can be opened.
pub(super) fn check_slice(served: &Served, slice: Slice) -> Result<(), Problem> {
    match served.base.best_table(slice) {
        Ok(_) => Ok(()),
        Err(ProbeError::MissingTable { .. }) => {
            Err(Problem::unknown_slice(format!("there is no table of {slice} here")))
        }
        Err(error) => Err(Problem::of_tables(served.name(), &error)),
    }
}

/// Ask again in a second.
pub(super) fn awaited(slice: Slice) -> Response {
    let headers = [(RETRY_AFTER, "1"), (CACHE_CONTROL, "no-store")];
    let body = Json(Awaited { slice: slice.to_string(), status: "counting" });
    (StatusCode::ACCEPTED, headers, body).into_response()
}
