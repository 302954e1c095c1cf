//! Pictures of all positions with one square of the king, or with given soldiers.

use crate::draw::{Grid, GridSquare, Shade};
use crate::game::rules::{Kind, Side};

use super::blocking::Blocked;
use super::theorem::{ProofSet, ProofText, proof_set};
use super::{Cell, Soldier, Solved};

/// The contents of the soldier's squares, besides the P-positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// Nothing.
    Outcomes,
    /// The Grundy values.
    Values,
    /// The sets of the theorem's proof, for soldiers that move south or east.
    Sets,
}

/// Draws the soldier's squares for one square of the king: `P` on P-positions, nothing where
/// the soldier is out of play. Squares where it is out of play for all of the game's kings are
/// left out.
///
/// # Panics
/// If the king's square is not one of the game's.
pub fn grid<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell, show: Show) -> Grid {
    let game = solved.game();
    let drawn = game.region(game.kings().corner());
    let squares = drawn.cells().map(|cell| match cell == king {
        true => square(Shade::Plain, "K", Some(Kind::King)),
        false if !game.region(king).contains(cell) => square(Shade::Away, "", None),
        false => soldier_square(solved, king, cell, show),
    });
    let caption = format!("king {king}, soldier {}", game.rule());
    Grid::new(drawn.columns(), squares.collect(), caption)
}

/// Draws the king's squares among soldiers that never move: `P` on P-positions, or the values.
pub fn blocked_grid(blocked: &Blocked, has_values: bool) -> Grid {
    let board = blocked.board();
    let squares = board.cells().map(|cell| match blocked.value(cell) {
        None => square(Shade::Plain, "S", Some(Side::Attackers.soldier())),
        Some(value) => {
            let shade = if value == 0 { Shade::Strong } else { Shade::Plain };
            let text = match (has_values, value) {
                (true, value) => value.to_string(),
                (false, 0) => "P".to_owned(),
                (false, _) => String::new(),
            };
            square(shade, &text, None)
        }
    });
    Grid::new(board.columns(), squares.collect(), "squares of the king")
}

fn soldier_square<V: Copy + Into<u16>>(
    solved: &Solved<V>,
    king: Cell,
    soldier: Cell,
    show: Show,
) -> GridSquare {
    let is_p = solved.is_p(king, soldier);
    let is_south_east = solved.game().rule() == Soldier::SouthEast;
    match show {
        Show::Values => {
            let shade = if is_p { Shade::Strong } else { Shade::Plain };
            square(shade, &solved.value(king, soldier).to_string(), None)
        }
        _ if is_p => square(Shade::Strong, "P", Some(Side::Attackers.soldier())),
        Show::Sets if is_south_east => match proof_set(king, soldier, ProofText::Corrected) {
            Some(set) => square(shade(set), set.name(), None),
            None => square(Shade::Plain, "", None),
        },
        _ => square(Shade::Plain, "", None),
    }
}

fn square(shade: Shade, text: &str, piece: Option<Kind>) -> GridSquare {
    GridSquare { shade, text: text.to_owned(), piece }
}

fn shade(set: ProofSet) -> Shade {
    match set {
        ProofSet::H => Shade::First,
        ProofSet::V1 => Shade::Second,
        ProofSet::V2 => Shade::Third,
        ProofSet::R => Shade::Fourth,
    }
}
