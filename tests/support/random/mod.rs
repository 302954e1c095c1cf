//! Random positions of every ruleset, for property tests.

use std::sync::LazyLock;

use proptest::prelude::*;
use taflbase::board::{Square, SquareSet};
use taflbase::position::Position;
use taflbase::rules::{Kind, Ruleset, Side};

/// All built-in rulesets and those of the test data.
pub(crate) static RULESETS: LazyLock<Vec<Ruleset>> = LazyLock::new(|| {
    let files = ["mini-corner", "mini-edge", "mini-camps", "lopsided"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rulesets");
    let files = files.map(|name| format!("{folder}/{name}.toml"));
    let builtin = Ruleset::builtin_names().iter().map(ToString::to_string);
    let load = |name: String| Ruleset::load(&name).unwrap();
    builtin.chain(files).map(load).collect()
});

/// Generates a ruleset and a legal position: a king, and attackers and defenders anywhere they
/// may stand, on at most a third of the board.
pub(crate) fn rules_and_position() -> impl Strategy<Value = (&'static Ruleset, Position)> {
    (0..RULESETS.len()).prop_flat_map(|i| {
        let rules = &RULESETS[i];
        position(rules).prop_map(move |position| (rules, position))
    })
}

fn position(rules: &'static Ruleset) -> impl Strategy<Value = Position> {
    let men = rules.board.area() / 6;
    let squares: Vec<Square> = rules.board.squares().collect();
    let sides = prop::sample::select(&Side::ALL);
    (Just(squares).prop_shuffle(), 1..=men, 0..=men, sides).prop_map(
        |(squares, attackers, defenders, to_move)| {
            let mut left = squares;
            let mut take = |kind, count| -> SquareSet {
                let places = rules.places(kind);
                let (taken, rest): (Vec<Square>, Vec<Square>) =
                    left.iter().partition(|&&square| places.contains(square));
                left = rest;
                left.extend(&taken[count..]);
                taken[..count].iter().copied().collect()
            };
            let king = take(Kind::King, 1).first().unwrap();
            let position = Position {
                king,
                attackers: take(Kind::Attacker, attackers),
                defenders: take(Kind::Defender, defenders),
                to_move,
                rules: rules.id(),
            };
            position.check(rules).unwrap();
            position
        },
    )
}
