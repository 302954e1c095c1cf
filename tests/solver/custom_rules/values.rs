//! The values of whole slices, compared with brute force.

use std::fs;
use std::ops::Range;

use super::{Both, assert_seen, checked};
use crate::comparison::compare;
use crate::reference::Event;

const SMALLEST: [(usize, usize); 3] = [(0, 1), (1, 1), (0, 2)];
const SMALL: [(usize, usize); 6] = [(0, 1), (1, 1), (0, 2), (2, 1), (1, 2), (0, 3)];

/// Compares every position of these slices.
fn is_exact(both: &Both, slices: &[(usize, usize)]) {
    assert!(compare(&both.rules, &both.game, slices) > 0);
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

/// Sieges, and captures on four sides, take more men than the slices above have.
#[test]
fn sieges_are_exact() {
    let path = format!("{}/tests/rulesets/sieges.toml", env!("CARGO_MANIFEST_DIR"));
    let sieges = Both::read(fs::read_to_string(path).unwrap());
    is_exact(&sieges, &[(0, 4), (1, 3), (1, 4), (2, 2), (2, 3)]);
    for event in [Event::ByBesieged, Event::KingSurrounded, Event::KingHeld] {
        assert!(sieges.game.seen(event) > 100, "{event:?}");
    }
}
