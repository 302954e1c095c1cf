use std::fmt;

use crate::game::board::{Board, Square, SquareName, SquareSet};

use super::Kind;

/// A placement of pieces, not checked against any rules.
///
/// Written in OpenTafl's notation: the ranks from rank 1 up, each between slashes and from file a
/// on; `t` is an attacker, `T` a defender, `K` the king, and a number counts empty squares:
/// `/2t2/2T2/tTKTt/2T2/2t2/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The attackers.
    pub attackers: SquareSet,
    /// The defending soldiers.
    pub defenders: SquareSet,
    /// The king; `None` if he is captured.
    pub king: Option<Square>,
}

impl Layout {
    /// Parses a board in OpenTafl's notation. The outer slashes may be omitted, and blanks around
    /// the board are ignored.
    ///
    /// # Errors
    /// If the text does not fill the board exactly, or has two kings or an unknown letter.
    pub fn parse(text: &str, board: Board) -> Result<Layout, LayoutError> {
        let mut layout = Layout::default();
        for (number, rank) in Layout::ranks(text, board)?.enumerate() {
            layout.parse_rank(rank, number, board)?;
        }
        Ok(layout)
    }

    /// Splits the text of a board into its ranks, without the outer slashes.
    pub(crate) fn ranks(
        text: &str,
        board: Board,
    ) -> Result<impl Iterator<Item = &str>, LayoutError> {
        let trimmed = text.trim();
        let unprefixed = trimmed.strip_prefix('/').unwrap_or(trimmed);
        let ranks = unprefixed.strip_suffix('/').unwrap_or(unprefixed).split('/');
        let (found, expected) = (ranks.clone().count(), board.size());
        if found == expected { Ok(ranks) } else { Err(LayoutError::Ranks { found, expected }) }
    }

    fn parse_rank(&mut self, text: &str, rank: usize, board: Board) -> Result<(), LayoutError> {
        let (mut file, mut rest) = (0_usize, text);
        while let Some(letter) = rest.chars().next() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let length = digits.max(letter.len_utf8());
            let token = &rest[..length];
            rest = &rest[length..];
            let count = token.parse::<u16>().ok().filter(|_| letter != '0');
            let kind = Kind::ALL.into_iter().find(|kind| kind.letter() == letter);
            match (kind, count) {
                (Some(kind), _) => {
                    if file < board.size() {
                        let square = board.at(file, rank);
                        if let Some(first) = self.king.filter(|_| kind == Kind::King) {
                            let [first, second] = [first, square].map(|square| board.name(square));
                            return Err(LayoutError::TwoKings(first, second));
                        }
                        self.put(kind, square);
                    }
                    file += 1;
                }
                (_, Some(empty)) => file += usize::from(empty),
                (_, None) => {
                    let (rank, found) = (rank + 1, token.to_owned());
                    return Err(LayoutError::NoPiece { rank, found });
                }
            }
        }
        if file != board.size() {
            let (rank, found, expected) = (rank + 1, file, board.size());
            return Err(LayoutError::Width { rank, found, expected });
        }
        Ok(())
    }

    /// Adds a piece; a king replaces the one before.
    pub(crate) fn put(&mut self, kind: Kind, square: Square) {
        match kind {
            Kind::Attacker => self.attackers.insert(square),
            Kind::Defender => self.defenders.insert(square),
            Kind::King => self.king = Some(square),
        }
    }

    /// Returns the canonical text of the layout, with the outer slashes.
    pub fn to_text(&self, board: Board) -> String {
        Layout::text_of(board, |square| self.piece(square))
    }

    /// Writes a board of any pieces, with the outer slashes.
    pub(crate) fn text_of(board: Board, piece: impl Fn(Square) -> Option<Kind>) -> String {
        let mut text = String::from("/");
        let mut empty = 0;
        for square in board.squares() {
            match piece(square) {
                Some(kind) => {
                    push_count(&mut text, std::mem::take(&mut empty));
                    text.push(kind.letter());
                }
                None => empty += 1,
            }
            if board.file(square) == board.size() - 1 {
                push_count(&mut text, std::mem::take(&mut empty));
                text.push('/');
            }
        }
        text
    }

    /// Returns the piece on the square.
    pub fn piece(&self, square: Square) -> Option<Kind> {
        if self.king == Some(square) {
            Some(Kind::King)
        } else if self.attackers.contains(square) {
            Some(Kind::Attacker)
        } else if self.defenders.contains(square) {
            Some(Kind::Defender)
        } else {
            None
        }
    }

    /// Returns the squares of the pieces of that kind.
    pub fn squares(&self, kind: Kind) -> SquareSet {
        match kind {
            Kind::Attacker => self.attackers,
            Kind::Defender => self.defenders,
            Kind::King => self.king.into_iter().collect(),
        }
    }
}

fn push_count(text: &mut String, empty: usize) {
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
}

/// The reason why a text is not a board of the expected size.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// The text has the wrong number of ranks.
    Ranks {
        /// Ranks in the text.
        found: usize,
        /// Ranks of the board.
        expected: usize,
    },
    /// A rank has the wrong length.
    Width {
        /// The rank's number, from 1.
        rank: usize,
        /// Squares in the text.
        found: usize,
        /// Squares of the board's ranks.
        expected: usize,
    },
    /// A token is neither a piece nor a count.
    NoPiece {
        /// The rank's number, from 1.
        rank: usize,
        /// The letter or digits.
        found: String,
    },
    /// The text has a second king.
    TwoKings(SquareName, SquareName),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::Ranks { found, expected } => {
                write!(f, "{found} instead of {expected} ranks")
            }
            LayoutError::Width { rank, found, expected } => {
                write!(f, "rank {rank} has {found} instead of {expected} squares")
            }
            LayoutError::NoPiece { rank, found } => {
                write!(f, "rank {rank}: {found:?} is not a piece: write t, T, K or a count")
            }
            LayoutError::TwoKings(first, second) => write!(f, "two kings, on {first} and {second}"),
        }
    }
}

impl std::error::Error for LayoutError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: &str = "/2t2/2T2/tTKTt/2T2/2t2/";

    fn board(size: u8) -> Board {
        Board::new(size).unwrap()
    }

    #[test]
    fn rank_1_comes_first() {
        let board = board(5);
        let layout = Layout::parse("/t4/5/3K1/5/1T3/", board).unwrap();
        assert_eq!(layout.attackers.first(), board.parse("a1"));
        assert_eq!(layout.king, board.parse("d3"));
        assert_eq!(layout.defenders.first(), board.parse("b5"));
    }

    #[test]
    fn reading_is_lenient_and_writing_is_not() {
        for text in [START, "2t2/2T2/tTKTt/2T2/2t2", "  /2t2/2T2/tTKTt/2T2/2t2\t"] {
            let layout = Layout::parse(text, board(5)).unwrap();
            assert_eq!(layout.to_text(board(5)), START);
        }
        let wide = "/13/12t/t12/1t11/13/13/6K6/13/13/13/13/13/13/";
        let layout = Layout::parse(wide, board(13)).unwrap();
        assert_eq!(layout.to_text(board(13)), wide);
    }

    #[test]
    fn refusals_name_the_place() {
        for (text, message) in [
            ("", "1 instead of 5 ranks"),
            ("//2t2/2T2/tTKTt/2T2/2t2/", "6 instead of 5 ranks"),
            ("/2t2/2T2/t/2T2/2t2/", "rank 3 has 1 instead of 5 squares"),
            ("/2t2/2T2//2T2/2t2/", "rank 3 has 0 instead of 5 squares"),
            ("/2t2/2T1/tTKTt/2T2/2t2/", "rank 2 has 4 instead of 5 squares"),
            ("/2t2/2T2/tTKTtt/2T2/2t2/", "rank 3 has 6 instead of 5 squares"),
            (
                "/2t2/99999999999999999999999/tTKTt/2T2/2t2/",
                "rank 2: \"99999999999999999999999\" is not a piece: write t, T, K or a count",
            ),
            ("/2t2/2x2/tTKTt/2T2/2t2/", "rank 2: \"x\" is not a piece: write t, T, K or a count"),
            ("/2t2/2é2/tTKTt/2T2/2t2/", "rank 2: \"é\" is not a piece: write t, T, K or a count"),
            ("/2t2/0T4/tTKTt/2T2/2t2/", "rank 2: \"0\" is not a piece: write t, T, K or a count"),
            ("/2t2/65T4/tTKTt/2T2/2t2/", "rank 2 has 70 instead of 5 squares"),
            ("/K4/5/5/5/4K/", "two kings, on a1 and e5"),
        ] {
            let error = Layout::parse(text, board(5)).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_layout_goes_through_text(cells in prop::collection::vec(0_u8..3, 361), king: usize) {
            let board = board(19);
            let king = Square::new(king % board.area());
            let free = board.squares().filter(|&s| s != king);
            let standing = |what| free.clone().filter(|s| cells[s.index()] == what).collect();
            let layout = Layout {
                attackers: standing(1),
                defenders: standing(2),
                king: Some(king),
            };
            prop_assert_eq!(Layout::parse(&layout.to_text(board), board), Ok(layout));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[/tTK0-9x ]{0,40}") {
            if let Ok(layout) = Layout::parse(&text, board(5)) {
                let again = Layout::parse(&layout.to_text(board(5)), board(5));
                prop_assert_eq!(again, Ok(layout));
            }
        }
    }
}
