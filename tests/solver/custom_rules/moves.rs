//! The moves of random positions: where they lead, what they capture, and what they win.

use taflbase::moves::{count_moves, legal_moves};
use taflbase::perft::perft;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{Kind, Ruleset};

use super::traps::any_position;
use super::{Both, assert_all_seen, assert_seen, checked};
use crate::reference::{Custom, Event, Game};

/// The effect of a move: the board after it, the number of captured soldiers, and whether it
/// wins.
type Effect = (String, usize, bool);

fn by_the_library(rules: &Ruleset, position: &Position) -> Vec<Effect> {
    let moves = legal_moves(rules, position);
    assert_eq!(moves.len(), count_moves(rules, position));
    let effect = |played| {
        let after = position.after(played).to_text(rules);
        (after, played.captured.len(), played.ending.is_some())
    };
    let mut effects: Vec<Effect> = moves.iter().map(effect).collect();
    effects.sort();
    effects
}

fn by_the_reference(game: &Custom, position: &str) -> Vec<Effect> {
    let successors = game.successors(&game.read(position)).into_iter();
    let effects = successors.map(|s| (game.write(&s.position), s.captures, s.won));
    let mut effects: Vec<Effect> = effects.collect();
    effects.sort();
    effects
}

/// Compares where each kind of piece may stand, the moves of `count` random positions, and the
/// node counts from the start.
fn same_moves(both: &Both, count: usize) {
    let Both { rules, game, .. } = both;
    for (kind, letter) in Kind::ALL.into_iter().zip(*b"tTK") {
        for square in rules.board.squares() {
            let stands = game.may_stand(letter, square.index());
            assert_eq!(rules.places(kind).contains(square), stands, "{kind:?} {square:?}");
        }
    }
    let mut random = SeededRng::new(count as u64);
    for i in 0..count {
        let position = any_position(rules, i, &mut random);
        let text = position.to_text(rules);
        assert_eq!(by_the_library(rules, &position), by_the_reference(game, &text), "{text}");
    }
    let start = Position::start(rules).unwrap();
    assert_eq!(start.to_text(rules), game.write(game.start()));
    assert_eq!(perft(rules, &start, 2), game.perft(game.start(), 2));
}

/// Compares positions of invented rulesets, as many as given for each size. Each event must
/// occur at least `least` times.
fn invented_rules_have_the_same_moves(sizes: &[(u8, u64)], least: u64) {
    let mut all = Vec::new();
    for &(size, count) in sizes {
        for seed in 0..count {
            let both = Both::invented(size, 10_000 + seed);
            all.push(checked(both, |both| same_moves(both, 150)));
        }
    }
    assert_seen(&all, least);
}

#[test]
fn invented_rules_on_small_boards_have_the_same_moves() {
    invented_rules_have_the_same_moves(&[(5, 400), (7, 200)], 100);
}

#[test]
fn invented_rules_on_large_boards_have_the_same_moves() {
    let sizes = [(9, 60), (11, 20), (13, 20), (15, 20), (17, 20), (19, 20)];
    invented_rules_have_the_same_moves(&sizes, 30);
}

#[test]
fn invented_modern_rules_have_the_same_moves() {
    let mut all = Vec::new();
    for (size, count) in [(5, 200), (7, 100), (9, 30), (11, 20)] {
        for seed in 0..count {
            let both = Both::modern(size, 20_000 + seed);
            all.push(checked(both, |both| same_moves(both, 150)));
        }
    }
    let events = [Event::Unarmed, Event::EdgeHeld, Event::TooFar];
    assert_all_seen(&events, &all, 100);
    let walls = [Event::Wall, Event::WallAroundKing, Event::WallOfKing, Event::WallAtCorner];
    assert_all_seen(&walls, &all, 1);
}

#[test]
fn the_files_of_the_tests_have_the_same_moves() {
    for both in Both::all_in("tests/rulesets") {
        checked(both, |both| same_moves(both, 2000));
    }
}

#[test]
fn the_builtin_rulesets_have_the_same_moves() {
    for both in Both::all_in("src/game/rules/builtin") {
        checked(both, |both| same_moves(both, 500));
    }
}
