use crate::game::history::Game;
use crate::game::moves::Ending;
use crate::game::rules::Layout;

/// Returns the pieces on the board as other programs show them: without a captured king.
pub(super) fn shown_layout(game: &Game) -> Layout {
    let mut layout = game.position().layout();
    if game.moves().last().is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
        layout.king = None;
    }
    layout
}
