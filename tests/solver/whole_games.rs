//! The slices of a whole game: those that play from its start position reaches.

use std::collections::{BTreeSet, HashSet};
use std::fs;

use taflbase::build::needed;
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

/// Loads a small game, which begins from that board.
fn game(name: &str, board: &str) -> Ruleset {
    let path = format!("{}/examples/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let start = lines.iter_mut().find(|line| line.starts_with("start = ")).unwrap();
    *start = format!("start = \"{board}\"");
    Ruleset::from_toml(&lines.join("\n"), &path).unwrap()
}

/// Plays all moves in all positions from the start, and returns the slices of unfinished games.
fn reached(rules: &Ruleset) -> BTreeSet<Slice> {
    let start = Position::start(rules).unwrap();
    let mut seen = HashSet::from([start]);
    let mut pending = vec![start];
    let mut slices = BTreeSet::new();
    while let Some(position) = pending.pop() {
        slices.insert(position.slice());
        for played in legal_moves(rules, &position).iter().filter(|played| played.ending.is_none())
        {
            let next = position.after(played);
            if !next.is_finished(rules) && seen.insert(next) {
                pending.push(next);
            }
        }
    }
    slices
}

#[test]
fn the_slices_of_a_whole_game_are_those_that_play_reaches() {
    for (name, board, slices) in [
        ("5x5-corners-4v0", "/2t2/5/t1K1t/5/2t2/", 4),
        ("5x5-corners-4v0", "/2t2/5/t1K2/2T2/5/", 4),
        ("5x5-edges-4v0", "/2t2/5/t1KTt/5/5/", 6),
        ("5x5-edges-4v0", "/2t2/2T2/2KT1/5/5/", 3),
    ] {
        let rules = game(name, board);
        let start = Position::start(&rules).unwrap().slice();
        let needed: BTreeSet<Slice> = needed(&[start]).into_iter().collect();
        assert_eq!(needed.len(), slices, "{name} {board}");
        assert_eq!(reached(&rules), needed, "{name} {board}");
    }
}
