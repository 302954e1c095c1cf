//! The same tests through the OpenTafl protocol and HTTP.

use std::io::{BufRead, BufReader, Write, pipe};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value as Json, json};
use taflbase::engine::Limits;
use taflbase::moves::Move;
use taflbase::notation::parse_move;
use taflbase::protocol::SessionOptions;
use taflbase::protocol::otep::Session;
use taflbase::random::SeededRng;
use taflbase::serve::{AppState, ServeOptions, router};
use taflbase::value::Value;
use taflbase::{Game, Position, Ruleset, Side, Tablebase};
use tower::ServiceExt;

use super::truth::Truth;
use super::{RULES, tables_of};
use crate::shuffled::{context, game, rules};

/// Checks a claim that `winner` wins within this many plies by a line that begins with this
/// move. The first line's claim is about the position.
fn holds(tables: &Tablebase, game: &Game, played: &Move, winner: Side, plies: u32, number: usize) {
    let mover = game.position().to_move;
    let mut truth = Truth::new(tables, 50_000);
    let holds = if number == 0 && winner != mover {
        truth.loses(&mut game.clone(), plies)
    } else {
        let mut then = game.clone();
        then.play(played).unwrap();
        truth.has_won(&mut then, winner, plies - 1)
    };
    let (text, context) = (played.display(game.rules().board), context(game));
    let word = format!("{text}: the {} win in {plies}", winner.name());
    assert!(!matches!(holds, Ok(false)), "{word} after {context}");
}

/// Checks the `analysis` lines of the protocol in games with a history.
#[test]
fn through_the_open_tafl_protocol() {
    let (top, end) = RULES[0];
    let rules = rules(top, end);
    let record = rules.to_otn(&Position::start(&rules).unwrap()).unwrap();
    // The protocol's notation expresses repetition rules in its own way.
    let rules = Arc::new(Ruleset::from_otn(&record).unwrap());
    let tables = Tablebase::open(Ruleset::clone(&rules), tables_of(end)).unwrap();
    for with_tables in [None, Some(PathBuf::from(tables_of(end)))] {
        let options = SessionOptions {
            threads: NonZeroUsize::MIN,
            table_bytes: 1 << 20,
            contempt: 0,
            limits: Limits::nodes(1000),
            tables: with_tables,
            proofs: Vec::new(),
        };
        let (reader, mut input) = pipe().unwrap();
        let (output, writer) = pipe().unwrap();
        let session = thread::spawn(move || Session::new(options).run(reader, writer).unwrap());
        let mut lines = BufReader::new(output).lines().map(Result::unwrap);
        let mut random = SeededRng::new(8);
        let (mut games, mut wins, mut losses) = (0, 0, 0);
        while wins + losses < 300 {
            let Some(game) = game(&rules, &mut random) else { continue };
            let board = rules.board;
            let start = &game.positions()[0];
            // The session compares rules with all built-in ones, which takes longer than a search.
            // A board keeps the engine, too, with what it has stored in other games.
            if games % 8 == 0 {
                writeln!(input, "rules {}", rules.to_otn(start).unwrap()).unwrap();
            } else {
                let text = start.to_text(&rules);
                let side = start.to_move.name();
                writeln!(input, "position {}", text.split(' ').next().unwrap()).unwrap();
                writeln!(input, "side {side}").unwrap();
            }
            for played in game.moves() {
                writeln!(input, "opponent-move {}", played.display(board)).unwrap();
            }
            writeln!(input, "analyze 2 0").unwrap();
            games += 1;
            let found = lines.find(|line| {
                assert!(!line.starts_with("error "), "{line} after {}", context(&game));
                line.starts_with("analysis ")
            });
            let found = found.unwrap();
            let words: Vec<&str> = found.split(' ').skip(2).collect();
            for (number, line) in words.chunks(2).enumerate() {
                let value: f64 = line[1].parse().unwrap();
                if value.abs() < 700.0 {
                    continue;
                }
                let winner = if value > 0.0 { Side::Attackers } else { Side::Defenders };
                let plies = (1000.0 - value.abs()).round() as u32;
                let first = line[0].split('|').next().unwrap();
                let played = parse_move(&rules, game.position(), first).unwrap();
                holds(&tables, &game, &played, winner, plies, number);
                let is_win = winner == game.position().to_move;
                *if is_win { &mut wins } else { &mut losses } += 1;
            }
        }
        assert!(wins > 20 && losses > 20, "{wins} and {losses}");
        drop(input);
        session.join().unwrap();
    }
}

/// Checks the explorer's analysis of positions, and its replies in games that are lost by the
/// tables but drawn by their history.
#[tokio::test]
async fn through_http() {
    let (top, end) = RULES[0];
    let rules = rules(top, end);
    let tables = Tablebase::open(Ruleset::clone(&rules), tables_of(end)).unwrap();
    for folder in [None, Some(tables_of(end))] {
        let options =
            ServeOptions { search_time: Duration::from_millis(5), ..ServeOptions::default() };
        let site = AppState::open(vec![Ruleset::clone(&rules)], folder, options).unwrap();
        let router = router(Arc::new(site));
        let text = async |request: Request<Body>| {
            let response = router.clone().oneshot(request).await.unwrap();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            String::from_utf8(body.to_vec()).unwrap()
        };
        let mut random = SeededRng::new(9);
        let (mut claims, mut saved) = (0, 0);
        for _ in 0..1500 {
            let Some(game) = game(&rules, &mut random) else { continue };
            let here = Game::from_position(Arc::clone(&rules), *game.position()).unwrap();
            if claims < 400 {
                let position = here.position().to_text(&rules).replace(' ', "_");
                let path =
                    format!("/api/v1/rulesets/{}/analysis?position={position}&lines=2", rules.name);
                let events = text(Request::get(path).body(Body::empty()).unwrap()).await;
                for data in events.lines().filter_map(|line| line.strip_prefix("data: ")) {
                    claims += check_claims(&tables, &here, &serde_json::from_str(data).unwrap());
                }
            }
            if folder.is_some() && is_saved(&tables, &game) {
                let moves: Vec<String> =
                    game.moves().iter().map(|mv| mv.display(rules.board).to_string()).collect();
                let start = game.positions()[0].to_text(&rules);
                let sent = json!({"position": start, "moves": moves, "level": "strongest"});
                let path = format!("/api/v1/rulesets/{}/reply", rules.name);
                let request = Request::post(path).header("content-type", "application/json");
                let answer = text(request.body(Body::from(sent.to_string())).unwrap()).await;
                let answer: Json = serde_json::from_str(&answer).unwrap();
                let reply = answer["move"].as_str().unwrap();
                let played = parse_move(&rules, game.position(), reply).unwrap();
                let mut then = game.clone();
                then.play(&played).unwrap();
                let winner = game.position().to_move.other();
                let lost = Truth::new(&tables, 200_000).has_won(&mut then, winner, 60);
                assert!(matches!(lost, Ok(false)), "{reply} after {}", context(&game));
                saved += 1;
            }
        }
        assert!(claims > 200, "{claims}");
        assert_eq!(saved > 0, folder.is_some(), "{saved}");
    }
}

/// Checks the wins and losses of an iteration and returns their number.
fn check_claims(tables: &Tablebase, game: &Game, iteration: &Json) -> u32 {
    let mut count = 0;
    let lines = iteration["lines"].as_array().into_iter().flatten();
    for (number, line) in lines.enumerate() {
        let (Some(category), Some(plies)) = (line["category"].as_str(), line["plies"].as_u64())
        else {
            continue;
        };
        let mover = game.position().to_move;
        let winner = if category == "win" { mover } else { mover.other() };
        let first = line["moves"][0].as_str().unwrap();
        let played = parse_move(game.rules(), game.position(), first).unwrap();
        holds(tables, game, &played, winner, plies as u32, number);
        count += 1;
    }
    count
}

/// Returns whether the game is lost by the tables, but not with its history.
fn is_saved(tables: &Tablebase, game: &Game) -> bool {
    matches!(tables.probe_dtw(game.position()), Ok(Value::Loss(_)))
        && matches!(Truth::new(tables, 20_000).loses(&mut game.clone(), 60), Ok(false))
}
