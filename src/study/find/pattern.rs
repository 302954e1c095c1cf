use super::PatternError;
use crate::game::board::{Board, Square, SquareSet, Symmetry};
use crate::game::position::PositionError;
use crate::game::rules::{Kind, Layout, LayoutError, Ruleset};

/// Required contents of squares. A position matches if one of its mirror images does; every
/// position matches the default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern {
    /// Squares with attackers; there may be more elsewhere.
    pub attackers: SquareSet,
    /// Squares with defenders; there may be more elsewhere.
    pub defenders: SquareSet,
    /// Empty squares; there may be more elsewhere.
    pub empty: SquareSet,
    /// The squares for the king; `None` for any square.
    pub king: Option<SquareSet>,
}

impl Pattern {
    /// Parses a pattern in board notation with two additional symbols: `?` matches any one
    /// square, and `*` any squares that fill the rank. The outer slashes are optional:
    /// `/*/*/*/3K*/*/*/*/`.
    ///
    /// # Errors
    /// If the text does not fill the board, or has an unknown symbol.
    pub fn parse(text: &str, board: Board) -> Result<Pattern, PatternError> {
        let mut pattern = Pattern::default();
        let ranks = Layout::ranks(text, board).map_err(PatternError::Layout)?;
        for (rank, rank_text) in ranks.enumerate() {
            pattern.parse_rank(rank_text, rank, board)?;
        }
        Ok(pattern)
    }

    fn parse_rank(&mut self, text: &str, rank: usize, board: Board) -> Result<(), PatternError> {
        let tokens = tokenize(text, rank)?;
        let stars = tokens.iter().filter(|&&token| token == Token::Rest).count();
        if stars > 1 {
            return Err(PatternError::TwoStars { rank: rank + 1 });
        }
        let expected = board.size();
        let found: usize = tokens.iter().map(Token::width).sum();
        let rest = expected.saturating_sub(found);
        if found > expected || stars == 0 && rest > 0 {
            let number = rank + 1;
            return Err(PatternError::Layout(LayoutError::Width { rank: number, found, expected }));
        }
        let mut file = 0;
        for token in &tokens {
            let count = if *token == Token::Rest { rest } else { token.width() };
            for square in (file..file + count).map(|file| board.at(file, rank)) {
                match token {
                    Token::Piece(kind) => self.put(*kind, square, board)?,
                    Token::Empty(_) => self.empty.insert(square),
                    Token::Any | Token::Rest => {}
                }
            }
            file += count;
        }
        Ok(())
    }

    fn put(&mut self, kind: Kind, square: Square, board: Board) -> Result<(), PatternError> {
        match (kind, self.king) {
            (Kind::Attacker, _) => self.attackers.insert(square),
            (Kind::Defender, _) => self.defenders.insert(square),
            (Kind::King, None) => self.king = Some(SquareSet::of(square)),
            (Kind::King, Some(first)) => {
                let names = first.first().map(|first| (board.name(first), board.name(square)));
                let two = names.map(|(first, second)| LayoutError::TwoKings(first, second));
                return two.map_or(Ok(()), |two| Err(PatternError::Layout(two)));
            }
        }
        Ok(())
    }

    /// Returns the pattern that matches if both do for the same mirror image.
    #[must_use]
    pub fn and(&self, other: &Pattern) -> Pattern {
        Pattern {
            attackers: self.attackers | other.attackers,
            defenders: self.defenders | other.defenders,
            empty: self.empty | other.empty,
            king: match (self.king, other.king) {
                (Some(one), Some(other)) => Some(one & other),
                (one, other) => one.or(other),
            },
        }
    }

    /// Checks that some position under these rules can match.
    ///
    /// # Errors
    /// If two requirements exclude each other, or a piece is where its kind cannot stand.
    pub fn check(&self, rules: &Ruleset) -> Result<(), PatternError> {
        let board = rules.board;
        let twice = self.attackers & self.defenders
            | (self.attackers | self.defenders) & self.empty
            | self.king.unwrap_or_default() & (self.attackers | self.defenders | self.empty);
        if let Some(square) = twice.first() {
            return Err(PatternError::Twice(board.name(square)));
        }
        let kings = self.king.unwrap_or_default();
        for (kind, squares) in [
            (Kind::Attacker, self.attackers),
            (Kind::Defender, self.defenders),
            (Kind::King, kings - rules.goals),
        ] {
            if let Some(square) = (squares - rules.places(kind)).first() {
                let fault = PositionError::misplaced(rules, kind, square);
                return Err(PatternError::Place(fault));
            }
        }
        if let Some(square) = (kings & rules.goals).first() {
            let fault = PositionError::KingEscaped(board.name(square));
            return Err(PatternError::Place(fault));
        }
        if self.king == Some(SquareSet::EMPTY) {
            return Err(PatternError::NoKing);
        }
        Ok(())
    }

    /// Returns the distinct images under the rules' symmetries.
    pub(super) fn images(&self, rules: &Ruleset) -> Vec<Pattern> {
        let mut images: Vec<Pattern> = Vec::new();
        for symmetry in rules.symmetries().iter() {
            let image = self.image(rules.board, symmetry);
            if !images.contains(&image) {
                images.push(image);
            }
        }
        images
    }

    fn image(&self, board: Board, symmetry: Symmetry) -> Pattern {
        Pattern {
            attackers: symmetry.apply_set(board, self.attackers),
            defenders: symmetry.apply_set(board, self.defenders),
            empty: symmetry.apply_set(board, self.empty),
            king: self.king.map(|king| symmetry.apply_set(board, king)),
        }
    }

    /// Returns the squares among `places` on which the king makes these soldiers match, without
    /// mirroring them.
    pub(super) fn kings(
        &self,
        places: SquareSet,
        attackers: SquareSet,
        defenders: SquareSet,
    ) -> SquareSet {
        let fits = self.attackers.is_subset(attackers)
            && self.defenders.is_subset(defenders)
            && !self.empty.meets(attackers | defenders);
        if fits { self.king.unwrap_or(places) & (places - self.empty) } else { SquareSet::EMPTY }
    }
}

/// A token of a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Piece(Kind),
    Empty(u16),
    Any,
    /// Any squares that fill the rank.
    Rest,
}

impl Token {
    /// Returns the number of squares; 0 for `Rest`.
    fn width(&self) -> usize {
        match self {
            Token::Piece(_) | Token::Any => 1,
            Token::Empty(count) => usize::from(*count),
            Token::Rest => 0,
        }
    }
}

fn tokenize(text: &str, rank: usize) -> Result<Vec<Token>, PatternError> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(letter) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (token, after) = rest.split_at(digits.max(letter.len_utf8()));
        rest = after;
        let piece = Kind::ALL.into_iter().find(|kind| kind.letter() == letter);
        let count = token.parse().ok().filter(|_| letter != '0');
        tokens.push(match (letter, piece, count) {
            ('?', _, _) => Token::Any,
            ('*', _, _) => Token::Rest,
            (_, Some(kind), _) => Token::Piece(kind),
            (_, _, Some(count)) => Token::Empty(count),
            (_, None, None) => {
                let (rank, found) = (rank + 1, token.to_owned());
                return Err(PatternError::Layout(LayoutError::NoPiece { rank, found }));
            }
        });
    }
    Ok(tokens)
}

/// Parses the names of squares.
///
/// # Errors
/// If the board has no square of one of the names.
pub fn parse_squares<'a>(
    names: impl IntoIterator<Item = &'a str>,
    board: Board,
) -> Result<SquareSet, PatternError> {
    let last = board.name(Square::new(board.area() - 1));
    names
        .into_iter()
        .map(|name| board.parse(name).ok_or_else(|| PatternError::NoSquare(name.to_owned(), last)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        Board::new(5).unwrap()
    }

    fn squares(names: &str) -> SquareSet {
        parse_squares(names.split_whitespace(), board()).unwrap()
    }

    #[test]
    fn patterns_are_boards_with_open_squares() {
        let pattern = Pattern::parse("t?3/*/2K*/*T/*2?", board()).unwrap();
        let expected = Pattern {
            attackers: squares("a1"),
            defenders: squares("e4"),
            empty: squares("c1 d1 e1 a3 b3 c5 d5"),
            king: Some(squares("c3")),
        };
        assert_eq!(pattern, expected);
        let open = Pattern::parse("/*/?????/*????/*?????/*/", board()).unwrap();
        assert_eq!(open, Pattern::default());
    }

    #[test]
    fn invalid_patterns_are_reported() {
        for (text, message) in [
            ("/*/*/*/*/", "4 instead of 5 ranks"),
            ("/*/4/*/*/*/", "rank 2 has 4 instead of 5 squares"),
            ("/*/*/??????*/*/*/", "rank 3 has 6 instead of 5 squares"),
            ("/*/*/*t*/*/*/", "rank 3 has more than one *: write ? for single squares instead"),
            ("/*/*/*/K*/K*/", "two kings, on a4 and a5"),
            (
                "/*/x*/*/*/*/",
                "rank 2: \"x\" is not valid in a pattern: write t, T, K, a number of empty \
                 squares, ? for any square or * for the rest of the rank",
            ),
        ] {
            let error = Pattern::parse(text, board()).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
        for text in ["", "*", "/0*/*/*/*/*/", "/é/*/*/*/*/", "/99999999999/*/*/*/*/"] {
            assert!(Pattern::parse(text, board()).is_err(), "{text}");
        }
    }

    #[test]
    fn patterns_that_no_position_matches_are_refused() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let squares = |name| parse_squares([name], rules.board).unwrap();
        let king = |name| Pattern { king: Some(squares(name)), ..Pattern::default() };
        let attacker = |name| Pattern { attackers: squares(name), ..Pattern::default() };
        let empty = |name| Pattern { empty: squares(name), ..Pattern::default() };
        for (pattern, message) in [
            (
                attacker("c3").and(&empty("c3")),
                "c3 has two different contents in the pattern: give it one",
            ),
            (
                king("c3").and(&attacker("c3")),
                "c3 has two different contents in the pattern: give it one",
            ),
            (king("c3").and(&king("d3")), "no square is left for the king"),
            (king("a1"), "the game is over: the king on a1 has won"),
            (
                attacker("d4"),
                "an attacker cannot stand on d4 (throne): use any square except a1, g1, d4, a7 and \
                 g7",
            ),
        ] {
            assert_eq!(pattern.check(&rules).unwrap_err().to_string(), message);
        }
        assert_eq!(king("d4").and(&attacker("c3")).check(&rules), Ok(()));
    }
}
