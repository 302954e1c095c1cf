//! Whatever the engine reports as a win or a loss is one. The tests search games with a history
//! under each repetition rule and with ply limits; with every kind of limit and stopped from
//! other threads; with one and two threads; with and without tables. Each reported result is
//! checked by a solver of the tests' own.
#![cfg(all(feature = "build", feature = "engine"))]

#[cfg(feature = "serve")]
mod interfaces;
mod truth;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use crate::engine::played;
use crate::minimax::Minimax;
use crate::shuffled::{context, game, rules, shuffle};
use taflbase::build::{Build, BuildOptions, slices_up_to};
use taflbase::engine::{Engine, EngineOptions, Iteration, Limits, Line, Score, SearchRequest};
use taflbase::random::SeededRng;
use taflbase::value::Value;
use taflbase::{Game, Position, Ruleset, Tablebase};
use truth::{Truth, Undecided};

/// The greatest number of men on the board.
const MEN: usize = 7;

/// The rules that decide when a game ends: a line at the top of the ruleset file, and lines of
/// its last table.
const RULES: [(&str, &str); 7] = [
    ("", "repetition = \"draw\""),
    ("", "repetition = \"draw\"\nrepetition-occurrence = 3"),
    ("", "repetition = \"draw\"\nrepetition-counts-start = false"),
    ("", "repetition = \"mover-loses\""),
    ("ply-limit = 16", "repetition = \"draw\""),
    ("ply-limit = 18", "repetition = \"mover-loses\""),
    ("ply-limit = 16", "repetition = \"allowed\""),
];

/// Rules by which only the defenders lose by repetition, or may not repeat. The tests have no tables
/// for their endless games.
const AGAINST_DEFENDERS: [(&str, &str); 5] = [
    ("", "repetition = \"defenders-lose\""),
    ("", "repetition = \"defenders-lose\"\nrepetition-occurrence = 3"),
    ("", "repetition = \"defenders-barred\""),
    ("", "repetition = \"defenders-barred\"\nrepetition-occurrence = 3"),
    ("ply-limit = 16", "repetition = \"defenders-barred\""),
];

/// Builds all tables of the smallest board once for each value of an endless game, and returns
/// their folder.
fn tables_of(end: &str) -> &'static Path {
    static FOLDERS: OnceLock<[PathBuf; 2]> = OnceLock::new();
    let folders = FOLDERS.get_or_init(|| {
        [(RULES[0].1, "draw"), (RULES[3].1, "undecided")].map(|(end, name)| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certain").join(name);
            let _ = fs::remove_dir_all(&folder);
            let rules = rules("", end);
            let slices = slices_up_to(&rules, MEN);
            let options = BuildOptions::default();
            Build::new(&rules, &folder, &slices).options(&options).run().unwrap();
            folder
        })
    });
    &folders[usize::from(end.contains("mover-loses"))]
}

/// Counts of the engine's reports.
#[derive(Default, Debug)]
struct Seen {
    searches: u32,
    wins: u32,
    losses: u32,
    /// Reports that the budget did not suffice to check.
    unknown: u32,
    /// Lines that stop before the end of a won or lost game.
    cut_short: u32,
}

/// Checks the wins and losses that an iteration reports.
fn check(tables: &Tablebase, game: &Game, iteration: &Iteration, seen: &mut Seen) {
    let mover = game.position().to_move;
    let depths: Vec<u32> = iteration.lines.iter().map(|line| line.depth).collect();
    let is_whole_depth = depths.iter().all(|&depth| depth == iteration.depth);
    assert!(is_whole_depth || !iteration.is_complete, "{iteration:?}");
    assert!(depths.is_sorted_by(|deeper, other| deeper >= other), "{iteration:?}");
    for (number, line) in iteration.lines.iter().enumerate() {
        let (winner, plies) = match line.score {
            Score::Estimate(_) => continue,
            Score::Win(plies) => (mover, plies.into()),
            Score::Loss(plies) => (mover.other(), plies.into()),
            // No game on this board takes longer.
            Score::TableWin | Score::ProvedWin => (mover, 60),
            Score::TableLoss | Score::ProvedLoss => (mover.other(), 60),
        };
        let mut then = game.clone();
        then.play(&line.moves[0]).unwrap();
        let mut truth = Truth::new(tables, 5000);
        let mut holds = truth.has_won(&mut then, winner, plies - 1);
        if number == 0 && winner != mover {
            // The report is about the position: every move loses.
            holds = Truth::new(tables, 5000).loses(&mut game.clone(), plies);
        }
        match holds {
            Ok(true) if winner == mover => seen.wins += 1,
            Ok(true) => seen.losses += 1,
            Ok(false) => panic!(
                "{} in line {number} of depth {} after {}",
                line.score,
                iteration.depth,
                context(game)
            ),
            Err(Undecided) => seen.unknown += 1,
        }
        seen.cut_short += u32::from(!is_whole(game, line, plies));
    }
}

/// Returns whether the line of a decided game continues to its end, and checks that it is not
/// longer than reported.
fn is_whole(game: &Game, line: &Line, plies: u32) -> bool {
    let mut then = game.clone();
    for played in &line.moves {
        let goes_on = then.play(played);
        assert!(
            goes_on.is_ok(),
            "{goes_on:?} in {} {} after {}",
            line.score,
            context(&then),
            context(game)
        );
    }
    assert!(line.moves.len() as u32 <= plies, "{} after {}", line.score, context(game));
    matches!(line.score, Score::TableWin | Score::TableLoss) || then.outcome().is_some()
}

/// Creates an engine with this number of threads and these tables.
fn engine(rules: &Arc<Ruleset>, threads: usize, tables: Option<Arc<Tablebase>>) -> Engine {
    let threads = NonZeroUsize::new(threads).unwrap();
    let options =
        EngineOptions { threads, table_bytes: 1 << 20, tables, ..EngineOptions::new(rules) };
    Engine::new(Arc::clone(rules), options).unwrap()
}

/// Searches `count` games under these rules and checks every report.
fn trial(rules: &Arc<Ruleset>, folder: &Path, count: u32, seed: u64) -> Seen {
    let all = Arc::new(Tablebase::open(Ruleset::clone(rules), folder).unwrap());
    let few = Arc::new(Tablebase::new(Ruleset::clone(rules)));
    trial_with(rules, &[None, Some(&few), Some(&all)], &all, count, seed)
}

/// The same by engines with these tables; `all` checks their reports.
fn trial_with(
    rules: &Arc<Ruleset>,
    engine_tables: &[Option<&Arc<Tablebase>>],
    all: &Tablebase,
    count: u32,
    seed: u64,
) -> Seen {
    let mut engines = Vec::new();
    for threads in [1, 2] {
        for &tables in engine_tables {
            // Each engine plays all games: what it stored in one must not affect its reports in
            // another.
            engines.push(engine(rules, threads, tables.cloned()));
        }
    }
    let mut random = SeededRng::new(seed);
    let mut seen = Seen::default();
    while seen.searches < count {
        let Some(mut game) = game(rules, &mut random) else { continue };
        // As in play, the engine has stored results of the same game, from when fewer positions
        // could recur.
        let number = random.below(engines.len());
        for _ in 0..6 {
            let found = search(&mut engines[number], &game, &mut random, |iteration| {
                check(all, &game, iteration, &mut seen);
            });
            check(all, &game, &found, &mut seen);
            seen.searches += 1;
            let best = Some(found.lines[0].moves[0]);
            let next =
                if random.below(2) == 0 { best } else { shuffle(&game, &mut random).or(best) };
            game.play(&next.unwrap()).unwrap();
            if game.outcome().is_some() {
                break;
            }
        }
    }
    seen
}

/// Searches once, with random limits.
fn search(
    engine: &mut Engine,
    game: &Game,
    random: &mut SeededRng,
    mut report: impl FnMut(&Iteration),
) -> Iteration {
    let nodes = |random: &mut SeededRng| Limits::nodes(1 << (1 + random.below(13)));
    let (limits, stop) = match random.below(8) {
        0 => (Limits::depth(1 + random.below(7) as u32), None),
        1 => (Limits::time(Duration::from_micros(50 + random.below(4950) as u64)), None),
        2 => (Limits::nodes(20_000), Some(random.below(2000) as u64)),
        _ => (nodes(random), None),
    };
    let limits = Limits { nodes: limits.nodes.or(Some(20_000)), ..limits };
    let lines = NonZeroUsize::new(*random.choose(&[1, 1, 3]).unwrap()).unwrap();
    let request = SearchRequest { lines, ..limits.into() };
    let stopper = engine.stopper();
    thread::scope(|scope| {
        if let Some(micros) = stop {
            scope.spawn(move || {
                thread::sleep(Duration::from_micros(micros));
                stopper.stop();
            });
        }
        engine.search(game, request, &mut report).unwrap()
    })
}

/// Searches under each of the rules.
fn trials(count: u32) {
    for (number, (top, end)) in RULES.into_iter().enumerate() {
        let rules = rules(top, end);
        let seen = trial(&rules, tables_of(end), count, number as u64);
        println!("{top} {end}: {seen:?}");
        assert!(seen.wins > count / 20 && seen.losses > count / 40, "{seen:?}");
        let claims = seen.wins + seen.losses;
        assert!(seen.unknown < claims / 50, "{seen:?}");
        assert!(seen.cut_short <= claims / 100, "{seen:?}");
    }
}

#[test]
fn reported_wins_hold_with_any_history_and_limit() {
    trials(300);
}

#[test]
fn reported_wins_hold_where_the_defenders_may_not_repeat() {
    let all = Tablebase::open(Ruleset::clone(&rules("", RULES[0].1)), tables_of("")).unwrap();
    for (number, (top, end)) in AGAINST_DEFENDERS.into_iter().enumerate() {
        let rules = rules(top, end);
        let seen = trial_with(&rules, &[None], &all, 300, number as u64);
        println!("{top} {end}: {seen:?}");
        assert!(seen.wins > 15 && seen.losses > 7, "{seen:?}");
        assert!(seen.unknown < (seen.wins + seen.losses) / 10, "{seen:?}");
    }
}

/// The position is lost by the tables and drawn by its history: the engine finds the drawing
/// move, even without time to search.
#[test]
fn a_draw_by_the_history_is_kept() {
    for (top, end) in [RULES[0], RULES[1], RULES[4]] {
        let rules = rules(top, end);
        let tables = Tablebase::open(Ruleset::clone(&rules), tables_of(end)).unwrap();
        let tables = Arc::new(tables);
        let mut engine = engine(&rules, 1, Some(Arc::clone(&tables)));
        let mut random = SeededRng::new(3);
        let mut saved = 0;
        for _ in 0..1500 {
            let Some(mut game) = game(&rules, &mut random) else { continue };
            let Value::Loss(plies) = tables.probe_dtw(game.position()).unwrap() else { continue };
            let is_late = game.plies_left().is_some_and(|left| left < plies.into());
            let mut truth = Truth::new(&tables, 2000);
            if is_late || !matches!(truth.loses(&mut game, 60), Ok(false)) {
                continue;
            }
            let winner = game.position().to_move.other();
            let found = engine.search(&game, Limits::nodes(50), &mut |_| {}).unwrap();
            let context = context(&game);
            assert!(matches!(found.lines[0].score, Score::Estimate(_)), "{context}");
            game.play(&found.lines[0].moves[0]).unwrap();
            let lost = Truth::new(&tables, 20_000).has_won(&mut game, winner, 60);
            assert!(!matches!(lost, Ok(true)), "{context}");
            saved += u32::from(lost.is_ok());
        }
        println!("{top} {end}: {saved}");
        assert!(saved > 5, "{saved}");
    }
}

/// The same with more searches: `cargo test --release --test engine certain -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn reported_wins_hold_in_a_hundred_thousand_searches() {
    trials(100_000 / RULES.len() as u32 + 1);
}

/// Compares the tests' solver with one that tries every move and has no tables.
#[test]
fn the_tests_solver_agrees_with_minimax() {
    for (number, (top, end)) in RULES.into_iter().enumerate() {
        let rules = rules(top, end);
        let tables = Tablebase::open(Ruleset::clone(&rules), tables_of(end)).unwrap();
        let mut random = SeededRng::new(number as u64);
        let mut found = [0, 0];
        for _ in 0..400 {
            let Some(mut game) = game(&rules, &mut random) else { continue };
            let mut minimax = Minimax::new(u64::MAX);
            for plies in 1..5 {
                let wins = minimax.distance(&game, plies).is_some();
                let mut truth = Truth::new(&tables, u32::MAX);
                let context = context(&game);
                assert_eq!(truth.wins(&mut game, plies as u32).unwrap(), wins, "{context}");
                let loses = plies % 2 == 0 && minimax.loses(&mut game, plies);
                if plies % 2 == 0 {
                    let truth = truth.loses(&mut game, plies as u32).unwrap();
                    assert_eq!(truth, loses, "{context}");
                }
                found[0] += u32::from(wins);
                found[1] += u32::from(loses);
            }
        }
        assert!(found.iter().all(|&count| count > 9), "{end}: {found:?}");
    }
}

/// Found by chance: whatever the attackers play, they repeat a position and lose. Without that, the
/// defenders would win at once, which a probe sees even without a table of the slice.
#[test]
fn a_line_by_the_tables_ends_with_the_game() {
    let (top, end) = RULES[5];
    let rules = rules(top, end);
    let tables = Arc::new(Tablebase::new(Ruleset::clone(&rules)));
    let position = Position::parse("/2K2/3t1/3T1/5/5/ d", &rules).unwrap();
    let mut game = Game::from_position(Arc::clone(&rules), position).unwrap();
    played(&mut game, "d3-e3 d2-d1 e3-d3");
    let found = engine(&rules, 1, Some(tables)).search(&game, Limits::nodes(50), &mut |_| {});
    let line = &found.unwrap().lines[0];
    assert_eq!((line.score, line.moves.len()), (Score::Loss(1), 1));
}

/// Found by chance: the search stopped within an iteration, after the first move was found to
/// lose.
#[test]
fn an_unfinished_iteration_makes_no_claim_about_moves_not_searched() {
    let brandubh = Arc::new(Ruleset::builtin("brandubh").unwrap());
    let text = "/2T4/2T4/tt5/tK5/2t1T2/4t2/7/ a";
    let position = Position::parse(text, &brandubh).unwrap();
    let game = Game::from_position(Arc::clone(&brandubh), position).unwrap();
    for nodes in 1..2000 {
        let mut engine = engine(&brandubh, 1, None);
        let found = engine.search(&game, Limits::nodes(nodes), &mut |_| {}).unwrap();
        let score = found.lines[0].score;
        // The position is a win in 1, which the first iteration finds.
        assert!(matches!(score, Score::Win(_) | Score::Estimate(_)), "{nodes} nodes: {score}");
    }
}
