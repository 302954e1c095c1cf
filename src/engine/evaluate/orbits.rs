use crate::game::board::Square;
use crate::game::rules::Ruleset;

/// Returns the number of each square's orbit under the ruleset's symmetries. Orbits are numbered
/// in the order of their first squares.
pub(super) fn orbits(rules: &Ruleset) -> Vec<usize> {
    let board = rules.board;
    let mut orbits = vec![usize::MAX; board.area()];
    let mut count = 0;
    for square in board.squares() {
        if orbits[square.index()] == usize::MAX {
            for symmetry in rules.symmetries().iter() {
                orbits[symmetry.apply(board, square).index()] = count;
            }
            count += 1;
        }
    }
    orbits
}

/// Returns the number of orbits.
pub(super) fn orbit_count(orbits: &[usize]) -> usize {
    orbits.iter().max().map_or(0, |last| last + 1)
}

/// Returns the first square of each orbit, which names it in files.
pub(super) fn representatives(rules: &Ruleset) -> Vec<Square> {
    let mut first = Vec::new();
    for (square, orbit) in orbits(rules).into_iter().enumerate() {
        if orbit == first.len() {
            first.push(Square::new(square));
        }
    }
    first
}
