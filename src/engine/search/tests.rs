//! Workers that play through games, compared with the games themselves.

use std::collections::BTreeSet;

use super::path::PATH_INDEPENDENT;
use super::score::{BARRED, table_score};
use super::worker::Worker;
use super::*;
use crate::engine::state::Step;
use crate::game::board::{Square, SquareSet};
use crate::game::history::Reason;
use crate::game::moves::legal_moves;
use crate::game::position::Position;
use crate::game::rules::{Endless, Repetition, Side};
use crate::game::value::{Value, Wdl};
use crate::system::random::SeededRng;
use crate::tablebase::Tablebase;

/// A deadline that only a stop brings.
fn endless(stop: &AtomicBool) -> Deadline<'_> {
    Deadline { started: Instant::now(), time: None, stop }
}

/// Calls `look` with a worker at the start of a game.
pub(super) fn with_worker<const W: usize>(
    rules: &Ruleset,
    tables: Option<Arc<Tablebase>>,
    look: impl FnOnce(&mut Worker<'_, W>, &Game),
) {
    let rules = Arc::new(rules.clone());
    let options = EngineOptions { table_bytes: 1 << 10, tables, ..EngineOptions::new(&rules) };
    let searcher = Searcher::<W>::new(&rules, &options).unwrap();
    let (game, limits) = (Game::new(Arc::clone(&rules)).unwrap(), Limits::default());
    let stop = AtomicBool::new(false);
    let shared = searcher.shared(&game, None, &limits, endless(&stop));
    let mut move_history = MoveHistory::new(rules.board.area());
    look(&mut Worker::new(&shared, &mut move_history), &game);
}

/// Plays games with many repetitions, from several of their positions on: a worker must see the
/// same end as the game itself. Returns the number of games that ended.
fn check<const W: usize>(rules: &Arc<Ruleset>) -> usize {
    let mut options = EngineOptions::new(rules);
    (options.table_bytes, options.tables) = (1 << 10, None);
    let searcher = Searcher::<W>::new(rules, &options).unwrap();
    let stop = AtomicBool::new(false);
    let (mut ends, mut returns) = (0, 0);
    for seed in 0..60 {
        let game = shuffling_game(rules, seed);
        for root in [0, 1, game.moves().len() / 2] {
            let mut here = Game::new(Arc::clone(rules)).unwrap();
            game.moves()[..root].iter().for_each(|played| here.push(played));
            let limits = Limits::default();
            let before = here.clone();
            let shared = searcher.shared(&before, None, &limits, endless(&stop));
            let mut move_history = MoveHistory::new(rules.board.area());
            let mut worker = Worker::new(&shared, &mut move_history);
            for played in &game.moves()[root..] {
                returns += check_repetitions(&mut worker, &mut here);
                let barred = check_barred(&mut worker, &here);
                here.push(played);
                let (_, ended) = worker.play(Step::of(played));
                let by_the_way = here.outcome().filter(|outcome| {
                    matches!(outcome.reason, Reason::Repetition | Reason::PlyLimit)
                });
                ends += barred;
                let context = format!("{}: game {seed}, from ply {root}", rules.name);
                assert_eq!(ended.is_some(), by_the_way.is_some(), "{context}");
                ends += usize::from(ended.is_some());
            }
        }
    }
    let saves = matches!(rules.repetition, Repetition::Draw | Repetition::DefendersLose);
    assert_eq!(returns > 20, saves, "{}: {returns}", rules.name);
    ends
}

/// Checks that the search bars the moves that the game does; returns their number.
fn check_barred<const W: usize>(worker: &mut Worker<'_, W>, here: &Game) -> usize {
    let moves = legal_moves(here.rules(), here.position());
    let mut count = 0;
    for played in moves.iter().filter(|played| played.ending.is_none()) {
        let step = Step::of(played);
        let (undo, ended) = worker.play(step);
        worker.take_back(step, undo);
        let context = || format!("{} {played:?}", here.position().to_text(here.rules()));
        assert_eq!(ended == Some(BARRED), here.is_barred(played), "{}", context());
        count += usize::from(ended == Some(BARRED));
    }
    count
}

/// Checks that the moves that the search adds because they save the game by repetition are those
/// that do; returns their number.
fn check_repetitions<const W: usize>(worker: &mut Worker<'_, W>, here: &mut Game) -> usize {
    worker.candidates.clear();
    let captures = worker.state.capture_squares(worker.shared.board, worker.state.to_move);
    worker.add_repetitions(captures);
    let added: BTreeSet<u32> = worker.candidates.iter().map(|c| c.step.bits()).collect();
    let moves = legal_moves(here.rules(), here.position());
    let draws = moves.iter().filter(|played| {
        here.push(played);
        let outcome = here.outcome();
        here.undo();
        outcome.is_some_and(|outcome| {
            outcome.reason == Reason::Repetition
                && outcome.winner != Some(here.position().to_move.other())
        })
    });
    let draws: BTreeSet<u32> = draws.map(|played| Step::of(played).bits()).collect();
    assert_eq!(added, draws, "{}", here.position().to_text(here.rules()));
    draws.len()
}

/// Plays random moves until the game is over; most of them take back the side's last one.
fn shuffling_game(rules: &Arc<Ruleset>, seed: u64) -> Game {
    let mut random = SeededRng::new(seed);
    let mut game = Game::new(Arc::clone(rules)).unwrap();
    while game.outcome().is_none() && game.moves().len() < 120 {
        let moves = game.playable_moves();
        let last = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
        let back =
            last.and_then(|last| moves.iter().find(|mv| mv.from == last.to && mv.to == last.from));
        let any = &moves[random.below(moves.len())];
        game.push(back.filter(|_| random.below(4) > 0).unwrap_or(any));
    }
    game
}

#[test]
fn nothing_comes_back_after_a_pass() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let play = |worker: &mut Worker<'_, 1>, from, to| {
        let square = |name| rules.board.parse(name).unwrap().index();
        worker.play(Step::new(square(from), square(to))).1
    };
    with_worker::<1>(&rules, None, |worker, _| {
        let start = worker.state.position(rules.id());
        // The man comes back to where it was, twice, while the defenders pass.
        for _ in 0..2 {
            for (from, to) in [("d1", "c1"), ("c1", "d1")] {
                assert_eq!(play(worker, from, to), None);
                let before = worker.state.position(rules.id());
                worker.make_null_move();
                let after = Position { to_move: before.to_move.other(), ..before };
                assert_eq!(worker.state.key, State::new(worker.shared.board, &after).key);
            }
        }
        assert_eq!(worker.state.position(rules.id()), start);
    });
    with_worker::<1>(&rules, None, |worker, _| {
        // A pass that is taken back has not been.
        worker.make_null_move();
        worker.undo_null_move();
        for (from, to) in [("d1", "c1"), ("d3", "c3"), ("c1", "d1")] {
            assert_eq!(play(worker, from, to), None);
        }
        assert_eq!(play(worker, "c3", "d3"), Some(0));
    });
}

#[test]
fn a_line_ends_by_repetition_where_the_game_would() {
    let builtin = |name| Ruleset::builtin(name).unwrap();
    let brandubh = include_str!("../../game/rules/builtin/brandubh.toml");
    let with = |line| {
        let text = brandubh.replace("repetition = \"draw\"", line);
        Ruleset::from_toml(&text, "other").unwrap()
    };
    let uncounted = with("repetition = \"draw\"\nrepetition-counts-start = false");
    let third = with("repetition = \"draw\"\nrepetition-occurrence = 3");
    let against_defenders = |line: &str| {
        let text = brandubh.replace("repetition = \"draw\"", line);
        let text = text.replace("endless = \"draw\"", "endless = \"attackers\"");
        let text = text.replace("name = \"brandubh\"", "name = \"other\"");
        Ruleset::from_toml(&text, "other").unwrap()
    };
    let lost = against_defenders("repetition = \"defenders-lose\"");
    let barred = against_defenders("repetition = \"defenders-barred\"");
    let barred_later =
        against_defenders("repetition = \"defenders-barred\"\nrepetition-occurrence = 3");
    let small = [builtin("brandubh"), uncounted, third, lost, barred, barred_later];
    let small = small.map(|rules| check::<1>(&rules.into()));
    let large = ["ashton", "berkeley", "mcgill"].map(|name| check::<2>(&builtin(name).into()));
    assert!(small.into_iter().chain(large).all(|ends| ends > 20), "{small:?} {large:?}");
}

/// Random placements of few men, on boards of every number of words.
#[test]
fn a_search_reads_the_same_values_from_the_tables_as_a_probe() {
    fn check<const W: usize>(name: &str) {
        let rules = Ruleset::builtin(name).unwrap();
        let tables = Arc::new(Tablebase::new(rules.clone()));
        let squares: Vec<Square> = rules.board.squares().collect();
        let mut random = SeededRng::new(1);
        let mut answers = 0;
        with_worker::<W>(&rules, Some(Arc::clone(&tables)), |worker, _| {
            for _ in 0..2000 {
                let mut men = |most| -> SquareSet {
                    (0..random.below(most)).map(|_| squares[random.below(squares.len())]).collect()
                };
                let (attackers, defenders) = (men(4), men(3));
                let king = squares[random.below(squares.len())];
                let to_move = Side::ALL[random.below(2)];
                let position = Position { attackers, defenders, king, to_move, rules: rules.id() };
                let Ok(known) = tables.probe_wdl(&position) else { continue };
                worker.state = State::new(worker.shared.board, &position);
                let is_open = worker.state.winning_step(worker.shared.board).is_none();
                if is_open && !attackers.is_empty() {
                    let expected = (known != Wdl::Draw || rules.endless == Endless::Draw)
                        .then(|| table_score(known, 0, 0));
                    assert_eq!(worker.probe_oracle(0), expected, "{}", position.to_text(&rules));
                    answers += 1;
                }
            }
        });
        assert!(answers > 100, "{name}: {answers}");
    }
    check::<1>("brandubh");
    check::<2>("berkeley");
    check::<3>("large-hnefatafl");
    check::<6>("alea-evangelii");
}

/// A win that the ply limit cuts off is a draw there, and only there: earlier in the game the same
/// position may be won.
#[test]
fn draws_by_the_ply_limit_depend_on_the_path() {
    let limit = 6;
    let text = include_str!("../../game/rules/builtin/brandubh.toml");
    let rules = Ruleset::from_toml(&format!("ply-limit = {limit}\n{text}"), "short").unwrap();
    let tables = Arc::new(Tablebase::new(Ruleset::builtin("brandubh").unwrap()));
    let squares: Vec<Square> = rules.board.squares().collect();
    let mut random = SeededRng::new(1);
    let (mut late, mut in_time) = (0, 0);
    with_worker::<1>(&rules, Some(Arc::clone(&tables)), |worker, _| {
        for _ in 0..2000 {
            let mut square = || squares[random.below(squares.len())];
            let attackers = (0..3).map(|_| square()).collect();
            let (king, defenders) = (square(), SquareSet::EMPTY);
            let to_move = Side::Attackers;
            let position = Position { attackers, defenders, king, to_move, rules: rules.id() };
            let Ok(Some(plies)) = tables.probe_dtw(&position).map(Value::plies) else { continue };
            worker.state = State::new(worker.shared.board, &position);
            if worker.state.winning_step(worker.shared.board).is_some() {
                continue;
            }
            for ply in [0, 3] {
                worker.depends_on = PATH_INDEPENDENT;
                let score = worker.probe_oracle(ply).unwrap();
                if usize::from(plies) + ply > limit as usize {
                    assert_eq!((score, worker.depends_on), (0, 0));
                    late += 1;
                } else {
                    assert_eq!(worker.depends_on, PATH_INDEPENDENT);
                    assert_ne!(score, 0);
                    in_time += 1;
                }
            }
        }
    });
    assert!(late > 20 && in_time > 20, "{late} and {in_time}");
}
