//! Builds small slices of every game and compares each position, including mirror images, with
//! the reference.

use crate::comparison;
use crate::reference::{Rules, Solver};
use crate::reference_fixtures;
use taflbase::rules::Ruleset;

/// Compares every position of these slices; returns the reference, which has solved them.
fn compare(ruleset: &str, slices: &[(usize, usize)]) -> Solver<Rules> {
    let file = format!("{}/tests/rulesets/{ruleset}.toml", env!("CARGO_MANIFEST_DIR"));
    let rules = match ruleset.starts_with("mini-") {
        true => Ruleset::load(&file).unwrap(),
        false => Ruleset::load(ruleset).unwrap(),
    };
    let mut reference = Solver::new(Rules::named(ruleset));
    comparison::compare(&rules, &mut reference, slices);
    reference
}

/// Returns all slices with at most this many soldiers.
fn up_to(soldiers: usize) -> Vec<(usize, usize)> {
    let men = 1..=soldiers;
    men.flat_map(|men| (1..=men).map(move |attackers| (men - attackers, attackers))).collect()
}

/// Returns these slices and a few larger ones.
fn and(mut slices: Vec<(usize, usize)>, larger: &[(usize, usize)]) -> Vec<(usize, usize)> {
    slices.extend(larger);
    slices
}

// Draws, undecided positions and captures of the king on his throne occur only with four or
// five attackers, hence the small boards. They take the reference longest, so its fixtures are
// compared here, too.

#[test]
fn mini_corner_is_exact() {
    let mut reference = compare("mini-corner", &and(up_to(4), &[(0, 5)]));
    reference_fixtures::compare("mini-corner", &mut reference);
}

#[test]
fn mini_edge_is_exact() {
    // In K1v4 the besieged throne is hostile: that takes a victim, the three besiegers and the
    // attacker that arrives.
    let mut reference = compare("mini-edge", &and(up_to(4), &[(0, 5), (1, 4)]));
    reference_fixtures::compare("mini-edge", &mut reference);
}

#[test]
fn mini_camps_is_exact() {
    // K0v3 is the first slice with draws here.
    compare("mini-camps", &and(up_to(2), &[(0, 3)]));
}

#[test]
fn brandubh_is_exact() {
    compare("brandubh", &up_to(2));
}

#[test]
fn brandubh_online_is_exact() {
    compare("brandubh-online", &up_to(2));
}

#[test]
fn ashton_server_is_exact() {
    // In K1v1 an attacker is captured on the inner square of a camp.
    compare("ashton-server", &up_to(2));
}

#[test]
fn the_other_nine_by_nine_games_are_exact() {
    for ruleset in ["ashton", "mcgill", "tablut", "berkeley"] {
        compare(ruleset, &up_to(1));
    }
}
