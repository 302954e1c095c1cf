//! What the engine does with proved positions, which a table of made-up proofs stands for.

use std::collections::HashMap;
use std::sync::Arc;

use taflbase::engine::{Engine, EngineOptions, Iteration, Limits, ProvedPositions, Score};
use taflbase::history::Game;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::value::{Wdl, WdlBounds};
use taflbase::{Position, Ruleset, Side};

/// Proofs as a test wants them.
#[derive(Debug)]
struct Proofs {
    rules: Ruleset,
    bounds: HashMap<String, WdlBounds>,
    winning: HashMap<String, Move>,
    orders: HashMap<String, u64>,
}

impl Proofs {
    fn new(rules: &Ruleset) -> Proofs {
        let (bounds, winning, orders) = (HashMap::new(), HashMap::new(), HashMap::new());
        Proofs { rules: rules.clone(), bounds, winning, orders }
    }

    fn text(&self, position: &Position) -> String {
        position.to_text(&self.rules)
    }
}

impl ProvedPositions for Proofs {
    fn rules(&self) -> &Ruleset {
        &self.rules
    }

    fn bounds(&self, position: &Position) -> WdlBounds {
        let known = self.bounds.get(&self.text(position));
        known.copied().unwrap_or(WdlBounds::UNKNOWN)
    }

    fn winning_move(&self, position: &Position) -> Option<Move> {
        self.winning.get(&self.text(position)).copied()
    }

    fn order(&self, position: &Position, _: Side) -> Option<u64> {
        self.orders.get(&self.text(position)).copied()
    }
}

fn searched(game: &Game, proofs: Proofs) -> Iteration {
    let rules = Arc::clone(game.rules());
    let options = EngineOptions {
        table_bytes: 1 << 20,
        proofs: Some(Arc::new(proofs)),
        ..EngineOptions::new(&rules)
    };
    Engine::new(rules, options).unwrap().search(game, Limits::nodes(2000), &mut |_| {}).unwrap()
}

/// A game of brandubh after these moves.
fn game(moves: &[&str]) -> Game {
    let mut game = Game::new(Arc::new(Ruleset::builtin("brandubh").unwrap())).unwrap();
    for text in moves {
        let played = parse_move(game.rules(), game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
    game
}

/// Proofs of the bounds of positions after moves, for the side that plays these.
fn after_moves(game: &Game, bounds: impl Fn(usize) -> WdlBounds) -> Proofs {
    let mut proofs = Proofs::new(game.rules());
    for (number, played) in legal_moves(game.rules(), game.position()).iter().enumerate() {
        let text = proofs.text(&game.position().after(played));
        proofs.bounds.insert(text, -bounds(number));
    }
    proofs
}

/// A proved win is claimed unless an earlier position may occur again on its way.
#[test]
fn a_proved_win_is_claimed_if_its_way_is_free() {
    for (order_of_start, is_claimed) in [(None, true), (Some(9), true), (Some(3), false)] {
        let game = game(&["d1-c1", "d3-c3"]);
        let proofs = || {
            let mut proofs = Proofs::new(game.rules());
            let played = legal_moves(game.rules(), game.position())[7];
            proofs.winning.insert(proofs.text(game.position()), played);
            proofs.orders.insert(proofs.text(game.position()), 5);
            let start = proofs.text(&game.positions()[0]);
            proofs.orders.extend(order_of_start.map(|order| (start, order)));
            proofs
        };
        let expected = proofs().winning_move(game.position()).unwrap();
        let found = searched(&game, proofs());
        let best = &found.lines[0];
        assert_eq!(best.score == Score::ProvedWin, is_claimed, "{order_of_start:?}: {best:?}");
        assert!(!is_claimed || best.moves[0] == expected, "{order_of_start:?}");
    }
}

#[test]
fn only_moves_that_keep_the_win_are_played() {
    let game = game(&[]);
    let win = |number| match number {
        5 => WdlBounds::exactly(Wdl::Win),
        _ => WdlBounds::UNKNOWN,
    };
    let found = searched(&game, after_moves(&game, win));
    let expected = legal_moves(game.rules(), game.position())[5];
    assert_eq!((found.lines[0].score, found.lines[0].moves[0]), (Score::ProvedWin, expected));
}

/// Whichever of the winning moves comes first, and however little a search may look at.
#[test]
fn a_win_at_once_comes_before_a_proved_one() {
    let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
    let position = Position::parse("/7/T3t2/7/7/K6/7/2t4/ d", &rules).unwrap();
    let game = Game::from_position(Arc::clone(&rules), position).unwrap();
    let escape = parse_move(&rules, &position, "a5-a7").unwrap();
    assert_ne!(legal_moves(&rules, &position)[0], escape);
    let proofs = after_moves(&game, |_| WdlBounds::exactly(Wdl::Win));
    let options = EngineOptions {
        tables: None,
        proofs: Some(Arc::new(proofs)),
        ..EngineOptions::new(&rules)
    };
    let mut engine = Engine::new(rules, options).unwrap();
    let found = engine.search(&game, Limits::nodes(1), &mut |_| {}).unwrap();
    assert_eq!((found.lines[0].score, found.lines[0].moves[0]), (Score::Win(1), escape));
}

#[test]
fn a_proved_loss_is_avoided_while_another_move_is_open() {
    let game = game(&[]);
    let losses = |number| match number {
        5 => WdlBounds::UNKNOWN,
        _ => WdlBounds::exactly(Wdl::Loss),
    };
    let found = searched(&game, after_moves(&game, losses));
    let open = legal_moves(game.rules(), game.position())[5];
    assert_eq!(found.lines[0].moves[0], open);
    assert!(matches!(found.lines[0].score, Score::Estimate(_)), "{:?}", found.lines);
    let all = searched(&game, after_moves(&game, |_| WdlBounds::exactly(Wdl::Loss)));
    assert_eq!(all.lines[0].score, Score::ProvedLoss);
    assert!(all.nodes > 100, "the best defence is searched");
}

#[test]
fn a_proved_draw_is_kept() {
    let game = game(&[]);
    let draws = |number| match number {
        5 => WdlBounds::exactly(Wdl::Draw),
        _ => WdlBounds { at_least: Wdl::Loss, at_most: Wdl::Draw },
    };
    let found = searched(&game, after_moves(&game, draws));
    let kept = legal_moves(game.rules(), game.position())[5];
    assert_eq!((found.lines[0].moves[0], found.lines[0].score), (kept, Score::Estimate(0)));
}

#[test]
fn proofs_of_other_rules_are_refused() {
    let rules = Arc::new(Ruleset::builtin("tablut").unwrap());
    let proofs: Arc<dyn ProvedPositions> =
        Arc::new(Proofs::new(&Ruleset::builtin("brandubh").unwrap()));
    let options = EngineOptions { proofs: Some(proofs), ..EngineOptions::new(&rules) };
    let refused = Engine::new(rules, options).err().map(|error| error.to_string());
    assert!(refused.is_some_and(|text| text.contains("brandubh") && text.contains("tablut")));
}
