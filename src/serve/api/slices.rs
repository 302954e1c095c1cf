use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::json;

use crate::game::slice::Slice;
use crate::study::manifest::{Manifest, SliceEntry};
use crate::table::Metric;
use crate::tablebase::ProbeError;

use super::super::app_state::AppState;
use super::super::extract::{RulesetPath, SlicePath};
use super::super::problem::{Cause, Problem};
use super::super::response::{CachedBody, retry_later};
use super::super::served_ruleset::ServedRuleset;

/// Lists all slices of a ruleset, from the headers of their tables.
pub(super) async fn list(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    listed(&state, served, &headers).await
}

/// Returns the list of slices, which is kept once all tables can be read.
pub(super) async fn listed(
    state: &AppState,
    served: Arc<ServedRuleset>,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let list = state.probes.run(move || match served.slices.get() {
        Some(list) => Ok((list.clone(), None)),
        None => {
            let (manifest, unreadable) = manifest(&served);
            let list = CachedBody::json(&manifest)?;
            match unreadable {
                None => Ok((served.slices.get_or_init(|| list).clone(), None)),
                unreadable => Ok((list, unreadable)),
            }
        }
    });
    let (list, unreadable) = list.await?;
    let mut response = list.response(headers);
    if let Some(error) = unreadable {
        response.extensions_mut().insert(Cause::new(&error));
    }
    Ok(response)
}

/// Returns the manifest of a ruleset's tables, without those that cannot be read, and the first error
/// of these.
fn manifest(served: &ServedRuleset) -> (Manifest, Option<ProbeError>) {
    let (mut manifest, mut unreadable) = (Manifest::new(&served.rules), None);
    for slice in Metric::ALL.into_iter().flat_map(|metric| served.base.slices(metric)) {
        match SliceEntry::of(&served.base, slice) {
            Ok(entry) => _ = manifest.insert(entry.listed_now()),
            Err(error) => _ = unreadable.get_or_insert(error),
        }
    }
    (manifest, unreadable)
}

/// Returns the statistics of a slice, or 202 while they are counted.
pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    SlicePath(served, slice): SlicePath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let app = Arc::clone(&state);
    let work = state.probes.run(move || {
        check_slice(&served, slice)?;
        app.stats.get(&served, slice)
    });
    match work.await? {
        Some(stats) => Ok(stats.body.response(&headers)),
        None => pending(slice),
    }
}

/// Checks that the slice has a table that can be opened.
pub(super) fn check_slice(served: &ServedRuleset, slice: Slice) -> Result<(), Problem> {
    match served.base.best_table(slice) {
        Ok(_) => Ok(()),
        Err(ProbeError::MissingTable { .. }) => {
            Err(Problem::slice_without_table(&served.rules, slice))
        }
        Err(error) => Err(Problem::of_tables(&served.rules, &error)),
    }
}

/// Asks the client to retry after a second.
pub(super) fn pending(slice: Slice) -> Result<Response, Problem> {
    retry_later(&json!({ "slice": slice.to_string(), "status": "counting" }))
}
