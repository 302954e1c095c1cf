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

use super::super::asked::{OfRules, Sent, position};
use super::super::problem::Problem;
use super::super::searches::Task;
use super::super::site::Site;
use super::super::told::{Caching, Told};
use super::engine;

/// The longest game.
const MOST_MOVES: usize = 2000;
/// The most time for a move.
const LONGEST: Duration = Duration::from_secs(4);

#[derive(Deserialize)]
pub(super) struct Played {
    /// Where the game began; the ruleset's start if nothing is said.
    position: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    level: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    /// None if the game was over.
    #[serde(rename = "move")]
    played: Option<String>,
    /// The position after it.
    position: String,
    over: Option<Over>,
}

#[derive(Serialize)]
struct Over {
    winner: Option<&'static str>,
    reason: &'static str,
}

impl From<Outcome> for Over {
    fn from(outcome: Outcome) -> Over {
        Over { winner: outcome.winner.map(Side::name), reason: outcome.reason.name() }
    }
}

/// The engine's move in a game.
pub(super) async fn reply(
    State(site): State<Arc<Site>>,
    OfRules(served): OfRules,
    Sent(played): Sent<Played>,
) -> Result<Told, Problem> {
    let searches = engine(&site)?;
    let level = level(played.level.as_deref())?;
    let rules = Arc::clone(&served.rules);
    // To follow a long game takes its time.
    let followed = site.probes.work(move || follow(&rules, &played));
    let mut game = followed.await?;
    if game.outcome().is_some() {
        return answer(&game, None);
    }
    let task = Task {
        game: game.clone(),
        tables: level.asks_tables().then(|| Arc::clone(&served.base)),
        lines: level.lines(),
        limits: level.limits(searches.time.min(LONGEST)),
    };
    let place = searches.enter().await?;
    let (sender, mut iterations) = unbounded_channel();
    let running = searches.start(place, task, move |iteration| {
        // Nobody may wait any more.
        let _ = sender.send(iteration.clone());
    });
    let mut found = None;
    while let Some(iteration) = iterations.recv().await {
        found = Some(iteration);
    }
    drop(running);
    let seed = RandomState::new().hash_one(0);
    let chosen = found.and_then(|found| level.choose(&found, seed));
    let chosen = chosen.ok_or_else(|| Problem::internal("the engine has found no move"))?;
    let text = chosen.display(game.rules().board).to_string();
    game.push(&chosen);
    Ok(answer(&game, Some(text))?.about(served.name(), None))
}

fn answer(game: &Game, played: Option<String>) -> Result<Told, Problem> {
    let position = game.position().to_text(game.rules());
    let over = game.outcome().map(Over::from);
    Told::json(&Answer { played, position, over }, Caching::Never)
}

fn level(name: Option<&str>) -> Result<&'static Level, Problem> {
    let name = name.unwrap_or_default();
    let known = || Level::ALL.iter().map(Level::name).collect::<Vec<_>>().join(", ");
    let wrong = || Problem::bad_parameter(format!("level is {name:?}: write one of {}", known()));
    Level::of(name).ok_or_else(wrong)
}

/// The game as it was played.
fn follow(rules: &Arc<Ruleset>, played: &Played) -> Result<Game, Problem> {
    let count = played.moves.len();
    if count > MOST_MOVES {
        let wrong = format!("{count} moves: a game has at most {MOST_MOVES} here");
        return Err(Problem::bad_parameter(wrong));
    }
    let start = match &played.position {
        Some(text) => position(text, rules)?,
        None => Position::start(rules)?,
    };
    let mut game = Game::from_position(Arc::clone(rules), start)?;
    for (number, text) in (1..).zip(&played.moves) {
        if let Some(outcome) = game.outcome() {
            let wrong = format!("before move {number} the game is over: {outcome}");
            return Err(Problem::game_over(wrong));
        }
        let wrong = |error| Problem::bad_parameter(format!("move {number}: {error}"));
        let next = parse_move(rules, game.position(), text).map_err(wrong)?;
        game.push(&next);
    }
    Ok(game)
}
