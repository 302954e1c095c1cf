//! Games as text: OpenTafl's records, and lists of moves.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::game::history::Game;
use crate::game::position::Position;
use crate::game::record::{GameResult, Record};
use crate::game::rules::Side;

use super::super::app_state::AppState;
use super::super::extract::{JsonBody, RulesetPath, parse_position};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::served_ruleset::ServedRuleset;
use super::reply::{GameEnd, GameRequest, MAX_MOVES, play, replay};

#[derive(Deserialize)]
pub(super) struct WriteRequest {
    #[serde(flatten)]
    game: GameRequest,
    /// The result if the rules did not end the game: `attackers`, `defenders` or `draw`.
    result: Option<String>,
}

#[derive(Serialize)]
struct RecordReply {
    record: String,
}

#[derive(Deserialize)]
pub(super) struct ReadRequest {
    text: String,
}

#[derive(Serialize)]
struct GameReply {
    /// The ruleset that the game was played by.
    rules: String,
    /// Its first position.
    position: String,
    moves: Vec<String>,
    over: Option<GameEnd>,
}

/// Writes a game as a record.
pub(super) async fn write(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    JsonBody(request): JsonBody<WriteRequest>,
) -> Result<JsonReply, Problem> {
    let result = request.result.as_deref().map(parse_result).transpose()?;
    let work = move || {
        let mut record = Record::new(replay(&served.rules, &request.game)?);
        if let (GameResult::Open, Some(result)) = (record.result, result) {
            record.result = result;
        }
        let reply = RecordReply { record: record.to_text() };
        Ok(JsonReply::new(&reply, Caching::Never)?.about(served.name(), None))
    };
    state.probes.run(work).await
}

/// Reads a game from a record or a list of moves.
pub(super) async fn read(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    JsonBody(ReadRequest { text }): JsonBody<ReadRequest>,
) -> Result<JsonReply, Problem> {
    let app = Arc::clone(&state);
    let work = move || {
        let reply = match text.trim_start().starts_with('[') {
            true => read_record(&app, &served, &text)?,
            false => read_list(&app, &served, &text)?,
        };
        Ok(JsonReply::new(&reply, Caching::Never)?.about(served.name(), None))
    };
    state.probes.run(work).await
}

/// Reads a record by the rules that it names, or by those of the path if it names none.
fn read_record(app: &AppState, served: &ServedRuleset, text: &str) -> Result<GameReply, Problem> {
    let is_ruled = text.contains("[rules:") || text.contains("[taflbase-rules:");
    let given = (!is_ruled).then(|| Arc::clone(&served.rules));
    let record = Record::parse_limited(text, given, MAX_MOVES)?;
    let rules = record.game.rules();
    let is_same = |other: &ServedRuleset| other.rules.is_same_game_as(rules);
    let name = match is_same(served) {
        true => served.name().to_owned(),
        false => app.rulesets().find(|other| is_same(other)).map_or_else(
            || Err(Problem::bad_parameter("this server has no ruleset with the rules of the game")),
            |other| Ok(other.name().to_owned()),
        )?,
    };
    Ok(GameReply::new(&name, &record.game, Some(record.result)))
}

impl GameReply {
    fn new(rules: &str, game: &Game, result: Option<GameResult>) -> GameReply {
        let (ruleset, moves) = (game.rules(), game.moves().iter());
        let by_rule = game.outcome().map(GameEnd::from);
        let agreed = match result {
            Some(GameResult::Won(side)) => Some(GameEnd::by_hand(Some(side))),
            Some(GameResult::Drawn) => Some(GameEnd::by_hand(None)),
            Some(GameResult::Open) | None => None,
        };
        GameReply {
            rules: rules.to_owned(),
            position: game.positions()[0].to_text(ruleset),
            moves: moves.map(|played| played.display(ruleset.board).to_string()).collect(),
            over: by_rule.or(agreed),
        }
    }
}

/// Reads a list of moves, numbered or not. A position with its side to move may precede them, and
/// the name of a ruleset with a colon, by which the game is read then.
fn read_list(
    app: &AppState,
    served: &Arc<ServedRuleset>,
    text: &str,
) -> Result<GameReply, Problem> {
    let mut words =
        text.split([' ', '\t', '\n', '\r', ',', ';']).filter(|word| !word.is_empty()).peekable();
    let named = words.next_if(|word| word.ends_with(':'));
    let own = match named.map(|word| word.trim_end_matches(':')) {
        None => Arc::clone(served),
        Some(name) => app.ruleset(name).ok_or_else(|| {
            Problem::bad_parameter(format!("no ruleset {name:?}, by which this game is played"))
        })?,
    };
    let rules = &own.rules;
    let start = match words.next_if(|word| word.contains('/') && !word.contains('-')) {
        Some(board) => {
            parse_position(&format!("{board} {}", words.next().unwrap_or_default()), rules)?
        }
        None => Position::start(rules)?,
    };
    let mut game = Game::from_position(Arc::clone(rules), start)?;
    for word in words {
        let played = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if played.is_empty() || Side::from_name(played).is_some() {
            continue;
        }
        if game.moves().len() == MAX_MOVES {
            return Err(Problem::bad_parameter(format!("a game may have {MAX_MOVES} moves")));
        }
        play(&mut game, played)?;
    }
    Ok(GameReply::new(own.name(), &game, None))
}

fn parse_result(name: &str) -> Result<GameResult, Problem> {
    if name == "draw" {
        return Ok(GameResult::Drawn);
    }
    Side::from_name(name).map(GameResult::Won).ok_or_else(|| {
        let detail = format!("result is {name:?}: use attackers, defenders or draw");
        Problem::bad_parameter(detail)
    })
}
