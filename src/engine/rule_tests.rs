//! Rules at the edge and of closed regions: the engine's board against the plain game code, over
//! random positions.

use crate::game::board::{Square, SquareSet};
use crate::game::moves::{Ending, Move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};
use crate::system::random::SeededRng;

use super::bits::with_width;
use super::board_tables::BoardTables;
use super::state::{State, Step};
use super::tests::check_position;

/// What occurs among the moves of random positions.
#[derive(Default, Debug)]
struct Seen {
    /// Moves that capture a row of two or more at an edge.
    walls: usize,
    forts: usize,
    rings: usize,
    kings: usize,
    most_captured: usize,
}

impl Seen {
    fn count(&mut self, rules: &Ruleset, played: &Move) {
        let edge = rules.board.edge();
        let is_wall = edge.contains(played.to) && (played.captured & edge).len() >= 2;
        self.walls += usize::from(is_wall);
        self.forts += usize::from(played.ending == Some(Ending::ExitFort));
        self.rings += usize::from(played.ending == Some(Ending::Encirclement));
        self.kings += usize::from(played.ending == Some(Ending::KingCaptured));
        self.most_captured = self.most_captured.max(played.captured.len());
    }
}

/// Returns a random position in which about every second square of some edge is occupied, and as
/// many others as chance will have it.
fn random_position(rules: &Ruleset, random: &mut SeededRng) -> Option<Position> {
    let board = rules.board;
    // In tenths, by kind.
    let [attackers, defenders] = [random.below(6), random.below(6)];
    let mut sets = [SquareSet::EMPTY; 2];
    for square in board.squares() {
        let chance = random.below(10);
        let kind = if chance < attackers {
            Kind::Attacker
        } else if chance < attackers + defenders {
            Kind::Defender
        } else {
            continue;
        };
        if rules.places(kind).contains(square) {
            sets[kind as usize].insert(square);
        }
    }
    let places: Vec<Square> = match random.below(2) {
        0 => rules.places(Kind::King).iter().collect(),
        _ => (rules.places(Kind::King) & board.edge()).iter().collect(),
    };
    let king = *random.choose(&places)?;
    let [attacking, defending] = sets.map(|set| set.without(king));
    let to_move = Side::ALL[random.below(2)];
    Position::new(rules, king, defending, attacking, to_move).ok()
}

/// Checks random positions, and returns what occurred in them.
fn check_random<const W: usize>(rules: &Ruleset, count: usize) -> Seen {
    let board = BoardTables::<W>::new(rules);
    let mut random = SeededRng::new(41);
    let mut seen = Seen::default();
    for _ in 0..count {
        let Some(position) = random_position(rules, &mut random) else { continue };
        // No piece stands on a goal, and attackers are missing in few positions.
        let winner = State::new(&board, &position).region_winner(&board);
        if position.is_finished(rules) {
            let context = position.to_text(rules);
            assert!(winner.is_some() || position.attackers.is_empty(), "{context}");
            continue;
        }
        assert_eq!(winner, None, "{}", position.to_text(rules));
        let moves = legal_moves(rules, &position);
        check_position(&board, rules, &position, &moves);
        moves.iter().for_each(|played| seen.count(rules, played));
    }
    seen
}

/// Returns brandubh with other rules: lines of `[movement.attackers]`, `[capture]` and `[end]`.
fn variant([movement, capture, end]: [&str; 3]) -> Ruleset {
    let text = include_str!("../game/rules/builtin/brandubh.toml");
    let after = |text: &str, table: &str, lines: &str| {
        text.replace(&format!("[{table}]\n"), &format!("[{table}]\n{lines}\n"))
    };
    let text = after(text, "movement.attackers", movement);
    parse(&after(&after(&text, "capture", capture), "end", end))
}

/// Parses a changed file of a built-in ruleset, under another name.
fn parse(text: &str) -> Ruleset {
    let (_, rest) = text.split_once('\n').unwrap();
    Ruleset::from_toml(&format!("name = \"variant\"\n{rest}"), "variant").unwrap()
}

const PLAIN_CORNERS: &str = "no-stop = [\"throne\"]";

#[test]
fn rows_at_the_edge_are_captured_as_by_the_rules() {
    let small = variant(["", "shieldwall = true", ""]);
    let seen = check_random::<1>(&small, 4000);
    assert!(seen.walls > 100 && seen.most_captured > 3, "{seen:?}");
    // Some men of a row are protected, and attackers stand in corners.
    let text = include_str!("../game/rules/builtin/brandubh.toml")
        .replace("no-stop = [\"throne\", \"corners\"]", PLAIN_CORNERS)
        .replace(
            "[capture]",
            "[squares]\nsafe = \"a3 c1 d1 e7\"\n[capture]\nshieldwall = true\n\
             protected-attackers = [\"safe\"]\nunaided-defenders = [\"safe\"]",
        );
    let seen = check_random::<1>(&parse(&text), 4000);
    assert!(seen.walls > 50, "{seen:?}");
    // On boards of two words.
    let large = include_str!("../game/rules/builtin/tablut.toml")
        .replace("[capture]", "[capture]\nshieldwall = true");
    let seen = check_random::<2>(&parse(&large), 1000);
    assert!(seen.walls > 50, "{seen:?}");
}

#[test]
fn forts_and_rings_end_the_game_as_by_the_rules() {
    let both = variant(["", "", "exit-fort = true\nencirclement = true"]);
    let seen = check_random::<1>(&both, 6000);
    assert!(seen.forts > 50 && seen.rings > 50, "{seen:?}");
    let large = include_str!("../game/rules/builtin/large-hnefatafl.toml")
        .replace("[end]", "[end]\nexit-fort = true\nencirclement = true");
    let large = parse(&large);
    let seen = with_width!(large.board, W => check_random::<W>(&large, 1500));
    assert!(seen.forts > 0 && seen.rings > 0, "{seen:?}");
}

#[test]
fn an_unarmed_king_captures_nothing() {
    let seen = check_random::<1>(&variant(["", "king-armed = false", ""]), 1000);
    assert!(seen.kings > 50, "{seen:?}");
    check_random::<1>(&variant(["", "king-armed = false\nshieldwall = true", ""]), 2000);
}

#[test]
fn the_edge_captures_the_king_where_the_rules_say_so() {
    let hostile = check_random::<1>(&variant(["", "king-edge-hostile = true", ""]), 2000).kings;
    let plain = check_random::<1>(&variant(["", "", ""]), 2000).kings;
    assert!(hostile > plain + 100, "{hostile} and {plain}");
    // On all four sides.
    let text = include_str!("../game/rules/builtin/brandubh.toml")
        .replace("[\"throne\", \"beside-throne\"]", "[\"all\"]")
        .replace("[capture]", "[capture]\nking-edge-hostile = true");
    assert!(check_random::<1>(&parse(&text), 4000).kings > 20);
}

#[test]
fn short_moves_are_those_of_the_rules() {
    check_random::<1>(&variant(["reach = 1", "", ""]), 1000);
    check_random::<1>(&variant(["reach = 2", "", ""]), 1000);
}

/// The test positions of copenhagen's rules (`tests/game/played_rules.rs` has their meaning): the
/// board, with empty ranks left out at its end, a move, the soldiers that it captures, and the
/// winner if it makes a fort or a ring.
const COPENHAGEN: [(&str, &str, &str, Option<Side>); 16] = [
    ("/3tttT4/3TTT5/2T8/11/11/5K5/ d", "c3-c1", "d1 e1 f1", None),
    ("/5t2TK1/8tt1/ a", "f1-h1", "i1", None),
    ("/11/11/11/11/11/5K5/11/10t/9tT/8t1T/11/ a", "i10-j10", "", None),
    ("/2tTT1TTt2/3tt1tt3/5t5/11/11/5K5/ a", "f3-f1", "d1 e1 g1 h1", None),
    ("/3ttT5/3TT6/11/2K8/ d", "c4-c1", "d1 e1", None),
    ("/3TK6/4TT5/6T4/11/11/11/11/8t2/8t2/ d", "g3-g1", "", Some(Side::Defenders)),
    ("/4KT5/1tTT1Tt4/3tTT5/ d", "c2-c1", "", Some(Side::Defenders)),
    ("/4TK1T3/4T1T4/5T5/5T5/11/11/11/8t2/8t2/ d", "h1-g1", "", None),
    ("/4T1T4/4TKT4/4T6/5T5/11/11/11/8t2/8t2/ d", "f4-f3", "", None),
    ("/3TKT5/3T1T5/2T1T6/3T7/11/2T8/11/tt9/ d", "c6-c4", "", None),
    ("/11/11/11/TT9/1TT8/K1T8/1T7T1/TT9/9t1/9t1/11/ d", "j7-c7", "", Some(Side::Defenders)),
    ("/3TKT5/11/4T6/11/11/11/11/8t2/8t2/ d", "e3-e2", "", None),
    ("/11/11/3tt6/2tK4t2/3tt6/ a", "i4-f4", "", Some(Side::Attackers)),
    ("/11/11/3tt6/2tK4t2/3tt6/11/11/8T2/ a", "i4-f4", "", None),
    ("/11/11/3tt6/2tK1t5/3tt6/10t/8tt1/7tT2/8tt1/ a", "k6-k8", "", None),
    ("/4t1t4/4tKt4/11/11/5t5/ a", "f5-f3", "", None),
];

#[test]
fn the_positions_of_the_specification_have_their_captures_and_ends() {
    let rules = Ruleset::builtin("copenhagen").unwrap();
    let board = BoardTables::<2>::new(&rules);
    for (text, step, captured, winner) in COPENHAGEN {
        let (ranks, side) = text.split_once("/ ").unwrap();
        let missing = rules.board.size() - ranks.matches('/').count();
        let full = format!("{ranks}{}/ {side}", "/11".repeat(missing));
        let position = Position::parse(&full, &rules).unwrap();
        check_position(&board, &rules, &position, &legal_moves(&rules, &position));
        let (from, to) = step.split_once('-').unwrap();
        let [from, to] = [from, to].map(|name| rules.board.parse(name).unwrap().index());
        let mut state = State::new(&board, &position);
        let undo = state.play(&board, Step::new(from, to));
        let names: Vec<String> =
            undo.captured.iter().map(|at| rules.board.name(Square::new(at)).to_string()).collect();
        assert_eq!(names.join(" "), captured, "{text} {step}");
        assert_eq!(state.region_winner(&board), winner, "{text} {step}");
    }
}
