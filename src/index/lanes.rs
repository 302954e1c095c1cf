use crate::game::board::Square;
use crate::game::rules::{Kind, Ruleset};

/// The squares where the king may stand, numbered in square order.
#[derive(Clone, Debug)]
pub struct KingLanes {
    squares: Vec<Square>,
    lanes: Vec<Option<u16>>,
}

impl KingLanes {
    /// Numbers the king's squares under these rules.
    pub(crate) fn new(rules: &Ruleset) -> KingLanes {
        let squares: Vec<Square> = rules.places(Kind::King).iter().collect();
        let mut lanes = vec![None; rules.board.area()];
        for (lane, square) in squares.iter().enumerate() {
            lanes[square.index()] = Some(lane as u16);
        }
        KingLanes { squares, lanes }
    }

    /// Returns the number of lanes.
    pub fn count(&self) -> usize {
        self.squares.len()
    }

    /// Returns the lanes' squares, in lane order.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Returns the lane of a square; `None` if the king may not stand there.
    #[inline]
    pub fn lane(&self, square: Square) -> Option<u16> {
        self.lanes.get(square.index()).copied().flatten()
    }
}
