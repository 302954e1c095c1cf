//! Legal moves, their captures, and how they end the game.
//!
//! The common rules are implemented here; the [`Ruleset`]'s square sets decide where rulesets
//! differ:
//!
//! - Every piece slides like a chess rook (see [`Movement`]).
//! - Only the mover captures, and only pieces next to the square of arrival. Moving in between two
//!   enemies is safe.
//! - A soldier is captured when the square beyond it, in line, is hostile to it. All captures of
//!   a move are judged on the board after the move and before any removal, and everything
//!   enclosed is removed.
//! - The king captures like a soldier, unless the ruleset disarms him: as the piece that moves, or
//!   as the one beyond the victim. He is captured like a soldier or, on squares that the ruleset
//!   names, on all four sides.
//! - The board's edge does not help to capture. A ruleset may make an exception against the king,
//!   and may have shieldwalls, which capture a whole row at the edge.
//! - A ruleset may end the game by an exit fort of the defenders or by their encirclement, which
//!   are judged on the board after the captures.
//! - A side without a legal move has lost. So has the side without pieces.
//!
//! [`Movement`]: crate::rules::Movement

use crate::game::board::{Square, SquareSet};
use crate::game::capture::Captures;
use crate::game::enclosure::enclosure_ending;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};
use crate::game::shieldwall::walled_in;
use crate::game::value::Value;

/// The end of the game by a move.
///
/// A game also ends when the side to move has no legal move; that is a property of the position,
/// not of the move that led there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// The attackers have captured the king.
    KingCaptured,
    /// The king has reached a goal.
    KingEscaped,
    /// The defenders have built an exit fort around the king at the edge.
    ExitFort,
    /// The attackers have encircled all defenders.
    Encirclement,
}

impl Ending {
    /// Returns the winner.
    pub fn winner(self) -> Side {
        match self {
            Ending::KingCaptured | Ending::Encirclement => Side::Attackers,
            Ending::KingEscaped | Ending::ExitFort => Side::Defenders,
        }
    }
}

/// A legal move with its consequences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The piece that moves.
    pub piece: Kind,
    /// The square of origin.
    pub from: Square,
    /// The square of arrival.
    pub to: Square,
    /// The soldiers that it captures.
    pub captured: SquareSet,
    /// The end of the game, if the move ends it.
    pub ending: Option<Ending>,
}

impl Move {
    /// Returns whether the move neither captures nor ends the game: it stays in the slice and has
    /// an un-move.
    pub fn is_quiet(&self) -> bool {
        self.ending.is_none() && self.captured.is_empty()
    }

    /// Returns whether the move captures without ending the game, and so leads to another slice.
    pub fn is_conversion(&self) -> bool {
        self.ending.is_none() && !self.captured.is_empty()
    }

    /// Returns the soldiers that this legal move of the position captures by shieldwalls.
    pub fn walled_in(&self, rules: &Ruleset, position: &Position) -> SquareSet {
        if !rules.shieldwall {
            return SquareSet::EMPTY;
        }
        let board = position.moved(self.piece, self.from, self.to);
        walled_in(rules, &board, self.piece.side(), self.to)
    }

    fn new(rules: &Ruleset, position: &Position, piece: Kind, from: Square, to: Square) -> Move {
        let board = position.moved(piece, from, to);
        let captures = Captures::by_arrival(rules, &board, piece.side(), to);
        let ending = if captures.king {
            Some(Ending::KingCaptured)
        } else if rules.goals.contains(board.king) {
            Some(Ending::KingEscaped)
        } else {
            None
        };
        let mut played = Move { piece, from, to, captured: captures.soldiers, ending };
        if rules.exit_fort || rules.encirclement {
            played.ending = ending.or_else(|| enclosure_ending(rules, &position.after(&played)));
        }
        played
    }
}

impl Position {
    /// Returns whether the position is final: there are no attackers, the king is on a goal, or the
    /// side not to move has won by a fort or an encirclement. The board does not show the capture
    /// of the king: see [`Move::ending`].
    pub fn is_finished(&self, rules: &Ruleset) -> bool {
        self.attackers.is_empty()
            || rules.goals.contains(self.king)
            || enclosure_ending(rules, self).is_some()
    }

    /// Returns the position after a legal move. Captured soldiers are removed; a captured king
    /// stays on the board.
    #[must_use]
    pub fn after(&self, played: &Move) -> Position {
        let mut next = self.moved(played.piece, played.from, played.to);
        match self.to_move {
            Side::Attackers => next.defenders -= played.captured,
            Side::Defenders => next.attackers -= played.captured,
        }
        next.to_move = self.to_move.other();
        next
    }

    /// Returns this position and the position after each move of a line of legal moves.
    pub fn along(&self, line: &[Move]) -> Vec<Position> {
        let mut positions = vec![*self];
        positions.extend(line.iter().scan(*self, |now, played| {
            *now = now.after(played);
            Some(*now)
        }));
        positions
    }

    /// Returns the board with one piece moved; the side to move is unchanged.
    pub(crate) fn moved(&self, piece: Kind, from: Square, to: Square) -> Position {
        let mut moved = *self;
        match piece {
            Kind::Attacker => moved.attackers = self.attackers.without(from).with(to),
            Kind::Defender => moved.defenders = self.defenders.without(from).with(to),
            Kind::King => moved.king = to,
        }
        moved
    }
}

/// Returns all legal moves of the side to move, by origin and then by target in square order (a1,
/// b1, …). A final position has none.
pub fn legal_moves(rules: &Ruleset, position: &Position) -> Vec<Move> {
    each_legal_move(rules, position).collect()
}

/// Iterates over the moves of [`legal_moves`], generated lazily.
pub(crate) fn each_legal_move<'a>(
    rules: &'a Ruleset,
    position: &'a Position,
) -> impl Iterator<Item = Move> + 'a {
    movers(rules, position).flat_map(move |(piece, from)| {
        let targets = targets(rules, position, piece, from).iter();
        targets.map(move |to| Move::new(rules, position, piece, from, to))
    })
}

/// Returns whether a move of the side to move ends the game with its win.
#[cfg(feature = "engine")]
pub(crate) fn wins_at_once(rules: &Ruleset, position: &Position) -> bool {
    let side = position.to_move;
    // An escape, the most frequent of these moves, needs no look at captures.
    let escapes = side == Side::Defenders
        && !position.is_finished(rules)
        && !(targets(rules, position, Kind::King, position.king) & rules.goals).is_empty();
    escapes
        || each_legal_move(rules, position)
            .any(|played| played.ending.is_some_and(|ending| ending.winner() == side))
}

/// Returns the value of a position if its moves alone decide it: a win in 1 if one of them ends the
/// game or leaves the other side without a move, and a loss in 0 if there is none.
pub(crate) fn value_by_moves(rules: &Ruleset, position: &Position) -> Option<Value> {
    let mut moves = each_legal_move(rules, position).peekable();
    if moves.peek().is_none() {
        return Some(Value::Loss(0));
    }
    let wins = moves.any(|played| match played.ending {
        Some(ending) => ending.winner() == position.to_move,
        None => !has_move(rules, &position.after(&played)),
    });
    wins.then_some(Value::Win(1))
}

/// Returns the number of legal moves of the side to move.
pub fn count_moves(rules: &Ruleset, position: &Position) -> usize {
    movers(rules, position).map(|(piece, from)| targets(rules, position, piece, from).len()).sum()
}

/// Returns whether the side to move has a legal move; if not, it has lost.
pub fn has_move(rules: &Ruleset, position: &Position) -> bool {
    movers(rules, position).any(|(piece, from)| !targets(rules, position, piece, from).is_empty())
}

/// Returns the legal move from `from` to `to`, if there is one.
pub fn find_move(rules: &Ruleset, position: &Position, from: Square, to: Square) -> Option<Move> {
    movers(rules, position)
        .find(|&(piece, mover)| mover == from && targets(rules, position, piece, from).contains(to))
        .map(|(piece, _)| Move::new(rules, position, piece, from, to))
}

/// Iterates over the pieces of the side to move in square order; none in a final position.
fn movers(rules: &Ruleset, position: &Position) -> impl Iterator<Item = (Kind, Square)> {
    let king = position.king;
    let soldier = position.to_move.soldier();
    let squares = if position.is_finished(rules) {
        SquareSet::EMPTY
    } else {
        position.pieces(position.to_move)
    };
    squares
        .into_iter()
        .map(move |square| (if square == king { Kind::King } else { soldier }, square))
}

/// Returns the squares that the piece can move to, if the game is not over.
pub(crate) fn targets(
    rules: &Ruleset,
    position: &Position,
    piece: Kind,
    from: Square,
) -> SquareSet {
    let occupied = position.occupied();
    let mut targets = SquareSet::EMPTY;
    for ray in rules.slides().from(piece, from) {
        let free = ray.iter().take_while(|step| !occupied.contains(step.square));
        targets.extend(free.filter(|step| step.ends).map(|step| step.square));
    }
    targets
}
