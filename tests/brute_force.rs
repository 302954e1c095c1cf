//! Builds small slices of every game and compares each of their positions,
//! mirror images and all, with the reference.

mod reference;

use reference::{Outcome, Solver};
use taflbase::Tablebase;
use taflbase::build::{BuildOptions, build};
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::value::{Value, Wdl};

/// The library: builds tables of a game and probes positions in them.
struct Library {
    tables: Tablebase,
    _directory: tempfile::TempDir,
}

impl Library {
    fn build(ruleset: &str, slices: &[(usize, usize)]) -> Library {
        let file = format!("{}/tests/rulesets/{ruleset}.toml", env!("CARGO_MANIFEST_DIR"));
        let rules = match ruleset.starts_with("mini-") {
            true => Ruleset::load(&file).unwrap(),
            false => Ruleset::load(ruleset).unwrap(),
        };
        let slice = |&(defenders, attackers)| Slice { defenders, attackers };
        let slices: Vec<Slice> = slices.iter().map(slice).collect();
        let directory = tempfile::tempdir().unwrap();
        let options = BuildOptions::default();
        build(&rules, directory.path(), &slices, &options, &(), &mut |_| {}).unwrap();
        let tables = Tablebase::open(rules, directory.path()).unwrap();
        Library { tables, _directory: directory }
    }

    /// What the DTW table and the WDL table say.
    fn probe(&self, text: &str) -> (Outcome, Wdl) {
        let position = Position::parse(text, self.tables.rules()).unwrap();
        let outcome = match self.tables.probe_dtw(&position).unwrap() {
            Value::Win(plies) => Outcome::Win(plies),
            Value::Loss(plies) => Outcome::Loss(plies),
            Value::Draw => Outcome::Open,
        };
        (outcome, self.tables.probe_wdl(&position).unwrap())
    }
}

/// Compares every position of those slices.
fn compare(ruleset: &str, slices: &[(usize, usize)]) {
    let library = Library::build(ruleset, slices);
    let mut reference = Solver::new(ruleset);
    for &(defenders, attackers) in slices {
        reference.solve(defenders, attackers);
        let mut compared = 0;
        for (position, outcome) in reference.positions(defenders, attackers) {
            let wdl = match outcome {
                Outcome::Win(_) => Wdl::Win,
                Outcome::Loss(_) => Wdl::Loss,
                Outcome::Open => Wdl::Draw,
            };
            let text = reference.rules().write(&position);
            assert_eq!(library.probe(&text), (outcome, wdl), "{ruleset} {text}");
            compared += 1;
        }
        assert!(compared > 0, "K{defenders}v{attackers} has no positions");
    }
}

/// All slices with at most so many soldiers.
fn up_to(soldiers: usize) -> Vec<(usize, usize)> {
    let men = 1..=soldiers;
    men.flat_map(|men| (1..=men).map(move |attackers| (men - attackers, attackers))).collect()
}

/// Those slices and a few larger ones.
fn and(mut slices: Vec<(usize, usize)>, larger: &[(usize, usize)]) -> Vec<(usize, usize)> {
    slices.extend(larger);
    slices
}

// Draws, undecided positions and captures of the king on his throne only come
// with four or five attackers, hence the small boards.

#[test]
fn mini_corner_is_exact() {
    compare("mini-corner", &and(up_to(4), &[(0, 5)]));
}

#[test]
fn mini_edge_is_exact() {
    // In K1v4 the besieged throne is an anvil: that takes a victim, the three
    // besiegers and the attacker that arrives.
    compare("mini-edge", &and(up_to(4), &[(0, 5), (1, 4)]));
}

#[test]
fn mini_camps_is_exact() {
    // K0v3 is the first slice with draws there.
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
    // In K1v1 an attacker is captured on the inner cell of a camp.
    compare("ashton-server", &up_to(2));
}

#[test]
fn the_other_nine_by_nine_games_are_exact() {
    for ruleset in ["ashton", "mcgill", "tablut", "berkeley"] {
        compare(ruleset, &up_to(1));
    }
}
