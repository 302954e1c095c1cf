//! Ends of the game by connected regions: exit forts and encirclement.
//!
//! Both depend on the position alone. Attackers' moves make no fort, and defenders' moves encircle
//! nobody, so only the side that has just moved can have won.

use crate::game::board::Direction;
use crate::game::rules::Side;

use super::bits::Bits;
use super::board_tables::BoardTables;
use super::state::State;

impl<const W: usize> State<W> {
    /// Returns the winner if the side that has just moved has made an exit fort, or has encircled
    /// all defenders.
    #[inline]
    pub(crate) fn region_winner(&self, board: &BoardTables<W>) -> Option<Side> {
        let winner = self.to_move.other();
        let has_won = match winner {
            Side::Defenders => {
                board.edge.fort_squares.contains(self.king) && self.has_exit_fort(board)
            }
            Side::Attackers => board.encirclement && self.are_encircled(board),
        };
        has_won.then_some(winner)
    }

    /// Returns whether the king, on an edge, has an exit fort: an empty neighbour, and around him a
    /// region of empty squares that no attacker borders, that has no exit, and whose walls stand.
    #[inline(never)]
    fn has_exit_fort(&self, board: &BoardTables<W>) -> bool {
        let attackers = self.soldiers[Side::Attackers];
        let free = !self.occupied();
        let outside = attackers | board.edge.fort_exits & free;
        let king = Bits::one(self.king);
        let mut region = king;
        let border = loop {
            let grown = board.grown(region);
            if grown.meets(&outside) {
                return false;
            }
            let next = region | grown & free;
            if next == region {
                break grown.without(region);
            }
            region = next;
        };
        region != king && self.stands(board, border, region | self.soldiers[Side::Defenders])
    }

    /// Returns whether no two opposite neighbours of a man of the wall can both be attackers: one
    /// of them is `safe`, or off the board.
    fn stands(&self, board: &BoardTables<W>, wall: Bits<W>, safe: Bits<W>) -> bool {
        // Squares off the board are not open.
        let open = board.all.without(safe);
        let [east, west] = [Direction::East, Direction::West].map(|d| board.shifted(open, d));
        let [north, south] = [Direction::North, Direction::South].map(|d| board.shifted(open, d));
        !wall.meets(&(east & west | north & south))
    }

    /// Returns whether the squares that are connected to the king by squares without attackers hold
    /// all defenders, but no square of the edge.
    #[inline(never)]
    fn are_encircled(&self, board: &BoardTables<W>) -> bool {
        let attackers = self.soldiers[Side::Attackers];
        // In most positions the king is open to an edge in a straight line.
        if !board.rays(self.king).iter().all(|ray| ray.meets(&attackers)) {
            return false;
        }
        let mut region = Bits::one(self.king);
        loop {
            let grown = board.grown(region).without(attackers);
            if grown.meets(&board.edge.squares) {
                return false;
            }
            if grown == region {
                return self.soldiers[Side::Defenders].without(region).is_empty();
            }
            region = grown;
        }
    }
}
