//! Games with known results.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use taflbase::protocol::berkeley::SearchBudget;

use super::session::{said, said_with, set_up};

/// Returns commands for white's and black's moves by hand, one a line.
fn by_hand(moves: &str) -> String {
    format!("manual white\n{}\n", moves.replace(' ', "\n"))
}

#[test]
fn wins_in_one_are_found_within_a_limit() {
    let white = format!("limit 9\n{}auto white\n", by_hand("a4-3 e4-f b5-3 e5-4 b3-5"));
    assert_eq!(said(&white).stars(), ["* e4-a", "* White wins."]);

    let black = format!("limit 9\n{}auto black\n", by_hand("h5-4 e4-b d1-4 e5-4 i6-f e4-g"));
    let said = said(&black);
    assert!(["* f1-4", "* d4-f"].contains(&said.stars()[0]), "{}", said.out);
    assert_eq!(said.stars()[1..], ["* Black wins."]);
    assert_eq!(said.err, "");
}

#[test]
fn a_side_that_repeats_a_position_loses() {
    let white = said(&by_hand("i6-f f5-3 i4-3 e5-f i3-4 f5-e"));
    assert_eq!((white.stars(), white.err.as_str()), (vec!["* Black wins."], ""));
    let black = said(&by_hand("i6-9 g5-4 i9-8 g4-5 i8-6 g5-4 i6-8"));
    assert_eq!((black.stars(), black.err.as_str()), (vec!["* White wins."], ""));
}

#[test]
fn the_first_position_counts_for_repetition() {
    let said = said(&by_hand("d1-c e4-d c1-d d4-e"));
    assert_eq!(said.stars(), ["* Black wins."]);
}

/// Positions in which the side to move loses in four plies, and the end of the game.
pub(crate) const FORCED: [(&str, &str); 2] = [
    ("/2t6/4t4/T4t3/3T1t3/1TK3Ttt/3T1t1Tt/9/4t4/4t4/ a", "White wins."),
    ("/8t/4t4/4T2tt/t2tKt3/3t1t3/t3t1t2/1t7/T1t6/1t7/ d", "Black wins."),
];

#[test]
fn a_game_of_both_colours_ends_in_four_plies_where_that_is_forced() {
    for (position, end) in FORCED {
        let said = said(&(set_up(position) + "auto white\nauto black\n"));
        assert_eq!(said.err, "");
        assert_eq!(said.stars().len(), 5, "{}", said.out);
        assert_eq!(said.stars()[4], format!("* {end}"));
    }
}

/// The program's game against itself, but with a twentieth of its time.
#[test]
fn a_game_takes_at_most_three_minutes() {
    const PART: u32 = 20;
    let whole = SearchBudget::default();
    let started = Instant::now();
    let said = said_with(SearchBudget { game: whole.game / PART, ..whole }, "auto black\n");
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(180) / PART, "{elapsed:?}");
    assert_eq!(said.err, "");
    let end = *said.stars().last().unwrap();
    assert!(["* White wins.", "* Black wins."].contains(&end), "{}", said.out);
}

#[test]
fn no_game_is_endless() {
    let game = Duration::from_secs(20);
    let effort = SearchBudget { plies: 3, nodes: 1000, game, careful_plies: 20 };
    for seed in 1..=10 {
        let said = said_with(effort, &format!("seed {seed}\nauto black\n"));
        let plies = said.stars().len() - 1;
        assert!(said.stars()[plies].ends_with("wins.") && plies < 200, "{plies}");
    }
    // A best move has at most eight mirror images; any move is one of eighty.
    let random = SearchBudget { careful_plies: 0, ..effort };
    let firsts: HashSet<String> = (1..=20)
        .map(|seed| format!("manual white\nseed {seed}\nauto black\n"))
        .map(|commands| said_with(random, &commands).stars()[0].to_owned())
        .collect();
    assert!(firsts.len() > 8, "{firsts:?}");
}

/// Positions in which the side to move wins in 5 or 7 plies and no sooner, found by a program
/// that tries all moves.
const WINS: [(&str, usize); 10] = [
    ("/3tt4/6T1t/2t1T4/t1K4t1/ttT3T1t/t2TT3t/3t1t3/4t4/4tt3/ a", 5),
    ("/3tt4/9/3T2t2/t1t1KT3/tt1T3tt/t3T1T1t/4T4/4t4/2Tttt3/ d", 5),
    ("/4tt3/3t5/9/tT2tT3/t2TK1Ttt/t3Tt2t/4T4/4t4/1t1tt4/ d", 5),
    ("/2t6/3tt4/1T7/t2T1t1t1/tt1TK2tt/1T1t1t2t/T8/7t1/3tt4/ d", 7),
    ("/7t1/4T4/t4T3/3t2T1t/3t1Kt1t/tt2TT2t/4T4/4t4/4tt3/ d", 7),
    ("/4tt3/3t3t1/7T1/t2TK2t1/ttTT1TT1t/3T3tt/t3T4/4t4/2t1tt3/ d", 7),
    ("/4t4/8t/5T3/t4t2t/ttTTKTTtt/tT7/4T3t/4t4/3ttt3/ d", 7),
    ("/4tt2t/3t5/4t2T1/tT2K2t1/ttTT1TT1t/t3T3t/4T4/4tt3/3tt4/ d", 7),
    ("/4tt3/9/2T2t1t1/T7t/tt2KT2t/2TtT3t/2T2T3/4t4/3ttt3/ d", 7),
    ("/9/9/t1t1t4/4T3t/2t1Kt1tt/t3T3t/6T2/1t2t4/3t2t2/ d", 7),
];

#[test]
fn wins_within_four_own_moves_are_found() {
    for (position, plies) in WINS {
        let winner = if position.ends_with('a') { "* Black wins." } else { "* White wins." };
        let said = said(&(set_up(position) + "auto white\nauto black\n"));
        let (end, moves) = said.stars().split_last().map(|(end, rest)| (*end, rest.len())).unwrap();
        assert_eq!(end, winner, "{position}");
        assert!(moves <= plies, "{position}: {}", said.out);
    }
}
