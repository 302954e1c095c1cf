//! The tree above the jobs: its numbers, and the choice of the next job.

use super::tree::{HOPELESS, NOT_WON, NodeId, Tree, WON};
use crate::engine::board_tables::BoardTables;
use crate::engine::state::State;
use crate::game::board::Square;
use crate::game::position::Position;
use crate::game::rules::Side;
use crate::proof::canonical::{Canonical, Symmetries};
use crate::proof::search::AdviceTable;
use crate::proof::tests::{random_positions, rules};

/// Different positions with this side to move.
fn positions(to_move: Side, count: usize) -> Vec<Canonical<1>> {
    let rules = rules("brandubh");
    let (board, symmetries) = (BoardTables::new(&rules), Symmetries::new(&rules));
    let mut found: Vec<Canonical<1>> = Vec::new();
    for position in random_positions(&rules, "K2v4", 20 * count, 11) {
        let (canonical, _) = symmetries.canonical(&State::new(&board, &position));
        if canonical.to_move == to_move && !found.contains(&canonical) {
            found.push(canonical);
        }
    }
    found.truncate(count);
    assert_eq!(found.len(), count);
    found
}

/// A root with the attackers to move, and three positions after it with these numbers of the
/// attackers' win.
fn three_moves(numbers: [[u32; 2]; 3]) -> (Tree<1>, NodeId, [Canonical<1>; 4]) {
    let root = positions(Side::Attackers, 1)[0];
    let after = positions(Side::Defenders, 3);
    let mut tree = Tree::new(Side::Attackers);
    let moves = after.iter().copied().zip(numbers).collect();
    tree.add_open(root, [1, 1], Some(100), moves);
    let id = tree.id(root);
    (tree, id, [root, after[0], after[1], after[2]])
}

#[test]
fn numbers_are_weak_proof_numbers_of_the_moves() {
    let (mut tree, root, [start, first, second, third]) = three_moves([[5, 7], [3, 4], [9, 2]]);
    // The least proof number; the largest disproof number, and one for each other open move.
    assert_eq!(tree.values(root).of(root), [3, 7 + 2]);
    tree.prove(second, false);
    assert_eq!(tree.values(root).of(root), [5, 7 + 1]);
    tree.prove(first, false);
    tree.prove(third, false);
    assert_eq!(tree.values(root).of(root), NOT_WON);
    tree.forget_proofs();
    tree.prove(third, true);
    assert_eq!(tree.values(root).of(root), WON);
    assert_eq!(tree.solving_moves(root), [(start, third)].into());
}

#[test]
fn the_next_job_is_the_most_promising_one_that_is_free_and_undecided() {
    let (mut tree, root, [_, first, second, third]) = three_moves([[5, 7], [3, 4], [9, 2]]);
    let [first, second, third] = [first, second, third].map(|position| tree.id(position));
    let next = |tree: &Tree<1>| tree.select(root, &tree.values(root), &mut |_| true);
    assert_eq!(next(&tree), Some(second));
    tree.node_mut(second).is_busy = true;
    assert_eq!(next(&tree), Some(first));
    let decided = tree.node(first).position;
    let undecided = tree.select(root, &tree.values(root), &mut |node| node.position != decided);
    assert_eq!(undecided, Some(third));
    for id in [first, third] {
        tree.node_mut(id).is_busy = true;
    }
    assert_eq!(next(&tree), None);
}

#[test]
fn moves_look_more_expensive_than_an_open_one_of_the_engine() {
    let (mut tree, root, [_, first, second, third]) = three_moves([[5, 7], [3, 4], [9, 2]]);
    let [first, second, third] = [first, second, third].map(|position| tree.id(position));
    let next = |tree: &Tree<1>| {
        let values = tree.values(root);
        (values.of(root)[0], tree.select(root, &values, &mut |_| true))
    };
    assert_eq!(next(&tree), (3, Some(second)));
    tree.advise(root, first);
    assert_eq!(next(&tree), (5, Some(first)));
    tree.advise(root, third);
    assert_eq!(next(&tree), (6, Some(second)));
    let position = tree.node(third).position;
    tree.prove(position, false);
    assert_eq!(next(&tree), (3, Some(second)));
}

#[test]
fn advice_is_due_where_the_side_in_question_is_to_move_and_work_has_grown() {
    let (mut tree, root, [start, first, ..]) = three_moves([[1, 7], [3, 4], [9, 2]]);
    let advice = AdviceTable::new(&rules("brandubh"));
    let due = |tree: &mut Tree<1>| tree.take_due_advice(root, &tree.values(root), &advice);
    tree.count(start, 60_000);
    assert_eq!(due(&mut tree), None);
    tree.count(first, 10_000);
    assert_eq!(due(&mut tree), Some((root, 16)));
    assert_eq!(due(&mut tree), None);
    // The defenders are to move after the first move, and the attackers after the next.
    let last = positions(Side::Attackers, 2)[1];
    tree.add_open(first, [1, 7], Some(10_000), vec![(last, [1, 7])]);
    tree.count(last, 100_000);
    assert_eq!(due(&mut tree), None, "its moves are not known yet");
    let other = positions(Side::Defenders, 4)[3];
    tree.add_open(last, [1, 7], Some(100_000), vec![(other, [1, 7]), (first, [1, 7])]);
    let last = tree.id(last);
    assert_eq!(due(&mut tree), Some((last, 16)));
    tree.count(first, 100_000);
    assert_eq!(due(&mut tree), Some((root, 18)));
    assert_eq!(due(&mut tree), None);
}

#[test]
fn sums_of_nodes_saturate() {
    let (mut tree, root, [start, first, ..]) = three_moves([[1, 7], [3, 4], [9, 2]]);
    for position in [start, first, first] {
        tree.count(position, u64::MAX);
    }
    assert_eq!((tree.job_nodes, tree.node(root).nodes), (u64::MAX, u64::MAX));
    let advice = AdviceTable::new(&rules("brandubh"));
    let values = tree.values(root);
    assert_eq!(tree.take_due_advice(root, &values, &advice), Some((root, 63)));
}

/// A repetition is hopeless, but not disproved: when nothing else is left, the repeated position
/// gets another job.
#[test]
fn repetitions_get_a_job_when_nothing_else_is_left() {
    let (mut tree, root, [start, first, second, third]) = three_moves([[5, 7], [3, 4], [9, 2]]);
    for position in [second, third] {
        tree.prove(position, false);
    }
    tree.add_open(first, [1, 1], Some(10), vec![(start, [1, 1])]);
    let values = tree.values(root);
    assert_eq!(values.of(root)[0], HOPELESS);
    assert_ne!(values.of(root), NOT_WON);
    assert_eq!(tree.select(root, &values, &mut |_| true), Some(root));
}

#[test]
fn lines_may_be_longer_than_the_stack() {
    let rules = rules("brandubh");
    let (board, symmetries) = (BoardTables::new(&rules), Symmetries::new(&rules));
    let mut tree: Tree<1> = Tree::new(Side::Attackers);
    let template = random_positions(&rules, "K2v4", 1, 11)[0];
    let mut line = Vec::new();
    // The attackers on any of these squares.
    for set in 0_u32..100_000 {
        let attackers = (0..17).filter(|square| set >> square & 1 == 1).map(Square::new).collect();
        let position = Position { attackers, ..template };
        line.push(symmetries.canonical(&State::new(&board, &position)).0);
    }
    for pair in line.windows(2) {
        tree.add_open(pair[0], [1, 1], Some(1), vec![(pair[1], [3, 4])]);
    }
    let [root, last] = [line[0], line[line.len() - 1]].map(|position| tree.id(position));
    let values = tree.values(root);
    assert_eq!(values.of(root), [3, 4]);
    assert_eq!(tree.select(root, &values, &mut |_| true), Some(last));
}

#[test]
fn the_largest_finished_result_counts() {
    let (mut tree, root, [start, first, second, _]) = three_moves([[5, 7], [3, 4], [9, 2]]);
    // A smaller one, and one that was interrupted.
    tree.add_open(start, [1, 1], Some(50), vec![(first, [50, 50])]);
    tree.add_open(start, [1, 1], None, vec![(first, [50, 50])]);
    assert_eq!(tree.values(root).of(root), [3, 9]);
    tree.add_open(start, [1, 1], Some(200), vec![(first, [6, 7]), (second, [8, 8])]);
    assert_eq!(tree.values(root).of(root), [6, 9]);
    // What is open never looks proved.
    tree.add_open(first, [0, 20], None, Vec::new());
    assert_eq!(tree.values(root).of(root), [1, 21]);
}
