//! Invented rulesets, and boards with every feature that the built-in rulesets lack.

use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

use super::tables::{Tables, load};
use crate::inventions::{Invention, generated};

fn slices(names: &[&str]) -> Vec<Slice> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// For each seed, checks all positions of the smallest slices and samples of others.
fn invented_rules_are_consistent(size: u8, seeds: std::ops::Range<u64>, sampled: &[&str]) {
    for seed in seeds {
        let text = Invention::new(size, seed).text();
        let rules = Ruleset::from_toml(&text, "invented").unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (whole, sampled) = (slices(&["K0v1", "K1v1", "K0v2"]), slices(sampled));
        let run = || {
            let tables = Tables::build(&rules, &[&whole[..], &sampled].concat());
            for &slice in &whole {
                tables.check_all(slice);
            }
            for &slice in &sampled {
                tables.check_some(slice, 200);
            }
        };
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("seed {seed}:\n{text}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn invented_rules_on_the_smallest_board_are_consistent() {
    invented_rules_are_consistent(5, 0..24, &["K0v3", "K1v2", "K2v1", "K2v2", "K1v3", "K3v1"]);
}

#[test]
fn invented_rules_on_a_larger_board_are_consistent() {
    invented_rules_are_consistent(7, 1000..1006, &["K0v3", "K1v2", "K2v1"]);
}

/// Checks all positions of some slices and samples of others.
fn strange(ruleset: &str, whole: &[&str], sampled: &[&str]) {
    let (whole, sampled) = (slices(whole), slices(sampled));
    let tables = Tables::build(&load(ruleset), &[&whole[..], &sampled].concat());
    for &slice in &whole {
        tables.check_all(slice);
    }
    for &slice in &sampled {
        let seen = tables.check_some(slice, 2000);
        assert!(seen.conversions > 0, "{slice}: {seen:?}");
    }
}

#[test]
fn strange_rules_are_consistent() {
    let rules = load("strange");
    assert_eq!(rules.symmetries().order(), 1);
    strange("strange", &["K0v1", "K0v2", "K1v1"], &["K0v3", "K1v2", "K2v1", "K2v2"]);
}

#[test]
fn strange_turns_are_consistent() {
    let turns = load("strange-turns").symmetries();
    assert_eq!(turns.bits(), generated(&[5]).bits(), "quarter turns");
    let whole = ["K0v1", "K0v2", "K1v1", "K0v3", "K1v2", "K2v1"];
    strange("strange-turns", &whole, &["K0v4", "K1v3", "K2v2", "K3v1", "K4v1", "K2v3"]);
}
