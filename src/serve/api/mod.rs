//! The API under `/api/v1`.

mod analysis;
mod find;
mod lessons;
mod line;
mod picture;
mod probe;
mod proofs;
mod puzzles;
mod random;
mod records;
mod reply;
pub(super) mod rulesets;
mod slices;
mod stores;
mod tables;
mod turn;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::app_state::AppState;

pub(super) fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/rulesets", get(rulesets::list))
        .route("/rulesets/{name}", get(rulesets::show))
        .route("/rulesets/{name}/lessons", get(lessons::list))
        .route("/rulesets/{name}/picture", get(picture::picture))
        .route("/rulesets/{name}/puzzles", get(puzzles::show))
        .route("/rulesets/{name}/probe", get(probe::single).post(probe::batch))
        .route("/rulesets/{name}/proofs", get(proofs::list))
        .route("/rulesets/{name}/stores/{store}", get(stores::show))
        .route("/rulesets/{name}/line", get(line::line))
        .route("/rulesets/{name}/slices", get(slices::list))
        .route("/rulesets/{name}/slices/{slice}", get(slices::show))
        .route("/rulesets/{name}/slices/{slice}/find", get(find::find))
        .route("/rulesets/{name}/slices/{slice}/random", get(random::random))
        .route("/rulesets/{name}/tables/{file}", get(tables::file))
        .route("/rulesets/{name}/analysis", get(analysis::analysis))
        .route("/rulesets/{name}/game", post(records::read))
        .route("/rulesets/{name}/record", post(records::write))
        .route("/rulesets/{name}/reply", post(reply::reply))
}
