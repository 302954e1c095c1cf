//! Positions: the placement of the pieces and the side to move.

mod error;

use std::fmt;

use crate::game::board::{Board, Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Layout, RulesId, Ruleset, Side};
use crate::game::slice::Slice;

pub use error::PositionError;
pub(crate) use error::with_article;

/// A position of a game in progress: a king, any number of soldiers, and a side to move. The
/// ruleset decides which squares are open to a piece: see [`Position::new`] and
/// [`Position::check`].
///
/// The fields are public for engines that update positions move by move. Invalid fields are safe: a
/// probe checks its position and refuses one of other rules, and a piece off the board has no
/// moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The attackers.
    pub attackers: SquareSet,
    /// The defending soldiers, without the king.
    pub defenders: SquareSet,
    /// The king.
    pub king: Square,
    /// The side to move.
    pub to_move: Side,
    /// The rules of the position: [`Ruleset::id`].
    pub rules: RulesId,
}

impl Position {
    /// Creates a position without going through text. Squares are numbered `rank * size + file`
    /// from a1 ([`Board::square`]); sets are made of squares or of bitboards
    /// ([`SquareSet::from_words`]).
    ///
    /// # Errors
    /// If [`Position::check`] refuses the position.
    pub fn new(
        rules: &Ruleset,
        king: Square,
        defenders: SquareSet,
        attackers: SquareSet,
        to_move: Side,
    ) -> Result<Position, PositionError> {
        let position = Position { attackers, defenders, king, to_move, rules: rules.id() };
        position.check(rules).map(|()| position)
    }

    /// Parses a position: the board, a blank and the side to move, `a` or `d`, as in
    /// `/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a`. The outer slashes may be omitted, and extra blanks
    /// are allowed.
    ///
    /// # Errors
    /// If the text is not a position, or [`Position::check`] refuses it.
    pub fn parse(text: &str, rules: &Ruleset) -> Result<Position, PositionError> {
        let mut words = text.split_whitespace();
        let layout = Layout::parse(words.next().unwrap_or_default(), rules.board)
            .map_err(PositionError::Layout)?;
        let to_move = match words.next() {
            Some("a") => Side::Attackers,
            Some("d") => Side::Defenders,
            Some(other) => return Err(PositionError::UnknownSide(other.to_owned())),
            None => return Err(PositionError::NoSide),
        };
        match words.next() {
            Some(extra) => Err(PositionError::Extra(extra.to_owned())),
            None => Position::from_layout(&layout, to_move, rules),
        }
    }

    /// Creates a position from a layout.
    ///
    /// # Errors
    /// If there is no king, or if [`Position::check`] refuses the position.
    pub fn from_layout(
        layout: &Layout,
        to_move: Side,
        rules: &Ruleset,
    ) -> Result<Position, PositionError> {
        let king = layout.king.ok_or(PositionError::NoKing)?;
        Position::new(rules, king, layout.defenders, layout.attackers, to_move)
    }

    /// Creates the ruleset's starting position.
    ///
    /// # Errors
    /// If [`Position::check`] refuses the ruleset's start.
    pub fn start(rules: &Ruleset) -> Result<Position, PositionError> {
        Position::from_layout(&rules.start, rules.first, rules)
    }

    /// Checks that the position is legal under these rules, so that tables can be probed for it:
    /// every piece stands on a square open to its kind, and the game is not over. Attackers to move
    /// with no pieces left are accepted: like any side without a move, they have lost.
    ///
    /// # Errors
    /// The first fault, in square order.
    #[inline]
    pub fn check(&self, rules: &Ruleset) -> Result<(), PositionError> {
        if self.is_legal(rules) { Ok(()) } else { Err(self.fault(rules)) }
    }

    /// Returns whether the position is legal. Every probe calls this, so it is a few word
    /// operations; [`Position::fault`] finds the reason.
    #[inline]
    fn is_legal(&self, rules: &Ruleset) -> bool {
        let soldiers = self.attackers | self.defenders;
        self.attackers.is_subset(rules.places(Kind::Attacker))
            && self.defenders.is_subset(rules.places(Kind::Defender) - self.attackers)
            && (rules.places(Kind::King) - soldiers).contains(self.king)
            && (self.to_move == Side::Attackers || !self.attackers.is_empty())
            && self.rules == rules.id()
    }

    /// Returns the fault of an illegal position.
    #[cold]
    fn fault(&self, rules: &Ruleset) -> PositionError {
        if self.rules != rules.id() {
            return PositionError::OtherRules { rules: rules.name.clone() };
        }
        let board = rules.board;
        for kind in Kind::ALL {
            if let Some(square) = self.squares(kind).iter().find(|s| s.index() >= board.area()) {
                return PositionError::OffBoard { kind, number: square.index(), board };
            }
        }
        let twice = self.attackers & self.defenders
            | (self.attackers | self.defenders) & SquareSet::of(self.king);
        if let Some(square) = twice.first() {
            return PositionError::Overlap(board.name(square));
        }
        if rules.goals.contains(self.king) {
            return PositionError::KingEscaped(board.name(self.king));
        }
        for kind in Kind::ALL {
            if let Some(square) = (self.squares(kind) - rules.places(kind)).first() {
                return PositionError::misplaced(rules, kind, square);
            }
        }
        PositionError::NoAttackers
    }

    /// Returns the canonical text of the position, for display.
    pub fn display(&self, rules: &Ruleset) -> impl fmt::Display + use<> {
        PositionText { position: *self, board: rules.board }
    }

    /// Returns the canonical text of the position; see [`Position::display`].
    pub fn to_text(&self, rules: &Ruleset) -> String {
        self.display(rules).to_string()
    }

    /// Returns all occupied squares.
    #[inline]
    pub fn occupied(&self) -> SquareSet {
        (self.attackers | self.defenders).with(self.king)
    }

    /// Returns the slice of the position: its material.
    pub fn slice(&self) -> Slice {
        Slice { defenders: self.defenders.len(), attackers: self.attackers.len() }
    }

    /// Returns the piece on the square.
    pub fn piece(&self, square: Square) -> Option<Kind> {
        self.layout().piece(square)
    }

    /// Returns the squares of the pieces of that kind.
    pub fn squares(&self, kind: Kind) -> SquareSet {
        self.layout().squares(kind)
    }

    /// Returns the squares of the side's pieces, the king included.
    pub fn pieces(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders.with(self.king),
        }
    }

    /// Returns the image of the position under a symmetry of the board.
    ///
    /// # Panics
    /// If a piece is off the board.
    #[must_use]
    pub fn image(&self, rules: &Ruleset, symmetry: Symmetry) -> Position {
        let board = rules.board;
        Position {
            attackers: symmetry.apply_set(board, self.attackers),
            defenders: symmetry.apply_set(board, self.defenders),
            king: symmetry.apply(board, self.king),
            ..*self
        }
    }

    /// Returns the pieces without the side to move.
    pub fn layout(&self) -> Layout {
        Layout { attackers: self.attackers, defenders: self.defenders, king: Some(self.king) }
    }
}

struct PositionText {
    position: Position,
    board: Board,
}

impl fmt::Display for PositionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.position.to_move {
            Side::Attackers => 'a',
            Side::Defenders => 'd',
        };
        let layout = self.position.layout().to_text(self.board);
        f.pad(&format!("{layout} {side}"))
    }
}
