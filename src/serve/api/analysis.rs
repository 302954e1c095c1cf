use std::num::NonZeroUsize;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, interval_at};

use crate::engine::{IterationReport, Limits};
use crate::game::history::Game;

use super::super::app_state::AppState;
use super::super::event_stream::{self, EventSender, HEARTBEAT};
use super::super::extract::{QueryParams, RulesetPath, parse_position, required_position};
use super::super::problem::Problem;
use super::super::response::Subject;
use super::super::search_pool::{RunningSearch, SearchTask};

/// Maximum number of lines.
const MAX_LINES: usize = 10;

#[derive(Deserialize)]
pub(super) struct Query {
    position: Option<String>,
    lines: Option<usize>,
}

/// Data of the event `end`.
#[derive(Serialize)]
struct EndEvent {
    reason: &'static str,
}

/// Searches a position and streams the iterations.
pub(super) async fn analysis(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    QueryParams(query): QueryParams<Query>,
) -> Result<Response, Problem> {
    let searches = state.engine()?;
    let text = required_position(query.position)?;
    let rules = Arc::clone(&served.rules);
    let game = Game::from_position(Arc::clone(&rules), parse_position(&text, &rules)?)?;
    if let Some(outcome) = game.outcome() {
        return Err(Problem::game_over(format!("the game is over: {outcome}")));
    }
    let lines = parse_lines(query.lines.unwrap_or(1))?;
    let task = SearchTask {
        game: game.clone(),
        knowledge: Some(served.knowledge()),
        lines,
        limits: Limits::time(searches.time),
    };
    let permit = searches.acquire().await?;
    let (iteration_sender, iterations) = unbounded_channel();
    let running = searches.start(permit, task, move |iteration| {
        // This fails after the client has disconnected.
        let _ = iteration_sender.send(IterationReport::new(&game, iteration));
    });
    let (sender, mut response) = event_stream::open();
    tokio::spawn(forward(iterations, sender, running, Arc::clone(&state)));
    let ruleset = Some(served.name().to_owned());
    response.extensions_mut().insert(Subject { ruleset, slice: None });
    Ok(response)
}

/// Parses the number of lines.
fn parse_lines(lines: usize) -> Result<NonZeroUsize, Problem> {
    NonZeroUsize::new(lines)
        .filter(|lines| lines.get() <= MAX_LINES)
        .ok_or_else(|| Problem::bad_parameter(format!("lines is {lines}: use 1 to {MAX_LINES}")))
}

/// Sends iterations until the search ends, the client disconnects or the server shuts down.
async fn forward(
    mut iterations: UnboundedReceiver<IterationReport>,
    sender: EventSender,
    running: RunningSearch,
    state: Arc<AppState>,
) {
    let shutdown = state.shutdown();
    tokio::pin!(shutdown);
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    let (mut last, mut number) = (None, 0);
    let reason = loop {
        tokio::select! {
            () = &mut shutdown => break "shutdown",
            () = sender.closed() => return,
            _ = heartbeat.tick() => {
                sender.heartbeat().await;
            }
            iteration = iterations.recv() => match iteration {
                None => break "done",
                // The search reports the last iteration twice.
                same if same == last => {}
                Some(iteration) => {
                    number += 1;
                    sender.send("iteration", number, &iteration).await;
                    last = Some(iteration);
                }
            },
        }
    };
    drop(running);
    sender.send("end", number + 1, &EndEvent { reason }).await;
}
