//! Extractors for paths, queries and bodies. Their rejection is a [`Problem`].

use std::sync::Arc;

use axum::Json;
use axum::body::HttpBody;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::system::bytes::Bytes;

use super::app_state::AppState;
use super::problem::Problem;
use super::served_ruleset::ServedRuleset;
use super::store_tree::ServedStore;

/// Maximum size of a body.
pub(super) const BODY_BYTES: usize = 256 << 10;

/// The ruleset named by the path.
pub(super) struct RulesetPath(pub(super) Arc<ServedRuleset>);

/// The ruleset and the slice named by the path.
pub(super) struct SlicePath(pub(super) Arc<ServedRuleset>, pub(super) Slice);

/// The ruleset and the file name in the path.
pub(super) struct TableFilePath(pub(super) Arc<ServedRuleset>, pub(super) String);

/// The ruleset and the proof store named by the path.
pub(super) struct StorePath(pub(super) Arc<ServedRuleset>, pub(super) Arc<ServedStore>);

/// The parameters of the query.
pub(super) struct QueryParams<T>(pub(super) T);

/// A JSON body.
pub(super) struct JsonBody<T>(pub(super) T);

impl FromRequestParts<Arc<AppState>> for RulesetPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Problem> {
        let name = path_param(parts, state, "name").await?;
        let served = state.ruleset(&name).ok_or_else(|| unknown_ruleset(state, &name))?;
        Ok(RulesetPath(served))
    }
}

impl FromRequestParts<Arc<AppState>> for SlicePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Problem> {
        let RulesetPath(served) = RulesetPath::from_request_parts(parts, state).await?;
        let text = path_param(parts, state, "slice").await?;
        let slice = text.parse().map_err(|error| Problem::unknown_slice(format!("{error}")))?;
        Ok(SlicePath(served, slice))
    }
}

impl FromRequestParts<Arc<AppState>> for TableFilePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Problem> {
        let RulesetPath(served) = RulesetPath::from_request_parts(parts, state).await?;
        Ok(TableFilePath(served, path_param(parts, state, "file").await?))
    }
}

impl FromRequestParts<Arc<AppState>> for StorePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Problem> {
        let RulesetPath(served) = RulesetPath::from_request_parts(parts, state).await?;
        let name = path_param(parts, state, "store").await?;
        let found = served.stores.iter().find(|store| store.name == name).cloned();
        let store = found.ok_or_else(|| unknown_store(&served, &name))?;
        Ok(StorePath(served, store))
    }
}

fn unknown_store(served: &ServedRuleset, name: &str) -> Problem {
    let names: Vec<&str> = served.stores.iter().map(|store| &*store.name).collect();
    Problem::unknown_store(match names.is_empty() {
        true => format!("no store {name:?}: {} has none", served.name()),
        false => format!("no store {name:?}: choose one of {}", names.join(", ")),
    })
}

fn unknown_ruleset(state: &AppState, name: &str) -> Problem {
    let names: Vec<&str> = state.rulesets().map(|served| served.name()).collect();
    Problem::unknown_ruleset(format!("no ruleset {name:?}: choose one of {}", names.join(", ")))
}

/// Returns a parameter of the path, percent-decoded.
async fn path_param(
    parts: &mut Parts,
    state: &Arc<AppState>,
    wanted: &str,
) -> Result<String, Problem> {
    let params = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| Problem::not_found("the path is not UTF-8"))?;
    let found = params.iter().find(|&(name, _)| name == wanted);
    found.map(|(_, value)| value.to_owned()).ok_or_else(|| Problem::not_found("no such path"))
}

impl<T: DeserializeOwned> FromRequestParts<Arc<AppState>> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Problem> {
        let Query(params) = Query::from_request_parts(parts, state)
            .await
            .map_err(|error| Problem::bad_parameter(error.body_text()))?;
        Ok(QueryParams(params))
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<AppState>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<AppState>) -> Result<Self, Problem> {
        // Refuse a body by its announced length, before reading it.
        if request.body().size_hint().lower() > BODY_BYTES as u64 {
            return Err(too_large());
        }
        let Json(body) = Json::from_request(request, state).await.map_err(json_problem)?;
        Ok(JsonBody(body))
    }
}

fn json_problem(error: JsonRejection) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            Problem::wrong_media("send JSON, with the header Content-Type: application/json")
        }
        _ => Problem::bad_parameter(error.body_text()),
    }
}

fn too_large() -> Problem {
    Problem::too_large(format!("the body is too large: send at most {}", Bytes(BODY_BYTES as u64)))
}

/// Returns the position parameter, which the query must have.
pub(super) fn required_position(position: Option<String>) -> Result<String, Problem> {
    position.ok_or_else(|| Problem::bad_parameter("the query has no position: add ?position=…"))
}

/// Parses a position from a query or a body, where `_` may replace the space.
pub(super) fn parse_position(text: &str, rules: &Ruleset) -> Result<Position, Problem> {
    Ok(Position::parse(&text.replace('_', " "), rules)?)
}
