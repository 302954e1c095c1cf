//! The values of whole slices, compared with brute force.

use std::fs;
use std::ops::Range;

use super::{Both, assert_all_seen, assert_seen, checked};
use crate::comparison::compare;
use crate::reference::{Event, Solver};

const SMALLEST: [(usize, usize); 3] = [(0, 1), (1, 1), (0, 2)];
const SMALL: [(usize, usize); 6] = [(0, 1), (1, 1), (0, 2), (2, 1), (1, 2), (0, 3)];

/// Compares every position of these slices.
fn is_exact(both: &Both, slices: &[(usize, usize)]) {
    assert!(compare(&both.rules, &mut Solver::new(&both.game), slices) > 0);
}

/// The same for invented rulesets; each event must occur at least `least` times.
fn invented_rules_are_exact(size: u8, seeds: Range<u64>, slices: &[(usize, usize)], least: u64) {
    let invented = seeds.map(|seed| Both::invented(size, seed));
    let all = invented.map(|both| checked(both, |both| is_exact(both, slices)));
    assert_seen(&all.collect::<Vec<Both>>(), least);
}

#[test]
fn invented_rules_on_the_smallest_board_are_exact() {
    invented_rules_are_exact(5, 2000..2012, &SMALL, 0);
}

#[test]
fn many_invented_rules_on_the_smallest_board_are_exact() {
    invented_rules_are_exact(5, 2100..2150, &SMALLEST, 0);
}

#[test]
fn invented_modern_rules_are_exact() {
    let modern = |seed| checked(Both::modern(5, seed), |both| is_exact(both, &SMALL));
    let all: Vec<Both> = (4000..4012).map(modern).collect();
    let events = [Event::Unarmed, Event::EdgeHeld, Event::TooFar];
    assert_all_seen(&events, &all, 1);
}

#[test]
fn invented_rules_on_a_larger_board_are_exact() {
    invented_rules_are_exact(7, 3000..3010, &SMALLEST, 0);
}

#[test]
fn the_files_of_the_tests_are_exact() {
    for (name, slices) in
        [("strange", &SMALLEST[..]), ("strange-turns", &SMALL), ("lopsided", &SMALLEST)]
    {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        is_exact(&Both::read(fs::read_to_string(path).unwrap()), slices);
    }
}

/// Reads one of the files of the tests.
fn file(name: &str) -> Both {
    let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Both::read(fs::read_to_string(path).unwrap())
}

/// Asserts that each of these events occurred often enough that the rules were tested.
fn assert_occurred(both: &Both, events: &[Event]) {
    for &event in events {
        assert!(both.game.seen(event) > 100, "{} {event:?}", both.rules.name);
    }
}

#[test]
fn unarmed_kings_are_exact() {
    let unarmed = file("unarmed");
    is_exact(&unarmed, &[(0, 1), (1, 1), (0, 2), (2, 1), (1, 2), (0, 3)]);
    assert_occurred(&unarmed, &[Event::Unarmed, Event::ByEmpty]);
}

#[test]
fn short_steps_and_hostile_edges_are_exact() {
    let steps = file("steps");
    is_exact(&steps, &[(0, 1), (1, 1), (0, 2), (2, 1), (1, 2), (0, 3)]);
    assert_occurred(&steps, &[Event::TooFar, Event::EdgeHeld]);
}

/// All slices in which there is a wall by a corner, and larger ones: up to four men at once, and
/// walls between men.
#[test]
fn shieldwalls_are_exact() {
    let walls = file("walls");
    let slices = [(1, 3), (2, 2), (2, 3), (3, 2), (1, 4), (3, 3), (2, 4), (4, 4), (4, 5)];
    is_exact(&walls, &slices);
    let events = [Event::Wall, Event::WallAroundKing, Event::WallOfKing, Event::WallAtCorner];
    assert_occurred(&walls, &events);
}

#[test]
fn shieldwalls_by_plain_corners_are_exact() {
    for name in ["plain-walls", "unarmed-walls"] {
        let walls = file(name);
        is_exact(&walls, &[(1, 3), (2, 2), (3, 2), (2, 3), (1, 4), (3, 3)]);
        assert_occurred(&walls, &[Event::WallAroundKing, Event::WallAtCorner]);
    }
}

#[test]
fn exit_forts_are_exact() {
    let forts = file("forts");
    is_exact(&forts, &[(3, 1), (4, 1), (5, 1), (4, 2)]);
    assert_occurred(&forts, &[Event::Fort]);
}

#[test]
fn encirclements_are_exact() {
    let rings = file("rings");
    is_exact(&rings, &[(0, 5), (0, 6), (1, 6), (0, 7), (2, 7)]);
    assert_occurred(&rings, &[Event::Ring]);
}

/// Sieges, and captures on four sides, take more men than the slices above have.
#[test]
fn sieges_are_exact() {
    let sieges = file("sieges");
    is_exact(&sieges, &[(0, 4), (1, 3), (1, 4), (2, 2), (2, 3)]);
    assert_occurred(&sieges, &[Event::ByBesieged, Event::KingSurrounded, Event::KingHeld]);
}
