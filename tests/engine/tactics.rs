//! Won positions from games, with most men still on the board, in which the engine must find
//! the win without tables. They were proved by a search that shares no code with it
//! (`examples/suite.rs`).
#![cfg(feature = "engine")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::minimax::Minimax;
use taflbase::engine::{Engine, EngineOptions, Iteration, Limits, Score};
use taflbase::notation::parse_move;
use taflbase::{Game, Position, Ruleset};

/// The node limit within which every win is found.
const NODES: u64 = 1_000_000;

/// The rulesets with a file of positions.
const SUITES: [&str; 9] = [
    "ashton",
    "mcgill",
    "tablut",
    "brandubh",
    "large-hnefatafl",
    "alea-evangelii",
    "berkeley",
    "ashton-server",
    "brandubh-online",
];

/// A position and what is known about it.
struct Task {
    game: Game,
    plies: u16,
    /// The only first move that wins this quickly, if there is only one.
    first: Option<String>,
}

impl Task {
    fn context(&self) -> String {
        let rules = self.game.rules();
        format!("{}: {} in {}", rules.name, self.game.position().to_text(rules), self.plies)
    }
}

/// Reads the tasks of a built-in ruleset.
fn tasks(name: &str) -> Vec<Task> {
    let rules = Arc::new(Ruleset::builtin(name).unwrap());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/suite");
    let text = fs::read_to_string(folder.join(format!("{name}.tsv"))).unwrap();
    let task = |line: &str| {
        let [position, plies, first] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}");
        };
        let position = Position::parse(position, &rules).unwrap();
        let game = Game::from_position(Arc::clone(&rules), position).unwrap();
        let first = (first != "-").then(|| first.to_owned());
        Task { game, plies: plies.parse().unwrap(), first }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(task).collect()
}

/// Searches with an engine without tables, in a game without a history.
fn found(game: &Game, limits: Limits) -> Iteration {
    let rules = game.rules();
    let options = EngineOptions { table_bytes: 4 << 20, tables: None, ..EngineOptions::new(rules) };
    Engine::new(Arc::clone(rules), options).unwrap().search(game, limits, &mut |_| {}).unwrap()
}

#[test]
fn the_files_have_wins_of_both_sides_and_all_lengths() {
    for name in SUITES {
        let tasks = tasks(name);
        assert!(tasks.len() >= 6, "{name}: {} positions", tasks.len());
        for side in taflbase::Side::ALL {
            let mut plies: Vec<u16> = tasks
                .iter()
                .filter(|task| task.game.position().to_move == side)
                .map(|task| task.plies)
                .collect();
            plies.dedup();
            assert!(plies.len() >= 2, "{name}: {side:?} {plies:?}");
        }
    }
}

/// Longer wins take too long for a test; they were proved when the files were made.
#[test]
fn short_wins_agree_with_a_full_search() {
    for name in SUITES {
        for task in tasks(name).iter().filter(|task| task.plies <= 3) {
            let context = task.context();
            let plies = usize::from(task.plies);
            let mut minimax = Minimax::new(u64::MAX);
            assert_eq!(minimax.distance(&task.game, 3), Some(plies), "{context}");
            let moves = minimax.winning_moves(&task.game, plies);
            let board = task.game.rules().board;
            let only = (moves.len() == 1).then(|| moves[0].display(board).to_string());
            assert_eq!(only, task.first, "{context}");
        }
    }
}

#[test]
fn each_win_is_found_in_exactly_its_distance_and_the_other_side_sees_it() {
    for name in SUITES {
        for task in tasks(name) {
            let context = task.context();
            let line = &found(&task.game, Limits::nodes(NODES)).lines[0];
            assert_eq!(line.score, Score::Win(task.plies), "{context}");
            let best = line.moves[0].display(task.game.rules().board).to_string();
            assert!(task.first.is_none_or(|first| first == best), "{context}: {best}");
            let mut game = task.game.clone();
            game.play(&parse_move(game.rules(), game.position(), &best).unwrap()).unwrap();
            if game.outcome().is_none() {
                let score = found(&game, Limits::nodes(NODES)).lines[0].score;
                assert_eq!(score, Score::Loss(task.plies - 1), "{context} after {best}");
            }
        }
    }
}

#[test]
fn most_wins_take_few_positions() {
    let all: Vec<Task> = SUITES.iter().flat_map(|name| tasks(name)).collect();
    let wins = |task: &&Task| {
        found(&task.game, Limits::nodes(2000)).lines[0].score == Score::Win(task.plies)
    };
    let quick = all.iter().filter(wins).count();
    assert!(100 * quick >= 80 * all.len(), "{quick} of {}", all.len());
}
