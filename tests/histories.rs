//! The engine in games with a past: what it says of a win or a loss within a few plies is
//! what trying everything says, whatever positions may not come back.
#![cfg(all(feature = "build", feature = "engine"))]

mod minimax;

use std::sync::Arc;

use minimax::Minimax;
use taflbase::build::{BuildOptions, build, slices_up_to};
use taflbase::engine::{Engine, EngineOptions, Limits, Score};
use taflbase::moves::{Move, legal_moves};
use taflbase::value::Value;
use taflbase::{Game, Position, Ruleset, Side, Tablebase};

/// Wins and losses within so many plies are compared.
const PLIES: usize = 5;

/// Games that are looked at.
const GAMES: usize = 2500;

/// The smallest board with other words about the end of a game.
fn rules(top: &str, end: &str) -> Arc<Ruleset> {
    let text = include_str!("rulesets/mini-corner.toml");
    let text = text.replace("size = 5\n", &format!("size = 5\n{top}\n"));
    let (head, old) = text.split_once("repetition = \"draw\"\n").unwrap();
    assert!(old.contains("endless = \"draw\""));
    let endless = if end.contains("mover-loses") { "undecided" } else { "draw" };
    let text = format!("{head}{end}\nendless = \"{endless}\"\n");
    Arc::new(Ruleset::from_toml(&text, "variant").unwrap())
}

/// A game of men who mostly go to and fro, from a random position.
fn game(rules: &Arc<Ruleset>, random: &mut fastrand::Rng) -> Option<Game> {
    let mut squares: Vec<_> = rules.board.squares().collect();
    random.shuffle(&mut squares);
    let (defenders, attackers) = (random.usize(0..3), random.usize(1..6));
    let set = |range: std::ops::Range<usize>| squares[range].iter().copied().collect();
    let to_move = if random.bool() { Side::Attackers } else { Side::Defenders };
    let (defending, attacking) =
        (set(1..1 + defenders), set(1 + defenders..1 + defenders + attackers));
    let start = Position::new(rules, squares[0], defending, attacking, to_move).ok()?;
    let mut game = Game::from_position(Arc::clone(rules), start).ok()?;
    for _ in 0..random.usize(0..14) {
        let moves = legal_moves(rules, game.position());
        let calm: Vec<&Move> = moves.iter().filter(|played| played.ending.is_none()).collect();
        let last = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
        let back = calm.iter().find(|mv| last.is_some_and(|l| (mv.from, mv.to) == (l.to, l.from)));
        let any = random.choice(&calm)?;
        let played = **back.filter(|_| random.u8(..4) > 0).unwrap_or(any);
        game.play(&played).unwrap();
        if game.outcome().is_some() {
            game.undo();
            break;
        }
    }
    game.outcome().is_none().then_some(game)
}

fn context(game: &Game) -> String {
    let board = game.rules().board;
    let moves: Vec<_> = game.moves().iter().map(|mv| mv.display(board).to_string()).collect();
    let start = game.positions()[0].to_text(game.rules());
    format!("{:?} {start} {}", game.rules().repetition, moves.join(" "))
}

fn agree(top: &str, end: &str) {
    let rules = rules(top, end);
    let options =
        EngineOptions { table_bytes: 1 << 20, tables: None, ..EngineOptions::new(&rules) };
    // One for all games: what it remembers of one must not be told of another.
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    let (mut wins, mut losses, mut others) = (0, 0, 0);
    for _ in 0..GAMES {
        let Some(mut game) = game(&rules, &mut random) else { continue };
        let found = engine.search(&game, &Limits::depth(9), &mut |_| {}).unwrap().lines[0].score;
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

/// Tables know nothing of the past: a win that they have stands only if no earlier position
/// can be brought back against it, and if not, another win that does is played.
#[test]
fn what_tables_promise_stands_whatever_came_before() {
    let rules = rules("", "repetition = \"draw\"");
    let folder = tempfile::tempdir().unwrap();
    let slices = slices_up_to(&rules, 6);
    build(&rules, folder.path(), &slices, &BuildOptions::default(), &(), &mut |_| {}).unwrap();
    let tables = Arc::new(Tablebase::open(Ruleset::clone(&rules), folder.path()).unwrap());
    let options = EngineOptions {
        table_bytes: 1 << 20,
        tables: Some(Arc::clone(&tables)),
        ..EngineOptions::new(&rules)
    };
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    let (mut certain, mut spoiled, mut other) = (0, 0, 0);
    for _ in 0..GAMES {
        let Some(game) = game(&rules, &mut random) else { continue };
        let Ok(value) = tables.probe_dtw(game.position()) else { continue };
        let found = engine.search(&game, &Limits::depth(7), &mut |_| {}).unwrap();
        let (score, best) = (found.lines[0].score, found.lines[0].moves[0]);
        let mut minimax = Minimax::new(u64::MAX);
        let distance = minimax.distance(&game, PLIES).map(|plies| plies as u16);
        let context = context(&game);
        match (score, distance) {
            (Score::Win(plies), _) if usize::from(plies) <= PLIES => {
                certain += 1;
                assert_eq!(distance, Some(plies), "{context}");
            }
            (_, Some(plies)) => {
                spoiled += 1;
                assert_ne!(value, Value::Win(plies), "{score} {context}");
                // What takes longer is not looked at.
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
fn who_repeats_loses() {
    agree("", "repetition = \"mover-loses\"");
}

#[test]
fn the_last_ply_draws() {
    agree("ply-limit = 12", "repetition = \"allowed\"");
}
