//! Samples of larger slices of the built-in rulesets and of the small test boards.

use taflbase::slice::Slice;

use super::tables::{Seen, Tables, load};

const SAMPLES: usize = 3000;

/// Checks samples of these slices; returns what occurred in them.
fn sample(ruleset: &str, slices: &[&str]) -> Seen {
    let slices: Vec<Slice> = slices.iter().map(|slice| slice.parse().unwrap()).collect();
    let tables = Tables::build(&load(ruleset), &slices);
    let mut all = Seen::default();
    for &slice in &slices {
        let seen = tables.check_some(slice, SAMPLES);
        all.positions += seen.positions;
        all.conversions += seen.conversions;
        all.draws += seen.draws;
    }
    assert!(all.conversions * 20 > all.positions, "too few captures: {all:?}");
    all
}

#[test]
fn nine_by_nine_games_are_consistent() {
    for ruleset in ["ashton", "ashton-server", "tablut", "berkeley"] {
        sample(ruleset, &["K1v2", "K2v1", "K1v1", "K0v3"]);
    }
    // mcgill and tablut share their tables.
    sample("mcgill", &["K1v1"]);
}

#[test]
fn brandubh_is_consistent() {
    sample("brandubh", &["K2v2", "K1v3", "K0v4"]);
    sample("brandubh-online", &["K2v2", "K1v3", "K0v4"]);
}

#[test]
fn large_boards_are_consistent() {
    sample("large-hnefatafl", &["K0v2", "K1v1"]);
    sample("alea-evangelii", &["K0v2", "K1v1"]);
    for ruleset in ["great-corner", "huge-corner", "huge-edge"] {
        sample(ruleset, &["K0v2", "K1v1"]);
    }
}

#[test]
fn outposts_are_consistent() {
    for ruleset in ["outposts-15", "outposts-17"] {
        let seen = sample(ruleset, &["K1v2", "K2v1", "K2v2", "K1v3", "K0v4"]);
        assert!(seen.draws > 0, "{seen:?}");
    }
}

#[test]
fn small_boards_are_consistent() {
    let seen = sample("mini-camps", &["K0v4", "K1v3", "K2v2", "K3v1"]);
    assert!(seen.draws > 0, "{seen:?}");
    let seen = sample("mini-corner", &["K1v4", "K2v3", "K3v2"]);
    assert!(seen.draws > 0, "{seen:?}");
    let seen = sample("mini-edge", &["K0v6", "K2v3", "K3v2", "K3v3"]);
    assert!(seen.draws > 0, "{seen:?}");
    sample("lopsided", &["K0v3", "K1v2", "K2v1", "K2v2"]);
}
