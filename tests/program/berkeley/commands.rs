//! Every command, and the errors of invalid ones.

use super::session::{said_quickly as said, set_up};

/// Returns the board that `dump` prints after the commands.
fn dumped(commands: &str) -> String {
    let said = said(&format!("{commands}\ndump\n"));
    assert_eq!(said.err, "");
    let from = said.out.rfind("===\n 9").unwrap();
    said.out[from..].to_owned()
}

const START: &str = "\
===
 9 - - - B B B - - -
 8 - - - - B - - - -
 7 - - - - W - - - -
 6 B - - - W - - - B
 5 B B W W K W W B B
 4 B - - - W - - - B
 3 - - - - W - - - -
 2 - - - - B - - - -
 1 - - - B B B - - -
   a b c d e f g h i
===
";

#[test]
fn a_board_is_dumped_exactly() {
    assert_eq!(said("dump").out, START);
    let moved = dumped("manual white\ni6-g\nd5-7\ni4-g");
    assert_eq!(
        moved,
        "===\n 9 - - - B B B - - -\n 8 - - - - B - - - -\n 7 - - - W W - - - -\n \
         6 B - - - W - B - -\n 5 B B W - K W - B B\n 4 B - - - W - B - -\n \
         3 - - - - W - - - -\n 2 - - - - B - - - -\n 1 - - - B B B - - -\n   \
         a b c d e f g h i\n===\n"
    );
}

#[test]
fn a_captured_king_is_not_shown() {
    let before = set_up("/9/9/2tK5/4t4/9/9/9/9/9/ a");
    let board = dumped(&before);
    assert!(board.contains("\n 3 - - B K - - - - -\n"), "{board}");
    let captured = said(&format!("{before}e4-3\ndump\n"));
    assert_eq!((captured.stars(), captured.err.as_str()), (vec!["* Black wins."], ""));
    assert!(captured.out.contains("\n 3 - - B - B - - - -\n"), "{}", captured.out);
}

const INVALID: &str = "Invalid move. Please try again.\n";

#[test]
fn the_program_plays_white_by_default() {
    let one = said("a4-3");
    assert_eq!((one.stars().len(), one.err.as_str()), (1, ""));
    assert_eq!(said("manual white\na4-3\n").stars().len(), 0);
    assert_eq!(said("manual white\nauto black\n").stars().len(), 1);
    assert_eq!(
        said("auto black\nmanual white\n").stars().last(),
        said("auto black\nquit").stars().last()
    );
}

#[test]
fn illegal_moves_are_refused_and_change_nothing() {
    for wrong in ["e5-6", "e3-4", "a1-2", "a4-4", "a4-7", "a5-c", "b5-e", "d5-a"] {
        let refused = said(&format!("manual white\n{wrong}\ndump\n"));
        assert_eq!((refused.err.as_str(), refused.out.as_str()), (INVALID, START), "{wrong}");
    }
    let over = said("manual white\ni6-f\nf5-3\ni4-3\ne5-f\ni3-4\nf5-e\na4-3\n");
    assert_eq!((over.err.as_str(), over.out.as_str()), ("misplaced move\n", "* Black wins.\n"));
}

#[test]
fn bad_commands_are_reported() {
    for bad in ["jump", "a1-b2", "auto red", "limit", "toggle k1", "seed one", "quit it"] {
        assert_eq!(said(bad).err, format!("Error: Bad command: {bad}\n"));
    }
    let unreadable = String::from_utf8_lossy(&[b'a', 255]).into_owned();
    assert_eq!(said(&unreadable).err, format!("Error: Bad command: {unreadable}\n"));
    // The rest of a long line is dropped before it takes memory.
    let long = "x".repeat(1 << 16);
    assert_eq!(said(&long.repeat(3)).err, format!("Error: Bad command: {long}\n"));
    assert_eq!(said("SEED 5 # five\n \n#x\n").err, "");
    assert_eq!(
        said("seed 99999999999999999999").err,
        "Error: number too large: 99999999999999999999\n"
    );
    assert_eq!(said("quit\nnonsense").err, "");
}

#[test]
fn undo_takes_back_two_plies() {
    let two = "manual white\na4-3\ne4-f\n";
    assert_eq!(dumped(&format!("{two}undo")), START);
    let three = format!("{two}a3-2\nundo");
    assert_eq!(dumped(&three), dumped("manual white\na4-3"));
    // After one ply nothing is taken back, nor are plies from before the board was changed.
    assert_eq!(dumped("manual white\na4-3\nundo"), dumped("manual white\na4-3"));
    let changed = format!("{two}toggle a1\ntoggle a1\ntoggle a1\ntoggle a1\n");
    assert_eq!(dumped(&format!("{changed}undo")), dumped(two));
    // A finished game continues.
    let over = "manual white\ni6-f\nf5-3\ni4-3\ne5-f\ni3-4\nf5-e\nundo\ni3-2\ndump";
    let again = said(over);
    assert_eq!((again.stars(), again.err.as_str()), (vec!["* Black wins."], ""));
    assert!(again.out.contains(" 2 - - - - B - - - B"));
}

#[test]
fn a_side_that_must_move_beyond_the_limit_loses() {
    let moves = "manual white\na4-3\ne4-f\n";
    assert_eq!(said(&format!("limit 1\n{moves}")).stars(), ["* White wins."]);
    assert_eq!(said(&format!("{moves}limit 2\na3-2\nf4-e\n")).stars(), ["* White wins."]);
    assert_eq!(said(&format!("limit 1\n{moves}new\n{moves}a3-2\n")).stars(), ["* White wins."]);
    let late = said(&format!("{moves}limit 1\n"));
    assert_eq!(late.err, "Error: limit 1 is too small: 2 moves have been made so far\n");
    assert!(said("limit 0").err.starts_with("Error: limit 0 is too small"));
    // Black has made two moves and white one: white may still make its second.
    assert_eq!(said(&format!("{moves}a3-2\nlimit 2\nf4-e\n")).stars(), ["* White wins."]);
    // Moves that were taken back do not count, nor do those from before a change.
    assert_eq!(said(&format!("{moves}undo\nlimit 1\n")).err, "");
    let changed = said(&format!("{moves}toggle a1\nlimit 1\n"));
    assert!(changed.err.contains("2 moves have been made so far"), "{}", changed.err);
}

#[test]
fn an_unplayable_board_is_reported_once() {
    let none = said("manual white\ntoggle e5\na4-3\n");
    assert!(none.err.starts_with("Error: this board is not playable: "), "{}", none.err);
    assert_eq!(none.err.lines().count(), 1);
    let two = said("manual white\ntoggle a1\ntoggle a1\nauto black\ndump\ndump\n");
    assert_eq!(two.err, "Error: this board is not playable: two kings, on a1 and e5\n");
    assert_eq!(two.stars().len(), 0);
    // Once it is playable, the program moves.
    let put_right = said("manual white\ntoggle a1\ntoggle a1\nauto black\ntoggle a1\ntoggle a1\n");
    assert_eq!((put_right.stars().len(), put_right.err.lines().count()), (1, 1));
    let escaped = said(&(set_up("/K8/9/9/9/9/9/9/9/8t/ a") + "i9-8\n"));
    assert!(escaped.err.contains("the king on a1 has won"), "{}", escaped.err);
}

#[test]
fn a_side_without_a_move_on_an_edited_board_loses() {
    let nobody = set_up("/9/9/9/9/4K4/9/9/9/9/ a");
    for asked in ["a1-2\n", "auto black\n"] {
        let said = said(&format!("{nobody}{asked}"));
        assert_eq!((said.stars(), said.err.as_str()), (vec!["* White wins."], ""), "{asked}");
    }
    assert_eq!(said(&nobody).stars().len(), 0);
}

#[test]
fn a_seed_reproduces_the_moves() {
    let game = "auto black\n";
    let seeds = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let first: Vec<String> = seeds
        .iter()
        .map(|seed| {
            let commands = format!("manual white\nseed {seed}\nauto black\nmanual black\n");
            let one = said(&commands);
            assert_eq!(one.out, said(&commands).out);
            one.stars()[0].to_owned()
        })
        .collect();
    assert!(first.iter().any(|other| *other != first[0]), "{first:?}");
    assert_eq!(said(game).out, said(game).out);
}

#[test]
fn only_moves_and_results_have_stars() {
    let text = said("auto black\n* a1-4\ndump\nauto *\n").out;
    for line in text.lines().filter(|line| line.contains('*')) {
        let rest = line.strip_prefix("* ").unwrap();
        let is_end = ["White wins.", "Black wins."].contains(&rest);
        assert!(is_end || rest.len() == 4 && rest.as_bytes()[2] == b'-', "{line}");
    }
}
