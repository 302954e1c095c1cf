use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{DefaultBodyLimit, OriginalUri, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, Method};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as Anybody, CorsLayer};

use super::api;
use super::attend::attend;
use super::problem::Problem;
use super::site::Site;

/// The longest body.
pub(super) const BODY_BYTES: usize = 256 << 10;

/// All that is served, as a router: for a server of your own, and for tests. Limits of
/// connections and of slow clients are that server's.
pub fn router(site: Arc<Site>) -> Router {
    let panicked = |panic: Box<dyn Any + Send>| Problem::of_panic(&*panic).into_response();
    let cors = CorsLayer::new()
        .allow_origin(Anybody)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([CONTENT_TYPE]);
    Router::new()
        .nest("/api/v1", api::router())
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/", get(index))
        .route("/{file}", get(file))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(cors)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Arc::clone(&site), attend))
        .with_state(site)
}

async fn health() -> Response {
    let headers = [(CACHE_CONTROL, "no-store"), (CONTENT_TYPE, "application/json")];
    (headers, "{\"status\":\"ok\"}").into_response()
}

async fn metrics(State(site): State<Arc<Site>>) -> Response {
    let kind = (CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    ([(CACHE_CONTROL, "no-store"), kind], site.metrics.text(&site)).into_response()
}

async fn index(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    asset(&site, "index.html", &headers)
}

async fn file(
    State(site): State<Arc<Site>>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    // What is no text is no name.
    asset(&site, &name.map_or_else(|_| String::new(), |Path(name)| name), &headers)
}

/// A file of the page.
pub(super) fn asset(site: &Site, name: &str, headers: &HeaderMap) -> Response {
    let found = site.assets.get(name).map(|asset| asset.response(headers));
    found.unwrap_or_else(|| Problem::not_found("there is no such page").into_response())
}

async fn nothing() -> Problem {
    Problem::not_found("there is no such page: the API begins with /api/v1/rulesets")
}

async fn wrong_method(method: Method, OriginalUri(uri): OriginalUri) -> Problem {
    Problem::wrong_method(format!("{method} is not for {}", uri.path()))
}
