//! Properties of moves, un-moves and notation on random positions.

use std::collections::HashSet;

use crate::random::rules_and_position;
use proptest::prelude::*;
use taflbase::moves::{Move, count_moves, has_move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::unmoves::unmoves;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_move_is_quiet_if_and_only_if_it_can_be_taken_back(
        (rules, position) in rules_and_position()
    ) {
        for played in legal_moves(rules, &position) {
            let next = position.after(&played);
            let back = unmoves(rules, &next);
            let found = back.iter().filter(|u| next.before(u) == position).count();
            prop_assert_eq!(found, usize::from(played.is_quiet()), "{}", played.display(rules.board));
        }
    }

    #[test]
    fn un_moves_can_be_played((rules, position) in rules_and_position()) {
        let back = unmoves(rules, &position);
        let distinct: HashSet<Position> = back.iter().map(|u| position.before(u)).collect();
        prop_assert_eq!(distinct.len(), back.len());
        for unmove in back {
            let earlier = position.before(&unmove);
            prop_assert_eq!(earlier.check(rules), Ok(()));
            let leads_here = |m: &&Move| m.is_quiet() && earlier.after(m) == position;
            let moves = legal_moves(rules, &earlier);
            prop_assert_eq!(moves.iter().filter(leads_here).count(), 1, "{:?}", unmove);
        }
    }

    #[test]
    fn images_of_moves_are_moves_of_images((rules, position) in rules_and_position()) {
        let moves = legal_moves(rules, &position);
        for g in rules.symmetries().iter() {
            let image = |m: &Move| Move {
                from: g.apply(rules.board, m.from),
                to: g.apply(rules.board, m.to),
                captured: g.apply_set(rules.board, m.captured),
                ..*m
            };
            let images: HashSet<Move> = moves.iter().map(image).collect();
            let found = legal_moves(rules, &position.image(rules, g));
            prop_assert_eq!(found.len(), images.len());
            prop_assert_eq!(found.into_iter().collect::<HashSet<_>>(), images, "{:?}", g);
        }
    }

    #[test]
    fn moves_are_ordered_and_counted((rules, position) in rules_and_position()) {
        let moves = legal_moves(rules, &position);
        prop_assert!(moves.is_sorted_by_key(|m| (m.from, m.to)));
        prop_assert_eq!(moves.len(), count_moves(rules, &position));
        prop_assert_eq!(!moves.is_empty(), has_move(rules, &position));
        for played in moves.iter().filter(|m| m.ending.is_none()) {
            let next = position.after(played);
            prop_assert!(!rules.goals.contains(next.king));
            let removed = position.occupied().len() - next.occupied().len();
            prop_assert_eq!(removed, played.captured.len());
        }
    }

    #[test]
    fn positions_and_moves_round_trip_through_text((rules, position) in rules_and_position()) {
        let text = position.to_text(rules);
        prop_assert_eq!(Position::parse(&text, rules), Ok(position));
        for played in legal_moves(rules, &position) {
            let text = played.display(rules.board).to_string();
            prop_assert_eq!(parse_move(rules, &position, &text), Ok(played), "{}", text);
            let bare = text.trim_start_matches('K').trim_end_matches(['+', '-']);
            let bare = bare.split('x').next().unwrap_or_default();
            prop_assert_eq!(parse_move(rules, &position, bare), Ok(played), "{}", bare);
        }
    }

    #[test]
    fn no_text_makes_the_readers_panic(
        (rules, position) in rules_and_position(),
        text in "[a-kKtT0-9é/+x -]{0,20}",
    ) {
        let _ = Position::parse(&text, rules);
        if let Ok(played) = parse_move(rules, &position, &text) {
            prop_assert!(legal_moves(rules, &position).contains(&played));
        }
    }
}
