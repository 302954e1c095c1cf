//! Live display: shows a game of this process in a browser on the same machine, where users can
//! also make their moves.

mod display;
mod routes;
mod scene;
mod state;

pub use display::{Display, DisplayError};
pub use scene::Scene;
