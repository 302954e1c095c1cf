use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};

use super::super::api::rulesets;
use super::super::event_stream::{self, EventSender};
use super::super::middleware;
use super::super::problem::Problem;
use super::super::router::{file, index};
use super::scene::Scene;
use super::state::{DisplayState, Revision};

/// Maximum size of a body, which is a single move.
const BODY_BYTES: usize = 1024;

/// Data of the event `state`.
#[derive(Serialize)]
struct StateEvent<'a> {
    revision: u64,
    #[serde(flatten)]
    scene: &'a Scene,
}

#[derive(Deserialize)]
struct MoveRequest {
    revision: u64,
    #[serde(rename = "move")]
    played: String,
}

pub(super) fn router(state: Arc<DisplayState>, token: &str) -> Router {
    let app = Arc::clone(&state.app);
    let base = format!("/live/{token}");
    let page = Router::new()
        .route(&format!("{base}/"), get(index))
        .route(&format!("{base}/{{file}}"), get(file))
        .route("/api/v1/rulesets/{name}", get(rulesets::show))
        .with_state(Arc::clone(&app));
    Router::new()
        .route(&format!("{base}/events"), get(events))
        .route(&format!("{base}/move"), post(make_move))
        .with_state(Arc::clone(&state))
        .merge(page)
        .fallback(async || Problem::not_found("no such page"))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn_with_state(state, require_local_origin))
        .layer(from_fn_with_state(app, middleware::wrap))
}

/// Refuses requests from pages of other origins, and those under another host name, which DNS
/// rebinding would allow.
async fn require_local_origin(
    State(state): State<Arc<DisplayState>>,
    request: Request,
    next: Next,
) -> Response {
    if is_local_origin(state.address, request.headers()) {
        next.run(request).await
    } else {
        Problem::forbidden("this display can only be used on the machine that it runs on")
            .into_response()
    }
}

fn is_local_origin(address: SocketAddr, headers: &HeaderMap) -> bool {
    let port = address.port();
    let Some(host) = header_text(headers, HOST) else {
        return false;
    };
    let is_local = match header_text(headers, ORIGIN) {
        Some(origin) => {
            origin.strip_prefix("http://").is_some_and(|host| is_local_host(host, port))
        }
        None => true,
    };
    is_local && is_local_host(host, port)
}

fn is_local_host(host: &str, port: u16) -> bool {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
}

/// Returns a header as text; an empty text if it is not ASCII.
fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

/// Streams scenes as they are shown; a slow client skips some.
async fn events(State(state): State<Arc<DisplayState>>) -> Response {
    let (sender, response) = event_stream::open();
    tokio::spawn(send_scenes(state, sender));
    response
}

async fn send_scenes(state: Arc<DisplayState>, sender: EventSender) {
    let mut current = state.current.subscribe();
    let shutdown = state.app.shutdown();
    let alive = sender.keep_alive();
    tokio::pin!(shutdown, alive);
    current.mark_changed();
    loop {
        tokio::select! {
            // The last scene is sent before the stream is closed.
            biased;
            changed = current.changed() => {
                let Revision { number, scene } = current.borrow_and_update().clone();
                let event = StateEvent { revision: number, scene: &scene };
                if changed.is_err() || !sender.send("state", number, &event).await {
                    return;
                }
            }
            () = &mut shutdown => return,
            () = &mut alive => return,
        }
    }
}

/// Makes a move for a side that is played by hand.
async fn make_move(
    State(state): State<Arc<DisplayState>>,
    body: Result<Json<MoveRequest>, JsonRejection>,
) -> Result<StatusCode, Problem> {
    let Json(MoveRequest { revision, played }) =
        body.map_err(|error| Problem::bad_parameter(error.body_text()))?;
    let Revision { number, scene } = state.current.borrow().clone();
    if revision != number {
        return Err(Problem::stale(format!("this is revision {number}, not {revision}")));
    }
    if !scene.accepts_moves() {
        return Err(Problem::stale("no move can be made by hand now"));
    }
    let found = scene
        .find(&played)
        .ok_or_else(|| Problem::bad_parameter(format!("illegal move {played:?}")))?;
    if !state.claim_move(revision) {
        return Err(Problem::stale(format!("revision {revision} already has its move")));
    }
    (state.on_move)(&found);
    Ok(StatusCode::NO_CONTENT)
}
