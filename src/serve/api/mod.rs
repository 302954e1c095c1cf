//! What is asked under `/api/v1`.

mod analysis;
mod line;
mod probe;
mod random;
mod reply;
pub(super) mod rulesets;
mod slices;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::problem::Problem;
use super::searches::Searches;
use super::site::Site;

pub(super) fn router() -> Router<Arc<Site>> {
    Router::new()
        .route("/rulesets", get(rulesets::list))
        .route("/rulesets/{name}", get(rulesets::show))
        .route("/rulesets/{name}/probe", get(probe::one).post(probe::many))
        .route("/rulesets/{name}/line", get(line::line))
        .route("/rulesets/{name}/slices", get(slices::list))
        .route("/rulesets/{name}/slices/{slice}", get(slices::show))
        .route("/rulesets/{name}/slices/{slice}/random", get(random::random))
        .route("/rulesets/{name}/analysis", get(analysis::analysis))
        .route("/rulesets/{name}/reply", post(reply::reply))
}

/// The engine, if it is served.
fn engine(site: &Site) -> Result<&Searches, Problem> {
    site.searches.as_ref().ok_or_else(|| Problem::not_found("the engine is not served here"))
}
