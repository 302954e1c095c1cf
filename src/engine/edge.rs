use crate::game::board::{Board, Direction};
use crate::game::rules::Ruleset;

use super::bits::Bits;

/// Lookup tables for the rules that apply at the edge of the board. A set that belongs to a rule is
/// empty under rulesets without it.
pub(crate) struct EdgeTables<const W: usize> {
    /// The squares of all four edges.
    pub(crate) squares: Bits<W>,
    pub(crate) corners: Bits<W>,
    /// Whether shieldwalls capture.
    pub(crate) has_walls: bool,
    /// By the direction off the board, in the order of [`Direction::ALL`], the squares of an edge
    /// on which shieldwalls capture: all but its corners.
    pub(crate) walls: [Bits<W>; 4],
    /// The same of all edges, which are also the squares that an arriving man captures from.
    pub(crate) wall_squares: Bits<W>,
    /// Squares on which the king can have an exit fort.
    pub(crate) fort_squares: Bits<W>,
    /// Squares through which the king would leave a fort.
    pub(crate) fort_exits: Bits<W>,
    /// Whether the edge is hostile to the king.
    is_hostile: bool,
    /// By square, the number of sides on which it has no neighbour.
    sides: Vec<u8>,
}

impl<const W: usize> EdgeTables<W> {
    pub(super) fn new(rules: &Ruleset) -> EdgeTables<W> {
        let board = rules.board;
        let corners = Bits::of(board.corners());
        let edges = Direction::ALL.map(|outward| edge(board, outward));
        let squares = edges.into_iter().fold(Bits::EMPTY, |all, edge| all | edge);
        let between_corners = |applies| if applies { !corners } else { Bits::EMPTY };
        let sides = |square| {
            Direction::ALL.into_iter().filter(|&d| board.step(square, d).is_none()).count() as u8
        };
        EdgeTables {
            squares,
            corners,
            walls: edges.map(|edge| edge & between_corners(rules.shieldwall)),
            wall_squares: squares & between_corners(rules.shieldwall),
            fort_squares: squares & between_corners(rules.exit_fort),
            fort_exits: corners | Bits::of(rules.goals),
            has_walls: rules.shieldwall,
            is_hostile: rules.king_edge_hostile,
            sides: board.squares().map(sides).collect(),
        }
    }

    /// Returns the number of sides of a square on which the edge of the board is hostile to the
    /// king.
    #[inline]
    pub(crate) fn hostile_sides(&self, square: usize) -> u32 {
        if self.is_hostile { u32::from(self.sides[square]) } else { 0 }
    }
}

/// Returns the squares without a neighbour in that direction.
fn edge<const W: usize>(board: Board, outward: Direction) -> Bits<W> {
    board.squares().filter(|&square| board.step(square, outward).is_none()).collect()
}
