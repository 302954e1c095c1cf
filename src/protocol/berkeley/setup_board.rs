use std::fmt::Write;

use crate::game::board::{Board, Square, SquareSet};
use crate::game::history::Game;
use crate::game::moves::Ending;
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Kind, Layout, LayoutError, Ruleset, Side};

/// A board without restrictions, for setting up and for printing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SetupBoard {
    attackers: SquareSet,
    defenders: SquareSet,
    kings: SquareSet,
    pub(super) to_move: Side,
}

impl SetupBoard {
    /// Returns the board of a game, without a captured king.
    pub(super) fn of(game: &Game) -> SetupBoard {
        let Position { attackers, defenders, king, to_move, .. } = *game.position();
        let ending = game.moves().last().and_then(|played| played.ending);
        let captured = ending == Some(Ending::KingCaptured);
        let kings = if captured { SquareSet::EMPTY } else { SquareSet::of(king) };
        SetupBoard { attackers, defenders, kings, to_move }
    }

    /// Changes a square to its next state in the cycle empty, white, king, black.
    pub(super) fn toggle(&mut self, square: Square) {
        if self.defenders.contains(square) {
            self.defenders.remove(square);
            self.kings.insert(square);
        } else if self.kings.contains(square) {
            self.kings.remove(square);
            self.attackers.insert(square);
        } else if self.attackers.contains(square) {
            self.attackers.remove(square);
        } else {
            self.defenders.insert(square);
        }
    }

    /// Returns the position, if it is playable.
    pub(super) fn position(&self, rules: &Ruleset) -> Result<Position, PositionError> {
        let SetupBoard { attackers, defenders, kings, to_move } = *self;
        let mut squares = kings.iter();
        let king = squares.next();
        if let (Some(first), Some(second)) = (king, squares.next()) {
            let names = (rules.board.name(first), rules.board.name(second));
            return Err(PositionError::Layout(LayoutError::TwoKings(names.0, names.1)));
        }
        Position::from_layout(&Layout { attackers, defenders, king }, to_move, rules)
    }

    /// Returns the output of the command `dump`.
    pub(super) fn dump(&self, board: Board) -> String {
        let mut text = String::from("===\n");
        for rank in (0..board.size()).rev() {
            let letters = (0..board.size()).map(|file| self.letter(board.at(file, rank)));
            let cells: String = letters.flat_map(|letter| [' ', letter]).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:2}{cells}", rank + 1);
        }
        let files = (b'a'..).take(board.size()).flat_map(|file| [' ', char::from(file)]);
        let _ = writeln!(text, "  {}\n===", files.collect::<String>());
        text
    }

    /// Writes the board in the notation of positions, even if it is not a valid position.
    pub(super) fn to_text(self, board: Board) -> String {
        Layout::text_of(board, |square| self.piece(square))
    }

    fn letter(&self, square: Square) -> char {
        match self.piece(square) {
            Some(Kind::King) => 'K',
            Some(Kind::Defender) => 'W',
            Some(Kind::Attacker) => 'B',
            None => '-',
        }
    }

    fn piece(&self, square: Square) -> Option<Kind> {
        if self.kings.contains(square) {
            Some(Kind::King)
        } else if self.defenders.contains(square) {
            Some(Kind::Defender)
        } else if self.attackers.contains(square) {
            Some(Kind::Attacker)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn start() -> (Arc<Ruleset>, SetupBoard) {
        let rules = Arc::new(Ruleset::builtin("berkeley").unwrap());
        let game = Game::new(Arc::clone(&rules)).unwrap();
        (rules, SetupBoard::of(&game))
    }

    #[test]
    fn the_board_is_printed_from_the_top_rank() {
        let (rules, mut setup) = start();
        for name in ["a1", "i1", "i1", "b9", "b9", "b9", "e5", "e5"] {
            setup.toggle(rules.board.parse(name).unwrap());
        }
        let shown = [
            "===",
            " 9 - B - B B B - - -",
            " 8 - - - - B - - - -",
            " 7 - - - - W - - - -",
            " 6 B - - - W - - - B",
            " 5 B B W W - W W B B",
            " 4 B - - - W - - - B",
            " 3 - - - - W - - - -",
            " 2 - - - - B - - - -",
            " 1 W - - B B B - - K",
            "   a b c d e f g h i",
            "===",
            "",
        ];
        assert_eq!(setup.dump(rules.board), shown.join("\n"));
        let text = "/T2ttt2K/4t4/4T4/t3T3t/ttTT1TTtt/t3T3t/4T4/4t4/1t1ttt3/";
        assert_eq!(setup.to_text(rules.board), text);
    }

    #[test]
    fn toggling_cycles_and_only_valid_boards_are_playable() {
        let (rules, start) = start();
        let mut setup = start;
        let square = rules.board.parse("c3").unwrap();
        for what in [None, Some("two kings, on c3 and e5"), None, None] {
            setup.toggle(square);
            let wrong = setup.position(&rules).err().map(|error| error.to_string());
            assert_eq!(wrong.as_deref(), what);
        }
        assert_eq!(setup, start);
    }
}
