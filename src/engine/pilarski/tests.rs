use std::sync::Arc;

use crate::engine::board_tables::BoardTables;
use crate::engine::state::{State, Step};
use crate::engine::{Clock, Player};
use crate::game::board::Square;
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::value::Value;
use crate::system::random::SeededRng;
use crate::tablebase::Tablebase;

use super::heuristic::{capturable, greedy_steps, score};
use super::paths::Paths;
use super::{Definitions, Heuristic, Method, MonteCarlo, PilarskiPlayer};

/// A position of McGill's Tablut, as the players see it.
struct Scene {
    board: BoardTables<2>,
    paths: Paths<2>,
    state: State<2>,
}

fn rules() -> Arc<Ruleset> {
    Arc::new(Ruleset::builtin("mcgill").unwrap())
}

fn scene(text: &str) -> Scene {
    let rules = rules();
    let board = BoardTables::new(&rules);
    let state = State::new(&board, &Position::parse(text, &rules).unwrap());
    Scene { paths: Paths::new(&board), board, state }
}

fn square(name: &str) -> usize {
    rules().board.parse(name).unwrap().index()
}

fn step(text: &str) -> Step {
    let (from, to) = text.split_once('-').unwrap();
    Step::new(square(from), square(to))
}

impl Scene {
    fn has_path(&self) -> bool {
        self.paths.has_path(&self.board, &self.state)
    }

    fn score(&mut self, text: &str) -> i32 {
        self.score_as(Heuristic::default(), text)
    }

    fn score_as(&mut self, heuristic: Heuristic, text: &str) -> i32 {
        score(heuristic, &self.board, &self.paths, &mut self.state, step(text))
    }
}

// The king on e3 can go to e2 and e1 only.

#[test]
fn a_clear_edge_is_a_path() {
    // Attackers in the files b and h could close either way to a corner, but not both.
    assert!(scene("/9/9/3tKt3/1t2t2t1/9/9/9/9/9/ d").has_path());
    assert!(!scene("/1t5t1/9/3tKt3/4t4/9/9/9/9/9/ d").has_path());
    // Not even a defender may stand on it.
    assert!(!scene("/1T5T1/9/3tKt3/4t4/9/9/9/9/9/ d").has_path());
}

#[test]
fn a_safe_edge_is_a_path() {
    // b1 is occupied; of the files to the other corner, f, g and h, all are free.
    assert!(scene("/1T7/9/3tKT3/4t4/9/9/9/9/9/ d").has_path());
    assert!(!scene("/1T7/9/3tKT3/4t4/6t2/9/9/9/9/ d").has_path());
    // Defenders there do no harm, but a man on the edge itself does.
    assert!(scene("/1T7/9/3tKT3/4t4/6T2/9/9/9/9/ d").has_path());
    assert!(!scene("/1T5T1/9/3tKT3/4t4/9/9/9/9/9/ d").has_path());
}

#[test]
fn an_attacker_beside_the_corner_will_be_captured_against_it() {
    assert!(scene("/1T7/9/3tKT3/4t4/7t1/9/9/9/9/ d").has_path());
    assert!(!scene("/1T7/9/3tKT3/4t4/7t1/7t1/9/9/9/ d").has_path());
    // From g1 there is no room to come up to a man on h1.
    assert!(!scene("/1T7/9/5tKT1/6t2/7t1/9/9/9/9/ d").has_path());
    assert!(scene("/1T7/9/5tKT1/6t2/9/9/9/9/9/ d").has_path());
    // The attacker has come between, and the king captures it by going to g1.
    let after = scene("/1T2K2t1/3ttt3/9/9/9/9/9/9/9/ d");
    let steps: Vec<Step> = after.paths.king_steps(&after.board, &after.state).collect();
    assert_eq!(steps, [step("e1-g1")]);
}

#[test]
fn a_king_beside_the_corner_is_not_as_safe_as_the_paper_says() {
    let before = scene("/9/1K7/9/9/2t6/1T7/9/9/9/ d");
    assert!(before.paths.king_steps(&before.board, &before.state).any(|s| s == step("b2-b1")));
    let after = scene("/1K7/9/9/9/2t6/1T7/9/9/9/ a");
    assert_eq!(after.state.king_capture(&after.board), Some(step("c5-c1")));
}

#[test]
fn the_corner_itself_is_a_path() {
    let other_way = scene("/2K3t2/2t6/9/9/9/9/9/9/9/ d");
    let steps: Vec<Step> = other_way.paths.king_steps(&other_way.board, &other_way.state).collect();
    assert!(steps.contains(&step("c1-a1")));
}

#[test]
fn a_king_that_can_be_captured_costs_1000() {
    // Below the attacker on h4; another one can come to h2, or there is none.
    assert!(scene("/9/t8/7K1/7t1/9/9/9/9/1T7/ d").score("b9-c9") < -900);
    assert!(scene("/9/9/7K1/7t1/9/9/9/9/1T7/ d").score("b9-c9") > -900);
}

#[test]
fn captures_count_10_and_losses_5() {
    // The defender that arrives on c4 captures b4 between itself and a4.
    let mut scene_of = scene("/9/9/2T6/Tt7/9/4K4/9/9/4t4/ d");
    let quiet = scene_of.score("c3-c2");
    assert_eq!(scene_of.score("c3-c4") - quiet, 10);
    // One that stands between an attacker and a square that another one reaches.
    let mut scene_of = scene("/9/9/1tT4T1/9/3t5/4K4/9/9/4t4/ d");
    assert_eq!(capturable(&scene_of.board, &scene_of.state, Side::Defenders).len(), 1);
    let exposed = scene_of.score("h3-h4");
    let saved = scene_of.score("c3-c4");
    assert_eq!(saved - exposed, 5);
}

#[test]
fn paths_and_central_squares_of_the_king_have_their_points() {
    // Whether it is the attackers' turn or not, the king sees a clear edge.
    let mut open = scene("/9/9/3tKt3/4t4/9/9/9/9/4T4/ d");
    assert_eq!(open.score("e9-f9"), 5);
    let mut central = scene("/1T2t2T1/T3t4/4t4/2T3T2/2T1K1T2/9/4T4/9/1T5T1/ d");
    let quiet = central.score("h9-h8");
    let king = central.score("e5-e4");
    assert_eq!(king - quiet, 1, "beside the throne");
    let alone = Heuristic { throne_only: true, ..Heuristic::default() };
    assert_eq!(central.score_as(alone, "e5-e4") - central.score_as(alone, "h9-h8"), 0);
}

#[test]
fn attackers_have_1000_where_the_king_has_no_path() {
    let mut open = scene("/9/9/3tKt3/1t2t2t1/9/9/9/9/9/ a");
    assert_eq!(open.score("b4-b5"), 0);
    // On h1 the attacker closes the way to i1; between e1 and a1, the one on d3 can come between.
    assert_eq!(open.score("h4-h1"), 1000);
}

#[test]
fn greedy_captures_then_runs_then_wanders() {
    let scene_of = |text| {
        let scene = scene(text);
        greedy_steps(&scene.board, &scene.state)
    };
    assert_eq!(scene_of("/9/9/2T6/Tt7/9/4K4/9/9/4t4/ d"), [step("c3-c4")]);
    // Nothing to capture: from e6 the king comes as near as four squares to a corner.
    let nearest = scene_of("/9/9/9/9/9/4K4/9/9/4t4/ d");
    assert_eq!(nearest, [step("e6-a6"), step("e6-i6")]);
    assert!(scene_of("/9/9/9/9/9/4K4/9/9/4t4/ a").len() == 8);
    // The king is a capture like another.
    assert_eq!(scene_of("/9/9/3tK4/9/9/9/5t3/9/9/ a"), [step("f7-f3")]);
}

fn player(method: Method, seed: u64) -> PilarskiPlayer {
    PilarskiPlayer::new("under test".to_owned(), rules(), method, seed).unwrap()
}

fn all_methods() -> [Method; 6] {
    [
        Method::Greedy,
        Method::Heuristic(Heuristic::default()),
        Method::MonteCarlo(MonteCarlo::traditional()),
        Method::MonteCarlo(MonteCarlo::expanded()),
        Method::MonteCarlo(MonteCarlo::improved()),
        Method::MonteCarlo(MonteCarlo::combination()),
    ]
}

/// Returns random positions of few men that `side`, to move, wins in this many plies.
fn won_positions(tables: &Tablebase, side: Side, plies: u16, count: usize) -> Vec<Position> {
    let rules = tables.rules();
    let mut random = SeededRng::new(7);
    let squares: Vec<Square> = rules.board.squares().collect();
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::parse("/9/9/9/9/4K4/9/9/9/7t1/ a", rules).unwrap();
        let mut place = || squares[random.below(squares.len())];
        position.king = place();
        let attackers = if side == Side::Attackers { 3 } else { 2 };
        position.attackers = (0..attackers).map(|_| place()).collect();
        position.to_move = side;
        if matches!(tables.probe_dtw(&position), Ok(Value::Win(found)) if found == plies) {
            found.push(position);
        }
    }
    found
}

#[test]
fn the_most_visited_move_is_a_best_one_of_the_tables() {
    let tables = Tablebase::new(Ruleset::clone(&rules()));
    for (side, plies, methods) in [
        (Side::Defenders, 3, [MonteCarlo::traditional(), MonteCarlo::improved()]),
        (Side::Attackers, 1, [MonteCarlo::traditional(), MonteCarlo::traditional()]),
    ] {
        for position in won_positions(&tables, side, plies, 8) {
            let game = Game::from_position(rules(), position).unwrap();
            let probe = tables.probe(&position).unwrap();
            for method in methods {
                let mut player = player(Method::MonteCarlo(method), 1);
                let chosen = player.choose(&game, Clock::Nodes(400_000)).unwrap();
                let value = |played: &Move| {
                    let known = probe.moves.iter().find(|known| known.played == *played);
                    known.unwrap().value.unwrap()
                };
                let (found, best) = (value(&chosen), value(&probe.moves[0].played));
                let context = format!("{} {method:?}", position.to_text(&rules()));
                if method.definitions == Definitions::Never {
                    assert_eq!(found, best, "{context}");
                } else {
                    // A player that counts a path as a win does not mind how long it is.
                    assert_eq!(found.wdl, best.wdl, "{context}");
                }
            }
        }
    }
}

#[test]
fn a_seed_makes_a_player_repeat_itself() {
    let start = Game::new(rules()).unwrap();
    for method in all_methods() {
        let games = |seed, number| {
            let mut player = player(method.clone(), seed);
            player.set_game_number(number);
            let mut game = start.clone();
            for _ in 0..6 {
                let chosen = player.choose(&game, Clock::Nodes(3000)).unwrap();
                game.push(&chosen);
            }
            game.moves().to_vec()
        };
        assert_eq!(games(1, 0), games(1, 0), "{method:?}");
        let others = [games(2, 0), games(1, 1), games(3, 0)];
        assert!(others.iter().any(|moves| *moves != games(1, 0)), "{method:?}");
    }
}

#[test]
fn every_form_plays_legal_games_to_their_end() {
    let readings = [
        Method::MonteCarlo(MonteCarlo { whole: true, ..MonteCarlo::traditional() }),
        Method::MonteCarlo(MonteCarlo { whoever_moves: true, ..MonteCarlo::expanded() }),
        Method::MonteCarlo(MonteCarlo {
            definitions: Definitions::Defenders,
            // Hardly any room for a tree.
            memory: 4096,
            ..MonteCarlo::improved()
        }),
        Method::Heuristic(Heuristic { takes_paths: false, throne_only: true }),
    ];
    for method in all_methods().into_iter().chain(readings) {
        let mut player = player(method.clone(), 5);
        let mut game = Game::new(rules()).unwrap();
        while game.outcome().is_none() {
            let chosen = player.choose(&game, Clock::Nodes(500)).unwrap();
            let legal = crate::game::moves::legal_moves(game.rules(), game.position());
            assert!(legal.contains(&chosen), "{method:?}");
            game.push(&chosen);
            if let Method::MonteCarlo(MonteCarlo { memory: 4096, .. }) = method {
                assert!(player.last_move_stats().bytes <= 4096);
            }
        }
        assert!(game.moves().len() <= 100);
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let edge = Arc::new(Ruleset::builtin("tablut").unwrap());
    let method = Method::Heuristic(Heuristic::default());
    let other = PilarskiPlayer::new(String::new(), edge, method, 0).err();
    assert!(other.is_none_or(|error| error.to_string().contains("four corners")));
    let mut player = player(Method::MonteCarlo(MonteCarlo::traditional()), 0);
    let game = Game::new(rules()).unwrap();
    let error = player.choose(&game, Clock::Depth(3)).unwrap_err();
    assert!(error.reason.contains("a time or a number of positions"));
}
