//! The engine in games with a history: what it reports as a win or a loss within a few plies
//! agrees with a full search, whichever positions can recur.
#![cfg(all(feature = "build", feature = "engine"))]

use std::sync::Arc;
use std::time::Duration;

use crate::minimax::Minimax;
use crate::shuffled::{context, game, rules};
use taflbase::build::{Build, slices_up_to};
use taflbase::engine::{Engine, EngineOptions, Limits, Score};
use taflbase::random::SeededRng;
use taflbase::value::Value;
use taflbase::{Ruleset, Tablebase};
use tempfile::TempDir;

/// Wins and losses within this many plies are compared.
const PLIES: usize = 5;

/// The number of games.
const GAMES: usize = 2500;

fn agree(top: &str, end: &str) {
    let rules = rules(top, end);
    let options =
        EngineOptions { table_bytes: 1 << 20, tables: None, ..EngineOptions::new(&rules) };
    // One engine for all games: what it stored in one must not affect another.
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let mut random = SeededRng::new(5);
    let (mut wins, mut losses, mut others) = (0, 0, 0);
    for _ in 0..GAMES {
        let Some(mut game) = game(&rules, &mut random) else { continue };
        let found = engine.search(&game, Limits::depth(9), &mut |_| {}).unwrap().lines[0].score;
        let mut minimax = Minimax::new(u64::MAX);
        let lost = (2..PLIES).step_by(2).find(|&plies| minimax.loses(&mut game, plies));
        let context = context(&game);
        match (minimax.distance(&game, PLIES), lost) {
            (Some(plies), _) => {
                wins += 1;
                assert_eq!(found, Score::Win(plies as u16), "{end} {context}");
            }
            (None, Some(plies)) => {
                losses += 1;
                assert_eq!(found, Score::Loss(plies as u16), "{end} {context}");
            }
            (None, None) => {
                others += 1;
                let is_near = |plies: u16| usize::from(plies) <= PLIES;
                let wrong = match found {
                    Score::Win(plies) => is_near(plies),
                    Score::Loss(plies) => usize::from(plies) < PLIES,
                    _ => false,
                };
                assert!(!wrong, "{end} {context}: {found}");
            }
        }
    }
    println!("{end}: {wins} {losses} {others}");
    assert!(wins > 20 && losses > 20 && others > 20, "{end}: {wins} {losses} {others}");
}

/// Builds tables of up to six men in a folder that is deleted with the result, and an engine that
/// probes them.
fn with_tables(rules: &Arc<Ruleset>) -> (TempDir, Arc<Tablebase>, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let slices = slices_up_to(rules, 6);
    Build::new(rules, folder.path(), &slices).run().unwrap();
    let tables = Arc::new(Tablebase::open(Ruleset::clone(rules), folder.path()).unwrap());
    let options = EngineOptions {
        table_bytes: 1 << 20,
        tables: Some(Arc::clone(&tables)),
        ..EngineOptions::new(rules)
    };
    let engine = Engine::new(Arc::clone(rules), options).unwrap();
    (folder, tables, engine)
}

/// Tables ignore the history: their win stands only if the loser cannot force a repetition. If
/// he can, the engine plays another move that wins.
#[test]
fn wins_of_the_tables_hold_with_any_history() {
    let rules = rules("", "repetition = \"draw\"");
    let (_folder, tables, mut engine) = with_tables(&rules);
    let mut random = SeededRng::new(5);
    let (mut certain, mut spoiled, mut other) = (0, 0, 0);
    for _ in 0..GAMES {
        let Some(game) = game(&rules, &mut random) else { continue };
        let Ok(value) = tables.probe_dtw(game.position()) else { continue };
        let found = engine.search(&game, Limits::depth(7), &mut |_| {}).unwrap();
        let (score, best) = (found.lines[0].score, found.lines[0].moves[0]);
        let mut minimax = Minimax::new(u64::MAX);
        let distance = minimax.distance(&game, PLIES).map(|plies| plies as u16);
        let context = context(&game);
        match (score, distance) {
            (Score::Win(plies), _) if usize::from(plies) <= PLIES => {
                certain += 1;
                // The history may force a longer win.
                spoiled += u32::from(value != Value::Win(plies));
                assert_eq!(distance, Some(plies), "{context}");
            }
            (_, Some(plies)) => {
                assert_ne!(value, Value::Win(plies), "{score} {context}");
                // Longer wins are not checked.
                let after = tables.probe_dtw(&game.position().after(&best));
                let is_near = matches!(after, Ok(Value::Loss(left)) if usize::from(left) < PLIES);
                let wins = minimax.winning_moves(&game, PLIES).contains(&best);
                assert!(wins || score == Score::TableWin && !is_near, "{score} {context}");
            }
            _ => other += 1,
        }
    }
    println!("{certain} {spoiled} {other}");
    assert!(certain > 20 && spoiled > 0 && other > 20, "{certain} {spoiled} {other}");
}

/// A proof that a win of the tables holds takes time where positions can be repeated. Without time
/// only those wins are reported that need none.
#[test]
fn proofs_at_the_root_end_with_the_search() {
    let rules = rules("", "repetition = \"draw\"");
    let (_folder, _, mut engine) = with_tables(&rules);
    let stopper = engine.stopper();
    let mut random = SeededRng::new(5);
    let (mut kept, mut left) = (0, 0);
    for _ in 0..GAMES {
        let Some(game) = game(&rules, &mut random) else { continue };
        let mut is_solved = |limits: Limits| {
            let found = engine.search(&game, limits, &mut |_| {}).unwrap();
            (found.nodes, found.table_hits, found.depth) == (1, 1, 1)
        };
        if !is_solved(Limits::depth(1)) {
            continue;
        }
        let in_no_time = is_solved(Limits::time(Duration::ZERO));
        stopper.stop();
        assert_eq!(is_solved(Limits::default()), in_no_time, "{}", context(&game));
        *(if in_no_time { &mut kept } else { &mut left }) += 1;
    }
    println!("{kept} {left}");
    assert!(kept > 20 && left > 20, "{kept} {left}");
}

#[test]
fn a_repetition_draws() {
    agree("", "repetition = \"draw\"");
}

#[test]
fn a_third_occurrence_draws() {
    agree("", "repetition = \"draw\"\nrepetition-occurrence = 3");
}

#[test]
fn the_start_does_not_count() {
    agree("", "repetition = \"draw\"\nrepetition-counts-start = false");
}

#[test]
fn a_repetition_loses() {
    agree("", "repetition = \"mover-loses\"");
}

#[test]
fn the_ply_limit_draws() {
    agree("ply-limit = 12", "repetition = \"allowed\"");
}
