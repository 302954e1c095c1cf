//! The index is perfect: every position has a slot, shared only by its mirror images, and few
//! slots are wasted.
//!
//! The number of classes of mirror images comes from Burnside's lemma, independently of the
//! index: it is the mean, over the symmetries, of the number of placements that each leaves
//! unchanged.

use crate::positions::{all_positions, random_position};
use proptest::prelude::*;
use taflbase::Tablebase;
use taflbase::board::{Square, SquareSet, Symmetry};
use taflbase::build::needed;
use taflbase::index::{SliceIndex, Slot};
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{Kind, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::tablebase::ProbeError;

const SMALL: [&str; 6] =
    ["mini-corner", "mini-edge", "mini-camps", "lopsided", "strange", "strange-turns"];

fn load(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    })
}

fn slice(defenders: usize, attackers: usize) -> Slice {
    Slice { defenders, attackers }
}

/// Counts the placements of the soldiers, on squares other than `king`, that the symmetry
/// leaves unchanged.
fn unchanged(rules: &Ruleset, slice: Slice, symmetry: Symmetry, king: Option<Square>) -> u128 {
    let image = |square| symmetry.apply(rules.board, square);
    let mut left: SquareSet = rules.board.squares().collect();
    if let Some(king) = king {
        left.remove(king);
    }
    // The number of ways, by attackers and defenders placed.
    let mut ways = vec![vec![0_u128; slice.defenders + 1]; slice.attackers + 1];
    ways[0][0] = 1;
    while let Some(first) = left.first() {
        let cycle = std::iter::successors(Some(first), |&s| Some(image(s)).filter(|&s| s != first));
        let cycle: SquareSet = cycle.collect();
        left -= cycle;
        let all = |kind| usize::from(cycle.is_subset(rules.places(kind)));
        let (by_attackers, by_defenders) = (all(Kind::Attacker), all(Kind::Defender));
        let size = cycle.len();
        for attackers in (0..=slice.attackers).rev() {
            for defenders in (0..=slice.defenders).rev() {
                let mut more = 0;
                if by_attackers == 1 && attackers >= size {
                    more += ways[attackers - size][defenders];
                }
                if by_defenders == 1 && defenders >= size {
                    more += ways[attackers][defenders - size];
                }
                ways[attackers][defenders] += more;
            }
        }
    }
    ways[slice.attackers][slice.defenders]
}

/// Counts the classes of placements of the soldiers.
fn classes_of_soldiers(rules: &Ruleset, slice: Slice) -> u128 {
    let group = rules.symmetries();
    let sum: u128 = group.iter().map(|g| unchanged(rules, slice, g, None)).sum();
    sum / group.order() as u128
}

/// Counts the classes of positions, with one side to move.
fn classes(rules: &Ruleset, slice: Slice) -> u128 {
    let group = rules.symmetries();
    let with_king = |g: Symmetry| {
        let kings = rules.places(Kind::King).iter();
        let kings = kings.filter(move |&king| g.apply(rules.board, king) == king);
        kings.map(move |king| unchanged(rules, slice, g, Some(king)))
    };
    let sum: u128 = group.iter().flat_map(with_king).sum();
    sum / group.order() as u128
}

fn is_image(rules: &Ruleset, position: &Position, other: &Position) -> bool {
    let mut group = rules.symmetries().iter();
    group.any(|g| position.image(rules, g) == *other)
}

/// Checks every position of the slice, and every slot.
fn is_perfect(rules: &Ruleset, slice: Slice) {
    let name = format!("{} {slice}", rules.name);
    let index = SliceIndex::new(rules, slice).unwrap();
    let (lanes, rows) = (index.lanes().count(), index.rows() as usize);
    let number = |slot: Slot| usize::from(slot.lane) * rows + slot.row as usize;
    let mut hit = vec![false; lanes * rows];
    all_positions(rules, slice, |position| {
        if position.to_move == Side::Attackers {
            let slot = index.rank(&position).unwrap();
            let canonical = index.unrank(slot, position.to_move).unwrap();
            // So two classes never share a slot.
            let text = || format!("{name} {}", position.display(rules));
            assert!(is_image(rules, &position, &canonical), "{}", text());
            hit[number(slot)] = true;
        }
    });
    // With this many slots, no class has two.
    let slots = hit.iter().filter(|&&hit| hit).count();
    assert_eq!(slots as u128, classes(rules, slice), "{name}");
    for lane in 0..lanes {
        for row in 0..rows {
            let slot = Slot { lane: lane as u16, row: row as u64 };
            match index.unrank(slot, Side::Defenders) {
                Some(position) => {
                    assert_eq!(position.check(rules), Ok(()), "{name} {slot:?}");
                    let canonical = index.rank(&position).unwrap();
                    assert_eq!(canonical == slot, hit[number(slot)], "{name} {slot:?}");
                    assert!(canonical <= slot, "{name} {slot:?}");
                }
                None => assert!(!hit[number(slot)], "{name} {slot:?}"),
            }
        }
    }
}

#[test]
fn small_boards_have_a_perfect_index() {
    for ruleset in SMALL {
        let rules = load(ruleset);
        for (defenders, attackers) in [(0, 1), (0, 2), (1, 1), (2, 1)] {
            is_perfect(&rules, slice(defenders, attackers));
        }
    }
    for ruleset in ["mini-corner", "strange-turns"] {
        let rules = load(ruleset);
        for (defenders, attackers) in [(0, 3), (1, 2), (0, 4), (2, 2)] {
            is_perfect(&rules, slice(defenders, attackers));
        }
    }
}

#[test]
fn larger_boards_have_a_perfect_index() {
    is_perfect(&load("brandubh"), slice(1, 2));
    is_perfect(&load("mini-camps"), slice(1, 2));
    is_perfect(&load("lopsided"), slice(1, 2));
    for ruleset in ["ashton", "tablut", "berkeley"] {
        is_perfect(&load(ruleset), slice(0, 2));
        is_perfect(&load(ruleset), slice(1, 1));
    }
}

#[test]
fn few_rows_are_unused() {
    for ruleset in Ruleset::builtin_names().iter().chain(&SMALL) {
        let rules = load(ruleset);
        for attackers in 3..=6 {
            for defenders in 0..=3 {
                let slice = slice(defenders, attackers);
                let rows = u128::from(SliceIndex::new(&rules, slice).unwrap().rows());
                let classes = classes_of_soldiers(&rules, slice);
                assert!(rows >= classes, "{ruleset} {slice}: {rows} of {classes}");
                assert!(
                    rows * 100 <= classes * 110,
                    "{ruleset} {slice}: {rows} rows for {classes} classes"
                );
            }
        }
    }
}

/// Slices that are too large to enumerate.
const LARGE: [(&str, usize, usize); 8] = [
    ("brandubh", 4, 8),
    ("mini-camps", 4, 8),
    ("ashton", 4, 7),
    ("berkeley", 8, 6),
    ("tablut", 6, 8),
    ("large-hnefatafl", 3, 4),
    ("alea-evangelii", 2, 3),
    ("alea-evangelii", 0, 6),
];

#[test]
fn positions_of_large_slices_round_trip_through_slots() {
    for (ruleset, defenders, attackers) in LARGE {
        let rules = load(ruleset);
        let slice = slice(defenders, attackers);
        let index = SliceIndex::new(&rules, slice).unwrap();
        proptest!(ProptestConfig::with_cases(300), |(seed: u64, close: bool)| {
            let position = random_position(&rules, slice, close, &mut SeededRng::new(seed));
            let slot = index.rank(&position).unwrap();
            let canonical = index.unrank(slot, position.to_move).unwrap();
            prop_assert!(is_image(&rules, &position, &canonical));
            prop_assert_eq!(index.canonical(&position), Some(canonical));
            for g in rules.symmetries().iter() {
                prop_assert_eq!(index.rank(&position.image(&rules, g)), Some(slot));
            }
        });
    }
}

#[test]
fn slots_of_large_slices_round_trip_through_positions() {
    for (ruleset, defenders, attackers) in LARGE {
        let rules = load(ruleset);
        let index = SliceIndex::new(&rules, slice(defenders, attackers)).unwrap();
        let (lanes, rows) = (index.lanes().count() as u16, index.rows());
        proptest!(ProptestConfig::with_cases(300), |(lane in 0..lanes, row in 0..rows)| {
            let slot = Slot { lane, row };
            if let Some(position) = index.unrank(slot, Side::Attackers) {
                prop_assert_eq!(position.check(&rules), Ok(()));
                let canonical = index.rank(&position).unwrap();
                let alone = index.stabilizer(position.attackers).order() == 1;
                prop_assert!(canonical == slot || canonical < slot && !alone);
            }
        });
    }
}

#[test]
fn positions_outside_the_slice_have_no_slot() {
    let rules = load("brandubh");
    let index = SliceIndex::new(&rules, slice(1, 2)).unwrap();
    let position = |text| Position::parse(text, &rules).unwrap();
    let inside = position("/3tt2/7/7/3K3/7/7/3T3/ a");
    assert!(index.rank(&inside).is_some());
    for outside in [
        position("/3t3/7/7/3K3/7/7/3T3/ a"),
        position("/3tt2/7/7/3K3/7/7/7/ a"),
        Position { king: rules.board.at(0, 0), ..inside },
        Position { king: inside.attackers.first().unwrap(), ..inside },
        Position { defenders: SquareSet::of(inside.attackers.first().unwrap()), ..inside },
        Position { defenders: SquareSet::of(rules.board.at(6, 6)), ..inside },
        Position {
            attackers: SquareSet::of(rules.board.at(3, 0)).with(rules.board.at(6, 6)),
            ..inside
        },
    ] {
        assert_eq!(index.rank(&outside), None, "{}", outside.display(&rules));
    }
}

#[test]
fn squares_beyond_the_board_are_refused() {
    let rules = load("brandubh");
    let index = SliceIndex::new(&rules, slice(1, 1)).unwrap();
    let inside = Position::parse("/3t3/7/7/3K3/7/7/3T3/ a", &rules).unwrap();
    let base = Tablebase::new(rules.clone());
    for beyond in [rules.board.area(), SquareSet::CAPACITY - 1].map(Square::new) {
        for outside in [
            Position { king: beyond, ..inside },
            Position { attackers: SquareSet::of(beyond), ..inside },
            Position { defenders: SquareSet::of(beyond), ..inside },
        ] {
            assert!(index.rank(&outside).is_none());
            assert!(index.canonical(&outside).is_none());
            assert!(matches!(base.probe(&outside), Err(ProbeError::Position(_))));
        }
    }
}

#[test]
fn slices_without_attackers_are_refused() {
    let rules = load("brandubh");
    let error = SliceIndex::new(&rules, slice(1, 0)).unwrap_err();
    assert_eq!(error.to_string(), "K1v0 has no attackers: name a slice with 1 or more");
    assert_eq!(needed(&[slice(1, 0)]), [slice(0, 0), slice(1, 0)]);
}
