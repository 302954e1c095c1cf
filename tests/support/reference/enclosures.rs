//! Exit forts and encirclements, by the definitions in `docs/rulesets.md`.

use super::custom::Custom;
use super::event::Event;
use super::position::{ATTACKER, DEFENDER, EMPTY, KING, Position, Side};

/// Returns whether the side not to move has just won by a fort or a ring.
pub(super) fn is_over(game: &Custom, position: &Position) -> bool {
    let king = position.cells.iter().position(|&piece| piece == KING).expect("a king");
    match position.to_move {
        Side::Attackers if game.exit_fort => is_fort(game, &position.cells, king),
        Side::Defenders if game.encirclement => is_ring(game, &position.cells, king),
        _ => false,
    }
}

/// Returns the squares that are reached from the king, himself included, step by step over squares
/// that `open` allows.
fn reached(game: &Custom, cells: &[u8], king: usize, open: impl Fn(u8) -> bool) -> Vec<bool> {
    let mut known = vec![false; cells.len()];
    known[king] = true;
    // As often as anything changes, mark every open square beside a marked one.
    loop {
        let mut changed = false;
        for square in 0..cells.len() {
            let beside = (0..4).filter_map(|direction| game.step(square, direction));
            if !known[square] && open(cells[square]) && beside.into_iter().any(|s| known[s]) {
                known[square] = true;
                changed = true;
            }
        }
        if !changed {
            return known;
        }
    }
}

/// The king is on the edge, not in a corner, and has an empty neighbour. What he reaches through
/// empty squares touches no attacker and holds no corner and no goal, and each soldier beside it is
/// safe on both lines.
fn is_fort(game: &Custom, cells: &[u8], king: usize) -> bool {
    let sides = (0..4).filter(|&direction| game.step(king, direction).is_some()).count();
    let beside = |square: usize| (0..4).filter_map(move |direction| game.step(square, direction));
    if sides != 3 || !beside(king).any(|square| cells[square] == EMPTY) {
        return false;
    }
    let room = reached(game, cells, king, |piece| piece == EMPTY);
    for square in 0..cells.len() {
        if room[square] && (game.is_corner(square) || game.goals[square]) {
            return false;
        }
        if room[square] || !beside(square).any(|s| room[s]) {
            continue;
        }
        let is_shut = |direction: usize| match game.step(square, direction) {
            None => true,
            Some(next) => room[next] || cells[next] == DEFENDER,
        };
        let is_safe = (is_shut(0) || is_shut(2)) && (is_shut(1) || is_shut(3));
        if cells[square] == ATTACKER || !is_safe {
            return false;
        }
    }
    game.note(Event::Fort);
    true
}

/// What the king reaches over everything but attackers holds no square of the edge, and all
/// defenders.
fn is_ring(game: &Custom, cells: &[u8], king: usize) -> bool {
    let inside = reached(game, cells, king, |piece| piece != ATTACKER);
    let is_ring = (0..cells.len()).all(|square| {
        let is_edge = (0..4).any(|direction| game.step(square, direction).is_none());
        !(is_edge && inside[square]) && (cells[square] != DEFENDER || inside[square])
    });
    if is_ring {
        game.note(Event::Ring);
    }
    is_ring
}
