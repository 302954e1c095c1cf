//! Node counts of start positions and asymmetric ones.

use crate::counted::{Counted, counted};
use taflbase::moves::{count_moves, legal_moves};
use taflbase::perft::perft;
use taflbase::position::Position;
use taflbase::rules::Ruleset;

#[test]
fn counts_agree_with_the_data_file() {
    for Counted { rules, position, counts } in counted() {
        let rules = Ruleset::builtin(rules).unwrap();
        let start = match position {
            "start" => Position::start(&rules).unwrap(),
            text => Position::parse(text, &rules).unwrap(),
        };
        for (depth, expected) in (1..).zip(counts) {
            let context = format!("{}, {position}: depth {depth}", rules.name);
            assert_eq!(perft(&rules, &start, depth), expected, "{context}");
        }
    }
}

#[test]
fn depth_zero_is_one_node() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let start = Position::start(&rules).unwrap();
    assert_eq!(perft(&rules, &start, 0), 1);
    assert_eq!(legal_moves(&rules, &start).len(), count_moves(&rules, &start));
}

#[test]
fn finished_games_have_no_children() {
    let rules = Ruleset::builtin("berkeley").unwrap();
    let lost = Position::parse("/9/9/9/2K6/9/9/9/9/9/ a", &rules).unwrap();
    assert_eq!(perft(&rules, &lost, 0), 1);
    assert_eq!(perft(&rules, &lost, 1), 0);
    // The king's four moves to the edge end the game; the others do not.
    let won = Position::parse("/9/9/9/2K6/9/9/9/9/8t/ d", &rules).unwrap();
    let moves = legal_moves(&rules, &won);
    let escapes = moves.iter().filter(|m| m.ending.is_some()).count();
    let rest = moves.iter().filter(|m| m.ending.is_none());
    let replies: usize = rest.map(|m| count_moves(&rules, &won.after(m))).sum();
    assert_eq!((moves.len(), escapes), (16, 4));
    assert_eq!(perft(&rules, &won, 2), replies as u64);
}
