//! The messages for positions and moves that are refused.

use taflbase::board::{Square, SquareSet};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::rules::{Layout, Ruleset, Side};

#[track_caller]
fn position_error(name: &str, text: &str) -> String {
    let rules = Ruleset::builtin(name).unwrap();
    Position::parse(text, &rules).unwrap_err().to_string()
}

#[test]
fn positions_are_parsed_leniently_and_printed_in_one_form() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let canonical = "/2K4/7/7/5T1/7/7/1t5/ a";
    for text in [canonical, "2K4/7/7/5T1/7/7/1t5 a", "\t /2K4/7/7/5T1/7/7/1t5/  a\n"] {
        match Position::parse(text, &rules) {
            Ok(position) => assert_eq!(position.to_text(&rules), canonical, "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }
}

#[test]
fn refused_positions_name_what_is_wrong() {
    let rows = [
        ("", "1 instead of 7 ranks"),
        (
            "/7/4t2/7/7/2K4/7/2t4/",
            "the side to move is missing: after the board, write a blank and a (attackers) or d (defenders)",
        ),
        (
            "/7/4t2/7/7/2K4/7/2t4/ w",
            "\"w\" is not a side to move: write a (attackers) or d (defenders)",
        ),
        (
            "/7/4t2/7/7/2K4/7/2t4/ a d",
            "unexpected \"d\" after the position: write the board, a blank and the side to move",
        ),
        ("/7/4t2/7/7/7/7/2t4/ a", "there is no king (K) on the board"),
        ("/7/4t2/7/7/2K4/7/2t3K/ a", "two kings, on c5 and g7"),
        ("/7/4t2/7/8/2K4/7/2t4/ a", "rank 4 has 8 instead of 7 squares"),
        ("/K6/4t2/7/7/7/7/7/ a", "the game is over: the king on a1 has won"),
        (
            "/7/7/7/7/2K4/7/7/ d",
            "the game is over: no attackers are left, so the defenders have won",
        ),
        (
            "/7/7/7/3T3/2K4/7/1t5/ d",
            "a defender cannot stand on d4 (throne): use any square except a1, g1, d4, a7 and g7",
        ),
        (
            "/7/7/7/7/2K4/7/6t d",
            "an attacker cannot stand on g7 (corners): use any square except a1, g1, d4, a7 and g7",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(position_error("brandubh", text), message, "{text}");
    }
    assert_eq!(
        position_error("ashton", "/9/9/9/K8/9/9/9/9/4t4/ d"),
        "the king cannot stand on a4 (camps)"
    );
    assert_eq!(
        position_error("berkeley", "/9/9/9/9/4t4/9/4K4/9/9/ d"),
        "an attacker cannot stand on e5 (throne): use any square except e5"
    );
}

#[test]
fn two_pieces_on_a_square_are_refused() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let (b1, c1) = (Square::new(1), Square::new(2));
    let layout = |attackers, defenders, king| Layout {
        attackers: SquareSet::of(attackers),
        defenders: SquareSet::of(defenders),
        king: Some(king),
    };
    for shared in [layout(b1, b1, c1), layout(b1, c1, b1), layout(c1, b1, b1)] {
        let error = Position::from_layout(&shared, Side::Attackers, &rules).unwrap_err();
        assert_eq!(error.to_string(), "two pieces stand on b1");
    }
}

#[test]
fn moves_are_parsed_leniently() {
    let rules = Ruleset::builtin("mcgill").unwrap();
    let position = Position::parse("/9/9/tT3K3/9/9/2t6/9/9/9/ a", &rules).unwrap();
    let expected = parse_move(&rules, &position, "c6-c3xb3").unwrap();
    for text in ["c6-c3", " C6-c3 ", "tc6-c3xb3", "tc6-c3"] {
        assert_eq!(parse_move(&rules, &position, text), Ok(expected), "{text}");
    }
    let position = Position { to_move: Side::Defenders, ..position };
    for text in ["Kf3-f5", "kf3-f5", "f3-f5", "Tb3-b5", "b3-b5"] {
        assert!(parse_move(&rules, &position, text).is_ok(), "{text}");
    }
}

#[test]
fn refused_moves_name_what_is_wrong() {
    let rules = Ruleset::builtin("mcgill").unwrap();
    let position = Position::parse("/9/9/tT3K3/9/9/2t6/9/9/9/ a", &rules).unwrap();
    let syntax = "is not a move: write e5-e8, with captures e5-e8xe9/d8, for the king Ke5-e8";
    for (text, message) in [
        ("", format!("\"\" {syntax}")),
        ("c6c3", format!("\"c6c3\" {syntax}")),
        ("-", format!("\"-\" {syntax}")),
        ("Qc6-c3", format!("\"Qc6-c3\" {syntax}")),
    ] {
        let error = parse_move(&rules, &position, text).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    for (text, message) in [
        ("c6-j6", "the board has no square \"j6\": squares go from a1 to i9"),
        ("c6-c3x", "the board has no square \"\": squares go from a1 to i9"),
        ("d6-d3", "no piece stands on d6"),
        ("b3-b5", "a defender stands on b3, and the attackers are to move"),
        ("Kf3-f5", "the king stands on f3, and the attackers are to move"),
        ("Kc6-c3", "an attacker stands on c6, not the king"),
        ("c6-d5", "c6-d5 does not move along a file or rank to another square"),
        ("c6-c6", "c6-c6 does not move along a file or rank to another square"),
        ("a3-c3", "a piece on b3 is in the way"),
        ("a3-b3", "a piece on b3 is in the way"),
        ("a3-a1", "an attacker coming from there cannot stop on a1"),
        ("c6-c3xd3", "the move captures something else: it is c6-c3xb3"),
        ("c6-c3xb3/d3", "the move captures something else: it is c6-c3xb3"),
        ("c6-c4xb3", "the move captures something else: it is c6-c4"),
        ("c6-c3++", "the move does not end the game like this: it is c6-c3xb3"),
        ("c6-c4--", "the move does not end the game like this: it is c6-c4"),
    ] {
        let error = parse_move(&rules, &position, text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn a_finished_game_has_no_moves() {
    let rules = Ruleset::builtin("mcgill").unwrap();
    let last = Position::parse("/9/9/9/5K3/9/2t6/9/9/9/ d", &rules).unwrap();
    let over = Position { attackers: SquareSet::EMPTY, ..last };
    let error = parse_move(&rules, &over, "Kf4-f5").unwrap_err();
    assert_eq!(error.to_string(), "the game is over: there are no more moves");
}
