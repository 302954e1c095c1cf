//! Where pieces may move, what a single move can capture, and how a game ends.

use super::men::{ALL, CAMPS, CORNERS, men, plays, refuses, ruleset};
use taflbase::moves::{count_moves, has_move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};

#[test]
fn one_move_captures_up_to_three() {
    for name in ALL {
        let after = plays(name, "Kf6 tc6 ta3 Tb3 Td3 te3 Tc2 tc1", "c6-c3xc2/b3/d3");
        assert_eq!((after.attackers.len(), after.defenders.len()), (4, 0));
        let after = plays(name, "Tc6 Ta3 tb3 td3 Ke3 tc2 Tc1", "c6-c3xc2/b3/d3");
        assert_eq!((after.attackers.len(), after.defenders.len()), (0, 3));
    }
}

#[test]
fn moving_in_between_two_enemies_is_safe() {
    for name in ALL {
        let after = plays(name, "Kf6 Tc6 tb3 td3", "c6-c3");
        assert_eq!(after.defenders.len(), 1);
        plays(name, "Kd3 tc6 Tb3", "c6-c3");
        plays(name, "Kc6 tb3 td3", "Kc6-c3");
        // A move elsewhere does not capture an enclosed piece, either.
        plays(name, "Kf6 Tc3 tb3 td3 tg2", "g2-f2");
    }
}

#[test]
fn a_move_that_captures_the_king_removes_the_soldiers_too() {
    for name in ALL {
        let after = plays(name, "ta3 Kb3 tc6 Td3 te3", "c6-c3++");
        assert!(after.defenders.is_empty(), "{name}");
        let rules = ruleset(name);
        assert_eq!(Some(after.king), rules.board.parse("b3"));
    }
}

#[test]
fn a_winning_move_of_the_king_captures_too() {
    for name in ["ashton", "ashton-server", "berkeley"] {
        plays(name, "Kb3 ta2 Ta1", "Kb3-a3xa2--");
    }
    for name in CORNERS {
        let after = plays(name, "Ka3 tb1 Tc1", "Ka3-a1xb1--");
        assert!(after.is_finished(&ruleset(name)));
    }
}

#[test]
fn the_king_wins_on_goals_only() {
    for name in CORNERS {
        plays(name, "Kc3 te6", "Kc3-a3");
        plays(name, "Ka3 te6", "Ka3-a1--");
    }
    for name in ["ashton", "ashton-server", "berkeley"] {
        plays(name, "Kc3 te6", "Kc3-a3--");
        plays(name, "Kc3 te6", "Kc3-c1--");
    }
    plays("berkeley", "Kc4 te6", "Kc4-a4--");
    refuses("ashton", "Kc4 te6", "Kc4-a4", "the king coming from there cannot stop on a4");
}

#[test]
fn all_but_in_ashton_cross_the_empty_throne() {
    let others = ALL.into_iter().filter(|name| !CAMPS.contains(name));
    for name in others {
        plays(name, "K*nww t*s", "*s-*nn");
        plays(name, "K*nww T*w t*ss", "*w-*ee");
        plays(name, "K*s t*ww", "K*s-*n");
        plays(name, "K*s t*ww", "K*s-*");
    }
    for name in CAMPS {
        refuses(name, "Kc6 te4", "e4-e7", "an attacker coming from there cannot pass e5");
        refuses(name, "Kc6 Td5 te3", "d5-g5", "a defender coming from there cannot pass e5");
        refuses(name, "Ke4 tc5", "Ke4-e7", "the king coming from there cannot pass e5");
        refuses(name, "Ke4 tc5", "Ke4-e5", "the king coming from there cannot stop on e5");
        plays(name, "Ke5 tc5", "Ke5-e7");
    }
}

#[test]
fn only_a_king_stops_on_the_throne() {
    for name in ["mcgill", "tablut", "berkeley", "ashton"] {
        refuses(name, "Kc6 te4", "e4-e5", "an attacker coming from there cannot stop on e5");
        refuses(name, "Kc6 Te4 tc3", "e4-e5", "a defender coming from there cannot stop on e5");
        refuses(name, "Ke5 te4", "e4-e7", "a piece on e5 is in the way");
    }
}

#[test]
fn only_some_pieces_stop_on_corners() {
    for name in CORNERS {
        refuses(name, "Kd3 ta3", "a3-a1", "an attacker coming from there cannot stop on a1");
        refuses(name, "Kd3 Tc1 tf5", "c1-a1", "a defender coming from there cannot stop on a1");
    }
    for name in ["berkeley", "ashton", "ashton-server"] {
        plays(name, "Kd3 ta3", "a3-a1");
        plays(name, "Kd3 Tc1 tf6", "c1-a1");
    }
}

#[test]
fn camps_are_left_and_never_entered() {
    for name in CAMPS {
        // Within its own camp, through it and out of it.
        plays(name, "Kg3 ta4", "a4-a6");
        plays(name, "Kg3 ta4", "a4-a8");
        plays(name, "Kg3 ta5", "a5-b5");
        plays(name, "Kg3 ta5", "a5-d5");
        plays(name, "Kg3 tb5 ta4", "b5-b1");
        plays(name, "Kg3 tb5", "b5-a5");
        // Not into it, over it, or into another camp.
        refuses(name, "Kg3 tc5", "c5-b5", "an attacker coming from there cannot stop on b5");
        refuses(name, "Kg3 tc5", "c5-a5", "an attacker coming from there cannot pass b5");
        refuses(name, "Kg3 ta3", "a3-a7", "an attacker coming from there cannot pass a4");
        refuses(name, "Kg3 Ta3 td6", "a3-a7", "a defender coming from there cannot pass a4");
        refuses(name, "Kc4 td6", "Kc4-a4", "the king coming from there cannot stop on a4");
        refuses(name, "Kb4 td6", "Kb4-b6", "the king coming from there cannot pass b5");
        refuses(name, "Kg3 td1", "d1-d9", "an attacker coming from there cannot stop on d9");
        refuses(name, "Kg3 ta4", "a4-i4", "an attacker coming from there cannot stop on i4");
        plays(name, "Kg3 td1", "d1-d8");
    }
}

#[test]
fn a_side_without_a_move_has_lost() {
    for (name, words, side) in [
        ("mcgill", "tb1 Tc1 Tb2 Kf6", Side::Attackers),
        ("ashton", "Kc3 tb3 td3 tc2 tc4", Side::Defenders),
        ("berkeley", "Kc3 tb3 td3 tc2 tc4", Side::Defenders),
        ("brandubh", "Kb1 Tc1 td1 tb2 tc2", Side::Defenders),
    ] {
        let rules = ruleset(name);
        let mut position = men(&rules, words, side);
        // In brandubh the king may move out over the corner.
        let escapes = usize::from(name == "brandubh");
        assert_eq!(count_moves(&rules, &position), escapes, "{name}");
        assert_eq!(has_move(&rules, &position), escapes > 0);
        position.to_move = side.other();
        assert!(has_move(&rules, &position));
    }
}

#[test]
fn the_last_attacker_captured_ends_the_game() {
    for name in ALL {
        let rules = ruleset(name);
        let after = plays(name, "Kf6 Tb3 Td5 tc3", "d5-d3xc3");
        assert!(after.is_finished(&rules) && !has_move(&rules, &after));
        assert_eq!(after.check(&rules), Ok(()), "lost in 0, and may be asked for");
        let mut again = after;
        again.to_move = Side::Defenders;
        assert!(legal_moves(&rules, &again).is_empty());
        let error = again.check(&rules).unwrap_err().to_string();
        assert_eq!(error, "the game is over: no attackers are left, so the defenders have won");
    }
}

/// Plays moves in the notation of berkeley's interface: `b3-6`, `b3-f`.
fn berkeley_game(moves: &str) -> (Ruleset, Vec<Position>) {
    let rules = ruleset("berkeley");
    let mut game = vec![Position::start(&rules).unwrap()];
    for text in moves.split(' ') {
        let (from, to) = text.split_once('-').unwrap();
        let (file, rank) = from.split_at(1);
        let to = match to.parse::<u8>() {
            Ok(rank) => format!("{file}{rank}"),
            Err(_) => format!("{to}{rank}"),
        };
        let position = game[game.len() - 1];
        let played = parse_move(&rules, &position, &format!("{from}-{to}")).unwrap();
        assert_eq!(played.ending, None, "{text}");
        game.push(position.after(&played));
    }
    (rules, game)
}

#[test]
fn known_games_of_berkeley() {
    let wins = |moves| {
        let (rules, game) = berkeley_game(moves);
        legal_moves(&rules, &game[game.len() - 1])
            .iter()
            .filter(|m| m.ending.is_some())
            .map(|m| m.display(rules.board).to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(wins("a4-3 e4-f b5-3 e5-4 b3-5"), ["Ke4-a4--"]);
    assert_eq!(wins("h5-4 e4-b d1-4 e5-4 i6-f e4-g"), ["f1-f4++", "d4-f4++"]);

    let (_, game) = berkeley_game("i6-f f5-3 i4-3 e5-f i3-4 f5-e");
    assert_eq!(game[2], game[6]);
    let (_, game) = berkeley_game("i6-9 g5-4 i9-8 g4-5 i8-6 g5-4 i6-8");
    assert_eq!(game[3], game[7]);
    let (rules, game) = berkeley_game("i6-g d5-7 i4-g");
    assert_eq!(game[3].to_text(&rules), "/3ttt3/4t4/4T4/t3T1t2/ttT1KT1tt/t3T1t2/3TT4/4t4/3ttt3/ d");
}

/// Returns whether the side to move wins within this many plies.
fn wins_within(rules: &Ruleset, position: &Position, plies: u32) -> bool {
    let moves = legal_moves(rules, position);
    let mut quiet = moves.iter();
    plies > 0
        && (moves.iter().any(|m| m.ending.is_some())
            || quiet.any(|m| loses_within(rules, &position.after(m), plies - 1)))
}

fn loses_within(rules: &Ruleset, position: &Position, plies: u32) -> bool {
    let moves = legal_moves(rules, position);
    let mut replies = moves.iter();
    moves.is_empty()
        || plies > 0
            && replies
                .all(|m| m.ending.is_none() && wins_within(rules, &position.after(m), plies - 1))
}

#[test]
fn forced_wins_of_berkeley_in_four_plies() {
    let rules = ruleset("berkeley");
    for text in [
        "/2t6/4t4/T4t3/3T1t3/1TK3Ttt/3T1t1Tt/9/4t4/4t4/ a",
        "/8t/4t4/4T2tt/t2tKt3/3t1t3/t3t1t2/1t7/T1t6/1t7/ d",
    ] {
        let position = Position::parse(text, &rules).unwrap();
        assert!(loses_within(&rules, &position, 4), "{text}");
        assert!(!loses_within(&rules, &position, 3), "{text}");
    }
}
