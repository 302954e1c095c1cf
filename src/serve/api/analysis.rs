use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::unbounded_channel;

use crate::engine::{IterationReport, Limits};
use crate::game::history::Game;

use super::super::app_state::AppState;
use super::super::event_stream::{self, EventSender};
use super::super::extract::{QueryParams, RulesetPath, parse_position, required_position};
use super::super::problem::Problem;
use super::super::response::Subject;
use super::super::search_pool::{SearchPool, SearchTask};
use super::super::search_queue::{Purpose, SearchTicket};
use super::super::served_ruleset::ServedRuleset;
use super::turn;

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

/// The analysis of a position for a client.
struct Analysis {
    served: Arc<ServedRuleset>,
    game: Game,
    lines: NonZeroUsize,
    time: Duration,
    state: Arc<AppState>,
    sender: EventSender,
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
    let ticket = searches.enter(Purpose::Analysis)?;
    let (sender, response) = event_stream::open();
    let subject = Subject::of(served.name(), None);
    let time = searches.time;
    tokio::spawn(stream(Analysis { served, game, lines, time, state, sender }, ticket));
    Ok((subject, response).into_response())
}

/// Parses the number of lines.
fn parse_lines(lines: usize) -> Result<NonZeroUsize, Problem> {
    NonZeroUsize::new(lines)
        .filter(|lines| lines.get() <= MAX_LINES)
        .ok_or_else(|| Problem::bad_parameter(format!("lines is {lines}: use 1 to {MAX_LINES}")))
}

/// Sends the analysis until it ends, the client disconnects or the server shuts down.
async fn stream(analysis: Analysis, ticket: SearchTicket) {
    let reason = tokio::select! {
        () = analysis.state.shutdown() => "shutdown",
        () = analysis.sender.keep_alive() => return,
        () = analysis.run(ticket) => "done",
    };
    analysis.sender.send_next("end", &EndEvent { reason }).await;
}

impl Analysis {
    /// Searches to the end. After giving way to a game, the search begins anew, and the
    /// iterations that the client has already seen are not sent again.
    async fn run(&self, first: SearchTicket) {
        let mut ticket = first;
        let mut last: Option<IterationReport> = None;
        loop {
            turn::await_turn(&mut ticket, Some(&self.sender)).await;
            let (iteration_sender, mut iterations) = unbounded_channel();
            let game = self.game.clone();
            let running = SearchPool::start(ticket, self.task(), move |iteration| {
                // This fails after the client has disconnected.
                let _ = iteration_sender.send(IterationReport::new(&game, iteration));
            });
            let seen = last.as_ref().map(progress);
            while let Some(iteration) = iterations.recv().await {
                // The search reports the last iteration twice.
                if Some(progress(&iteration)) > seen && last.as_ref() != Some(&iteration) {
                    self.sender.send_next("iteration", &iteration).await;
                    last = Some(iteration);
                }
            }
            if !running.has_given_way() {
                return;
            }
            let searches = self.state.engine();
            let next = searches.and_then(|searches| searches.enter(Purpose::Interrupted));
            let Ok(next) = next else { return };
            ticket = next;
        }
    }

    fn task(&self) -> SearchTask {
        SearchTask {
            game: self.game.clone(),
            knowledge: Some(self.served.knowledge()),
            lines: self.lines,
            limits: Limits::time(self.time),
        }
    }
}

/// How far an iteration has come, for comparison.
fn progress(iteration: &IterationReport) -> (u32, bool) {
    (iteration.depth, iteration.complete)
}
