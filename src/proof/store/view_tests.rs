//! The tree of a store, looked at while workers add to it.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use super::claims::{Claim, ClaimedJob};
use super::folder::{Folder, JOURNALS};
use super::tests::{Case, RUN, Run, look};
use super::*;
use crate::game::rules::Side;

const ALL: std::ops::Range<usize> = 0..usize::MAX;

/// A store of some jobs that decide nothing.
fn begun(case: &Case) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), Run { max_nodes: Some(150), ..RUN }).unwrap();
    folder
}

/// Returns the undecided positions below one, each once, with what is known of them.
fn open_below(
    tree: &mut dyn StoreTree,
    side: Side,
    root: &Position,
) -> Vec<(Position, NodeStatus)> {
    let node = tree.node(side, root, ALL).unwrap();
    let mut found = vec![(*root, node.status)];
    let mut seen: HashSet<Position> = [*root].into();
    let mut at = 0;
    while at < found.len() {
        let (position, status) = found[at];
        at += 1;
        let moves = tree.node(side, &position, ALL).unwrap().moves;
        assert_eq!(status.has_moves, !moves.is_empty());
        for TreeMove { played, status } in moves {
            let after = position.after(&played);
            if !status.state.is_decided() && seen.insert(after) {
                found.push((after, status));
            }
        }
    }
    found
}

#[test]
fn a_root_is_the_same_in_the_list_and_by_itself() {
    let case = Case::win();
    let folder = begun(&case);
    look(&case, folder.path(), |tree| {
        let [root] = &tree.roots().to_vec()[..] else { panic!("not one root") };
        assert_eq!(root.position, case.position);
        assert_eq!(format!("{:?}", tree.root(&case.position)), format!("{root:?}"));
        for side in Side::ALL {
            let question = &root.questions[side];
            assert_eq!(question.status.state, NodeState::Open);
            let node = tree.node(side, &case.position, ALL).unwrap();
            assert_eq!(node.status, question.status);
            assert_eq!(
                (node.count, node.moves.len()),
                (question.moves.len(), question.moves.len())
            );
            for (of_node, of_root) in node.moves.iter().zip(&question.moves) {
                assert_eq!((of_node.played, of_node.status), (of_root.played, of_root.status));
            }
        }
    });
}

#[test]
fn sums_count_each_position_once() {
    let case = Case::win();
    let folder = begun(&case);
    look(&case, folder.path(), |tree| {
        for side in Side::ALL {
            let found = open_below(tree, side, &case.position);
            let root = found[0].1;
            let waiting = found.iter().filter(|(_, one)| one.state == NodeState::Waiting).count();
            // Mirror images of a position are found one by one.
            assert!(waiting > 1 && root.positions - root.decided <= found.len() as u32);
            assert!(root.positions > 3 && root.decided < root.positions, "{root:?}");
            for (_, below) in &found[1..] {
                assert!(below.positions >= 1 && below.positions < root.positions, "{below:?}");
                assert!(below.nodes < root.nodes);
            }
        }
    });
}

#[test]
fn moves_come_in_parts() {
    let case = Case::win();
    let folder = begun(&case);
    look(&case, folder.path(), |tree| {
        let side = Side::Defenders;
        let all = tree.node(side, &case.position, ALL).unwrap();
        let mut parts = Vec::new();
        for start in (0..all.count + 3).step_by(3) {
            let part = tree.node(side, &case.position, start..start + 3).unwrap();
            assert_eq!((part.count, part.status), (all.count, all.status));
            parts.extend(part.moves.iter().map(|one| one.played));
        }
        assert_eq!(parts, all.moves.iter().map(|one| one.played).collect::<Vec<_>>());
        let nothing = tree.node(side, &case.position, usize::MAX..usize::MAX).unwrap();
        assert!(nothing.moves.is_empty());
    });
}

#[test]
fn positions_that_the_store_does_not_have_are_not_known() {
    let case = Case::win();
    let folder = begun(&case);
    let foreign = Position::parse("/5/2t2/5/2K2/5/ a", &case.rules).unwrap();
    look(&case, folder.path(), |tree| {
        assert!(tree.node(Side::Attackers, &foreign, ALL).is_none());
    });
}

#[test]
fn the_tree_follows_workers_to_the_end() {
    let case = Case::win();
    let folder = begun(&case);
    look(&case, folder.path(), |tree| {
        let before = tree.roots()[0].questions[Side::Defenders].status;
        case.run(folder.path(), RUN).unwrap();
        assert!(tree.refresh().unwrap());
        let questions = &tree.roots()[0].questions;
        assert!(questions[Side::Defenders].status.nodes > before.nodes);
        assert_eq!(questions[Side::Defenders].status.state, NodeState::Proved);
        assert_eq!(questions[Side::Attackers].status.state, NodeState::Disproved);
        assert!(questions.iter().all(|question| question.open == 0 && question.line.is_empty()));
        assert!(tree.certificates() > 0);
    });
}

#[test]
fn proofs_can_be_followed_to_their_ends() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    case.run(folder.path(), RUN).unwrap();
    look(&case, folder.path(), |tree| {
        let side = Side::Defenders;
        let mut to_see = vec![case.position];
        let mut seen = HashSet::new();
        while let Some(position) = to_see.pop() {
            let node = tree.node(side, &position, ALL).unwrap();
            assert_eq!(node.status.state, NodeState::Proved);
            let first = node.moves.first().map(|one| one.status.state);
            assert!(!node.status.has_moves || first == Some(NodeState::Proved));
            if position.to_move == side {
                to_see.extend(
                    node.moves
                        .first()
                        .filter(|one| one.status.has_moves)
                        .map(|one| position.after(&one.played)),
                );
                continue;
            }
            for TreeMove { played, status } in node.moves {
                assert_eq!(status.state, NodeState::Proved, "every reply loses");
                let after = position.after(&played);
                if status.has_moves && seen.insert(after) {
                    to_see.push(after);
                }
            }
        }
        assert!(seen.len() > 20, "{}", seen.len());
    });
}

#[test]
fn jobs_in_hand_are_seen() {
    let case = Case::win();
    let folder = begun(&case);
    let store = Folder::open(Arc::new(SystemFiles), folder.path(), &case.rules).unwrap();
    look(&case, folder.path(), |tree| {
        let side = Side::Attackers;
        let found = open_below(tree, side, &case.position);
        let waiting = found.iter().find(|(_, one)| one.state == NodeState::Waiting);
        let (position, _) = waiting.unwrap();
        let job = ClaimedJob { position: position.to_text(&case.rules), side };
        let claim = Claim::take(&store, &job).unwrap().unwrap();
        assert!(tree.refresh().unwrap());
        let status = tree.node(side, position, ALL).unwrap().status;
        assert_eq!((status.state, status.claimed), (NodeState::Working, 1));
        let root = tree.roots()[0].clone();
        let at_work = root.questions.map(|question| question.status.claimed);
        assert_eq!(at_work.0, [1, 0]);
        drop(claim);
        assert!(tree.refresh().unwrap());
        let status = tree.node(side, position, ALL).unwrap().status;
        assert_eq!((status.state, status.claimed), (NodeState::Waiting, 0));
    });
}

#[test]
fn a_store_that_is_gone_or_another_is_not_taken_for_this_one() {
    let case = Case::win();
    for change in ["cut", "removed", "all removed"] {
        let folder = begun(&case);
        look(&case, folder.path(), |tree| {
            assert!(tree.refresh().unwrap());
            let journals = folder.path().join(JOURNALS);
            let journal = fs::read_dir(&journals).unwrap().next().unwrap().unwrap().path();
            match change {
                "cut" => {
                    fs::File::options().write(true).open(&journal).unwrap().set_len(9).unwrap()
                }
                "removed" => fs::remove_file(&journal).unwrap(),
                _ => fs::remove_dir_all(folder.path()).unwrap(),
            }
            assert!(!tree.refresh().unwrap(), "{change}");
        });
    }
}

#[test]
fn only_what_was_asked_for_is_a_root() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let options = ProofOptions {
        questions: vec![Side::Attackers],
        max_nodes: Some(150),
        table_bytes: 1 << 20,
        tables: Some(&case.tables),
        ..ProofOptions::default()
    };
    let mut store = StoreOptions::new(folder.path(), &case.text);
    store.job_nodes = Some(40);
    let run = |position: &Position| {
        prove_in_store(&case.rules, position, &options, &store, &mut |_| true).unwrap();
    };
    run(&case.position);
    look(&case, folder.path(), |tree| {
        let roots = tree.roots();
        assert_eq!(roots.len(), 1);
        assert_eq!(roots[0].questions[Side::Defenders].status.state, NodeState::Unasked);
        assert!(tree.node(Side::Defenders, &case.position, ALL).is_none());
    });
    // A position below the start is none, even when it is asked for later.
    let below = look(&case, folder.path(), |tree| {
        let first = tree.node(Side::Attackers, &case.position, ALL).unwrap().moves[0];
        case.position.after(&first.played)
    });
    run(&below);
    look(&case, folder.path(), |tree| assert_eq!(tree.roots().len(), 1));
    let other = Position::parse("/5/t4/1T1t1/2K2/1t3/ a", &case.rules).unwrap();
    run(&other);
    look(&case, folder.path(), |tree| assert_eq!(tree.roots().len(), 2));
}

#[test]
fn the_number_of_roots_is_bounded() {
    let case = Case::win();
    let folder = tempfile::tempdir().unwrap();
    let options = ProofOptions {
        max_nodes: Some(5),
        table_bytes: 1 << 16,
        tables: Some(&case.tables),
        ..ProofOptions::default()
    };
    let store = StoreOptions::new(folder.path(), &case.text);
    let ranks = ["t4", "1t3", "2t2", "3t1", "4t"];
    for (first, second) in ranks.iter().flat_map(|one| ranks.map(|other| (one, other))) {
        for third in ["1T3", "2T2"] {
            let text = format!("/5/{first}/{second}/3K1/{third}/ a");
            if let Ok(position) = Position::parse(&text, &case.rules)
                && position.check(&case.rules).is_ok()
            {
                prove_in_store(&case.rules, &position, &options, &store, &mut |_| true).unwrap();
            }
        }
    }
    look(&case, folder.path(), |tree| {
        assert_eq!(tree.roots().len(), super::view::MAX_ROOTS);
    });
}
