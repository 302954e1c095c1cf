//! Middleware around every request: time limit, security headers, conditional responses,
//! metrics and the log.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::time::timeout;

use super::app_state::AppState;
use super::problem::{Cause, Problem};
use super::response::Subject;

/// Restricts the page to scripts, styles, images and connections of its own origin.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

const SECURITY_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// A line of the log. It contains no addresses.
#[derive(Serialize)]
struct LogLine<'a> {
    time: f64,
    method: &'a str,
    route: &'a str,
    status: u16,
    microseconds: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ruleset: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// Runs the request under its time limit, adds the common headers, and counts and logs the
/// response.
pub(super) async fn wrap(
    State(state): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let _in_flight = state.metrics.enter();
    // `next` consumes the request, so keep the parts that the response and the log need.
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let known_tags = request.headers().get(IF_NONE_MATCH).cloned();
    let full_response =
        timeout(state.options.request_timeout, next.run(request)).await.unwrap_or_else(|_| {
            Problem::timeout("the request took too long: ask for less, or try again")
                .into_response()
        });
    let mut response = not_modified_or(full_response, known_tags.as_ref());
    response.headers_mut().extend(SECURITY_HEADERS.map(|(name, value)| (Some(name), value)));
    let took = began.elapsed();
    let route = matched.as_ref().map_or("none", MatchedPath::as_str);
    let status = response.status();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        state.metrics.shed();
    }
    state.metrics.answered(route, status.as_u16(), took);
    let subject = response.extensions().get::<Subject>();
    let cause = response.extensions().get::<Cause>();
    state.options.log.line(&LogLine {
        time: unix_time(),
        method: method.as_str(),
        route,
        status: status.as_u16(),
        microseconds: took.as_micros(),
        bytes: response.body().size_hint().exact(),
        ruleset: subject.map(|subject| &*subject.ruleset),
        slice: subject.and_then(|subject| subject.slice.as_deref()),
        error: cause.map(|Cause(text)| &**text),
    });
    response
}

/// Returns the Unix time in seconds, to the millisecond.
fn unix_time() -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.as_millis() as f64 / 1000.0
}

/// Returns 304 without a body if the client has this response, else the response.
fn not_modified_or(response: Response, known_tags: Option<&HeaderValue>) -> Response {
    let is_known = response.status() == StatusCode::OK
        && known_tags.is_some_and(|tags| has_tag(tags, response.headers()));
    if !is_known {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::NOT_MODIFIED;
    parts.headers.remove(CONTENT_TYPE);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::empty())
}

/// Whether the response's `ETag` is in the `If-None-Match` header.
fn has_tag(if_none_match: &HeaderValue, headers: &HeaderMap) -> bool {
    let Some(tag) = headers.get(ETAG).and_then(|tag| tag.to_str().ok()) else {
        return false;
    };
    let known = if_none_match.to_str().unwrap_or_default();
    known.trim() == "*" || known.split(',').any(|one| opaque(one) == opaque(tag))
}

/// Strips the mark of a weak tag: `If-None-Match` compares weakly (RFC 9110, 13.1.2).
fn opaque(tag: &str) -> &str {
    tag.trim().trim_start_matches("W/")
}
