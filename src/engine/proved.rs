use std::fmt;

use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::value::WdlBounds;

/// Positions beyond the tables whose values are proved. An engine asks at the root of a search.
///
/// [`ProofBook`](crate::proof::ProofBook) is one.
pub trait ProvedPositions: fmt::Debug + Send + Sync {
    /// Returns the rules that the values hold under.
    fn rules(&self) -> &Ruleset;

    /// Returns what is proved of a position, for the side to move.
    fn bounds(&self, position: &Position) -> WdlBounds;

    /// Returns the move of a winning strategy of the side to move.
    fn winning_move(&self, position: &Position) -> Option<Move>;

    /// Returns the order of a position in the strategies by which a side wins: every ply of play by
    /// [`winning_move`](ProvedPositions::winning_move) leads to lower ones, so that play which
    /// begins at an order never meets a position of a higher one. `None` if the strategies do not
    /// have the position.
    fn order(&self, position: &Position, winner: Side) -> Option<u64>;
}
