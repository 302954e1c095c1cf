//! Endings that depend on the connections of empty squares: the defenders' exit fort, and the
//! encirclement of the defenders.
//!
//! Both are properties of a position, like a king on a goal, and both are judged when the side that
//! they favour has moved: a move of the attackers never makes a fort, and one of the defenders never
//! closes a ring.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::Ending;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

/// Returns how the connections on the board end the game, now that the side not to move has moved.
pub(crate) fn enclosure_ending(rules: &Ruleset, position: &Position) -> Option<Ending> {
    match position.to_move {
        Side::Attackers if rules.exit_fort && exit_fort(rules, position).is_some() => {
            Some(Ending::ExitFort)
        }
        Side::Defenders if rules.encirclement && encircled(rules, position).is_some() => {
            Some(Ending::Encirclement)
        }
        _ => None,
    }
}

/// Returns the king's room and the soldiers around it if he is in an exit fort: he is at the edge and
/// has an empty neighbour, the room that he can reach touches no attacker and includes no corner or
/// goal, and each soldier around it has on both lines, on at least one side, the room, another
/// defender, or the end of the board. So none of them can be the first captured between two
/// attackers. Squares in the room that are hostile to them, like an empty throne, do not count.
pub(super) fn exit_fort(rules: &Ruleset, position: &Position) -> Option<[SquareSet; 2]> {
    let (board, king) = (rules.board, position.king);
    let (edge, corners) = (board.edge(), board.corners());
    if !(edge - corners).contains(king) {
        return None;
    }
    let room = connected(rules, position.occupied().without(king), king, corners | rules.goals)?;
    let around = neighbours(rules, room);
    if room.len() < 2 || around.meets(position.attackers) {
        return None;
    }
    let safe = room | position.defenders;
    let is_shut = |wall: Square, direction: Direction| {
        rules.slides().next(wall, direction).is_none_or(|next| safe.contains(next))
    };
    let walls = around & position.defenders;
    let is_safe = walls.iter().all(|wall| {
        [[Direction::East, Direction::West], [Direction::North, Direction::South]]
            .into_iter()
            .all(|axis| axis.into_iter().any(|direction| is_shut(wall, direction)))
    });
    is_safe.then_some([room, walls])
}

/// Returns the squares that are connected with the king if attackers separate them from the whole
/// edge, and all defenders are on them.
pub(super) fn encircled(rules: &Ruleset, position: &Position) -> Option<SquareSet> {
    let inside = connected(rules, position.attackers, position.king, rules.board.edge())?;
    position.defenders.is_subset(inside).then_some(inside)
}

/// Returns the squares that are connected with this one, itself included, by orthogonal steps that
/// avoid the walls; `None` if one of them is an exit, which most boards show after a few steps.
fn connected(
    rules: &Ruleset,
    walls: SquareSet,
    from: Square,
    exits: SquareSet,
) -> Option<SquareSet> {
    let mut reached = SquareSet::of(from);
    let mut pending = vec![from];
    while let Some(square) = pending.pop() {
        if exits.contains(square) {
            return None;
        }
        let steps = Direction::ALL.into_iter().filter_map(|d| rules.slides().next(square, d));
        for next in steps.filter(|&next| !walls.contains(next)) {
            if !reached.contains(next) {
                reached.insert(next);
                pending.push(next);
            }
        }
    }
    Some(reached)
}

/// Returns the squares beside those of the set, without the set.
pub(super) fn neighbours(rules: &Ruleset, set: SquareSet) -> SquareSet {
    let beside =
        |square| Direction::ALL.into_iter().filter_map(move |d| rules.slides().next(square, d));
    let all: SquareSet = set.iter().flat_map(beside).collect();
    all - set
}
