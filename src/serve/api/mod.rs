//! What is asked under `/api/v1`.

mod line;
mod probe;
mod rulesets;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::site::Site;

pub(super) fn router() -> Router<Arc<Site>> {
    Router::new()
        .route("/rulesets", get(rulesets::list))
        .route("/rulesets/{name}", get(rulesets::show))
        .route("/rulesets/{name}/probe", get(probe::one).post(probe::many))
        .route("/rulesets/{name}/line", get(line::line))
}
