//! What happens to every request and every answer.

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

use super::problem::{Cause, Problem};
use super::site::Site;
use super::told::Subject;

/// The page runs what comes from here, shows what comes from here, and asks nobody else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

const SAFETY: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// A line of the log. Nobody's address is in it.
#[derive(Serialize)]
struct Line<'a> {
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

/// Answers in time, with the headers that every answer has; counts it and logs it.
pub(super) async fn attend(
    State(site): State<Arc<Site>>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let _in_flight = site.metrics.enter();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let answer = timeout(site.options.request_time, next.run(request)).await;
    let answer = answer.unwrap_or_else(|_| {
        Problem::timeout("the answer took too long: ask for less, or try again").into_response()
    });
    let mut response = unless_known(answer, known.as_ref());
    response.headers_mut().extend(SAFETY.map(|(name, value)| (Some(name), value)));
    let took = began.elapsed();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let status = response.status();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        site.metrics.shed();
    }
    site.metrics.answered(route, status.as_u16(), took);
    let subject = response.extensions().get::<Subject>();
    let cause = response.extensions().get::<Cause>();
    site.options.log.line(&Line {
        time: since_1970(),
        method: method.as_str(),
        route,
        status: status.as_u16(),
        microseconds: took.as_micros(),
        bytes: response.body().size_hint().exact(),
        ruleset: subject.and_then(|subject| subject.ruleset.as_deref()),
        slice: subject.and_then(|subject| subject.slice.as_deref()),
        error: cause.map(|Cause(text)| &**text),
    });
    response
}

/// Milliseconds are enough.
fn since_1970() -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.as_millis() as f64 / 1000.0
}

/// The answer without its body, if the client has it.
fn unless_known(response: Response, known: Option<&HeaderValue>) -> Response {
    let is_known = response.status() == StatusCode::OK
        && known.is_some_and(|known| is_among(known, response.headers()));
    if !is_known {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::NOT_MODIFIED;
    parts.headers.remove(CONTENT_TYPE);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::empty())
}

/// Whether the tag of an answer is one of those that the client knows.
fn is_among(known: &HeaderValue, headers: &HeaderMap) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Some(tag) = headers.get(ETAG).and_then(|tag| tag.to_str().ok()).map(opaque) else {
        return false;
    };
    let known = known.to_str().unwrap_or_default();
    known.trim() == "*" || known.split(',').any(|one| opaque(one) == tag)
}
