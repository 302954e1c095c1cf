use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::study::find::FoundAnswer;
use crate::study::puzzles::{LEVELS, PuzzleKind, Puzzles};
use crate::system::random::{SeededRng, fresh_seed};

use super::super::app_state::AppState;
use super::super::extract::{QueryParams, RulesetPath};
use super::super::problem::Problem;
use super::super::puzzle_cache::DrawnPuzzles;
use super::super::response::{Caching, JsonReply, retry_later};
use super::super::served_ruleset::ServedRuleset;

/// Random seeds are this small, so that every client can hold them as numbers.
const SEED_BITS: u32 = 32;

#[derive(Deserialize)]
pub(super) struct Query {
    kind: Option<String>,
    level: Option<String>,
    seed: Option<u64>,
}

#[derive(Serialize)]
struct PuzzleReply {
    kind: &'static str,
    level: &'static str,
    seed: u64,
    #[serde(flatten)]
    found: FoundAnswer,
}

#[derive(Serialize)]
struct PuzzleList<'a> {
    rules: &'a str,
    /// Whether there was time to draw all of them, and all tables could be read.
    complete: bool,
    kinds: Vec<KindEntry>,
}

#[derive(Serialize)]
struct KindEntry {
    kind: &'static str,
    /// The number of puzzles on each level.
    levels: [usize; LEVELS.len()],
}

/// Counts the puzzles of each kind.
fn list(served: &ServedRuleset, drawn: &DrawnPuzzles) -> Result<Response, Problem> {
    let kinds = PuzzleKind::ALL.into_iter().map(|kind| KindEntry {
        kind: kind.name(),
        levels: std::array::from_fn(|level| drawn.puzzles.of(kind, level).len()),
    });
    let list =
        PuzzleList { rules: served.name(), complete: drawn.is_complete, kinds: kinds.collect() };
    let reply = JsonReply::new(&list, Caching::Revalidate)?;
    let mut response = reply.about(served.name(), None).into_response();
    if let Some(cause) = drawn.unreadable.clone() {
        response.extensions_mut().insert(cause);
    }
    Ok(response)
}

/// Returns a puzzle, the same for the same seed and tables; without a kind, the number of each.
pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    QueryParams(query): QueryParams<Query>,
) -> Result<Response, Problem> {
    let kind = query.kind.as_deref().map(parse_kind).transpose()?;
    let level = parse_level(query.level.as_deref())?;
    let Some(drawn) = state.puzzles.get(&served)? else {
        return retry_later(&json!({ "rules": served.name(), "status": "drawing" }));
    };
    let Some(kind) = kind else { return list(&served, &drawn) };
    let random = || fresh_seed() >> (u64::BITS - SEED_BITS);
    let (seed, caching) = match query.seed {
        Some(seed) => (seed, Caching::Revalidate),
        None => (random(), Caching::Never),
    };
    let reply = PuzzleReply {
        kind: kind.name(),
        level: LEVELS[level],
        seed,
        found: chosen(&served, &drawn.puzzles, kind, level, seed)?,
    };
    let slice = Some(reply.found.slice.clone());
    Ok(JsonReply::new(&reply, caching)?.about(served.name(), slice).into_response())
}

/// Chooses a puzzle and one of its mirror images.
fn chosen(
    served: &ServedRuleset,
    puzzles: &Puzzles,
    kind: PuzzleKind,
    level: usize,
    seed: u64,
) -> Result<FoundAnswer, Problem> {
    let mut random = SeededRng::for_purpose(seed, b"puzzle");
    let mut found = *puzzles.pick(kind, level, random.next_u64()).ok_or_else(|| {
        let name = served.name();
        Problem::not_found(format!("the tables of {name} here hold no puzzle of this kind"))
    })?;
    let rules = &served.rules;
    let symmetries: Vec<_> = rules.symmetries().iter().collect();
    if let Some(&symmetry) = random.choose(&symmetries) {
        found.position = found.position.image(rules, symmetry);
    }
    Ok(FoundAnswer::new(&served.base, &found))
}

fn parse_kind(name: &str) -> Result<PuzzleKind, Problem> {
    PuzzleKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let known = PuzzleKind::ALL.map(PuzzleKind::name).join(", ");
        Problem::bad_parameter(format!("kind is {name:?}: use one of {known}"))
    })
}

fn parse_level(name: Option<&str>) -> Result<usize, Problem> {
    let name = name.unwrap_or(LEVELS[0]);
    LEVELS.iter().position(|known| *known == name).ok_or_else(|| {
        let known = LEVELS.join(", ");
        Problem::bad_parameter(format!("level is {name:?}: use one of {known}"))
    })
}
