//! The theorem and the patterns, on boards as large as a test has time for.

use taflbase::short::check::{check_clauses, check_pattern, check_proof, check_values};
use taflbase::short::patterns::tail;
use taflbase::short::theorem::{self, ProofSet, ProofText, proof_set};
use taflbase::short::{Cell, Game, Soldier, outcomes};

use super::{board, solved, valued};

#[test]
fn the_theorem_holds_on_60_by_60() {
    let solved = solved("60x60", Soldier::SouthEast);
    for comparison in [check_pattern(&solved), check_clauses(&solved)] {
        assert_eq!((comparison.said, comparison.wrong), (3_345_300, 0));
    }
    let corrected = check_proof(&solved, ProofText::Corrected);
    assert_eq!((corrected.needed.said, corrected.needed.wrong), (1_619_200, 0));
    assert_eq!((corrected.held.said, corrected.held.wrong), (1_619_316, 0));
    let printed = check_proof(&solved, ProofText::AsPrinted);
    assert_eq!((printed.needed.wrong, printed.held.wrong), (0, 3306));
    // On the slides V2 begins with column b - 1 - r, here 1.
    let (king, soldier) = printed.held.examples[0];
    assert_eq!((king, soldier), (Cell::new(2, 3), Cell::new(0, 1)));
    assert!(theorem::is_p(king, soldier));
    assert_eq!(proof_set(king, soldier, ProofText::AsPrinted), Some(ProofSet::V2));
    assert_eq!(proof_set(king, soldier, ProofText::Corrected), None);
}

#[test]
fn proved_statements_hold() {
    for (size, rule) in ["24x31", "30x24", "26x26"]
        .into_iter()
        .flat_map(|size| Soldier::ALL.map(|rule| (size, rule)))
    {
        let solved = valued(size, rule);
        let (outcomes, values) = (check_pattern(&solved), check_values(&solved));
        let context = format!("{size} {rule}: {outcomes:?} {values:?}");
        assert_eq!((outcomes.wrong, values.wrong), (0, 0), "{context}");
        assert!(values.said > 2000, "{context}");
        match rule.leaves_play() {
            true => assert_eq!(outcomes.said, solved.positions(), "{context}"),
            false => assert!(outcomes.said > 40_000, "{context}"),
        }
    }
}

#[test]
fn mistakes_would_be_found() {
    // The theorem does not apply to stationary soldiers.
    let stationary = solved("12x12", Soldier::Stationary);
    let clauses = check_clauses(&stationary);
    assert!(clauses.wrong > 100 && clauses.examples.len() == 5, "{clauses:?}");
    assert!(check_proof(&stationary, ProofText::Corrected).needed.wrong > 0);
}

/// Returns the period and its first row.
fn period(rule: Soldier, king: Cell) -> Option<(usize, usize)> {
    let game = Game::new(board("240x240"), rule).reached_from(king).unwrap();
    let solved = outcomes(game, &|_, _| true).unwrap();
    tail(&solved, king).period.map(|period| (period.length, period.from))
}

#[test]
fn periods_far_from_the_king_do_not_change() {
    for (rule, row, column, found) in [
        (Soldier::NorthWest, 1, 1, (1, 3)),
        (Soldier::NorthWest, 1, 2, (2, 3)),
        (Soldier::NorthWest, 1, 5, (6, 8)),
        (Soldier::NorthWest, 2, 6, (24, 26)),
        (Soldier::NorthWest, 5, 5, (1, 10)),
        (Soldier::Closer, 1, 4, (1, 6)),
        (Soldier::Closer, 1, 5, (5, 8)),
        (Soldier::Closer, 2, 6, (25, 11)),
        (Soldier::Closer, 6, 6, (1, 8)),
    ] {
        assert_eq!(period(rule, Cell::new(row, column)), Some(found), "{rule} {row},{column}");
    }
    // Its period can only be seen on a larger board.
    assert_eq!(period(Soldier::Closer, Cell::new(1, 7)), None);
}
