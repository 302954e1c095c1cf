use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use taflbase::bound::{
    BoundError, Bounds, Estimate, ProofGame, Reachability, Sampling, is_game, prove, sample,
};
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::retractions::retractions;
use taflbase::rules::{Ruleset, Side};

use super::{closure, edited, placements, small};

/// A set of positions as its size and the sum of its members' hashes, since the sets of all
/// positions' predecessors take gigabytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Digest {
    positions: u32,
    hashes: u64,
}

impl Digest {
    fn add(&mut self, hash: u64) {
        self.positions += 1;
        self.hashes = self.hashes.wrapping_add(hash);
    }
}

/// In both directions, for all positions of small games: every retraction can be played, and
/// every move can be retracted.
#[test]
fn retractions_are_the_inverse_of_moves() {
    let hasher = RandomState::new();
    for rules in small() {
        let most = Reachability::new(&rules).max_material;
        let mut before: HashMap<Position, Digest> = HashMap::new();
        let all = placements(&rules);
        let all = || all.iter().flat_map(|&p| Side::ALL.map(|to_move| Position { to_move, ..p }));
        for position in all() {
            let hash = hasher.hash_one(position);
            for played in legal_moves(&rules, &position).iter().filter(|m| m.ending.is_none()) {
                let next = position.after(played);
                if !next.attackers.is_empty() {
                    before.entry(next).or_default().add(hash);
                }
            }
        }
        let mut captures = 0;
        for position in all() {
            let mut found = Digest::default();
            for step in retractions(&rules, &position, most) {
                captures += usize::from(!step.captured.is_empty());
                found.add(hasher.hash_one(position.before_all(&step)));
            }
            let expected = before.remove(&position).unwrap_or_default();
            assert_eq!(found, expected, "{}", position.display(&rules));
        }
        assert!(before.is_empty() && captures > 100);
    }
}

#[test]
fn verdicts_agree_with_enumeration() {
    for rules in small() {
        let reachability = Reachability::new(&rules);
        let start = Position::start(&rules).unwrap();
        let closure = closure(&rules);
        let (mut reached, mut unreachable) = (0, 0);
        let shared = Arc::new(rules.clone());
        for position in placements(&rules).into_iter().step_by(1009) {
            for to_move in Side::ALL {
                let position = Position { to_move, ..position };
                let stop = AtomicBool::new(false);
                let is_in = closure.positions.contains(&position);
                match prove(&reachability, &start, &position, 30_000, &stop).unwrap() {
                    ProofGame::Reached(game) => {
                        assert!(is_in && is_game(&shared, &game, &position));
                        assert!(!is_game(&shared, &game[..game.len() - 1], &position));
                        reached += 1;
                    }
                    ProofGame::Unreachable => {
                        assert!(!is_in, "{}", position.display(&rules));
                        unreachable += 1;
                    }
                    ProofGame::Unknown => {}
                }
            }
        }
        assert!(reached > 0 && unreachable > 0, "{reached} reached, {unreachable} not");
    }
}

#[test]
fn games_with_a_barred_repetition_prove_nothing() {
    let fields = [
        ("start", "\"/2t2/5/1TK2/5/2t2/\""),
        ("repetition", "\"defenders-barred\""),
        ("endless", "\"attackers\""),
    ];
    let rules = edited("tests/rulesets/mini-corner.toml", &fields);
    let reachability = Reachability::new(&rules);
    let (start, shared) = (Position::start(&rules).unwrap(), Arc::new(rules.clone()));
    let sampling = Sampling { placements: 200, seed: 1, budget: 30_000 };
    let mut barred = 0;
    for drawn in sample(&reachability, sampling, &|_, _| true).unwrap() {
        let (position, stop) = (drawn.position, AtomicBool::new(false));
        let found = prove(&reachability, &start, &position, sampling.budget, &stop).unwrap();
        match &found {
            ProofGame::Reached(game) if !is_game(&shared, game, &position) => {
                assert_eq!(drawn.proof_game, ProofGame::Unknown);
                barred += 1;
            }
            _ => assert_eq!(drawn.proof_game, found),
        }
    }
    assert!(barred > 0);
}

#[test]
fn samples_are_pinned_and_do_not_depend_on_threads() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let reachability = Reachability::new(&rules);
    let sampling = Sampling { placements: 12, seed: 5, budget: 100_000 };
    let drawn = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sample(&reachability, sampling, &|_, _| true)).unwrap()
    };
    let one = drawn(1);
    assert_eq!(one, drawn(3));
    let estimate = Estimate::new(&Bounds::new(&reachability).unwrap(), &one);
    let texts: Vec<String> = one.iter().take(2).map(|d| d.position.to_text(&rules)).collect();
    assert_eq!(texts, FIRST);
    let plies: Vec<Option<usize>> = one.iter().map(|drawn| drawn.plies()).collect();
    assert_eq!(plies, PLIES);
    assert!(estimate.positions[1] < estimate.positions[0]);
    let stopped = sample(&reachability, sampling, &|_, _| false);
    assert_eq!(stopped, Err(BoundError::Stopped));
}

const FIRST: [&str; 2] =
    ["/7/tt5/1t3tT/T3Tt1/1t2t1K/6t/3T3/ a", "/3K3/tttTt2/6T/1t2t2/3Tt2/1T3t1/7/ a"];
const PLIES: [Option<usize>; 12] = [
    Some(34),
    Some(24),
    None,
    Some(21),
    Some(28),
    None,
    Some(40),
    Some(51),
    None,
    None,
    Some(38),
    None,
];
