use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::unbounded_channel;

use crate::arena::Level;
use crate::game::history::{Game, Outcome};
use crate::game::notation::parse_move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::system::random::fresh_seed;

use super::super::app_state::AppState;
use super::super::event_stream::{self, EventSender};
use super::super::extract::{JsonBody, RulesetPath, parse_position};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply, Subject};
use super::super::search_pool::{SearchPool, SearchTask};
use super::super::search_queue::{Purpose, SearchTicket};
use super::turn;

/// Maximum moves of a game.
pub(super) const MAX_MOVES: usize = 2000;
/// Time limit for a move.
const MAX_TIME: Duration = Duration::from_secs(4);

#[derive(Deserialize)]
pub(super) struct ReplyRequest {
    #[serde(flatten)]
    game: GameRequest,
    level: Option<String>,
}

/// A game from its first position.
#[derive(Deserialize)]
pub(super) struct GameRequest {
    /// First position of the game. Default: the ruleset's start.
    position: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

#[derive(Serialize)]
struct MoveReply {
    /// `None` if the game was over.
    #[serde(rename = "move")]
    played: Option<String>,
    /// Position after the move.
    position: String,
    over: Option<GameEnd>,
}

/// The end of a game.
#[derive(Serialize)]
pub(super) struct GameEnd {
    winner: Option<&'static str>,
    reason: &'static str,
}

impl From<Outcome> for GameEnd {
    fn from(outcome: Outcome) -> GameEnd {
        GameEnd { winner: outcome.winner.map(Side::name), reason: outcome.reason.name() }
    }
}

impl GameEnd {
    /// A game that its players ended: somebody resigned, or they agreed on a draw.
    pub(super) fn by_hand(winner: Option<Side>) -> GameEnd {
        let reason = if winner.is_some() { "resigned" } else { "agreed" };
        GameEnd { winner: winner.map(Side::name), reason }
    }
}

impl MoveReply {
    fn new(game: &Game, played: Option<String>) -> MoveReply {
        let position = game.position().to_text(game.rules());
        MoveReply { played, position, over: game.outcome().map(GameEnd::from) }
    }
}

/// A search for the engine's move.
struct MoveSearch {
    game: Game,
    level: &'static Level,
    task: SearchTask,
    ticket: SearchTicket,
}

/// Chooses the engine's move in a game. A client that accepts an event stream gets one, with its
/// place in the queue.
pub(super) async fn reply(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    headers: HeaderMap,
    JsonBody(request): JsonBody<ReplyRequest>,
) -> Result<Response, Problem> {
    let searches = state.engine()?;
    let level = parse_level(request.level.as_deref())?;
    let rules = Arc::clone(&served.rules);
    // Replaying a long game takes time that the async threads do not have.
    let game = state.probes.run(move || replay(&rules, &request.game)).await?;
    if game.outcome().is_some() {
        let over = JsonReply::new(&MoveReply::new(&game, None), Caching::Never)?;
        return Ok(over.into_response());
    }
    let task = SearchTask {
        game: game.clone(),
        knowledge: level.uses_tables.then(|| served.knowledge()),
        lines: level.lines,
        limits: level.limits(searches.time.min(MAX_TIME)),
    };
    let search = MoveSearch { game, level, task, ticket: searches.enter(Purpose::Game)? };
    if accepts_events(&headers) {
        let (sender, response) = event_stream::open();
        tokio::spawn(stream(search, sender, Arc::clone(&state)));
        return Ok((Subject::of(served.name(), None), response).into_response());
    }
    let chosen = search.run(None).await?;
    Ok(JsonReply::new(&chosen, Caching::Never)?.about(served.name(), None).into_response())
}

/// Whether the client accepts an event stream as the response.
fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|media| media.contains("text/event-stream"))
}

/// Sends the place in the queue, and then the move or the problem.
async fn stream(search: MoveSearch, sender: EventSender, state: Arc<AppState>) {
    let result = tokio::select! {
        () = state.shutdown() => return,
        () = sender.keep_alive() => return,
        result = search.run(Some(&sender)) => result,
    };
    match result {
        Ok(chosen) => sender.send_next("move", &chosen).await,
        Err(problem) => sender.send_next("problem", &problem).await,
    };
}

impl MoveSearch {
    async fn run(self, events: Option<&EventSender>) -> Result<MoveReply, Problem> {
        let MoveSearch { mut game, level, task, mut ticket } = self;
        turn::await_turn(&mut ticket, events).await;
        // The channel closes when the search ends and drops the callback.
        let (sender, mut iterations) = unbounded_channel();
        let running = SearchPool::start(ticket, task, move |iteration| {
            // This fails after the client has disconnected.
            let _ = sender.send(iteration.clone());
        });
        // Each search ends with a final report, so the last iteration is the result.
        let mut last = None;
        while let Some(iteration) = iterations.recv().await {
            last = Some(iteration);
        }
        drop(running);
        let chosen = last
            .and_then(|iteration| level.choose(&iteration, fresh_seed()))
            .ok_or_else(|| Problem::internal("the engine found no move"))?;
        let text = chosen.display(game.rules().board).to_string();
        game.push(&chosen);
        Ok(MoveReply::new(&game, Some(text)))
    }
}

fn parse_level(level: Option<&str>) -> Result<&'static Level, Problem> {
    let name = level.unwrap_or_default();
    Level::of(name).ok_or_else(|| {
        let known: Vec<&str> = Level::ALL.iter().map(|level| level.name).collect();
        Problem::bad_parameter(format!("level is {name:?}: use one of {}", known.join(", ")))
    })
}

/// Replays a game from its moves.
pub(super) fn replay(rules: &Arc<Ruleset>, request: &GameRequest) -> Result<Game, Problem> {
    let count = request.moves.len();
    if count > MAX_MOVES {
        let detail = format!("{count} moves: send at most {MAX_MOVES}");
        return Err(Problem::bad_parameter(detail));
    }
    let start = match &request.position {
        Some(text) => parse_position(text, rules)?,
        None => Position::start(rules)?,
    };
    let mut game = Game::from_position(Arc::clone(rules), start)?;
    for text in &request.moves {
        play(&mut game, text)?;
    }
    Ok(game)
}

/// Plays a move given as text.
pub(super) fn play(game: &mut Game, text: &str) -> Result<(), Problem> {
    let number = game.moves().len() + 1;
    if let Some(outcome) = game.outcome() {
        let detail = format!("the game is over before move {number}: {outcome}");
        return Err(Problem::game_over(detail));
    }
    let next = parse_move(game.rules(), game.position(), text)
        .map_err(|error| Problem::bad_parameter(format!("move {number}: {error}")))?;
    game.check_repetition(&next)
        .map_err(|error| Problem::bad_parameter(format!("move {number}: {error}")))?;
    game.push(&next);
    Ok(())
}
