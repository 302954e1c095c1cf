//! A game that is played elsewhere, shown in a browser of the same machine, which may move
//! for those who play.

mod display;
mod requests;
mod scene;

pub use display::{Display, DisplayError};
pub use scene::Scene;
