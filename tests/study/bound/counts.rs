use std::collections::{BTreeSet, HashSet};

use taflbase::bound::{Bounds, Reachability};
use taflbase::index::SliceIndex;
use taflbase::moves::{Ending, has_move, legal_moves};
use taflbase::position::Position;
use taflbase::rules::{Kind, Ruleset, Side};
use taflbase::slice::Slice;

use super::{closure, number, placements, small, starting, value};

/// Returns whether the attackers in each camp form one of its possible patterns.
fn is_in_camps(reachability: &Reachability, position: &Position) -> bool {
    let mut camps = reachability.camps.iter();
    camps.all(|camp| camp.patterns.contains(&(position.attackers & camp.squares)))
}

fn is_reached(reachability: &Reachability, position: &Position) -> bool {
    let mut kinds = Kind::ALL.into_iter();
    kinds.all(|kind| position.squares(kind).is_subset(reachability.reach[kind]))
}

#[test]
fn counts_agree_with_enumeration() {
    for rules in small() {
        let reachability = Reachability::new(&rules);
        let bounds = Bounds::new(&reachability).unwrap();
        let all = placements(&rules);
        assert_eq!(*value(&bounds.running, "squares"), number(all.len()));
        let reached: Vec<&Position> = all.iter().filter(|p| is_reached(&reachability, p)).collect();
        assert_eq!(*value(&bounds.running, "reach"), number(reached.len()));
        let kept: Vec<&Position> =
            reached.into_iter().filter(|p| is_in_camps(&reachability, p)).collect();
        assert_eq!(*value(&bounds.running, "camps"), number(kept.len()));
        let least =
            |p: &&Position| reachability.group.iter().map(|g| p.image(&rules, g)).min().unwrap();
        let classes: HashSet<Position> = kept.iter().map(least).collect();
        // Where no camp is full at the start, nothing is subtracted.
        assert_eq!(reachability.unmoved_attackers(), None);
        assert_eq!(*bounds.orbits(), number(classes.len()));
        let escapes = kept.iter().filter(|&&&position| {
            let position = Position { to_move: Side::Defenders, ..position };
            let mut moves = legal_moves(&rules, &position).into_iter();
            moves.any(|m| m.ending == Some(Ending::KingEscaped))
        });
        assert_eq!(*value(&bounds.positions, "escapes"), number(escapes.count()));
        for (side, name) in
            [(Side::Defenders, "no-move-defenders"), (Side::Attackers, "no-move-attackers")]
        {
            let stuck = kept
                .iter()
                .filter(|&&&position| !has_move(&rules, &Position { to_move: side, ..position }));
            assert!(number(stuck.count()) <= *value(&bounds.positions, name), "{name}");
        }
    }
}

/// The moves are symmetric, and the camps are not.
#[test]
fn symmetries_map_camps_to_camps() {
    let rules = starting("gates", "/5/1t1t1/t3t/2K2/5/");
    let reachability = Reachability::new(&rules);
    assert_eq!((reachability.camps.len(), rules.symmetries().order()), (3, 2));
    assert_eq!(reachability.group.order(), 1);
    // Without a symmetry no two placements are counted as one.
    let bounds = Bounds::new(&reachability).unwrap();
    assert_eq!(bounds.orbits(), bounds.placements());
}

#[test]
fn games_reach_no_more_than_is_counted() {
    for rules in small() {
        let reachability = Reachability::new(&rules);
        let bounds = Bounds::new(&reachability).unwrap();
        let closure = closure(&rules);
        assert!(closure.positions.len() > 1000);
        for position in &closure.positions {
            assert!(is_reached(&reachability, position) && is_in_camps(&reachability, position));
        }
        for (name, boards) in [
            ("no-attackers", &closure.no_attackers),
            ("escaped", &closure.escaped),
            ("captured", &closure.captured),
        ] {
            assert!(!boards.is_empty());
            assert!(number(boards.len()) <= *value(&bounds.finished, name), "{name}");
        }
        for camp in &reachability.camps {
            let seen: BTreeSet<_> =
                closure.positions.iter().map(|p| p.attackers & camp.squares).collect();
            assert!(seen.into_iter().eq(camp.patterns.iter().copied()));
        }
    }
}

#[test]
fn full_camps_were_never_left() {
    let rules = starting("mini-camps", "/3tt2/3t3/7/3K3/7/2T4/7/");
    let reachability = Reachability::new(&rules);
    let attackers = reachability.unmoved_attackers().unwrap();
    assert_eq!(attackers, rules.start.attackers);
    let bounds = Bounds::new(&reachability).unwrap();
    let start = Position::start(&rules).unwrap();
    let quiet = legal_moves(&rules, &start).iter().filter(|m| m.is_quiet()).count();
    // The king on 21 squares, the defender captured or on one of the others.
    let kings = reachability.reach[Kind::King] - attackers;
    let others = |king| 1 + (reachability.reach[Kind::Defender] - attackers).without(king).len();
    let taken: usize = kings.iter().map(others).sum();
    let [camps, unmoved] = ["camps", "unmoved"].map(|name| value(&bounds.running, name));
    assert_eq!(*unmoved, camps - taken + (1 + quiet));
}

#[test]
fn slots_agree_with_the_index() {
    for rules in small().into_iter().chain(Ruleset::builtin("brandubh")) {
        let reachability = Reachability::new(&rules);
        let bounds = Bounds::new(&reachability).unwrap();
        let mut slots = number(0);
        for attackers in 1..=reachability.max_material.attackers {
            for defenders in 0..=reachability.max_material.defenders {
                let index = SliceIndex::new(&rules, Slice { defenders, attackers }).unwrap();
                slots += number(index.lanes().count()) * index.rows();
            }
        }
        assert_eq!(*value(&bounds.positions, "slots"), slots);
    }
}

#[test]
fn each_bound_is_at_most_the_one_before() {
    for name in Ruleset::builtin_names() {
        let rules = Ruleset::builtin(name).unwrap();
        let bounds = Bounds::new(&Reachability::new(&rules)).unwrap();
        assert!(bounds.running.is_sorted_by(|a, b| a.value >= b.value), "{name}");
        assert!(bounds.running[0].value > bounds.running[1].value, "{name}");
    }
}
