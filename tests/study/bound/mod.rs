//! State spaces: the paper's equations, bounds compared with brute force, proof games.

mod counts;
mod galassi;
mod games;

use std::collections::{BTreeSet, HashSet};
use std::fs;

use taflbase::board::SquareSet;
use taflbase::bound::{BigUint, Bound};
use taflbase::moves::{Ending, legal_moves};
use taflbase::position::Position;
use taflbase::rules::{Kind, Ruleset, Side};

/// Returns the rules of a test file with another start position.
fn starting(name: &str, start: &str) -> Ruleset {
    edited(&format!("tests/rulesets/{name}.toml"), &[("start", &format!("{start:?}"))])
}

/// Returns the rules of a file with other values of some of its fields.
fn edited(file: &str, fields: &[(&str, &str)]) -> Ruleset {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let lines = text.lines().map(|line| {
        let key = line.split(" = ").next().unwrap();
        match fields.iter().find(|(field, _)| *field == key) {
            Some((key, value)) => format!("{key} = {value}"),
            None => line.to_owned(),
        }
    });
    let path = folder.path().join("rules.toml");
    fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
    Ruleset::load(path.to_str().unwrap()).unwrap()
}

/// Returns a small game without camps, one with two attackers in a camp, one whose start is not
/// symmetric, and one whose king moves one square and is captured at the edge.
fn small() -> Vec<Ruleset> {
    vec![
        starting("mini-corner", "/2t2/5/1TK2/5/2t2/"),
        starting("mini-camps", "/3tt2/7/7/3K3/7/2T4/7/"),
        starting("mini-edge", "/t4/2T2/2K2/5/1t3/"),
        edited(
            "src/game/rules/builtin/magpie.toml",
            &[("name", "\"small\""), ("size", "5"), ("start", "\"/2t2/5/1TK2/t4/2t2/\"")],
        ),
    ]
}

fn value<'a>(bounds: &'a [Bound], name: &str) -> &'a BigUint {
    &bounds.iter().find(|bound| bound.name == name).unwrap().value
}

fn number(count: usize) -> BigUint {
    BigUint::from(count)
}

/// Returns all sets of at most this many of the squares.
fn sets(squares: SquareSet, most: usize) -> Vec<SquareSet> {
    let mut sets = vec![SquareSet::EMPTY];
    for square in squares {
        let with = sets.iter().filter(|set| set.len() < most).map(|set| set.with(square));
        sets.extend(with.collect::<Vec<_>>());
    }
    sets
}

/// Returns all legal placements with no more men than at the start, attackers to move.
fn placements(rules: &Ruleset) -> Vec<Position> {
    let (attackers, defenders) = (rules.start.attackers.len(), rules.start.defenders.len());
    let mut placements = Vec::new();
    for attackers in sets(rules.places(Kind::Attacker), attackers) {
        for defenders in sets(rules.places(Kind::Defender) - attackers, defenders) {
            for king in rules.places(Kind::King) - attackers - defenders {
                if !attackers.is_empty() {
                    let to_move = Side::Attackers;
                    placements.push(Position {
                        attackers,
                        defenders,
                        king,
                        to_move,
                        rules: rules.id(),
                    });
                }
            }
        }
    }
    placements
}

/// Everything that games can reach: positions, and boards of finished games.
struct Closure {
    positions: HashSet<Position>,
    no_attackers: BTreeSet<Position>,
    escaped: BTreeSet<Position>,
    captured: BTreeSet<Position>,
}

fn closure(rules: &Ruleset) -> Closure {
    let start = Position::start(rules).unwrap();
    let mut open = vec![start];
    let mut positions = HashSet::from([start]);
    let [mut no_attackers, mut escaped, mut captured] = [const { BTreeSet::new() }; 3];
    while let Some(position) = open.pop() {
        for played in legal_moves(rules, &position) {
            let next = position.after(&played);
            match played.ending {
                Some(Ending::KingEscaped | Ending::ExitFort) => drop(escaped.insert(next)),
                Some(Ending::KingCaptured | Ending::Encirclement) => drop(captured.insert(next)),
                None if next.attackers.is_empty() => drop(no_attackers.insert(next)),
                None => {
                    if positions.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
    }
    Closure { positions, no_attackers, escaped, captured }
}
