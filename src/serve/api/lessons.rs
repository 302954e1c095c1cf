use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;

use crate::draw::Lesson;

use super::super::app_state::AppState;
use super::super::extract::RulesetPath;
use super::super::problem::Problem;
use super::super::response::CachedBody;

#[derive(Serialize)]
struct LessonsReply<'a> {
    rules: &'a str,
    lessons: Vec<Lesson>,
}

/// Explains a ruleset by examples.
pub(super) async fn list(
    State(state): State<Arc<AppState>>,
    RulesetPath(served): RulesetPath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let lessons = state.probes.run(move || match served.lessons.get() {
        Some(lessons) => Ok(lessons.clone()),
        None => {
            let lessons = served.rules.lessons();
            let body = CachedBody::json(&LessonsReply { rules: served.name(), lessons })?;
            Ok(served.lessons.get_or_init(|| body).clone())
        }
    });
    Ok(lessons.await?.response(&headers))
}
