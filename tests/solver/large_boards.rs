//! Boards on which the king's squares fill several machine words: three on 13x13, four on
//! 15x15, five on 17x17, six on 19x19; where he wins at the edge, as many as on the board
//! inside it. The solver has rows of six words for the last three.
//!
//! Their slices are large. So every position is compared only in the smallest one, and in
//! others on boards with few squares for the soldiers.

use std::fs;

use crate::comparison::compare;
use crate::positions::random_position;
use crate::reference::{Custom, Game, Rules, Solver};
use taflbase::perft::perft;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

/// Returns the path of a test ruleset.
fn path(name: &str) -> String {
    format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn ruleset(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| Ruleset::load(&path(name)).unwrap())
}

/// Compares every position with the king and one attacker.
fn is_exact(name: &str) {
    compare(&ruleset(name), &mut Solver::new(Rules::named(name)), &[(0, 1)]);
}

#[test]
fn three_words_are_exact() {
    is_exact("large-hnefatafl");
}

#[test]
fn four_words_are_exact() {
    is_exact("great-corner");
}

#[test]
fn four_words_within_the_edge_are_exact() {
    is_exact("huge-edge");
}

#[test]
fn five_words_are_exact() {
    is_exact("huge-corner");
}

#[test]
fn six_words_are_exact() {
    is_exact("alea-evangelii");
}

/// Compares every position of slices with up to three soldiers.
fn outposts_are_exact(name: &str) {
    let game = Custom::parse(&fs::read_to_string(path(name)).unwrap());
    let slices = [(0, 1), (1, 1), (0, 2), (0, 3), (1, 2), (2, 1)];
    compare(&ruleset(name), &mut Solver::new(game), &slices);
}

#[test]
fn outposts_in_four_words_are_exact() {
    outposts_are_exact("outposts-15");
}

#[test]
fn outposts_in_five_words_are_exact() {
    outposts_are_exact("outposts-17");
}

#[test]
fn node_counts_agree() {
    for name in ["great-corner", "huge-corner", "huge-edge"] {
        let (rules, game) = (ruleset(name), Rules::named(name));
        let start = Position::start(&rules).unwrap();
        assert_eq!(start.to_text(&rules), game.write(game.start()), "{name}");
        assert_eq!(perft(&rules, &start, 2), game.perft(game.start(), 2), "{name}");
        let mut random = SeededRng::new(17);
        for i in 0..150 {
            let slice = Slice { attackers: 1 + i % 7, defenders: i % 5 };
            let position = random_position(&rules, slice, i % 4 > 0, &mut random);
            let text = position.to_text(&rules);
            let depth = if i < 7 { 3 } else { 2 };
            let nodes = game.perft(&game.read(&text), depth);
            assert_eq!(perft(&rules, &position, depth as u32), nodes, "{name} {text}");
        }
    }
}
