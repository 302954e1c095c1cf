use std::num::NonZeroU8;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::game::board::{Board, Square, SquareSet, SymmetryGroup};

use super::{ByKind, BySide, Fingerprint, Kind, Layout, RulesId, Side, Slides};

/// The movement of a kind of piece.
///
/// Every piece slides like a chess rook. A slide continues over empty squares that the piece may
/// `cross`, and may end on an empty square that it may `stop` on. A square of a gated group is
/// entered, to cross it or to stop on it, only by a piece whose move starts in the same group.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Movement {
    /// Squares on which the piece may stop, and so stand.
    pub stop: SquareSet,
    /// Squares that the piece may cross while they are empty.
    pub cross: SquareSet,
    /// Disjoint groups of squares that the piece never enters from outside.
    pub gates: Vec<SquareSet>,
    /// The greatest number of squares that the piece moves at once; `None` if there is no limit.
    pub reach: Option<NonZeroU8>,
}

impl Movement {
    /// Returns the gated group that contains the square.
    pub fn gate(&self, square: Square) -> Option<&SquareSet> {
        self.gates.iter().find(|gate| gate.contains(square))
    }
}

/// Squares that help to capture a kind of piece, besides those occupied by its enemies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hostility {
    /// Hostile while empty.
    pub empty: SquareSet,
    /// Hostile while occupied by a piece of the victim's own side.
    pub occupied: SquareSet,
    /// Hostile while occupied by a piece of the victim's own side, if enemies of the victim stand
    /// on all other neighbours of the square (berkeley: the throne with the king on it).
    pub besieged: SquareSet,
}

/// The value of endless play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endless {
    /// A draw.
    Draw,
    /// It depends on the game's history, which tables do not know.
    Undecided,
    /// A win of the attackers, since the defenders may not repeat positions.
    Attackers,
}

impl Endless {
    /// Returns the name of the positions in which neither side can force a win: `draw`, `undecided`
    /// or, if the attackers win endless play, `endless`.
    pub fn name(self) -> &'static str {
        match self {
            Endless::Draw => "draw",
            Endless::Undecided => "undecided",
            Endless::Attackers => "endless",
        }
    }
}

/// The consequence of a repeated position in a game. Tables depend on it only through
/// [`Endless`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// None.
    Allowed,
    /// The game is drawn.
    Draw,
    /// The side that repeats the position loses.
    MoverLoses,
    /// The defenders lose, whichever side repeats the position.
    DefendersLose,
    /// The defenders may not make a move that brings back the pieces of an earlier position,
    /// judged before any are captured. The attackers may.
    DefendersBarred,
}

/// Where a ruleset comes from; lists of rulesets are grouped by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A text about the game as it was, or a study that follows one.
    #[default]
    HistoricalSource,
    /// The servers and tournaments where it is played.
    PresentPlay,
}

impl Origin {
    /// Returns its name in words: `historical source` or `present play`.
    pub fn words(self) -> &'static str {
        match self {
            Origin::HistoricalSource => "historical source",
            Origin::PresentPlay => "present play",
        }
    }
}

/// A checked ruleset, with the properties derived from its decisions.
///
/// It dereferences to its [`Decisions`] (`rules.board`), which are read-only: a change would
/// invalidate the fingerprint and the moves.
///
/// The rules common to all rulesets (slides; captures by the mover only, all at once; a side
/// without a legal move loses) are in [`crate::moves`].
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

/// The decisions of a ruleset, as square sets: everything that the solver, the prober and the
/// verifier need.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decisions {
    /// The short name, used by commands and folders.
    pub name: String,
    /// The name to display.
    pub title: String,
    /// The source of these rules.
    pub source: String,
    /// Remarks to display.
    pub notes: Vec<String>,
    /// The kind of its source.
    pub origin: Origin,
    /// The board.
    pub board: Board,
    /// The named square sets, for drawings and descriptions: `throne`, `beside-throne`, `corners`
    /// and `edge`, then the file's own in its order.
    pub squares: Vec<(String, SquareSet)>,
    /// The pieces at the start.
    pub start: Layout,
    /// The side that moves first.
    pub first: Side,
    /// The number of plies after which a game is drawn, if limited.
    pub ply_limit: Option<u32>,
    /// The consequence of a repeated position in a game.
    pub repetition: Repetition,
    /// The occurrence of a position, 2 or later, that has this consequence.
    pub repetition_occurrence: u32,
    /// Whether the starting position counts as an occurrence.
    pub repetition_counts_start: bool,
    /// The value of endless play.
    pub endless: Endless,
    /// The movement of each kind.
    pub movement: ByKind<Movement>,
    /// The squares hostile to each kind.
    pub hostile: ByKind<Hostility>,
    /// Squares whose occupants are never captured; soldiers only.
    pub protected: BySide<SquareSet>,
    /// Squares whose occupants are captured only between two enemy pieces, without the help of
    /// hostile squares; soldiers only.
    pub unaided: BySide<SquareSet>,
    /// Squares on which the king is captured on four sides instead of two: each side needs an
    /// attacker or a square hostile to him.
    pub surrounded: SquareSet,
    /// Whether a move to the edge captures the row of enemies beside it, of two or more, that is
    /// hemmed in on every side.
    pub shieldwall: bool,
    /// Whether the king takes part in captures like a soldier.
    pub king_armed: bool,
    /// Whether the squares off the board count as attackers against the king.
    pub king_edge_hostile: bool,
    /// Squares on which the king wins.
    pub goals: SquareSet,
    /// Whether the defenders win with an exit fort around the king at the edge.
    pub exit_fort: bool,
    /// Whether the attackers win by encircling all defenders.
    pub encirclement: bool,
}

/// The properties derived from a ruleset's decisions when it is loaded.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub symmetries: SymmetryGroup,
    pub fingerprint: Fingerprint,
    pub id: RulesId,
    pub places: ByKind<SquareSet>,
    pub slides: Slides,
}

impl Ruleset {
    /// Returns the squares on which pieces of this kind may stand in a stored position: those on
    /// which they may stop, without the king's goals.
    #[inline]
    pub fn places(&self, kind: Kind) -> SquareSet {
        self.derived.places[kind]
    }

    /// Returns the symmetries that preserve every decision that can change a value.
    pub fn symmetries(&self) -> SymmetryGroup {
        self.derived.symmetries
    }

    /// Returns the identity of everything that can change the value of a position. Rulesets with
    /// equal fingerprints share their tables.
    pub fn fingerprint(&self) -> Fingerprint {
        self.derived.fingerprint
    }

    /// Returns the part of the [fingerprint](Ruleset::fingerprint) that positions carry.
    #[inline]
    pub fn id(&self) -> RulesId {
        self.derived.id
    }

    /// Returns the slides of all pieces on the empty board.
    pub fn slides(&self) -> &Slides {
        &self.derived.slides
    }

    /// Returns whether a game goes the same way under both rulesets: the fingerprints are equal, and
    /// the rules that depend on the history of a game, those of repetition and the ply limit, too.
    pub fn is_same_game_as(&self, other: &Ruleset) -> bool {
        let history = |rules: &Ruleset| {
            let Decisions { repetition, repetition_occurrence, .. } = rules.decisions;
            let counts_start = rules.repetition_counts_start;
            (repetition, repetition_occurrence, counts_start, rules.ply_limit)
        };
        self.fingerprint() == other.fingerprint() && history(self) == history(other)
    }

    /// Returns whether a game from the start goes the same way under both rulesets: they are the
    /// same game, and it starts with the same pieces and the same side to move.
    pub fn has_same_start_as(&self, other: &Ruleset) -> bool {
        self.is_same_game_as(other) && self.start == other.start && self.first == other.first
    }

    /// Returns whether a forced win of this side, as tables and proofs know it, can fail in a game:
    /// its moves may be barred, because they bring back the pieces of an earlier position.
    ///
    /// The positions of a forced win never recur. But a board counts whichever side was to move, and
    /// the side may have to lose a move by a detour.
    pub fn may_bar_win(&self, winner: Side) -> bool {
        winner == Side::Defenders && self.repetition == Repetition::DefendersBarred
    }

    /// Returns these rules without those that depend on the history of a game: positions may be
    /// repeated, and there is no ply limit. The fingerprint is the same.
    pub(crate) fn without_history(&self) -> Ruleset {
        let mut rules = self.clone();
        rules.decisions.repetition = Repetition::Allowed;
        rules.decisions.ply_limit = None;
        rules
    }

    /// Returns the set of this name; empty if there is none.
    pub fn named_squares(&self, name: &str) -> SquareSet {
        let named = self.squares.iter().find(|(known, _)| known == name);
        named.map_or(SquareSet::EMPTY, |&(_, squares)| squares)
    }
}

/// See [`Ruleset::places`].
pub(super) fn places(movement: &Movement, kind: Kind, goals: SquareSet) -> SquareSet {
    if kind == Kind::King { movement.stop - goals } else { movement.stop }
}
