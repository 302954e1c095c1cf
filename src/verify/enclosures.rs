//! Positions in which the connections on the board have ended the game: exit forts and
//! encirclements, by the verifier's own code.

use crate::game::board::{Board, Square, SquareSet};
use crate::game::rules::Ruleset;

/// Fewer soldiers cannot shut a room off, whatever its size.
const FEWEST: usize = 3;

/// Returns the squares of the king in an exit fort, with the attackers to move.
pub(super) fn fort_kings(rules: &Ruleset, attackers: SquareSet, defenders: SquareSet) -> SquareSet {
    let mut kings = SquareSet::EMPTY;
    if !rules.exit_fort || defenders.len() < FEWEST {
        return kings;
    }
    let (board, men) = (rules.board, attackers | defenders);
    let mut seen = men;
    for start in board.edge() - board.corners() {
        if seen.contains(start) {
            continue;
        }
        let Room { squares, walls } = Room::around(board, start, men);
        seen |= squares;
        let is_shut = !walls.meets(attackers) && !squares.meets(board.corners() | rules.goals);
        // The king needs a square to move to, which cannot be cut off from him.
        if is_shut
            && squares.len() > 1
            && walls.iter().all(|w| is_safe(board, w, squares, defenders))
        {
            kings |= squares & board.edge();
        }
    }
    kings
}

/// Returns whether no attacker can ever pass on both sides of this defender, neither along its file
/// nor along its rank.
fn is_safe(board: Board, wall: Square, room: SquareSet, defenders: SquareSet) -> bool {
    let (file, rank, last) = (board.file(wall), board.rank(wall), board.size() - 1);
    let held = |square: Square| room.contains(square) || defenders.contains(square);
    let along_file = rank == 0
        || rank == last
        || held(board.at(file, rank - 1))
        || held(board.at(file, rank + 1));
    let along_rank = file == 0
        || file == last
        || held(board.at(file - 1, rank))
        || held(board.at(file + 1, rank));
    along_file && along_rank
}

/// Connected squares without soldiers, and the soldiers beside them.
struct Room {
    squares: SquareSet,
    walls: SquareSet,
}

impl Room {
    fn around(board: Board, start: Square, men: SquareSet) -> Room {
        let mut room = Room { squares: SquareSet::EMPTY, walls: SquareSet::EMPTY };
        let mut new = SquareSet::of(start);
        while !new.is_empty() {
            room.squares |= new;
            let beside: SquareSet = new.iter().flat_map(|s| board.neighbours(s)).collect();
            room.walls |= beside & men;
            new = beside - men - room.squares;
        }
        room
    }
}

/// Returns the areas without attackers that do not reach the edge; none if the rules have no
/// encirclements.
pub(super) fn ringed_areas(rules: &Ruleset, attackers: SquareSet) -> Vec<SquareSet> {
    let mut areas = Vec::new();
    if !rules.encirclement || attackers.len() < FEWEST {
        return areas;
    }
    let mut seen = attackers;
    for start in rules.board.squares() {
        if !seen.contains(start) {
            let area = Room::around(rules.board, start, attackers).squares;
            seen |= area;
            if !area.meets(rules.board.edge()) {
                areas.push(area);
            }
        }
    }
    areas
}

/// Returns the squares of the king who is encircled with all of these defenders.
pub(super) fn ringed_kings(areas: &[SquareSet], defenders: SquareSet) -> SquareSet {
    let with_all = areas.iter().filter(|area| defenders.is_subset(**area));
    with_all.fold(SquareSet::EMPTY, |all, &area| all | (area - defenders))
}
