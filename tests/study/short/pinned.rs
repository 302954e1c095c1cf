//! Numbers that must not change, small boards, and refusals.

use std::collections::BTreeSet;

use taflbase::short::blocking::Blocked;
use taflbase::short::{
    Board, Cell, Game, ShortError, Soldier, grundy_values, memory_bytes, outcomes,
};

use super::{board, solved, valued};

#[test]
fn counts_do_not_change() {
    for (size, rule, positions, p_positions, largest) in [
        ("24x24", Soldier::SouthEast, 89_424, 3223, 49),
        ("24x24", Soldier::NorthWest, 331_200, 11_999, 40),
        ("24x24", Soldier::Closer, 331_200, 12_407, 42),
        ("24x24", Soldier::Stationary, 89_424, 4899, 34),
    ] {
        let (outcomes, values) = (solved(size, rule), valued(size, rule));
        assert_eq!(outcomes.positions(), positions);
        assert_eq!(outcomes.p_positions().count(), p_positions, "{rule}");
        assert!(outcomes.p_positions().eq(values.p_positions()), "{rule}");
        let all = values.all().map(|(king, soldier)| values.value(king, soldier));
        assert_eq!(all.max(), Some(largest), "{rule}");
    }
}

#[test]
fn a_king_in_the_corner_has_lost() {
    let solved = valued("3x3", Soldier::Closer);
    let corner = Cell::new(0, 0);
    assert!(solved.soldiers(corner).all(|soldier| solved.is_p(corner, soldier)));
    assert_eq!(valued("1x1", Soldier::NorthWest).positions(), 0);
}

#[test]
fn a_soldier_out_of_play_leaves_nim() {
    let solved = valued("6x6", Soldier::SouthEast);
    assert_eq!(solved.value(Cell::new(3, 5), Cell::new(4, 0)), 3 ^ 5);
    assert!(solved.is_p(Cell::new(2, 2), Cell::new(0, 4)));
}

#[test]
fn boards_and_squares_are_read() {
    assert_eq!(board("8x9").to_string(), "8x9");
    assert_eq!((board(" 8 X 9 ").rows(), board("8x9").columns()), (8, 9));
    assert_eq!("7,8".parse::<Cell>().unwrap(), Cell::new(7, 8));
    for (text, word) in [
        ("0x9", "no squares"),
        ("9x0", "no squares"),
        ("8", "like 8x9"),
        ("8x", "like 8x9"),
        ("-1x3", "like 8x9"),
        ("8x9x2", "like 8x9"),
        ("10001x1", "10000"),
        ("99999999999999999999x1", "like 8x9"),
    ] {
        let message = text.parse::<Board>().expect_err(text).to_string();
        assert!(message.contains(word), "{text}: {message}");
    }
    assert!("7".parse::<Cell>().is_err() && "a,b".parse::<Cell>().is_err());
    assert!("SE".parse::<Soldier>().is_err());
    let outside = Game::new(board("8x9"), Soldier::Closer).reached_from(Cell::new(8, 0));
    assert_eq!(outside, Err(ShortError::NotOnBoard(Cell::new(8, 0), board("8x9"))));
}

#[test]
fn a_computation_can_be_stopped() {
    let game = Game::new(board("20x20"), Soldier::Closer);
    let result = outcomes(game, &|done, of| done < 100 && of == 400);
    assert_eq!(result.unwrap_err(), ShortError::Stopped);
    let soldiers = BTreeSet::from([Cell::new(2, 5)]);
    let result = Blocked::new(board("9x9"), &soldiers, &|done, of| done < 4 && of == 9);
    assert_eq!(result.unwrap_err(), ShortError::Stopped);
    let outside = Blocked::new(board("5x5"), &soldiers, &|_, _| true).unwrap_err();
    assert_eq!(outside, ShortError::NotOnBoard(Cell::new(2, 5), board("5x5")));
}

#[test]
fn memory_is_known_in_advance() {
    let game = Game::new(board("60x60"), Soldier::NorthWest);
    // A byte for each position, and for each of 120 lines and square.
    assert_eq!(memory_bytes(game, false), 3600 * 3600 + 120 * 3600);
    let part = game.reached_from(Cell::new(1, 2)).unwrap();
    assert_eq!(memory_bytes(part, false), 6 * 3600 + 5 * 3600);
    // The largest of all boards, and the longest.
    let huge = Game::new(board("10000x10000"), Soldier::NorthWest);
    assert!(memory_bytes(huge, true) > 1 << 54);
    let long = Game::new(board("1x10000"), Soldier::Stationary);
    let refused = grundy_values(long, &|_, _| true).unwrap_err();
    assert!(refused.to_string().contains("too large"), "{refused}");
}
