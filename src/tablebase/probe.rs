use std::cmp::Reverse;

use crate::game::moves::{Ending, Move, legal_moves};
use crate::game::position::Position;
use crate::game::value::{Plies, Value, Wdl};
use crate::table::Metric;

use super::{ProbeError, Tablebase};

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probed {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// Plies to the end of the game; `None` for a draw, and where there are WDL
    /// tables only.
    pub plies: Option<Plies>,
}

impl From<Value> for Probed {
    fn from(value: Value) -> Probed {
        Probed { wdl: value.wdl(), plies: value.plies() }
    }
}

impl Probed {
    /// Whether there is nothing more to know: only a draw has no distance.
    pub fn is_exact(self) -> bool {
        self.wdl == Wdl::Draw || self.plies.is_some()
    }

    /// A move's outcome as its player has it before the move: one ply more.
    fn before_move(self) -> Probed {
        Probed { plies: self.plies.map(|plies| plies.saturating_add(1)), ..self }
    }

    /// Grows with what the mover prefers; an unknown distance counts as the
    /// longest.
    fn preference(self) -> i32 {
        match self.wdl {
            Wdl::Win => Value::Win(self.plies.unwrap_or(Plies::MAX)).preference(),
            Wdl::Draw => Value::Draw.preference(),
            Wdl::Loss => Value::Loss(self.plies.unwrap_or(Plies::MAX)).preference(),
        }
    }
}

/// A move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveProbe {
    /// The move.
    pub played: Move,
    /// Its outcome for the side that plays it, with the plies that are left
    /// after it; `None` if the table of the slice it leads to is missing.
    pub value: Option<Probed>,
}

impl MoveProbe {
    /// The name of its outcome, as [`Tablebase::category`] has it, or `unknown`.
    pub fn category(&self, tables: &Tablebase) -> &'static str {
        tables.category_of(self.value)
    }
}

/// What is known of a position and of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// The position's value for the side to move.
    pub value: Probed,
    /// The legal moves, best first: the quickest win, then draws, then the
    /// slowest loss, then those that are unknown; an unknown distance counts as the
    /// longest. Ties: captures first, then by origin and target in square order.
    pub moves: Vec<MoveProbe>,
}

impl Tablebase {
    /// The value of a position and of each of its moves.
    ///
    /// # Errors
    /// If the position is none of a running game, or its table is missing or
    /// damaged. The table of a slice that a capture leads to may be missing.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let value = self.probe_value(position)?;
        Ok(Probe { value, moves: self.probed_moves(position)? })
    }

    /// The best move: the first of those that keep the position's value with its
    /// distance. `None` if there is no legal move.
    ///
    /// # Errors
    /// As [`probe`](Tablebase::probe). Also if tables are missing that the choice
    /// depends on: those of distances, unless the position is drawn (whoever only keeps
    /// a win may never win), and of a slice that a capture leads to, unless another
    /// move is known to be the best.
    pub fn best_move(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        let Probe { value, moves } = self.probe(position)?;
        let is_best = |mv: &&MoveProbe| mv.value.map(Probed::before_move) == Some(value);
        if let Some(best) = moves.iter().filter(|_| value.is_exact()).find(is_best) {
            return Ok(Some(best.played));
        }
        let missing = |mv: &MoveProbe, metric| {
            let slice = position.after(&mv.played).slice();
            Err(ProbeError::MissingTable { slice, metric })
        };
        if let Some(unknown) = moves.iter().find(|mv| mv.value.is_none()) {
            return missing(unknown, Metric::Wdl);
        }
        let keeps = |mv: &&MoveProbe| mv.value.is_some_and(|after| after.wdl == value.wdl);
        let is_inexact = |mv: &&MoveProbe| mv.value.is_some_and(|after| !after.is_exact());
        if let Some(inexact) = moves.iter().filter(keeps).find(is_inexact) {
            return missing(inexact, Metric::Dtw);
        }
        match moves.first() {
            // Only the position's own distance is unknown.
            Some(best) if value.plies.is_none() && keeps(&best) => Ok(Some(best.played)),
            None if value.wdl == Wdl::Loss && value.plies.unwrap_or(0) == 0 => Ok(None),
            _ => Err(ProbeError::Inconsistent { slice: position.slice() }),
        }
    }

    /// One line of best play to the end of the game; no moves for a draw.
    ///
    /// # Errors
    /// As [`best_move`](Tablebase::best_move), and if there is no DTW table.
    pub fn line(&self, position: &Position) -> Result<Vec<Move>, ProbeError> {
        let mut line = Vec::new();
        let mut position = *position;
        let mut value = self.probe_dtw(&position)?;
        while value != Value::Draw {
            // Each best move is one ply nearer to the end.
            let Some(best) = self.best_move(&position)? else {
                break;
            };
            position = position.after(&best);
            line.push(best);
            if best.ending.is_some() {
                break;
            }
            value = self.probe_dtw(&position)?;
        }
        Ok(line)
    }

    /// The value, with the distance if there is a DTW table.
    ///
    /// # Errors
    /// As [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_value(&self, position: &Position) -> Result<Probed, ProbeError> {
        match self.probe_dtw(position) {
            Err(ProbeError::MissingTable { .. }) => {
                self.probe_wdl(position).map(|wdl| Probed { wdl, plies: None })
            }
            value => value.map(Probed::from),
        }
    }

    /// What is known of each move, in the order of [`Probe::moves`], whether or not the
    /// position's own table is there.
    ///
    /// # Errors
    /// If the position is none of a running game, or a table is damaged. Tables may be
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
        moves.sort_by_key(|mv| {
            let quiet =
                mv.played.captured.is_empty() && mv.played.ending != Some(Ending::KingCaptured);
            let plies_after = mv.value.map(Probed::preference);
            (Reverse(plies_after), quiet, mv.played.from, mv.played.to)
        });
        Ok(moves)
    }

    fn probe_move(&self, position: &Position, played: &Move) -> Result<Option<Probed>, ProbeError> {
        let after = match played.ending {
            Some(_) => Ok(Probed::from(Value::Loss(0))),
            None => self.probe_value(&position.after(played)),
        };
        match after {
            Ok(Probed { wdl, plies }) => Ok(Some(Probed { wdl: -wdl, plies })),
            Err(ProbeError::MissingTable { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
