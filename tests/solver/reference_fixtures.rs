//! Compares the reference itself with exact results from other programs.

use crate::reference::{Game, Outcome, Rules, Side, Solver};
use serde_json::{Value, json};

const COUNTS: &str = include_str!("../data/counts.jsonl");
const POSITIONS: &str = include_str!("../data/positions.tsv");

const TESTED: [&str; 7] =
    ["ashton", "berkeley", "brandubh", "mcgill", "mini-corner", "mini-edge", "tablut"];

#[test]
fn no_fixture_is_left_out() {
    for line in COUNTS.lines() {
        let counts: Value = serde_json::from_str(line).unwrap();
        assert!(TESTED.contains(&counts["rules"].as_str().unwrap()), "{line}");
    }
    for line in POSITIONS.lines() {
        assert!(TESTED.contains(&line.split('\t').next().unwrap()), "{line}");
    }
}

#[test]
fn ashton_agrees() {
    agrees("ashton");
}

#[test]
fn berkeley_agrees() {
    agrees("berkeley");
}

#[test]
fn brandubh_agrees() {
    agrees("brandubh");
}

#[test]
fn mcgill_agrees() {
    agrees("mcgill");
}

#[test]
fn tablut_agrees() {
    agrees("tablut");
}

fn agrees(ruleset: &str) {
    compare(ruleset, &mut Solver::new(Rules::named(ruleset)));
}

/// Solves every slice of the game that the fixtures mention and the solver has not solved yet, and
/// compares.
pub(crate) fn compare(ruleset: &str, solver: &mut Solver<Rules>) {
    assert!(TESTED.contains(&ruleset));
    let mut compared = 0;
    for line in COUNTS.lines() {
        let expected: Value = serde_json::from_str(line).unwrap();
        if expected["rules"] != ruleset {
            continue;
        }
        let number = |key: &str| expected[key].as_u64().unwrap() as usize;
        let (defenders, attackers) = (number("defenders"), number("attackers"));
        solver.solve(defenders, attackers);
        let to_move = match expected["to_move"].as_str() {
            Some("attackers") => Side::Attackers,
            _ => Side::Defenders,
        };
        assert_eq!(counts(solver, ruleset, defenders, attackers, to_move), expected);
        compared += 1;
    }
    assert!(compared >= 6, "{compared} lines of counts for {ruleset}");

    for line in POSITIONS.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields[0] != ruleset {
            continue;
        }
        let plies = fields[3].parse().unwrap();
        let expected = match fields[2] {
            "win" => Outcome::Win(plies),
            "loss" => Outcome::Loss(plies),
            other => panic!("{other}"),
        };
        let position = solver.rules().read(fields[1]);
        assert_eq!(solver.rules().write(&position), fields[1]);
        assert_eq!(solver.outcome(&position), expected, "{line}");
    }
}

/// Returns the counts of a slice in the form of a line of the fixtures.
fn counts(
    solver: &Solver<Rules>,
    ruleset: &str,
    defenders: usize,
    attackers: usize,
    to_move: Side,
) -> Value {
    let (mut positions, mut win, mut loss, mut open) = (0, 0, 0, 0);
    let (mut max_win, mut max_loss) = (0, 0);
    for (position, outcome) in solver.positions(defenders, attackers) {
        if position.to_move != to_move {
            continue;
        }
        positions += 1;
        match outcome {
            Outcome::Win(plies) => {
                win += 1;
                max_win = max_win.max(plies);
            }
            Outcome::Loss(plies) => {
                loss += 1;
                max_loss = max_loss.max(plies);
            }
            Outcome::Open => open += 1,
        }
    }
    let undecided = matches!(ruleset, "berkeley" | "mini-edge");
    json!({
        "rules": ruleset,
        "slice": format!("K{defenders}v{attackers}"),
        "defenders": defenders,
        "attackers": attackers,
        "to_move": match to_move {
            Side::Attackers => "attackers",
            Side::Defenders => "defenders",
        },
        "positions": positions,
        "win": win,
        "loss": loss,
        "draw": if undecided { 0 } else { open },
        "undecided": if undecided { open } else { 0 },
        "max_win": max_win,
        "max_loss": max_loss,
    })
}

/// Compares the node counts at depths 1, 2 and 3 from a position, or from the start position if
/// there is no text.
fn perft(ruleset: &str, position: &str, nodes: &[u64]) {
    let rules = Rules::named(ruleset);
    let position = match position {
        "" => rules.start().clone(),
        text => rules.read(text),
    };
    for (depth, &expected) in (1..).zip(nodes) {
        let found = rules.perft(&position, depth);
        assert_eq!(found, expected, "{ruleset} at depth {depth}");
    }
}

#[test]
fn nodes_from_the_start_agree() {
    perft("brandubh", "", &[40, 960, 39512]);
    perft("berkeley", "", &[80, 4400, 353_200]);
    perft("mcgill", "", &[72, 3944, 285_728]);
    perft("tablut", "", &[72, 3944, 285_728]);
    perft("ashton", "", &[56, 4408, 248_456]);
    perft("large-hnefatafl", "", &[156, 20148]);
    perft("alea-evangelii", "", &[184, 107_872]);
}

#[test]
fn nodes_from_asymmetric_positions_agree() {
    let brandubh = "/3K3/tt5/5Tt/2t4/3TT2/1t1t3/2Tt1t1/ a";
    perft("brandubh", brandubh, &[42, 1446, 57403]);
    let berkeley = "/3tt1t2/1T1tK4/9/1t6t/3T1t1t1/3t4t/2T1t4/t2t4t/8t/ d";
    perft("berkeley", berkeley, &[28, 3129, 89980]);
    let mcgill = "/3tt1t2/3Tt4/9/t7t/1tT2T2t/6t1t/4K4/4t4/1t2ttT2/ d";
    perft("mcgill", mcgill, &[44, 3687, 157_470]);
    let ashton = "/t3t3t/1t7/6T2/3T3t1/8t/6T1t/4t4/t2K5/1t3t1t1/ d";
    perft("ashton", ashton, &[38, 2754, 97472]);
    let camps = "/3t1t3/t6t1/5T2t/1T7/1t7/2K5t/5t3/8t/7t1/ d";
    perft("ashton", camps, &[34, 2239, 67325]);
    perft("ashton-server", camps, &[34, 2236, 67238]);
}
