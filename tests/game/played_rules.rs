//! The rules of the games that are played today, in the test positions of their specification, and
//! against a naive implementation on random positions.

use std::sync::Arc;

use proptest::prelude::*;
use taflbase::board::{Square, SquareSet};
use taflbase::history::{Game, Outcome, PlayError, Reason};
use taflbase::moves::{Ending, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::retractions::retractions;
use taflbase::rules::{Kind, Ruleset, Side};

use crate::naive::NaiveBoard;

const COPENHAGEN: &str = include_str!("../../src/game/rules/builtin/copenhagen.toml");
const MAGPIE: &str = include_str!("../../src/game/rules/builtin/magpie.toml");
const SEA_BATTLE: &str = include_str!("../../src/game/rules/builtin/sea-battle-9.toml");

fn read(text: &str) -> Arc<Ruleset> {
    Arc::new(Ruleset::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}")))
}

/// Starts a game; the board's last ranks may be left out if they are empty.
#[track_caller]
fn game(rules: &Arc<Ruleset>, ranks: &str, side: char) -> Game {
    let size = rules.board.size();
    let given: Vec<&str> = ranks.trim_matches('/').split('/').collect();
    let empty = std::iter::repeat_n(size.to_string(), size - given.len());
    let all: Vec<String> = given.iter().map(|&rank| rank.to_owned()).chain(empty).collect();
    let position = Position::parse(&format!("/{}/ {side}", all.join("/")), rules).unwrap();
    Game::from_position(Arc::clone(rules), position).unwrap()
}

/// Asserts that a move has exactly this canonical text and outcome.
#[track_caller]
fn assert_played(
    rules: &Arc<Ruleset>,
    ranks: &str,
    side: char,
    text: &str,
    reason: Option<Reason>,
) {
    let mut game = game(rules, ranks, side);
    let squares =
        text.trim_start_matches('K').trim_end_matches(['+', '-']).split('x').next().unwrap();
    let played = parse_move(rules, game.position(), squares).unwrap();
    assert_eq!(played.display(rules.board).to_string(), text);
    assert_eq!(parse_move(rules, game.position(), text), Ok(played));
    game.play(&played).unwrap();
    assert_eq!(game.outcome().map(|outcome| outcome.reason), reason, "{text}");
    let before = *game.position();
    assert_eq!((game.undo(), game.moves().len()), (Some(played), 0));
    game.play(&played).unwrap();
    assert_eq!(*game.position(), before);
}

#[test]
fn shieldwalls_capture_whole_rows() {
    let rules = read(COPENHAGEN);
    let last = Some(Reason::NoMove);
    // S1, S4 and S5 take the last attackers, or leave the defenders with moves.
    assert_played(&rules, "3tttT4/3TTT5/2T8/11/11/5K5", 'd', "c3-c1xd1/e1/f1", last);
    assert_played(&rules, "5t2TK1/8tt1", 'a', "f1-h1xi1", None);
    let front = "11/11/11/11/11/5K5/11/10t/9tT/8t1T/11";
    assert_played(&rules, front, 'a', "i10-j10", None);
    let both = "2tTT1TTt2/3tt1tt3/5t5/11/11/5K5";
    assert_played(&rules, both, 'a', "f3-f1xd1/e1/g1/h1", None);
    assert_played(&rules, "3ttT5/3TT6/11/2K8", 'd', "Kc4-c1xd1/e1", last);
}

#[test]
fn a_row_must_be_hemmed_in_on_every_side() {
    let rules = read(COPENHAGEN);
    // One man alone, one without a piece in front, and a row that ends at an empty square.
    for ranks in
        ["3tT6/3T7/2T8/11/11/5K4t", "3tttT4/3T1T5/2T8/11/11/5K4t", "3ttt5/3TTT5/2T8/11/11/5K4t"]
    {
        let expected = if ranks.starts_with("3tT") { "c3-c1xd1" } else { "c3-c1" };
        assert_played(&rules, ranks, 'd', expected, None);
    }
    // A corner closes a row.
    assert_played(&rules, "8TT1/8tt1/7t3/11/11/5K5", 'a', "h3-h1xi1/j1", None);
}

#[test]
fn the_king_is_captured_on_four_sides_and_never_at_the_edge() {
    let rules = read(COPENHAGEN);
    assert_played(&rules, "11/K1t8/t10", 'a', "c2-b2", None);
    assert_played(&rules, "11/11/5t5/11/4tKt4", 'a', "f3-f4++", Some(Reason::KingCaptured));
    assert_played(&rules, "3tKt5/11/4t6", 'a', "e3-e2", Some(Reason::NoMove));
    assert_played(&rules, "3tKt5/11/4t6/11/11/8T2", 'a', "e3-e2", None);
}

#[test]
fn exit_forts_are_those_whose_walls_stand() {
    let rules = read(COPENHAGEN);
    let fort = Some(Reason::ExitFort);
    let far = "/11/11/11/11/8t2/8t2";
    for (name, ranks, text, reason) in [
        ("E1", format!("3TK6/4TT5/6T4{far}"), "g3-g1--", fort),
        ("E2", "4KT5/1tTT1Tt4/3tTT5".to_owned(), "c2-c1--", fort),
        ("E3", format!("4TK1T3/4T1T4/5T5/5T5{}", &far[3..]), "h1-g1", None),
        ("E4", format!("4T1T4/4TKT4/4T6/5T5{}", &far[3..]), "f4-f3", None),
        ("E5", "3TKT5/3T1T5/2T1T6/3T7/11/2T8/11/tt9".to_owned(), "c6-c4", None),
        ("E6", "11/11/11/TT9/1TT8/K1T8/1T7T1/TT9/9t1/9t1/11".to_owned(), "j7-c7--", fort),
        ("E7", format!("3TKT5/11/4T6{far}"), "e3-e2", None),
    ] {
        println!("{name}");
        assert_played(&rules, &ranks, 'd', text, reason);
    }
}

#[test]
fn an_encirclement_has_all_defenders_and_no_edge_inside() {
    let rules = read(COPENHAGEN);
    let ring = Some(Reason::Encirclement);
    assert_played(&rules, "11/11/3tt6/2tK4t2/3tt6", 'a', "i4-f4++", ring);
    assert_played(&rules, "11/11/3tt6/2tK4t2/3tt6/11/11/8T2", 'a', "i4-f4", None);
    let pocket = "11/11/3tt6/2tK1t5/3tt6/10t/8tt1/7tT2/8tt1";
    assert_played(&rules, pocket, 'a', "k6-k8", None);
    assert_played(&rules, "4t1t4/4tKt4/11/11/5t5", 'a', "f5-f3", None);
}

/// An attacker beyond a man of the wall captures him against an empty throne in the king's room, yet
/// the fort counts.
#[test]
fn hostile_squares_in_the_room_make_no_difference() {
    let text = include_str!("../../src/game/rules/builtin/copenhagen-13.toml");
    let open = read(
        &text
            .replace("exit-fort = true", "exit-fort = false")
            .replace("name = \"copenhagen-13\"", "name = \"open\""),
    );
    let before = "5TKT5/5T1T5/5T1T5/5T1T5/5T1T5/5T1T5/4T2T5/5TT6/13/13/13/6t6/2t10";
    assert_played(&read(text), before, 'd', "e7-f7--", Some(Reason::ExitFort));
    let after = "5TKT5/5T1T5/5T1T5/5T1T5/5T1T5/5T1T5/5T1T5/5TT6/13/13/13/6t6/2t10";
    assert_played(&open, after, 'a', "g12-g9xg8", None);
}

#[test]
fn a_fort_or_a_ring_ends_a_position_whatever_led_there() {
    let rules = read(COPENHAGEN);
    let ring = "11/11/3tt6/2tK1t5/3tt6/8t2";
    let lost = game(&rules, ring, 'd');
    assert_eq!(lost.outcome(), Some(Outcome::won_by(Side::Attackers, Reason::Encirclement)));
    assert!(legal_moves(&rules, lost.position()).is_empty());
    // The attackers have not moved into it, and have to move out again.
    assert_eq!(game(&rules, ring, 'a').outcome(), None);
    let fort = "3TK1T4/4TT5/11/11/11/11/11/11/8t2/8t2";
    let lost = game(&rules, fort, 'a');
    assert_eq!(lost.outcome(), Some(Outcome::won_by(Side::Defenders, Reason::ExitFort)));
    assert!(legal_moves(&rules, lost.position()).is_empty());
    assert_eq!(game(&rules, fort, 'd').outcome(), None);
}

#[test]
fn the_defenders_may_not_repeat_a_position() {
    let rules = read(COPENHAGEN);
    let mut game = Game::new(Arc::clone(&rules)).unwrap();
    for text in ["f2-f3", "f4-g4", "f3-f2"] {
        let played = parse_move(&rules, game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
    let back = parse_move(&rules, game.position(), "g4-f4").unwrap();
    assert!(game.is_barred(&back));
    let error = game.play(&back).unwrap_err();
    assert_eq!(error, PlayError::Repeats("g4-f4".to_owned()));
    assert_eq!(error.to_string(), "g4-f4 repeats a position, which the defenders may not do");
    let other = parse_move(&rules, game.position(), "g4-h4").unwrap();
    game.play(&other).unwrap();
    // The attackers may go back and forth.
    for text in ["f2-f3", "h4-i4", "f3-f2"] {
        let played = parse_move(&rules, game.position(), text).unwrap();
        assert!(!game.is_barred(&played));
        game.play(&played).unwrap();
    }
    assert_eq!(game.outcome(), None);
}

#[test]
fn a_defender_without_another_move_than_a_repetition_has_lost() {
    // The king in the corner of his cage steps out and may not step back.
    let text = COPENHAGEN.replace("name = \"copenhagen\"", "name = \"cage\"");
    let rules = read(&text.replace("encirclement = true\n", ""));
    let mut game = game(&rules, "1t9/11/11/3tt6/2tK1t5/3tt6", 'd');
    for text in ["Kd5-e5", "b1-c1"] {
        assert_eq!(game.outcome(), None);
        let played = parse_move(&rules, game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
    // With c1 the pieces are new, so that he may go back once; then the attackers repeat.
    for text in ["Ke5-d5", "c1-b1"] {
        assert_eq!(game.outcome(), None);
        let played = parse_move(&rules, game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
    let lost = Outcome::won_by(Side::Attackers, Reason::NoMove);
    assert_eq!(game.outcome(), Some(lost));
}

#[test]
fn the_defenders_lose_at_the_third_occurrence() {
    let rules = read(SEA_BATTLE);
    let mut game = Game::new(Arc::clone(&rules)).unwrap();
    for text in "d1-c1 e4-f4 c1-d1 f4-e4 d1-c1 e4-f4 c1-d1 f4-e4".split(' ') {
        assert_eq!(game.outcome(), None);
        let played = parse_move(&rules, game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
    let lost = Outcome::won_by(Side::Attackers, Reason::Repetition);
    assert_eq!(game.outcome(), Some(lost));
}

#[test]
fn an_unarmed_king_neither_captures_nor_helps() {
    let rules = read(SEA_BATTLE);
    let armed = SEA_BATTLE.replace("king-armed = false\n", "");
    let armed = read(&armed.replace("name = \"sea-battle-9\"", "name = \"armed\""));
    for (rules, moved, helped) in [(&rules, "Kd3-d4", "i3-e3"), (&armed, "Kd3-d4xd5", "i3-e3xd3")] {
        assert_played(rules, "9/9/3K5/9/3t5/3T4t", 'd', moved, None);
        assert_played(rules, "9/9/2Kt4T/9/9/4T3t", 'd', helped, None);
    }
}

#[test]
fn the_edge_may_count_against_the_king_who_may_be_slow() {
    let rules = read(MAGPIE);
    let king = game(&rules, "7/7/7/3K3/7/7/3t3", 'd');
    let moves = legal_moves(&rules, king.position());
    let texts: Vec<String> = moves.iter().map(|m| m.display(rules.board).to_string()).collect();
    assert_eq!(texts, ["Kd4-d3", "Kd4-c4", "Kd4-e4", "Kd4-d5"]);
    let far = parse_move(&rules, king.position(), "d4-d6").unwrap_err();
    assert_eq!(far.to_string(), "the king moves 1 square at most");
    let captured = Some(Reason::KingCaptured);
    assert_played(&rules, "2tKt2/7/3t3", 'a', "d3-d2++", captured);
    assert_played(&rules, "1Kt4/1t5/7/1t5", 'a', "b4-b3", None);
    assert_played(&rules, "1K5/1t5/2t4", 'a', "c3-c1++", captured);
}

/// A ruleset in which every rule of present play holds, on a small board where all can arise.
fn small() -> Arc<Ruleset> {
    read(&small_text())
}

fn small_text() -> String {
    let text = COPENHAGEN
        .replace("name = \"copenhagen\"", "name = \"small\"")
        .replace("size = 11", "size = 7");
    let start = text.lines().find(|line| line.starts_with("start")).unwrap().to_owned();
    text.replace(&start, "start = \"/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/\"")
}

/// The same with squares along the first rank on which shieldwalls capture nobody.
fn with_spared_men() -> Arc<Ruleset> {
    let spared =
        "shieldwall = true\nprotected-defenders = [\"spared\"]\nunaided-attackers = [\"spared\"]";
    let squares = "[squares]\nspared = \"c1 d1 f1\"\n\n[movement.attackers]";
    read(
        &small_text().replace("shieldwall = true", spared).replace("[movement.attackers]", squares),
    )
}

/// Generates positions with most men near the first rank, where walls and forts are.
fn crowded(rules: Arc<Ruleset>) -> impl Strategy<Value = (Arc<Ruleset>, Position)> {
    let cells = prop::collection::vec(0_u8..5, rules.board.area());
    let attackers_prevail = any::<bool>();
    let sides = prop::sample::select(&Side::ALL);
    (cells, 0..2 * rules.board.size(), sides, attackers_prevail).prop_filter_map(
        "not a position",
        move |(cells, king, to_move, attackers_prevail)| {
            let board = rules.board;
            let king = Square::new(king);
            let standing = |what: &[u8], kind: Kind| -> SquareSet {
                let near = board.squares().filter(|&s| board.rank(s) < 3 && s != king);
                let all: SquareSet = near.filter(|s| what.contains(&cells[s.index()])).collect();
                (all & rules.places(kind)).without(king)
            };
            let (attackers, defenders) = match attackers_prevail {
                true => (standing(&[1, 2], Kind::Attacker), standing(&[3], Kind::Defender)),
                false => (standing(&[1], Kind::Attacker), standing(&[2, 3], Kind::Defender)),
            };
            let last = Square::new(board.area() - 3);
            let attackers = attackers.with(last);
            let position = Position::new(&rules, king, defenders, attackers, to_move).ok()?;
            Some((Arc::clone(&rules), position))
        },
    )
}

fn crowded_by_either() -> impl Strategy<Value = (Arc<Ruleset>, Position)> {
    prop_oneof![crowded(small()), crowded(with_spared_men())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn moves_agree_with_a_naive_implementation((rules, position) in crowded(small())) {
        let board = NaiveBoard::new(&rules, &position);
        prop_assert_eq!(position.is_finished(&rules), board.is_over());
        for played in legal_moves(&rules, &position) {
            let (captured, ending) = board.after(rules.board.name(played.from), rules.board.name(played.to));
            let names: Vec<String> =
                played.captured.iter().map(|s| rules.board.name(s).to_string()).collect();
            let text = played.display(rules.board).to_string();
            prop_assert_eq!(names, captured, "{}", text);
            prop_assert_eq!(played.ending, ending, "{}", text);
        }
    }

    #[test]
    fn every_move_that_goes_on_can_be_retracted((rules, position) in crowded_by_either()) {
        let most = position.slice();
        for played in legal_moves(&rules, &position) {
            let next = position.after(&played);
            let back = retractions(&rules, &next, most);
            let found = back.iter().filter(|&r| next.before_all(r) == position).count();
            let expected = usize::from(played.ending.is_none() && !next.is_finished(&rules));
            prop_assert_eq!(found, expected, "{}", played.display(rules.board));
        }
    }

    #[test]
    fn retractions_can_be_played((rules, position) in crowded_by_either()) {
        let mut most = position.slice();
        most.attackers += 3;
        most.defenders += 3;
        for retraction in retractions(&rules, &position, most) {
            let earlier = position.before_all(&retraction);
            let leads_here = |m: &&taflbase::moves::Move| {
                m.ending.is_none() && earlier.after(m) == position && m.captured == retraction.captured
            };
            let moves = legal_moves(&rules, &earlier);
            prop_assert_eq!(moves.iter().filter(leads_here).count(), 1, "{:?}", retraction);
        }
    }
}

#[test]
fn random_positions_have_walls_forts_and_rings() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = crowded(small());
    let (mut walls, mut forts, mut rings) = (0, 0, 0);
    for _ in 0..6000 {
        let (rules, position) = strategy.new_tree(&mut runner).unwrap().current();
        for played in legal_moves(&rules, &position) {
            walls += usize::from(!played.walled_in(&rules, &position).is_empty());
            forts += usize::from(played.ending == Some(Ending::ExitFort));
            rings += usize::from(played.ending == Some(Ending::Encirclement));
        }
    }
    assert!(walls > 30 && forts > 5 && rings > 30, "{walls} {forts} {rings}");
}
