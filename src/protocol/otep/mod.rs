//! OTEP, the protocol between OpenTafl and its engines: lines of text through pipes.
//!
//! A [`Session`] is the engine's side, an [`ExternalPlayer`] the host's. What they say,
//! and what was decided where the protocol is silent, is told in `docs/protocols.md`.

mod analysis;
mod clock;
mod host;
mod kept;
mod lines;
mod peer;
mod session;
mod task;
mod thinking;

use crate::game::board::Board;
use crate::game::history::Game;
use crate::game::moves::{Ending, Move};
use crate::game::rules::Layout;

pub use host::ExternalPlayer;
pub use session::{Session, SessionOptions};

/// A move in OTEP's simple notation: where from and where to.
fn simple(played: &Move, board: Board) -> String {
    format!("{}-{}", board.name(played.from), board.name(played.to))
}

/// What stands on the board. A captured king does not, in the protocol.
fn layout(game: &Game) -> Layout {
    let mut layout = game.position().layout();
    if game.moves().last().is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
        layout.king = None;
    }
    layout
}
