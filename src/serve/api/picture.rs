use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::draw::{BoardPicture, Sheet};
use crate::game::notation::parse_move;
use crate::game::rules::Ruleset;

use super::super::app_state::AppState;
use super::super::extract::{QueryParams, RulesetPath, parse_position, required_position};
use super::super::problem::Problem;
use super::super::response::{Caching, Subject, weak_tag};

#[derive(Deserialize)]
pub(super) struct Query {
    position: Option<String>,
    /// A move to draw as an arrow.
    #[serde(rename = "move")]
    played: Option<String>,
    format: Option<String>,
    /// Whether the board is seen from the other side.
    #[serde(default)]
    turned: bool,
}

/// Writes a picture in some format.
type Draw = fn(&Sheet) -> Result<Vec<u8>, Problem>;

/// Draws a position.
pub(super) async fn picture(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    QueryParams(query): QueryParams<Query>,
) -> Result<Response, Problem> {
    let (media, draw) = parse_format(query.format.as_deref())?;
    let subject = Subject::of(served.name(), None);
    let bytes = state.probes.run(move || draw(&sheet(&served.rules, query)?)).await?;
    let tag = weak_tag(&bytes).map(|tag| [(ETAG, tag)]);
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(media)),
        (CACHE_CONTROL, Caching::Revalidate.header()),
    ];
    Ok((subject, tag, headers, bytes).into_response())
}

fn sheet(rules: &Ruleset, query: Query) -> Result<Sheet, Problem> {
    let position = parse_position(&required_position(query.position)?, rules)?;
    let mut picture = BoardPicture::new(rules, position.layout());
    if let Some(text) = &query.played {
        picture = picture.with_move(&parse_move(rules, &position, text)?);
    }
    if query.turned {
        picture = picture.turned();
    }
    let title = format!("{}: {}", rules.title, position.display(rules));
    Ok(Sheet::new(title, vec![picture]))
}

#[cfg(feature = "cli")]
fn png(sheet: &Sheet) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    sheet.write_png(&mut bytes).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(bytes)
}

/// Fails: drawing PNG is not part of this build.
#[cfg(not(feature = "cli"))]
fn png(_: &Sheet) -> Result<Vec<u8>, Problem> {
    Err(Problem::bad_parameter("this server draws SVG only: use format=svg"))
}

/// Parses a format: its media type, and what draws it.
fn parse_format(name: Option<&str>) -> Result<(&'static str, Draw), Problem> {
    match name.unwrap_or("svg") {
        "svg" => Ok(("image/svg+xml", |sheet| Ok(sheet.to_svg().into_bytes()))),
        "png" => Ok(("image/png", png)),
        other => Err(Problem::bad_parameter(format!("format is {other:?}: use svg or png"))),
    }
}
