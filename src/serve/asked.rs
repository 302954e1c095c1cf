//! What requests ask for, taken from their paths, queries and bodies; what is wrong with
//! them becomes a [`Problem`].

use std::sync::Arc;

use axum::Json;
use axum::body::HttpBody;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::system::bytes::Bytes;

use super::problem::Problem;
use super::router::BODY_BYTES;
use super::site::{Served, Site};

/// The ruleset that the path names.
pub(super) struct OfRules(pub(super) Arc<Served>);

/// The ruleset and the slice that the path names.
pub(super) struct OfSlice(pub(super) Arc<Served>, pub(super) Slice);

/// The parameters of the query.
pub(super) struct Asked<T>(pub(super) T);

/// The body, which is JSON.
pub(super) struct Sent<T>(pub(super) T);

impl FromRequestParts<Arc<Site>> for OfRules {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Problem> {
        let name = path_part(parts, site, "name").await?;
        Ok(OfRules(ruleset(site, &name)?))
    }
}

impl FromRequestParts<Arc<Site>> for OfSlice {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Problem> {
        let OfRules(served) = OfRules::from_request_parts(parts, site).await?;
        let text = path_part(parts, site, "slice").await?;
        let slice = text.parse().map_err(|error| Problem::unknown_slice(format!("{error}")))?;
        Ok(OfSlice(served, slice))
    }
}

fn ruleset(site: &Site, name: &str) -> Result<Arc<Served>, Problem> {
    let unknown = || {
        let names: Vec<&str> = site.rulesets().map(|served| served.name()).collect();
        Problem::unknown_ruleset(format!(
            "{name:?} is no ruleset here: there are {}",
            names.join(", ")
        ))
    };
    site.ruleset(name).ok_or_else(unknown)
}

/// A part of the path, decoded.
async fn path_part(parts: &mut Parts, site: &Arc<Site>, wanted: &str) -> Result<String, Problem> {
    let no_text = |_| Problem::not_found("the path is no text in UTF-8");
    let params = RawPathParams::from_request_parts(parts, site).await.map_err(no_text)?;
    let found = params.iter().find(|&(name, _)| name == wanted);
    found.map(|(_, value)| value.to_owned()).ok_or_else(|| Problem::not_found("no such path"))
}

impl<T: DeserializeOwned> FromRequestParts<Arc<Site>> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Problem> {
        let wrong = |error: QueryRejection| Problem::bad_parameter(error.body_text());
        let Query(asked) = Query::from_request_parts(parts, site).await.map_err(wrong)?;
        Ok(Asked(asked))
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, Problem> {
        let wrong = |error: JsonRejection| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                Problem::wrong_media("send JSON, with the header Content-Type: application/json")
            }
            _ => Problem::bad_parameter(error.body_text()),
        };
        // What is announced as too long is not waited for.
        if request.body().size_hint().lower() > BODY_BYTES as u64 {
            return Err(too_large());
        }
        let Json(sent) = Json::from_request(request, site).await.map_err(wrong)?;
        Ok(Sent(sent))
    }
}

fn too_large() -> Problem {
    Problem::too_large(format!("a body has {} at the most", Bytes(BODY_BYTES as u64)))
}

/// The text of the position that a query must have.
pub(super) fn given(position: Option<String>) -> Result<String, Problem> {
    let missing = || Problem::bad_parameter("the query has no position: add ?position=…");
    position.ok_or_else(missing)
}

/// A position as it stands in a query or a body: `_` may stand for the blank.
pub(super) fn position(text: &str, rules: &Ruleset) -> Result<Position, Problem> {
    Ok(Position::parse(&text.replace('_', " "), rules)?)
}
