use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{DefaultBodyLimit, MatchedPath, OriginalUri, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, Method};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as AnyOrigin, CorsLayer};

use super::api;
use super::app_state::AppState;
use super::extract::BODY_BYTES;
use super::middleware;
use super::problem::Problem;

/// The route of the page's files.
const FILE: &str = "/{file}";

/// Returns the explorer as a router, for your own server or for tests. That server has to limit
/// connections and slow clients.
pub fn router(state: Arc<AppState>) -> Router {
    let cors = CorsLayer::new()
        .allow_origin(AnyOrigin)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([CONTENT_TYPE]);
    Router::new()
        .nest("/api/v1", api::router())
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/", get(index))
        .route(FILE, get(file))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(cors)
        .layer(CatchPanicLayer::custom(panic_response))
        .layer(from_fn_with_state(Arc::clone(&state), middleware::wrap))
        .with_state(state)
}

fn panic_response(panic: Box<dyn Any + Send>) -> Response {
    Problem::of_panic(&*panic).into_response()
}

async fn health() -> Response {
    let headers = [(CACHE_CONTROL, "no-store"), (CONTENT_TYPE, "application/json")];
    (headers, "{\"status\":\"ok\"}").into_response()
}

async fn metrics(State(state): State<Arc<AppState>>) -> Response {
    let media = (CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    let text = state.metrics.text(&state.gauges());
    ([(CACHE_CONTROL, "no-store"), media], text).into_response()
}

pub(super) async fn index(State(state): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    state.assets.response("index.html", &headers)
}

pub(super) async fn file(
    State(state): State<Arc<AppState>>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    // No file has a name that is not UTF-8.
    let name = name.map_or_else(|_| String::new(), |Path(name)| name);
    state.assets.response(&name, &headers)
}

async fn not_found() -> Problem {
    Problem::not_found("no such page: the API starts at /api/v1/rulesets")
}

async fn wrong_method(
    State(state): State<Arc<AppState>>,
    method: Method,
    OriginalUri(uri): OriginalUri,
    route: MatchedPath,
) -> Problem {
    // The route of the files takes any name.
    if route.as_str() == FILE && !state.assets.has(uri.path().trim_start_matches('/')) {
        return not_found().await;
    }
    Problem::wrong_method(format!("{} does not support {method}", uri.path()))
}
