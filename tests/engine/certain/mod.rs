//! Whatever the engine calls a win or a loss is one: searches of games with a past, under
//! each rule of repetition and with a last ply, with all kinds of limits, stopped by other
//! threads, with one and two threads, with and without tables. Each such word is held
//! against a solver of the tests' own.
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

use crate::minimax::Minimax;
use crate::shuffled::{context, game, rules, shuffle};
use taflbase::build::{Build, BuildOptions, slices_up_to};
use taflbase::engine::{Engine, EngineOptions, Iteration, Limits, Line, Score, SearchRequest};
use taflbase::value::Value;
use taflbase::{Game, Position, Ruleset, Tablebase};
use truth::{Truth, Undecided};

/// The most men on the board.
const MEN: usize = 7;

/// The rules about the end of a game, at the top of the file and in its last table.
const RULES: [(&str, &str); 7] = [
    ("", "repetition = \"draw\""),
    ("", "repetition = \"draw\"\nrepetition-occurrence = 3"),
    ("", "repetition = \"draw\"\nrepetition-counts-start = false"),
    ("", "repetition = \"mover-loses\""),
    ("ply-limit = 16", "repetition = \"draw\""),
    ("ply-limit = 18", "repetition = \"mover-loses\""),
    ("ply-limit = 16", "repetition = \"allowed\""),
];

/// All tables of the smallest board, for each worth of an endless game; built once.
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

/// What was seen of the engine's word.
#[derive(Default, Debug)]
struct Seen {
    searches: u32,
    wins: u32,
    losses: u32,
    /// Too much work to tell.
    unknown: u32,
    /// Lines that do not go on to the end of a won or lost game.
    cut_short: u32,
}

/// Holds what an iteration says against the truth.
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
            // Games here do not take longer.
            Score::TableWin => (mover, 60),
            Score::TableLoss => (mover.other(), 60),
        };
        let mut then = game.clone();
        then.play(&line.moves[0]).unwrap();
        let mut truth = Truth::new(tables, 5000);
        let mut holds = truth.has_won(&mut then, winner, plies - 1);
        if number == 0 && winner != mover {
            // Of the position, that every move loses.
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

/// Whether the line of a decided game goes on to its end, and no further than was said.
fn is_whole(game: &Game, line: &Line, plies: u32) -> bool {
    let mut then = game.clone();
    line.moves.iter().for_each(|played| then.play(played).unwrap());
    assert!(line.moves.len() as u32 <= plies, "{} after {}", line.score, context(game));
    matches!(line.score, Score::TableWin | Score::TableLoss) || then.outcome().is_some()
}

/// An engine with one way to work.
fn engine(rules: &Arc<Ruleset>, threads: usize, tables: Option<Arc<Tablebase>>) -> Engine {
    let threads = NonZeroUsize::new(threads).unwrap();
    let options =
        EngineOptions { threads, table_bytes: 1 << 20, tables, ..EngineOptions::new(rules) };
    Engine::new(Arc::clone(rules), options).unwrap()
}

/// Searches `count` games of those rules, and holds what is said against the truth.
fn trial(rules: &Arc<Ruleset>, folder: &Path, count: u32, seed: u64) -> Seen {
    let all = Arc::new(Tablebase::open(Ruleset::clone(rules), folder).unwrap());
    let few = Arc::new(Tablebase::new(Ruleset::clone(rules)));
    let mut engines = Vec::new();
    for threads in [1, 2] {
        for tables in [None, Some(&few), Some(&all)] {
            // One for all games: what it remembers of one must not be said of another.
            engines.push(engine(rules, threads, tables.cloned()));
        }
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut seen = Seen::default();
    while seen.searches < count {
        let Some(mut game) = game(rules, &mut random) else { continue };
        // As in play: what it remembers is of the same game, when less could come back.
        let number = random.usize(..engines.len());
        for _ in 0..6 {
            let found = search(&mut engines[number], &game, &mut random, |iteration| {
                check(&all, &game, iteration, &mut seen);
            });
            check(&all, &game, &found, &mut seen);
            seen.searches += 1;
            let best = Some(found.lines[0].moves[0]);
            let next = if random.bool() { best } else { shuffle(&game, &mut random).or(best) };
            game.play(&next.unwrap()).unwrap();
            if game.outcome().is_some() {
                break;
            }
        }
    }
    seen
}

/// One search, with limits by chance.
fn search(
    engine: &mut Engine,
    game: &Game,
    random: &mut fastrand::Rng,
    mut report: impl FnMut(&Iteration),
) -> Iteration {
    let nodes = |random: &mut fastrand::Rng| Limits::nodes(1 << random.u64(1..14));
    let (limits, stop) = match random.u32(..8) {
        0 => (Limits::depth(random.u32(1..8)), None),
        1 => (Limits::time(Duration::from_micros(random.u64(50..5000))), None),
        2 => (Limits::nodes(20_000), Some(random.u64(..2000))),
        _ => (nodes(random), None),
    };
    let limits = Limits { nodes: limits.nodes.or(Some(20_000)), ..limits };
    let lines = NonZeroUsize::new(*random.choice(&[1, 1, 3]).unwrap()).unwrap();
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

/// Searches with each of the rules.
fn trials(count: u32) {
    for (number, (top, end)) in RULES.into_iter().enumerate() {
        let rules = rules(top, end);
        let seen = trial(&rules, tables_of(end), count, number as u64);
        println!("{top} {end}: {seen:?}");
        assert!(seen.wins > count / 20 && seen.losses > count / 40, "{seen:?}");
        let words = seen.wins + seen.losses;
        assert!(seen.unknown < words / 50, "{seen:?}");
        assert!(seen.cut_short <= words / 100, "{seen:?}");
    }
}

#[test]
fn a_win_is_a_win_whatever_came_before_and_whenever_the_search_ends() {
    trials(300);
}

/// Lost by the tables, drawn by what came before: the engine finds the move that draws, with
/// no time to search.
#[test]
fn a_draw_by_the_past_is_not_thrown_away() {
    for (top, end) in [RULES[0], RULES[1], RULES[4]] {
        let rules = rules(top, end);
        let tables = Tablebase::open(Ruleset::clone(&rules), tables_of(end)).unwrap();
        let tables = Arc::new(tables);
        let mut engine = engine(&rules, 1, Some(Arc::clone(&tables)));
        let mut random = fastrand::Rng::with_seed(3);
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

/// As above, and more: `cargo test --release --test engine certain -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_win_is_a_win_in_a_hundred_thousand_searches() {
    trials(100_000 / RULES.len() as u32 + 1);
}

/// The solver that everything is held against, against one that tries everything and has
/// no tables.
#[test]
fn the_truth_is_what_trying_everything_finds() {
    for (number, (top, end)) in RULES.into_iter().enumerate() {
        let rules = rules(top, end);
        let tables = Tablebase::open(Ruleset::clone(&rules), tables_of(end)).unwrap();
        let mut random = fastrand::Rng::with_seed(number as u64);
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

/// Found by chance: the search ended within an iteration in which the first move had lost.
#[test]
fn an_iteration_that_is_not_finished_says_nothing_of_the_moves_it_did_not_search() {
    let brandubh = Arc::new(Ruleset::builtin("brandubh").unwrap());
    let text = "/2T4/2T4/tt5/tK5/2t1T2/4t2/7/ a";
    let position = Position::parse(text, &brandubh).unwrap();
    let game = Game::from_position(Arc::clone(&brandubh), position).unwrap();
    for nodes in 1..2000 {
        let mut engine = engine(&brandubh, 1, None);
        let found = engine.search(&game, Limits::nodes(nodes), &mut |_| {}).unwrap();
        let score = found.lines[0].score;
        // It is a win in 1, which the first iteration finds.
        assert!(matches!(score, Score::Win(_) | Score::Estimate(_)), "{nodes} nodes: {score}");
    }
}
