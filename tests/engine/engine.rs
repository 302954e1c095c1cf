//! The engine compared with values of a brute-force program, with the tables, and with the
//! rules of the game.
#![cfg(feature = "engine")]

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taflbase::engine::{
    Clock, Engine, EngineError, EngineOptions, Limits, Score, SearchRequest, Weights,
};
use taflbase::history::{Outcome, Reason};
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::random::SeededRng;
use taflbase::value::{Value, Wdl};
use taflbase::{Game, Position, Ruleset, Side, Tablebase};

fn rules(name: &str) -> Arc<Ruleset> {
    Arc::new(Ruleset::load(name).unwrap())
}

fn game(rules: &Arc<Ruleset>, text: &str) -> Game {
    let position = Position::parse(text, rules).unwrap();
    Game::from_position(Arc::clone(rules), position).unwrap()
}

/// Plays the moves, which are separated by spaces.
pub(super) fn played(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let played = parse_move(game.rules(), game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
}

fn options(rules: &Ruleset) -> EngineOptions {
    EngineOptions { table_bytes: 4 << 20, ..EngineOptions::new(rules) }
}

/// Creates an engine with the tables embedded in the library.
fn with_tables(rules: &Arc<Ruleset>) -> Engine {
    Engine::new(Arc::clone(rules), options(rules)).unwrap()
}

/// Creates an engine without tables.
fn without_tables(rules: &Arc<Ruleset>) -> Engine {
    Engine::new(Arc::clone(rules), EngineOptions { tables: None, ..options(rules) }).unwrap()
}

fn score(engine: &mut Engine, game: &Game, limits: Limits) -> Score {
    engine.search(game, limits, &mut |_| {}).unwrap().lines[0].score
}

fn score_of(value: Value) -> Score {
    match value {
        Value::Win(plies) => Score::Win(plies),
        Value::Loss(plies) => Score::Loss(plies),
        Value::Draw => Score::Estimate(0),
    }
}

/// `data/positions.tsv`, from a brute-force program that shares no code with this one, has the
/// distance against every defence; a search alone must find it.
#[test]
fn short_wins_and_losses_are_found_without_tables() {
    for line in include_str!("../data/positions.tsv").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let plies: u16 = fields[3].parse().unwrap();
        let expected = match fields[2] {
            "win" => Score::Win(plies),
            _ => Score::Loss(plies),
        };
        let rules = rules(fields[0]);
        let found = score(&mut without_tables(&rules), &game(&rules, fields[1]), Limits::depth(12));
        assert_eq!(found, expected, "{line}");
    }
}

/// Plays the engine against the best defence by the tables; returns the number of plies and how
/// the game ended.
fn playout(tables: &Tablebase, start: &Position, engine_side: Side) -> (usize, Option<Outcome>) {
    let rules = Arc::new(tables.rules().clone());
    let mut engine = with_tables(&rules);
    let mut game = Game::from_position(Arc::clone(&rules), *start).unwrap();
    while game.outcome().is_none() && game.moves().len() < 80 {
        let best = if game.position().to_move == engine_side {
            engine.best_move(&game, &Limits::nodes(500)).unwrap()
        } else {
            tables.best_move(game.position()).unwrap().unwrap()
        };
        game.play(&best).unwrap();
    }
    (game.moves().len(), game.outcome())
}

/// Draws random positions of at most this many soldiers.
fn samples(tables: &Tablebase, count: usize) -> Vec<Position> {
    samples_of(tables, count, 1..=4)
}

fn samples_of(tables: &Tablebase, count: usize, men: RangeInclusive<usize>) -> Vec<Position> {
    let mut positions = Vec::new();
    let mut random = SeededRng::new(7);
    let rules = tables.rules();
    let board = rules.board;
    while positions.len() < count {
        let mut squares: Vec<_> = board.squares().collect();
        random.shuffle(&mut squares);
        let soldiers = men.start() + random.below(1 + men.end() - men.start());
        let attackers = 1 + random.below(soldiers);
        let set = |range: std::ops::Range<usize>| squares[range].iter().copied().collect();
        let to_move = Side::ALL[random.below(2)];
        let (attacking, defending) = (set(1..1 + attackers), set(1 + attackers..1 + soldiers));
        if let Ok(position) = Position::new(rules, squares[0], defending, attacking, to_move)
            && !legal_moves(rules, &position).is_empty()
        {
            positions.push(position);
        }
    }
    positions
}

#[test]
fn positions_in_tables_are_played_in_exactly_their_distance() {
    for name in ["brandubh", "tablut", "ashton", "brandubh-online"] {
        let tables = Tablebase::new(Ruleset::load(name).unwrap());
        for position in samples(&tables, 25) {
            let Ok(value) = tables.probe_dtw(&position) else { continue };
            let context = position.to_text(tables.rules());
            let mover = position.to_move;
            let (plies, outcome) = playout(&tables, &position, mover);
            let winner = outcome.and_then(|outcome| outcome.winner);
            match value {
                Value::Win(distance) => {
                    assert_eq!((plies, winner), (usize::from(distance), Some(mover)), "{context}");
                }
                Value::Loss(distance) => {
                    let expected = (usize::from(distance), Some(mover.other()));
                    assert_eq!((plies, winner), expected, "{context}");
                }
                Value::Draw => assert_eq!(winner, None, "{context}"),
            }
        }
    }
}

/// Given only the outcomes, a search must agree with the tables.
#[test]
fn a_search_alone_agrees_with_the_tables() {
    for name in ["brandubh", "tablut", "ashton", "berkeley"] {
        let rules = rules(name);
        let tables = Tablebase::new(rules.as_ref().clone());
        for position in samples(&tables, 40) {
            let Ok(value) = tables.probe_dtw(&position) else { continue };
            let game = Game::from_position(Arc::clone(&rules), position).unwrap();
            let found = score(&mut without_tables(&rules), &game, Limits::depth(10));
            let context = position.to_text(&rules);
            match value {
                Value::Win(plies) | Value::Loss(plies) if plies <= 5 => {
                    assert_eq!(found, score_of(value), "{context}");
                }
                Value::Win(_) => assert!(!matches!(found, Score::Loss(_)), "{context}"),
                Value::Loss(_) => assert!(!matches!(found, Score::Win(_)), "{context}"),
                // The player who is not forced to repeat may win an undecided game.
                Value::Draw if name == "berkeley" => {}
                Value::Draw => assert!(matches!(found, Score::Estimate(_)), "{context}"),
            }
        }
    }
}

#[test]
fn a_move_that_would_draw_a_won_game_is_not_played() {
    let rules = rules("brandubh");
    let tables = Tablebase::new(rules.as_ref().clone());
    // A win in 7; earlier in the game, the defenders were in a position that the shortest win
    // passes through.
    let mut checked = 0;
    for position in samples(&tables, 400) {
        let Ok(Value::Win(plies @ 3..)) = tables.probe_dtw(&position) else { continue };
        let game = Game::from_position(Arc::clone(&rules), position).unwrap();
        let best = with_tables(&rules).best_move(&game, &Limits::depth(1)).unwrap();
        if let Some(mut shuffled) = shuffled(&tables, &game, &best) {
            let choice = with_tables(&rules).best_move(&shuffled, &Limits::depth(4)).unwrap();
            shuffled.play(&choice).unwrap();
            assert_ne!(shuffled.outcome(), Some(Outcome::drawn(Reason::Repetition)), "{plies}");
            let value = tables.probe_wdl(shuffled.position());
            assert!(shuffled.outcome().is_some() || value.is_ok_and(|wdl| wdl == Wdl::Loss));
            checked += 1;
        }
    }
    assert!(checked >= 3, "{checked} games");
}

/// Makes a game in which the best move from this position would repeat an earlier one, although
/// another move also wins: the winner plays there first, and both sides go back.
fn shuffled(tables: &Tablebase, game: &Game, best: &Move) -> Option<Game> {
    let rules = game.rules();
    let start = game.position();
    let others = tables.probe(start).ok()?;
    let wins = others.moves.iter().filter(|mv| mv.value.is_some_and(|v| v.wdl == Wdl::Win)).count();
    if wins < 2 || !best.is_quiet() {
        return None;
    }
    // Best move, reply, and both moves back: the position is then the start again. That does
    // not end this game, which began one ply later.
    let long = Game::from_position(Arc::clone(rules), start.after(best)).ok()?;
    for reply in legal_moves(rules, long.position()).into_iter().filter(Move::is_quiet) {
        let mut tried = long.clone();
        tried.play(&reply).unwrap();
        let back = |game: &Game, of: &Move| {
            taflbase::moves::find_move(rules, game.position(), of.to, of.from)
                .filter(Move::is_quiet)
        };
        if tried.outcome().is_some() {
            continue;
        }
        let Some(undo) = back(&tried, best) else { continue };
        tried.play(&undo).unwrap();
        if tried.outcome().is_some() {
            continue;
        }
        let Some(undo) = back(&tried, &reply) else { continue };
        tried.play(&undo).unwrap();
        if tried.outcome().is_none() && tried.position() == start {
            return Some(tried);
        }
    }
    None
}

#[test]
fn a_win_after_the_ply_limit_does_not_count() {
    let rules = rules("mcgill");
    let tables = Tablebase::new(rules.as_ref().clone());
    let position = samples(&tables, 500)
        .into_iter()
        .find(|position| matches!(tables.probe_dtw(position), Ok(Value::Win(5..))))
        .unwrap();
    let Ok(Value::Win(plies)) = tables.probe_dtw(&position) else { unreachable!() };
    for (limit, wins) in [(u32::from(plies), true), (u32::from(plies) - 1, false)] {
        let limited = Arc::new(with_limit(limit));
        let game = Game::from_position(Arc::clone(&limited), position).unwrap();
        for mut engine in [with_tables(&limited), without_tables(&limited)] {
            let found = score(&mut engine, &game, Limits::depth(u32::from(plies) + 3));
            assert_eq!(found == Score::Win(plies), wins, "{limit} plies: {found}");
            assert!(wins || matches!(found, Score::Estimate(_)), "{limit} plies: {found}");
        }
    }
}

/// McGill's rules with another ply limit.
fn with_limit(plies: u32) -> Ruleset {
    let text = include_str!("../../src/game/rules/builtin/mcgill.toml");
    let text = text.replace("ply-limit = 100", &format!("ply-limit = {plies}"));
    Ruleset::from_toml(&text, "limited").unwrap()
}

/// Where every move leads to the last ply, the score is that of a draw, for either side.
#[test]
fn contempt_lowers_the_score_of_a_draw() {
    for limit in [1, 2, 3] {
        let rules = Arc::new(with_limit(limit));
        let start = Game::new(Arc::clone(&rules)).unwrap();
        for contempt in [0, 70, -30] {
            let options = EngineOptions { contempt, tables: None, ..options(&rules) };
            let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
            let found = score(&mut engine, &start, Limits::depth(5));
            assert_eq!(found, Score::Estimate(-contempt), "{limit} plies");
        }
    }
}

#[test]
fn every_move_is_legal_and_in_time() {
    for name in Ruleset::builtin_names() {
        let rules = rules(name);
        let mut game = Game::new(Arc::clone(&rules)).unwrap();
        let mut engine = with_tables(&rules);
        for _ in 0..4 {
            let time = Duration::from_millis(30);
            let began = Instant::now();
            let best = engine.best_move(&game, &Limits::time(time)).unwrap();
            // The limit is generous, for a busy machine; without one the search would not end.
            assert!(began.elapsed() < Duration::from_secs(5), "{name}");
            assert!(legal_moves(&rules, game.position()).contains(&best), "{name}");
            game.play(&best).unwrap();
        }
    }
}

#[test]
fn a_search_is_stopped_from_another_thread() {
    let rules = rules("ashton");
    let game = Game::new(Arc::clone(&rules)).unwrap();
    let mut engine = with_tables(&rules);
    let stopper = engine.stopper();
    let mut iterations = 0;
    let found = std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel();
        scope.spawn(move || {
            receiver.recv().unwrap();
            stopper.stop();
        });
        engine.search(&game, Limits::default(), &mut |_| {
            iterations += 1;
            // Only the first iteration is reported to the other thread.
            let _ = sender.send(());
        })
    });
    assert!(iterations >= 1 && !found.unwrap().lines[0].moves.is_empty());
}

#[test]
fn one_thread_is_deterministic_and_more_are_sound() {
    let rules = rules("brandubh");
    let game = Game::new(Arc::clone(&rules)).unwrap();
    let search = |threads: usize| {
        let threads = threads.try_into().unwrap();
        let options = EngineOptions { threads, ..options(&rules) };
        let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
        let found = engine.search(&game, Limits::depth(7), &mut |_| {}).unwrap();
        (found.nodes, found.lines[0].moves.clone())
    };
    assert_eq!(search(1), search(1));
    let (nodes, line) = search(3);
    assert!(nodes > 0 && legal_moves(&rules, game.position()).contains(&line[0]));
}

#[test]
fn several_lines_differ_in_their_first_moves() {
    let rules = rules("brandubh");
    let game = Game::new(Arc::clone(&rules)).unwrap();
    let mut engine = Engine::new(Arc::clone(&rules), options(&rules)).unwrap();
    let request = SearchRequest { lines: 4.try_into().unwrap(), ..Limits::depth(5).into() };
    let found = engine.search(&game, request, &mut |_| {}).unwrap();
    let mut first: Vec<_> =
        found.lines.iter().map(|line| (line.moves[0].from, line.moves[0].to)).collect();
    first.sort();
    first.dedup();
    assert_eq!(first.len(), 4);
}

/// Under a ply limit the search ends where the tables have a distance; the line does not.
#[test]
fn lines_under_a_ply_limit_go_on_in_the_tables() {
    let mcgill = rules("mcgill");
    let mut engine = with_tables(&mcgill);
    let mut decided = 0;
    for text in ["/9/5t3/9/9/1K1t5/8t/6T2/9/9/ d", "/3t5/8t/1K7/9/9/9/8T/9/7t1/ d"] {
        let lines = 4.try_into().unwrap();
        let request = SearchRequest { lines, ..Limits::nodes(3000).into() };
        let found = engine.search(&game(&mcgill, text), request, &mut |_| {}).unwrap();
        for line in &found.lines {
            if let Score::Win(plies) | Score::Loss(plies) = line.score {
                assert_eq!(line.moves.len(), usize::from(plies), "{line:?}");
                assert!(line.moves.last().unwrap().ending.is_some(), "{line:?}");
                decided += 1;
            }
        }
    }
    assert!(decided >= 2, "{decided}");
}

#[test]
fn finished_games_and_other_rules_are_refused() {
    let brandubh = rules("brandubh");
    let mut over = game(&brandubh, "/7/4t2/7/7/2K4/7/2t4/ d");
    played(&mut over, "Kc5-c1 e2-e1 Kc1-a1");
    let mut engine = with_tables(&brandubh);
    assert_eq!(engine.best_move(&over, &Limits::depth(1)), Err(EngineError::GameOver));
    let ashton = Game::new(rules("ashton")).unwrap();
    assert_eq!(engine.best_move(&ashton, &Limits::depth(1)), Err(EngineError::OtherRules));
    // The same values, but other games.
    let (tablut, mcgill) = (rules("tablut"), rules("mcgill"));
    assert_eq!(tablut.fingerprint(), mcgill.fingerprint());
    assert!(!tablut.is_same_game_as(&mcgill) && tablut.is_same_game_as(&rules("tablut")));
    let game = Game::new(mcgill).unwrap();
    let refused = with_tables(&tablut).best_move(&game, &Limits::depth(1));
    assert_eq!(refused, Err(EngineError::OtherRules));
}

/// `protocols.md` names these games: the move before the engine's is a mistake.
#[test]
fn a_side_that_must_not_repeat_finds_the_win() {
    let rules = rules("berkeley");
    for (text, winner) in [
        ("/2t6/4t4/T4t3/3T1t3/1TK3Ttt/3T1t1Tt/9/4t4/4t4/ a", Side::Defenders),
        ("/8t/4t4/4T2tt/t2tKt3/3t1t3/t3t1t2/1t7/T1t6/1t7/ d", Side::Attackers),
    ] {
        let game = game(&rules, text);
        let mover = game.position().to_move;
        let expected = if mover == winner { Score::Win(5) } else { Score::Loss(4) };
        assert_eq!(score(&mut without_tables(&rules), &game, Limits::depth(8)), expected, "{text}");
    }
}

/// The embedded tables have only outcomes for five soldiers, and nothing for six.
#[test]
fn a_win_of_wdl_tables_has_no_distance() {
    let rules = rules("brandubh");
    let tables = Tablebase::new(rules.as_ref().clone());
    for soldiers in [5, 6] {
        let (mut won, mut lost) = (0, 0);
        for position in samples_of(&tables, 60, soldiers..=soldiers) {
            let known = tables.probe_wdl(&position).ok();
            let game = Game::from_position(Arc::clone(&rules), position).unwrap();
            let found = score(&mut with_tables(&rules), &game, Limits::depth(4));
            let meant = match found {
                Score::TableWin | Score::Win(_) => Wdl::Win,
                Score::TableLoss | Score::Loss(_) => Wdl::Loss,
                // This engine has no proofs.
                Score::Estimate(_) | Score::ProvedWin | Score::ProvedLoss => Wdl::Draw,
            };
            if let Some(known) = known {
                assert_eq!(meant, known, "{found}: {}", position.to_text(&rules));
            }
            won += usize::from(found == Score::TableWin);
            lost += usize::from(found == Score::TableLoss);
        }
        assert!(won + lost > 0, "{soldiers} soldiers");
    }
}

/// The king goes to and fro for ever, which the attackers win unless a ply limit ends the game.
#[test]
fn endless_play_that_the_attackers_win_is_lost_for_the_defenders() {
    let text = include_str!("../../src/game/rules/builtin/copenhagen.toml");
    let limited = Ruleset::from_toml(&format!("ply-limit = 100\n{text}"), "limited").unwrap();
    for (rules, is_lost) in [(rules("copenhagen"), true), (Arc::new(limited), false)] {
        let tables = Tablebase::new(Ruleset::load("copenhagen").unwrap());
        let options = EngineOptions { tables: Some(Arc::new(tables)), ..options(&rules) };
        let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
        let game = game(&rules, "/2t1K3t2/4t6/11/11/11/11/11/11/11/11/11/ d");
        let found = score(&mut engine, &game, Limits::nodes(2000));
        assert_eq!(found == Score::TableLoss, is_lost, "{found}");
    }
}

#[test]
fn a_cleared_engine_searches_like_a_new_one() {
    let rules = rules("brandubh");
    let game = Game::new(Arc::clone(&rules)).unwrap();
    let mut engine = without_tables(&rules);
    let nodes =
        |engine: &mut Engine| engine.search(&game, Limits::depth(6), &mut |_| {}).unwrap().nodes;
    let first = nodes(&mut engine);
    assert_ne!(nodes(&mut engine), first);
    engine.clear();
    assert_eq!(nodes(&mut engine), first);
}

#[test]
fn a_move_leaves_time_for_later_moves() {
    let millis = Duration::from_millis;
    let clock = |left, increment| Clock::Game { left: millis(left), increment: millis(increment) };
    for (clock, expected) in [
        (Clock::PerMove(millis(5000)), 4900),
        (Clock::PerMove(millis(50)), 1),
        (clock(60_000, 0), 2400),
        (clock(60_000, 1000), 3150),
        // The increment is added only after this move.
        (clock(1000, 10_000), 700),
        (clock(0, 10_000), 1),
    ] {
        assert_eq!(clock.limits(millis(100)), Limits::time(millis(expected)), "{clock:?}");
    }
    let endless = Clock::Game { left: Duration::MAX, increment: Duration::MAX };
    assert!(endless.limits(millis(100)).time > Some(millis(u64::from(u32::MAX))));
    assert_eq!(Clock::Nodes(7).limits(millis(100)), Limits::nodes(7));
    assert_eq!(Clock::Depth(7).limits(millis(100)), Limits::depth(7));
}

#[test]
fn an_engine_does_not_exceed_the_free_memory() {
    let rules = rules("brandubh");
    let options = EngineOptions { table_bytes: usize::MAX, ..options(&rules) };
    let refused = Engine::new(rules, options).err();
    assert_eq!(refused, Some(EngineError::Memory { bytes: usize::MAX }));
    let message = refused.unwrap().to_string();
    assert!(message.contains("MiB") && message.contains("use a smaller one"), "{message}");
}

#[test]
fn lines_that_were_not_searched_are_not_reported() {
    let rules = rules("alea-evangelii");
    let options = EngineOptions { tables: None, ..options(&rules) };
    let game = Game::new(Arc::clone(&rules)).unwrap();
    for nodes in [1, 150, 400] {
        let mut engine = Engine::new(Arc::clone(&rules), options.clone()).unwrap();
        let request = SearchRequest { lines: 8.try_into().unwrap(), ..Limits::nodes(nodes).into() };
        let found = engine.search(&game, request, &mut |_| {}).unwrap();
        let estimates = found.lines.iter().map(|line| match line.score {
            Score::Estimate(estimate) => estimate,
            ref score => panic!("{score}"),
        });
        let estimates: Vec<_> = estimates.collect();
        assert!(!estimates.is_empty() && estimates.len() < 8, "{estimates:?}");
        assert!(estimates.is_sorted_by(|one, next| one >= next), "{estimates:?}");
    }
}

#[test]
fn a_stop_before_a_search_ends_it_and_no_other() {
    let rules = rules("brandubh");
    let game = Game::new(Arc::clone(&rules)).unwrap();
    let options = EngineOptions { tables: None, ..options(&rules) };
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let stopper = engine.stopper();
    stopper.stop();
    let begun = Instant::now();
    let found = engine.search(&game, Limits::nodes(50_000_000), &mut |_| {}).unwrap();
    assert!(found.nodes < 5000 && begun.elapsed() < Duration::from_secs(5), "{}", found.nodes);
    let found = engine.search(&game, Limits::nodes(20_000), &mut |_| {}).unwrap();
    assert!(found.nodes >= 20_000);
    // A stop is withdrawn once it is not needed.
    stopper.stop();
    stopper.reset();
    let found = engine.search(&game, Limits::nodes(20_000), &mut |_| {}).unwrap();
    assert!(found.nodes >= 20_000);
}

#[test]
fn tables_and_positions_of_other_rules_are_refused() {
    let (brandubh, tablut) = (rules("brandubh"), rules("tablut"));
    let tables = Arc::new(Tablebase::new(Ruleset::clone(&tablut)));
    let options = EngineOptions { tables: Some(tables), ..options(&brandubh) };
    let error = Engine::new(Arc::clone(&brandubh), options).err().unwrap();
    assert!(matches!(error, EngineError::OtherTables { .. }));
    assert!(error.to_string().starts_with("the tables of tablut do not hold for brandubh"));
    let weights = Some(Weights::of(&tablut));
    let options = EngineOptions { weights, ..EngineOptions::new(&brandubh) };
    let error = Engine::new(Arc::clone(&brandubh), options).err().unwrap();
    assert!(error.to_string().starts_with("these weights are not for the board of brandubh"));
    // mcgill is tablut with a ply limit, which does not matter to tables.
    let tables = Some(Arc::new(Tablebase::new(Ruleset::clone(&tablut))));
    let mcgill = rules("mcgill");
    let options = EngineOptions { tables, ..EngineOptions::new(&mcgill) };
    assert!(Engine::new(mcgill, options).is_ok());

    let position = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &brandubh).unwrap();
    let tables = Tablebase::new(Ruleset::clone(&tablut));
    let error = tables.probe_wdl(&position).unwrap_err();
    assert!(error.to_string().starts_with("the position belongs to other rules than tablut"));
    assert!(tables.probe(&position).is_err() && tables.probe_many(&[position])[0].is_err());
    assert!(Game::from_position(tablut, position).is_err());
}

#[test]
fn a_search_is_restricted_to_its_root_moves() {
    let rules = rules("brandubh");
    let game = Game::new(Arc::clone(&rules)).unwrap();
    let mut engine = Engine::new(Arc::clone(&rules), options(&rules)).unwrap();
    let moves = legal_moves(&rules, game.position());
    let root_moves = [moves[7], moves[3]];
    let lines = 4.try_into().unwrap();
    let request = SearchRequest { lines, root_moves: &root_moves, ..Limits::depth(4).into() };
    let found = engine.search(&game, request, &mut |_| {}).unwrap();
    assert_eq!(found.lines.len(), 2);
    assert!(found.lines.iter().all(|line| root_moves.contains(&line.moves[0])));
    // This also applies to moves in the tables: here the quickest win is excluded.
    let mut won = self::game(&rules, "/7/4t2/7/7/2K4/7/2t4/ d");
    let slower = parse_move(&rules, won.position(), "Kc5-c2").unwrap();
    let request = SearchRequest { root_moves: &[slower], ..Limits::depth(4).into() };
    let found = engine.search(&won, request, &mut |_| {}).unwrap();
    assert_eq!((found.lines[0].score, found.lines[0].moves[0]), (Score::Win(5), slower));
    won.play(&slower).unwrap();
    let request = SearchRequest { root_moves: &[slower], ..Limits::depth(4).into() };
    let refused = engine.search(&won, request, &mut |_| {});
    assert_eq!(refused, Err(EngineError::IllegalMove { text: "Kc5-c2".to_owned() }));
}

#[test]
fn the_line_of_a_win_continues_to_its_end() {
    let rules = rules("brandubh");
    let options = EngineOptions { tables: None, ..options(&rules) };
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let game = game(&rules, "/7/4t2/7/7/2K4/7/2t4/ d");
    let found = engine.search(&game, Limits::depth(6), &mut |_| {}).unwrap();
    assert_eq!((found.lines[0].score, found.lines[0].moves.len()), (Score::Win(3), 3));
    assert!(found.lines[0].moves[2].ending.is_some());
}

/// However little a search may look at: the moves that win at once come before all others.
#[test]
fn a_move_that_wins_at_once_needs_no_search() {
    for (name, position, expected) in [
        ("sea-battle-9", "/4tt3/T6t1/1t2K4/t2t5/ttT2TTtt/t8/4T4/3Tt1t2/2Tttt3/ d", "Ke3-i3--"),
        ("brandubh", "/7/4t2/7/7/tK5/7/2t4/ a", "c7-c5++"),
    ] {
        let rules = rules(name);
        let game = game(&rules, position);
        let found = without_tables(&rules).search(&game, Limits::nodes(1), &mut |_| {}).unwrap();
        assert_eq!(found.lines[0].score, Score::Win(1), "{name}");
        let moves = found.lines[0].moves.iter().map(|played| played.display(rules.board));
        assert_eq!(moves.map(|text| text.to_string()).collect::<Vec<_>>(), [expected], "{name}");
    }
}

/// A search that ends at once plays what the one before expected.
#[test]
fn an_earlier_search_says_which_move_comes_first() {
    for (name, position) in [
        ("saami-tablut", "/t4t3/4t4/t5T2/tT2T1t2/t1t2K1Tt/1t2TtT1t/9/2T1T1tt1/3tt4/ d"),
        ("brandubh", "/3t3/4t2/3T3/t6/4K1t/1t3T1/4T2/ d"),
    ] {
        let rules = rules(name);
        let mut game = game(&rules, position);
        let mut engine = without_tables(&rules);
        let found = engine.search(&game, Limits::nodes(2000), &mut |_| {}).unwrap();
        let line = &found.lines[0];
        assert!(matches!(line.score, Score::Win(5 | 7)), "{name}: {:?}", line.score);
        line.moves[..2].iter().for_each(|played| game.play(played).unwrap());
        let then = engine.search(&game, Limits::nodes(1), &mut |_| {}).unwrap();
        assert_eq!(then.lines[0].moves, line.moves[2..3], "{name}");
        engine.clear();
        let forgotten = engine.search(&game, Limits::nodes(1), &mut |_| {}).unwrap();
        assert_ne!(forgotten.lines[0].moves, line.moves[2..3], "{name}");
    }
}

/// With contempt, a search for one side forgets the transposition table of the other's.
#[test]
fn an_announced_line_is_remembered() {
    let rules = rules("brandubh");
    let mut game = game(&rules, "/3t3/4t2/3T3/t6/4K1t/1t3T1/4T2/ d");
    let options = EngineOptions { contempt: 20, tables: None, ..options(&rules) };
    let mut engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let found = engine.search(&game, Limits::nodes(2000), &mut |_| {}).unwrap();
    for pair in found.lines[0].moves.windows(2) {
        game.play(&pair[0]).unwrap();
        let then = engine.search(&game, Limits::nodes(1), &mut |_| {}).unwrap();
        let follows = then.lines[0].moves[0] == pair[1];
        assert!(follows || game.position().to_move == Side::Attackers, "{then:?}");
    }
}

/// In games that follow the line of the win, and in one that does not. Without the earlier search the
/// same nodes do not suffice.
#[test]
fn an_announced_win_is_proved_again_first() {
    for (name, position, plies, moves) in [
        (
            "saami-tablut",
            "/1t7/9/4T2t1/6T1t/tt1tK1T1t/tT1T3Tt/2t2t3/4T4/t3tt3/ d",
            5,
            "e3-f3 b1-e1",
        ),
        ("ashton", "/T2t5/6T2/1t7/t3T3t/tt1K1T2t/t3Tt3/7Tt/2TTt4/3ttt3/ d", 7, "Kd5-d3 i4-i3"),
        ("brandubh", "/3t3/4t2/3T3/t6/4K1t/1t3T1/4T2/ d", 7, "e7-c7 b6-e6"),
        ("brandubh", "/4T2/7/2t3T/t1K4/T3t2/2T4/7/ d", 7, "c6-f6 e5-c5"),
    ] {
        let rules = rules(name);
        let mut game = game(&rules, position);
        let mut engine = without_tables(&rules);
        let nodes = Limits::nodes(600);
        assert_eq!(score(&mut engine, &game, nodes), Score::Win(plies), "{moves}");
        played(&mut game, moves);
        let is_in_time = |score| matches!(score, Score::Win(left) if left + 2 <= plies);
        let again = score(&mut engine, &game, nodes);
        assert!(is_in_time(again), "{name} {moves}: {again}");
        let alone = score(&mut without_tables(&rules), &game, nodes);
        assert!(!is_in_time(alone), "{name} {moves}: {alone}");
    }
}
