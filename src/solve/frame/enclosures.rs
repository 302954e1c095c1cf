//! Positions in which the connections on the board have ended the game, for all squares of the king
//! at once: exit forts, lost for the attackers to move, and encirclements, lost for the defenders.

use crate::game::board::{Board, Direction, Square, SquareSet};
use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;

use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::region::Region;
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;

/// The fewest defending soldiers around a room of two squares at the edge.
const LEAST_DEFENDERS: usize = 4;

/// The fewest attackers around two squares. A king who has no neighbour left has no move anyhow.
const LEAST_ATTACKERS: usize = 6;

/// A set of defenders around a room at the edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fort<const N: usize> {
    /// The rank of the set.
    pub rank: Rank,
    /// The room. It is open if an attacker is in it. No other attacker matters: only defenders are
    /// beside it.
    pub room: SquareSet,
    /// The squares where the king is in the fort.
    pub kings: Row<N>,
}

/// Finds the areas that attackers separate from the edge.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    board: Board,
    edge: SquareSet,
    /// By square: the up to eight squares around it.
    around: Vec<SquareSet>,
}

/// Finds all forts of a slice.
pub(crate) fn forts<const N: usize>(
    rules: &Ruleset,
    region: &Region<N>,
    sets: &DefenderSets,
) -> Vec<Fort<N>> {
    if !rules.exit_fort || sets.count < LEAST_DEFENDERS {
        return Vec::new();
    }
    let around = squares_around(rules.board);
    let edge = rules.board.edge();
    let mut forts = Vec::new();
    for rank in sets.ranks() {
        let set = sets.set(rank);
        // The men around a room are a chain from edge to edge.
        let ends = (set & edge).iter().filter(|end| around[end.index()].meets(set));
        if ends.count() >= 2 {
            add_forts(rules, region, (rank, set), &mut forts);
        }
    }
    forts
}

fn add_forts<const N: usize>(
    rules: &Ruleset,
    region: &Region<N>,
    (rank, set): (Rank, SquareSet),
    forts: &mut Vec<Fort<N>>,
) {
    let (board, edge, open) =
        (rules.board, rules.board.edge(), rules.board.corners() | rules.goals);
    let mut left = edge - set - connected(board, open - set, set);
    while let Some(square) = left.first() {
        let room = connected(board, SquareSet::of(square), set);
        left -= room;
        let kings = region.row(room & edge & rules.places(Kind::King));
        if room.len() >= 2 && !kings.is_empty() && stands(board, room, set) {
            forts.push(Fort { rank, room, kings });
        }
    }
}

/// Returns whether none of the defenders beside a room can be captured between two attackers: each
/// has on both lines, on at least one side, the room, another defender or the end of the board.
fn stands(board: Board, room: SquareSet, defenders: SquareSet) -> bool {
    let beside: SquareSet = room.iter().flat_map(|square| board.neighbours(square)).collect();
    let safe = room | defenders;
    let is_shut = |wall, direction| board.step(wall, direction).is_none_or(|s| safe.contains(s));
    (beside - room).iter().all(|wall| {
        [Direction::East, Direction::North]
            .into_iter()
            .all(|line| is_shut(wall, line) || is_shut(wall, line.opposite()))
    })
}

impl Rings {
    /// Prepares the rings of a slice, if there can be any.
    pub(crate) fn new(rules: &Ruleset, slice: Slice) -> Option<Rings> {
        let board = rules.board;
        (rules.encirclement && slice.attackers >= LEAST_ATTACKERS).then(|| Rings {
            board,
            edge: board.edge(),
            around: squares_around(board),
        })
    }

    /// Returns the areas that these attackers separate from the edge: if one of them holds the king
    /// and all defenders, they are encircled.
    pub(crate) fn areas(&self, attackers: SquareSet) -> Vec<SquareSet> {
        if !self.may_close(attackers) {
            return Vec::new();
        }
        let outside = connected(self.board, self.edge - attackers, attackers);
        let mut left = self.board.squares().collect::<SquareSet>() - attackers - outside;
        let mut areas = Vec::new();
        while let Some(square) = left.first() {
            let area = connected(self.board, SquareSet::of(square), attackers);
            left -= area;
            areas.push(area);
        }
        areas
    }

    /// Returns whether some of the attackers are a closed chain: each beside two others of it. Most
    /// sets have none, and this is quick to see.
    fn may_close(&self, attackers: SquareSet) -> bool {
        let mut chain = attackers;
        loop {
            let ends = chain.iter().filter(|man| (self.around[man.index()] & chain).len() < 2);
            let inner = chain - ends.collect::<SquareSet>();
            if inner == chain {
                return !chain.is_empty();
            }
            chain = inner;
        }
    }
}

/// Returns, by square, the up to eight squares around it.
fn squares_around(board: Board) -> Vec<SquareSet> {
    let beside = |square: Square| board.neighbours(square).collect::<SquareSet>();
    board
        .squares()
        .map(|square| {
            let (file, rank) = (board.file(square), board.rank(square));
            let two_steps = beside(square).iter().flat_map(beside);
            let near = two_steps.filter(|&other| {
                board.file(other).abs_diff(file) <= 1 && board.rank(other).abs_diff(rank) <= 1
            });
            (near.collect::<SquareSet>() | beside(square)).without(square)
        })
        .collect()
}

/// Returns all squares that are connected with these by orthogonal steps over squares without
/// `men`, themselves included.
fn connected(board: Board, from: SquareSet, men: SquareSet) -> SquareSet {
    let mut reached = from;
    let mut pending: Vec<Square> = from.iter().collect();
    while let Some(square) = pending.pop() {
        for next in board.neighbours(square) {
            if !men.contains(next) && !reached.contains(next) {
                reached.insert(next);
                pending.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Side;
    use crate::solve::frame::Frame;
    use crate::solve::rows::numbers::BlockNumber;
    use crate::solve::test_support::{lanes_with, load, with_words};

    /// Compares the positions that are lost at once with those that the game says are finished, in
    /// one of `step` blocks; returns their number.
    fn count<const N: usize>(rules: &Ruleset, slice: Slice, side: Side, step: usize) -> u32 {
        let frame: Frame<N> = Frame::new(rules, slice).unwrap();
        let mut found = 0;
        for number in (0..frame.blocks()).step_by(step).map(BlockNumber::new) {
            let block = frame.block(number);
            let mut rows = vec![Row::EMPTY; frame.block_rows()];
            frame.add_finished(&block, side, &mut rows);
            for rank in frame.defenders.ranks() {
                let expected = lanes_with(&frame, &block, rank, side, |p| p.is_finished(rules));
                assert_eq!(rows[rank.index()], expected, "{slice} {:?}", block.attackers);
                found += expected.count();
            }
        }
        found
    }

    fn check<const N: usize>(rules: &Ruleset, slice: &str, side: Side, step: usize) {
        let found = count::<N>(rules, slice.parse().unwrap(), side, step);
        assert!(found > 0, "{} {slice}: no enclosures", rules.name);
    }

    #[test]
    fn forts_and_rings_are_those_of_the_game() {
        for (rules, slice, side, step) in [
            ("forts", "K4v1", Side::Attackers, 1),
            ("forts", "K5v1", Side::Attackers, 1),
            ("forts", "K4v2", Side::Attackers, 3),
            ("rings", "K0v6", Side::Defenders, 1),
            ("rings", "K1v6", Side::Defenders, 1),
            ("rings", "K0v7", Side::Defenders, 1),
        ] {
            with_words!(check, &load(rules), slice, side, step);
        }
    }
}
