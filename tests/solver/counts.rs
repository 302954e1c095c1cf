//! Compares every count and position of the fixtures with tables built here.
//!
//! `data/counts.jsonl` and `data/positions.tsv` were made by an independent
//! brute-force program.

use std::collections::BTreeMap;

use serde_json::Value;
use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions};
use taflbase::position::Position;
use taflbase::rules::{Endless, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::Metric;

fn load(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    })
}

#[test]
fn counts_agree_with_the_brute_force_program() {
    let lines: Vec<Value> = include_str!("../data/counts.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut slices: BTreeMap<&str, Vec<Slice>> = BTreeMap::new();
    for line in &lines {
        let rules = line["rules"].as_str().unwrap();
        slices.entry(rules).or_default().push(line["slice"].as_str().unwrap().parse().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let bases: BTreeMap<&str, Tablebase> = slices
        .iter()
        .map(|(&name, slices)| {
            let rules = load(name);
            let options = BuildOptions::default();
            Build::new(&rules, folder.path(), slices).options(&options).run().unwrap();
            (name, Tablebase::open_files(rules, folder.path()).unwrap())
        })
        .collect();
    let mut wrong = Vec::new();
    for line in &lines {
        let base = &bases[line["rules"].as_str().unwrap()];
        let slice: Slice = line["slice"].as_str().unwrap().parse().unwrap();
        let side = Side::ALL.into_iter().find(|s| s.name() == line["to_move"]).unwrap();
        let found = base.table(slice, Metric::Dtw).unwrap().summary(side);
        let open = |as_what| {
            if base.rules().endless == as_what { found.draws } else { 0 }
        };
        let same = line["positions"] == found.positions
            && line["win"] == found.wins
            && line["loss"] == found.losses
            && line["draw"] == open(Endless::Draw)
            && line["undecided"] == open(Endless::Undecided)
            && line["max_win"] == found.max_win
            && line["max_loss"] == found.max_loss;
        if !same {
            wrong.push(format!("{line}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn values_agree_with_the_brute_force_program() {
    let folder = tempfile::tempdir().unwrap();
    let mut bases: BTreeMap<&str, Tablebase> = BTreeMap::new();
    let mut compared = 0;
    for line in include_str!("../data/positions.tsv").lines() {
        let [name, text, category, plies] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let rules = load(name);
        let position = Position::parse(text, &rules).unwrap();
        let slice = position.slice();
        let base = bases
            .entry(name)
            .or_insert_with(|| Tablebase::open_files(rules.clone(), folder.path()).unwrap());
        if !base.slices(Metric::Dtw).contains(&slice) {
            let options = BuildOptions::default();
            Build::new(&rules, folder.path(), &[slice]).options(&options).run().unwrap();
            *base = Tablebase::open_files(rules, folder.path()).unwrap();
        }
        let value = base.probe_dtw(&position).unwrap();
        let known = (category, plies.parse().ok());
        assert_eq!((base.category(value.wdl()), value.plies()), known, "{line}");
        assert_eq!(base.probe_wdl(&position).unwrap(), value.wdl(), "{line}");
        compared += 1;
    }
    assert_eq!(compared, 190);
}
