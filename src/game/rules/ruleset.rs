use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::game::board::{Board, Square, SquareSet, SymmetryGroup};

use super::{ByKind, BySide, Fingerprint, Kind, Layout, RulesId, Side, Slides};

/// Where a kind of piece may go.
///
/// Every piece slides like a chess rook. A slide goes on over empty squares
/// that the piece may `cross`, and may end on an empty square that it may
/// `stop` on. A square of a gated group is entered, to cross it or to stop on
/// it, only by a piece whose move starts in the same group.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Movement {
    /// Squares that the piece may stop on, and so where it may stand.
    pub stop: SquareSet,
    /// Squares that the piece may pass over when they are empty.
    pub cross: SquareSet,
    /// Groups of squares that nobody enters from outside; they do not overlap.
    pub gates: Vec<SquareSet>,
}

impl Movement {
    /// The gated group that the square belongs to.
    pub fn gate(&self, square: Square) -> Option<&SquareSet> {
        self.gates.iter().find(|gate| gate.contains(square))
    }
}

/// Squares that help to capture a kind of piece, besides those on which an
/// enemy stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hostility {
    /// Hostile while nobody stands there.
    pub empty: SquareSet,
    /// Hostile also while a piece of the victim's own side stands there.
    pub occupied: SquareSet,
    /// Hostile while a piece of the victim's own side stands there if on all
    /// the other neighbours of the square there are enemies of the victim
    /// (berkeley: the throne with the king on it).
    pub besieged: SquareSet,
}

/// What a game without end is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endless {
    /// A draw.
    Draw,
    /// It depends on the game's history, so a table cannot say.
    Undecided,
}

impl Endless {
    /// The word for it: `draw` or `undecided`.
    pub fn name(self) -> &'static str {
        match self {
            Endless::Draw => "draw",
            Endless::Undecided => "undecided",
        }
    }
}

/// What the return of an earlier position means in a played game. Tables do
/// not depend on it, but for what [`Endless`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// Nothing.
    Allowed,
    /// The game is drawn.
    Draw,
    /// The side that brings the position back has lost.
    MoverLoses,
}

/// A ruleset in its checked form, with what follows from its decisions.
///
/// Its [`Decisions`] are read as if they were its own fields (`rules.board`), and
/// nobody can change them: the fingerprint and the moves would be those of other
/// rules.
///
/// Rules common to all rulesets (slides, captures by the mover only, between
/// two hostile squares, up to three at once; no legal move loses) are in
/// [`crate::moves`].
#[derive(Clone, Debug)]
pub struct Ruleset {
    pub(super) decisions: Decisions,
    pub(super) derived: Derived,
}

impl Deref for Ruleset {
    type Target = Decisions;

    fn deref(&self) -> &Decisions {
        &self.decisions
    }
}

/// What a ruleset decides: all that the solver, the prober and the verifier need,
/// as square sets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decisions {
    /// The short name that commands and folders use.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Who described these rules, and where.
    pub source: String,
    /// Remarks for people, one per entry.
    pub notes: Vec<String>,
    /// The board.
    pub board: Board,
    /// The named square sets, for drawings and descriptions: `throne`,
    /// `beside-throne`, `corners` and `edge`, then the file's own in its order.
    pub squares: Vec<(String, SquareSet)>,
    /// Where the pieces stand at the start.
    pub start: Layout,
    /// Who moves first.
    pub first: Side,
    /// After how many plies a played game is drawn, if it is.
    pub ply_limit: Option<u32>,
    /// What a repeated position means in a played game.
    pub repetition: Repetition,
    /// Which occurrence of a position, 2 or more, has that meaning.
    pub repetition_occurrence: u32,
    /// Whether the position in which a game begins counts as an occurrence.
    pub repetition_counts_start: bool,
    /// What an endless game is worth.
    pub endless: Endless,
    /// How each kind moves.
    pub movement: ByKind<Movement>,
    /// What is hostile to each kind.
    pub hostile: ByKind<Hostility>,
    /// Squares whose occupants are never captured; soldiers only.
    pub protected: BySide<SquareSet>,
    /// Squares whose occupants are captured between two enemy pieces only, a
    /// hostile square does not help; soldiers only.
    pub unaided: BySide<SquareSet>,
    /// Squares on which the king is captured on four sides instead of two:
    /// on each an attacker, or a square that is hostile to him.
    pub surrounded: SquareSet,
    /// Squares on which the king has won.
    pub goals: SquareSet,
}

/// What follows from a ruleset's decisions; made once, when it is loaded.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub symmetries: SymmetryGroup,
    pub fingerprint: Fingerprint,
    pub id: RulesId,
    pub places: ByKind<SquareSet>,
    pub slides: Slides,
}

impl Ruleset {
    /// Where pieces of that kind may stand in a stored position: wherever they
    /// may stop, and for the king not where he has won.
    #[inline]
    pub fn places(&self, kind: Kind) -> SquareSet {
        self.derived.places[kind]
    }

    /// The symmetries under which nothing that can change a value changes.
    pub fn symmetries(&self) -> SymmetryGroup {
        self.derived.symmetries
    }

    /// Identifies everything that can change a value of a position; rulesets
    /// of one fingerprint share their tables.
    pub fn fingerprint(&self) -> Fingerprint {
        self.derived.fingerprint
    }

    /// What positions carry of the [fingerprint](Ruleset::fingerprint).
    #[inline]
    pub fn id(&self) -> RulesId {
        self.derived.id
    }

    /// The slides of all pieces on the empty board.
    pub fn slides(&self) -> &Slides {
        &self.derived.slides
    }

    /// The named set of that name.
    pub fn named_squares(&self, name: &str) -> SquareSet {
        let named = self.squares.iter().find(|(known, _)| known == name);
        named.map_or(SquareSet::EMPTY, |&(_, squares)| squares)
    }
}

/// See [`Ruleset::places`].
pub(super) fn places(movement: &Movement, kind: Kind, goals: SquareSet) -> SquareSet {
    if kind == Kind::King { movement.stop - goals } else { movement.stop }
}
