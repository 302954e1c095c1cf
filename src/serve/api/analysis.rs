use std::num::NonZeroUsize;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, interval_at};

use crate::engine::{IterationAnswer, Limits};
use crate::game::history::Game;

use super::super::asked::{Asked, OfRules, given, position};
use super::super::problem::Problem;
use super::super::searches::{Running, Task};
use super::super::site::Site;
use super::super::stream::{Events, HEARTBEAT, events};
use super::super::told::Subject;
use super::engine;

/// Lines that are searched at once.
const MOST_LINES: usize = 10;

#[derive(Deserialize)]
pub(super) struct Query {
    position: Option<String>,
    lines: Option<usize>,
}

/// Why there is no more to tell.
#[derive(Serialize)]
struct End {
    reason: &'static str,
}

/// Searches a position, and tells of each iteration as it comes.
pub(super) async fn analysis(
    State(site): State<Arc<Site>>,
    OfRules(served): OfRules,
    Asked(query): Asked<Query>,
) -> Result<Response, Problem> {
    let searches = engine(&site)?;
    let text = given(query.position)?;
    let rules = Arc::clone(&served.rules);
    let game = Game::from_position(Arc::clone(&rules), position(&text, &rules)?)?;
    if let Some(outcome) = game.outcome() {
        return Err(Problem::game_over(format!("the game is over: {outcome}")));
    }
    let lines = query.lines.unwrap_or(1);
    let wrong = || Problem::bad_parameter(format!("lines is {lines}: write 1 to {MOST_LINES}"));
    let lines = NonZeroUsize::new(lines).filter(|lines| lines.get() <= MOST_LINES);
    let task = Task {
        game: game.clone(),
        tables: Some(Arc::clone(&served.base)),
        lines: lines.ok_or_else(wrong)?,
        limits: Limits::time(searches.time),
    };
    let place = searches.enter().await?;
    let (sender, iterations) = unbounded_channel();
    let running = searches.start(place, task, move |iteration| {
        // The client may have gone.
        let _ = sender.send(IterationAnswer::new(&game, iteration));
    });
    let (events, mut response) = events();
    tokio::spawn(forward(iterations, events, running, Arc::clone(&site)));
    let ruleset = Some(served.name().to_owned());
    response.extensions_mut().insert(Subject { ruleset, slice: None });
    Ok(response)
}

/// Sends iterations until there are no more, the client goes, or the server ends.
async fn forward(
    mut iterations: UnboundedReceiver<IterationAnswer>,
    events: Events,
    running: Running,
    site: Arc<Site>,
) {
    let ended = site.ended();
    tokio::pin!(ended);
    let mut beat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    let (mut last, mut number) = (None, 0);
    let reason = loop {
        tokio::select! {
            () = &mut ended => break "shutdown",
            () = events.closed() => return,
            _ = beat.tick() => {
                events.beat().await;
            }
            iteration = iterations.recv() => match iteration {
                None => break "done",
                // The last one is told twice.
                same if same == last => {}
                Some(iteration) => {
                    number += 1;
                    events.send("iteration", number, &iteration).await;
                    last = Some(iteration);
                }
            },
        }
    };
    drop(running);
    events.send("end", number + 1, &End { reason }).await;
}
