use std::cmp::Reverse;

use crate::game::moves::{Ending, Move, has_move, legal_moves};
use crate::game::position::Position;
use crate::game::value::{Plies, Value, Wdl};
use crate::table::Metric;

use super::{ProbeError, Tablebase};

/// A probed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probed {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// Plies to the end of the game; `None` for a draw, or if there is only a WDL table.
    pub plies: Option<Plies>,
}

impl From<Value> for Probed {
    fn from(value: Value) -> Probed {
        Probed { wdl: value.wdl(), plies: value.plies() }
    }
}

impl Probed {
    /// Returns whether the value is complete: only draws have no distance.
    pub fn is_exact(self) -> bool {
        self.wdl == Wdl::Draw || self.plies.is_some()
    }

    /// Converts the value of a move to that of the position before it: one ply more.
    fn before_move(self) -> Probed {
        Probed { plies: self.plies.map(|plies| plies.saturating_add(1)), ..self }
    }

    /// Returns a number that is greater for values that the side to move prefers; an unknown
    /// distance counts as the longest.
    fn preference(self) -> i32 {
        match self.wdl {
            Wdl::Win => Value::Win(self.plies.unwrap_or(Plies::MAX)).preference(),
            Wdl::Draw => Value::Draw.preference(),
            Wdl::Loss => Value::Loss(self.plies.unwrap_or(Plies::MAX)).preference(),
        }
    }
}

/// A move and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveProbe {
    /// The move.
    pub played: Move,
    /// The value for the side that plays it, with the plies left after it; `None` if the
    /// table of the slice it leads to is missing.
    pub value: Option<Probed>,
}

impl MoveProbe {
    /// Returns the name of its outcome, as [`Tablebase::category`] does, or `unknown`.
    pub fn category(&self, tables: &Tablebase) -> &'static str {
        tables.category_of(self.value)
    }

    /// Returns whether the move preserves an outcome.
    fn keeps(&self, wdl: Wdl) -> bool {
        self.value.is_some_and(|after| after.wdl == wdl)
    }

    /// Returns the error for the missing table of the slice that the move leads to.
    fn missing_table(&self, position: &Position, metric: Metric) -> ProbeError {
        ProbeError::MissingTable { slice: position.after(&self.played).slice(), metric }
    }
}

/// The values of a position and of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// The position's value for the side to move.
    pub value: Probed,
    /// The legal moves, best first: the quickest win, then draws, then the slowest loss, then
    /// unknown moves. An unknown distance counts as the longest. Ties are broken by captures
    /// first, then by origin and target in square order.
    pub moves: Vec<MoveProbe>,
}

impl Probe {
    /// Returns the best move of the probed `position`: the first that keeps its value with its
    /// distance. `None` if there is no legal move.
    ///
    /// # Errors
    /// If a table is missing on which the choice depends, or the values contradict each other.
    /// Unless the position is drawn, the choice depends on DTW tables, since a player who only
    /// preserves a win may never win. Unless another move is known to be the best, it depends on
    /// the tables of the slices that captures lead to.
    pub fn best_move(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        let Probe { value, ref moves } = *self;
        if value.is_exact()
            && let Some(best) =
                moves.iter().find(|mv| mv.value.map(Probed::before_move) == Some(value))
        {
            return Ok(Some(best.played));
        }
        if let Some(unknown) = moves.iter().find(|mv| mv.value.is_none()) {
            return Err(unknown.missing_table(position, Metric::Wdl));
        }
        let inexact = moves
            .iter()
            .find(|mv| mv.keeps(value.wdl) && mv.value.is_some_and(|after| !after.is_exact()));
        if let Some(inexact) = inexact {
            return Err(inexact.missing_table(position, Metric::Dtw));
        }
        match moves.first() {
            // Only the distance of the position itself is unknown.
            Some(best) if value.plies.is_none() && best.keeps(value.wdl) => Ok(Some(best.played)),
            None if value.wdl == Wdl::Loss && value.plies.unwrap_or(0) == 0 => Ok(None),
            _ => Err(ProbeError::Inconsistent { slice: position.slice() }),
        }
    }
}

/// Sorts moves in the order of [`Probe::moves`].
pub(crate) fn sort_best_first(moves: &mut [MoveProbe]) {
    moves.sort_by_key(|mv| {
        let quiet = mv.played.captured.is_empty() && mv.played.ending != Some(Ending::KingCaptured);
        (Reverse(mv.value.map(Probed::preference)), quiet, mv.played.from, mv.played.to)
    });
}

impl Tablebase {
    /// Probes a position and each of its moves.
    ///
    /// # Errors
    /// If the position is invalid or the game is over, or its table is missing or damaged. The
    /// tables of slices that captures lead to may be missing.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let value = self.probe_value(position)?;
        Ok(Probe { value, moves: self.probed_moves(position)? })
    }

    /// Returns the best move of a position: see [`Probe::best_move`].
    ///
    /// # Errors
    /// See [`probe`](Tablebase::probe) and [`Probe::best_move`].
    pub fn best_move(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        self.probe(position)?.best_move(position)
    }

    /// Returns a line of best play to the end of the game, which is empty for a draw.
    ///
    /// # Errors
    /// See [`best_move`](Tablebase::best_move); also if there is no DTW table.
    pub fn line(&self, position: &Position) -> Result<Vec<Move>, ProbeError> {
        let mut line = Vec::new();
        let mut current = *position;
        let mut value = self.probe_dtw(&current)?;
        while value != Value::Draw {
            // Each best move shortens the distance by one ply, so that the loop ends.
            let Some(best) = self.best_move(&current)? else {
                break;
            };
            current = current.after(&best);
            line.push(best);
            if best.ending.is_some() {
                break;
            }
            value = self.probe_dtw(&current)?;
        }
        Ok(line)
    }

    /// Probes each move of a position, in the order of [`Probe::moves`]. The position's own
    /// table is not needed.
    ///
    /// # Errors
    /// If the position is invalid or the game is over, or a table is damaged. Tables may be
    /// missing.
    pub fn probe_moves(&self, position: &Position) -> Result<Vec<MoveProbe>, ProbeError> {
        position.check(&self.rules).map_err(ProbeError::Position)?;
        self.probed_moves(position)
    }

    fn probed_moves(&self, position: &Position) -> Result<Vec<MoveProbe>, ProbeError> {
        let mut moves = legal_moves(&self.rules, position)
            .into_iter()
            .map(|played| Ok(MoveProbe { played, value: self.probe_move(position, &played)? }))
            .collect::<Result<Vec<_>, ProbeError>>()?;
        sort_best_first(&mut moves);
        Ok(moves)
    }

    fn probe_move(&self, position: &Position, played: &Move) -> Result<Option<Probed>, ProbeError> {
        let next = position.after(played);
        let after = match played.ending {
            Some(_) => Ok(Probed::from(Value::Loss(0))),
            None => self.probe_best_table(&next),
        };
        match after {
            Ok(Probed { wdl, plies }) => Ok(Some(Probed { wdl: -wdl, plies })),
            Err(ProbeError::MissingTable { .. }) if !has_move(&self.rules, &next) => {
                Ok(Some(Probed { wdl: Wdl::Win, plies: Some(0) }))
            }
            Err(ProbeError::MissingTable { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
