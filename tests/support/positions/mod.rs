//! All positions of a slice, and random ones.

// Each test uses a part of it.
#![allow(dead_code)]

use taflbase::board::{Square, SquareSet};
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{ByKind, Kind, Ruleset, Side};
use taflbase::slice::Slice;

/// Visits every position of the slice, with both sides to move.
pub(crate) fn all_positions(rules: &Ruleset, slice: Slice, mut visit: impl FnMut(Position)) {
    let places = |kind| rules.places(kind).iter().collect::<Vec<_>>();
    let defender_sets = subsets(&places(Kind::Defender), slice.defenders);
    for attackers in subsets(&places(Kind::Attacker), slice.attackers) {
        for &defenders in defender_sets.iter().filter(|set| !set.meets(attackers)) {
            for king in rules.places(Kind::King) - attackers - defenders {
                for to_move in Side::ALL {
                    visit(Position { attackers, defenders, king, to_move, rules: rules.id() });
                }
            }
        }
    }
}

fn subsets(squares: &[Square], count: usize) -> Vec<SquareSet> {
    if count == 0 {
        return vec![SquareSet::EMPTY];
    }
    let with = |last: usize| {
        let fewer = subsets(&squares[..last], count - 1);
        fewer.into_iter().map(move |set| set.with(squares[last]))
    };
    (0..squares.len()).flat_map(with).collect()
}

/// Returns a random square of a set, which must not be empty.
pub(crate) fn random_square(set: SquareSet, random: &mut SeededRng) -> Square {
    set.iter().nth(random.below(set.len())).unwrap()
}

/// Draws a random position of the slice. If `close`, every man stands within two steps of
/// another one, as far as the rules allow.
pub(crate) fn random_position(
    rules: &Ruleset,
    slice: Slice,
    close: bool,
    random: &mut SeededRng,
) -> Position {
    let men = ByKind([slice.attackers, slice.defenders, 1]);
    let (mut standing, mut left) = (ByKind::<SquareSet>::default(), men);
    loop {
        let open: Vec<Kind> = Kind::ALL.into_iter().filter(|&kind| left[kind] > 0).collect();
        if open.is_empty() {
            break;
        }
        let kind = open[random.below(open.len())];
        let taken = standing.iter().fold(SquareSet::EMPTY, |all, &men| all | men);
        let free = rules.places(kind) - taken;
        let near = free & neighbourhood(rules, taken);
        let choice = if close && !near.is_empty() { near } else { free };
        if choice.is_empty() {
            // The other men have taken all squares of this kind: try again.
            (standing, left) = (Default::default(), men);
            continue;
        }
        standing[kind].insert(random_square(choice, random));
        left[kind] -= 1;
    }
    let ByKind([attackers, defenders, king]) = standing;
    let position = Position {
        attackers,
        defenders,
        king: king.first().unwrap(),
        to_move: Side::ALL[random.below(2)],
        rules: rules.id(),
    };
    position.check(rules).unwrap();
    position
}

/// Returns all squares within two steps of these.
fn neighbourhood(rules: &Ruleset, squares: SquareSet) -> SquareSet {
    let grow = |set: SquareSet| -> SquareSet {
        let around = set.iter().flat_map(|square| rules.board.neighbours(square));
        around.chain(set).collect()
    };
    grow(grow(squares))
}
