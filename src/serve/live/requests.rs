use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Json;
use axum::Router;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::{Instant, interval_at};

use crate::game::moves::Move;

use super::super::api::rulesets;
use super::super::attend::attend;
use super::super::problem::Problem;
use super::super::router::asset;
use super::super::site::Site;
use super::super::stream::{Events, HEARTBEAT, events};
use super::Scene;
use super::display::Shown;

/// A move is short.
const BODY_BYTES: usize = 1024;

/// What all requests share.
pub(super) struct Live {
    pub(super) site: Arc<Site>,
    pub(super) address: SocketAddr,
    pub(super) shown: watch::Sender<Shown>,
    pub(super) play: Box<dyn Fn(&Move) + Send + Sync>,
    /// The last revision of which a move was taken.
    pub(super) taken: Mutex<u64>,
}

/// A scene with its number.
#[derive(Serialize)]
struct Numbered<'a> {
    revision: u64,
    #[serde(flatten)]
    scene: &'a Scene,
}

#[derive(Deserialize)]
struct Played {
    revision: u64,
    #[serde(rename = "move")]
    played: String,
}

pub(super) fn router(live: Arc<Live>, token: &str) -> Router {
    let site = Arc::clone(&live.site);
    let base = format!("/live/{token}");
    let ruleset = Router::new()
        .route("/api/v1/rulesets/{name}", get(rulesets::show))
        .with_state(Arc::clone(&site));
    Router::new()
        .route(&format!("{base}/"), get(index))
        .route(&format!("{base}/{{file}}"), get(file))
        .route(&format!("{base}/events"), get(stream))
        .route(&format!("{base}/move"), post(take_move))
        .with_state(Arc::clone(&live))
        .merge(ruleset)
        .fallback(async || Problem::not_found("there is no such page"))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn_with_state(live, only_from_here))
        .layer(from_fn_with_state(site, attend))
}

/// Refuses what pages of other sites ask for in a browser of this machine, by whatever name
/// they have found the way here.
async fn only_from_here(State(live): State<Arc<Live>>, request: Request, next: Next) -> Response {
    if is_from_here(live.address, request.headers()) {
        next.run(request).await
    } else {
        Problem::forbidden("this display is for the machine that it runs on").into_response()
    }
}

fn is_from_here(address: SocketAddr, headers: &HeaderMap) -> bool {
    let port = address.port();
    let is_ours = |host: &str| {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    };
    let header = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(is_ours);
    header(HOST).is_some_and(is_ours) && header(ORIGIN).is_none_or(is_origin)
}

async fn index(State(live): State<Arc<Live>>, headers: HeaderMap) -> Response {
    asset(&live.site, "index.html", &headers)
}

async fn file(
    State(live): State<Arc<Live>>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    asset(&live.site, &name.map_or_else(|_| String::new(), |Path(name)| name), &headers)
}

/// Every scene as it is shown; those that are overtaken are left out.
async fn stream(State(live): State<Arc<Live>>) -> Response {
    let (events, response) = events();
    tokio::spawn(show_all(live, events));
    response
}

async fn show_all(live: Arc<Live>, events: Events) {
    let mut shown = live.shown.subscribe();
    let ended = live.site.ended();
    tokio::pin!(ended);
    let mut beat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    shown.mark_changed();
    loop {
        tokio::select! {
            // What was shown last is shown even at the end.
            biased;
            changed = shown.changed() => {
                let Shown { revision, scene } = shown.borrow_and_update().clone();
                let numbered = Numbered { revision, scene: &scene };
                if changed.is_err() || !events.send("state", revision, &numbered).await {
                    return;
                }
            }
            () = &mut ended => return,
            () = events.closed() => return,
            _ = beat.tick() => {
                events.beat().await;
            }
        }
    }
}

/// A move of whoever sits at the browser.
async fn take_move(
    State(live): State<Arc<Live>>,
    sent: Result<Json<Played>, JsonRejection>,
) -> Result<StatusCode, Problem> {
    let wrong = |error: JsonRejection| Problem::bad_parameter(error.body_text());
    let Json(Played { revision, played }) = sent.map_err(wrong)?;
    let Shown { revision: now, scene } = live.shown.borrow().clone();
    if revision != now {
        return Err(Problem::stale(format!("this is revision {now}, not {revision}")));
    }
    if !scene.is_open() {
        return Err(Problem::stale("nobody is to move by hand"));
    }
    let illegal = || Problem::bad_parameter(format!("{played:?} is no legal move here"));
    let found = scene.find(&played).ok_or_else(illegal)?;
    if !live.take(revision) {
        return Err(Problem::stale(format!("a move of revision {revision} was made already")));
    }
    (live.play)(&found);
    Ok(StatusCode::NO_CONTENT)
}
