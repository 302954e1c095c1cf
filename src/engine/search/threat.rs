use crate::engine::bits::Bits;
use crate::game::rules::Side;

use super::worker::Worker;

/// A threat to the side to move.
pub(super) enum Threat<const W: usize> {
    None,
    /// The king can escape: an attacker must move to one of these squares.
    Escape(Bits<W>),
    /// The king can be captured.
    Capture,
}

impl<const W: usize> Worker<'_, W> {
    /// Returns the threat to the side to move.
    #[inline]
    pub(super) fn threat(&self) -> Threat<W> {
        let board = self.shared.board;
        if self.shared.validity.last_ply.is_some_and(|last| last < self.ply() + 2) {
            // The game ends before the threat can be carried out.
            return Threat::None;
        }
        match self.state.to_move {
            Side::Attackers => match self.state.line_blocks(board) {
                (_, 0) => Threat::None,
                (blocks, _) => Threat::Escape(blocks),
            },
            Side::Defenders if self.state.king_capture(board).is_some() => Threat::Capture,
            Side::Defenders => Threat::None,
        }
    }
}
