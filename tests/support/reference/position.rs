//! Boards as letters, and their texts.

/// A player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Attackers,
    Defenders,
}

impl Side {
    pub(crate) fn other(self) -> Side {
        match self {
            Side::Attackers => Side::Defenders,
            Side::Defenders => Side::Attackers,
        }
    }

    pub(super) fn owns(self, piece: u8) -> bool {
        match self {
            Side::Attackers => piece == ATTACKER,
            Side::Defenders => piece == DEFENDER || piece == KING,
        }
    }
}

pub(super) const EMPTY: u8 = b'.';
pub(crate) const ATTACKER: u8 = b't';
pub(crate) const DEFENDER: u8 = b'T';
pub(crate) const KING: u8 = b'K';

/// The pieces, square by square (a1, b1, ... a2, b2, ...), and the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    pub cells: Vec<u8>,
    pub to_move: Side,
}

impl Position {
    /// Parses a board, a blank, and the side to move.
    pub(crate) fn read(text: &str, size: usize) -> Position {
        let (board, side) = text.split_once(' ').expect("a board and a side");
        Position {
            cells: read_board(board, size),
            to_move: match side {
                "a" => Side::Attackers,
                "d" => Side::Defenders,
                _ => panic!("no side \"{side}\""),
            },
        }
    }

    /// Formats a position as [`Position::read`] parses it.
    pub(crate) fn write(&self, size: usize) -> String {
        let mut text = String::from("/");
        for row in self.cells.chunks(size) {
            let mut gap = 0;
            for &piece in row {
                if piece == EMPTY {
                    gap += 1;
                    continue;
                }
                if gap > 0 {
                    text += &gap.to_string();
                    gap = 0;
                }
                text.push(char::from(piece));
            }
            if gap > 0 {
                text += &gap.to_string();
            }
            text.push('/');
        }
        text += match self.to_move {
            Side::Attackers => " a",
            Side::Defenders => " d",
        };
        text
    }
}

/// Parses the cells of a board.
pub(super) fn read_board(text: &str, size: usize) -> Vec<u8> {
    let mut cells = Vec::new();
    for row in text.trim_matches('/').split('/') {
        let mut gap = 0;
        for letter in row.bytes() {
            if letter.is_ascii_digit() {
                gap = 10 * gap + usize::from(letter - b'0');
                continue;
            }
            cells.resize(cells.len() + gap, EMPTY);
            gap = 0;
            cells.push(letter);
        }
        cells.resize(cells.len() + gap, EMPTY);
        assert_eq!(cells.len() % size, 0, "row \"{row}\" of \"{text}\"");
    }
    assert_eq!(cells.len(), size * size, "\"{text}\"");
    cells
}
