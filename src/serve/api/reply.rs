use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::unbounded_channel;

use crate::arena::Level;
use crate::game::history::{Game, Outcome};
use crate::game::notation::parse_move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

use super::super::app_state::AppState;
use super::super::extract::{JsonBody, RulesetPath, parse_position};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::search_pool::SearchTask;

/// Maximum moves of a game.
const MAX_MOVES: usize = 2000;
/// Time limit for a move.
const MAX_TIME: Duration = Duration::from_secs(4);

#[derive(Deserialize)]
pub(super) struct GameRequest {
    /// First position of the game. Default: the ruleset's start.
    position: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    level: Option<String>,
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

#[derive(Serialize)]
struct GameEnd {
    winner: Option<&'static str>,
    reason: &'static str,
}

impl From<Outcome> for GameEnd {
    fn from(outcome: Outcome) -> GameEnd {
        GameEnd { winner: outcome.winner.map(Side::name), reason: outcome.reason.name() }
    }
}

/// Chooses the engine's move in a game.
pub(super) async fn reply(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    JsonBody(request): JsonBody<GameRequest>,
) -> Result<JsonReply, Problem> {
    let searches = state.engine()?;
    let level = parse_level(request.level.as_deref())?;
    let rules = Arc::clone(&served.rules);
    // Replaying a long game takes time that the async threads do not have.
    let mut game = state.probes.run(move || replay(&rules, &request)).await?;
    if game.outcome().is_some() {
        return move_reply(&game, None);
    }
    let task = SearchTask {
        game: game.clone(),
        knowledge: level.uses_tables().then(|| served.knowledge()),
        lines: level.lines(),
        limits: level.limits(searches.time.min(MAX_TIME)),
    };
    let permit = searches.acquire().await?;
    // The channel closes when the search ends and drops the callback.
    let (sender, mut iterations) = unbounded_channel();
    let running = searches.start(permit, task, move |iteration| {
        // This fails after the client has disconnected.
        let _ = sender.send(iteration.clone());
    });
    // Each search ends with a final report, so the last iteration is the result.
    let mut last = None;
    while let Some(iteration) = iterations.recv().await {
        last = Some(iteration);
    }
    drop(running);
    let seed = RandomState::new().hash_one(0);
    let chosen = last
        .and_then(|iteration| level.choose(&iteration, seed))
        .ok_or_else(|| Problem::internal("the engine found no move"))?;
    let text = chosen.display(game.rules().board).to_string();
    game.push(&chosen);
    Ok(move_reply(&game, Some(text))?.about(served.name(), None))
}

fn move_reply(game: &Game, played: Option<String>) -> Result<JsonReply, Problem> {
    let position = game.position().to_text(game.rules());
    let over = game.outcome().map(GameEnd::from);
    JsonReply::new(&MoveReply { played, position, over }, Caching::Never)
}

fn parse_level(level: Option<&str>) -> Result<&'static Level, Problem> {
    let name = level.unwrap_or_default();
    Level::of(name).ok_or_else(|| {
        let known: Vec<&str> = Level::ALL.iter().map(Level::name).collect();
        Problem::bad_parameter(format!("level is {name:?}: use one of {}", known.join(", ")))
    })
}

/// Replays a game from its moves.
fn replay(rules: &Arc<Ruleset>, request: &GameRequest) -> Result<Game, Problem> {
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
    for (number, text) in (1..).zip(&request.moves) {
        if let Some(outcome) = game.outcome() {
            let detail = format!("the game is over before move {number}: {outcome}");
            return Err(Problem::game_over(detail));
        }
        let next = parse_move(rules, game.position(), text)
            .map_err(|error| Problem::bad_parameter(format!("move {number}: {error}")))?;
        game.push(&next);
    }
    Ok(game)
}
