//! Proves the example games from their start positions, without tables.
#![cfg(feature = "engine")]

use taflbase::proof::{ProofOptions, ProvedValue, check, prove};
use taflbase::rules::{Endless, Side};
use taflbase::tablebase::TablebaseOptions;
use taflbase::{Position, Ruleset, Tablebase};

fn example(name: &str) -> Ruleset {
    let path = format!("{}/examples/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Ruleset::load(&path).unwrap()
}

/// Proves the value of a position, and checks the certificate.
fn assert_proved(rules: &Ruleset, position: &Position, value: ProvedValue) {
    let context = format!("{} {}", rules.name, position.to_text(rules));
    let options = ProofOptions {
        max_nodes: Some(200_000),
        table_bytes: 1 << 24,
        certify: true,
        ..ProofOptions::default()
    };
    let proof = prove(rules, position, &options, &mut |_| true).unwrap();
    assert_eq!(proof.value(), value, "{context}");
    let certificate = proof.certificate.unwrap_or_else(|| panic!("{context}: no certificate"));
    assert_eq!(certificate.value(), value, "{context}");
    // The proof rests on the rules alone: the checker has no tables, either.
    let no_tables = TablebaseOptions { embedded: false, ..TablebaseOptions::default() };
    let no_tables = Tablebase::with_options(rules.clone(), no_tables);
    let report = check(&certificate, rules, &no_tables);
    let report = report.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!((report.value, report.by_table), (value, 0), "{context}");
}

#[test]
fn example_games_are_solved_from_the_start() {
    for name in ["5x5-corners-6v4", "5x5-corners-8v4", "5x5-edges-6v4"] {
        let rules = example(name);
        let start = Position::start(&rules).unwrap();
        assert_proved(&rules, &start, ProvedValue::Win(Side::Defenders));
    }
}

/// The king cannot escape from these attackers, and they cannot capture him: whichever side is
/// to move, the game never ends.
#[test]
fn draws_are_proved_without_tables() {
    let rules = example("5x5-corners-4v0");
    for board in ["/1t3/2Kt1/1t3/2t2/5/ a", "/1tt2/2K2/3t1/2t2/5/ d"] {
        let position = Position::parse(board, &rules).unwrap();
        assert_proved(&rules, &position, ProvedValue::Endless(Endless::Draw));
    }
}
