//! Answers to probes of the tables, completed by the book.

use std::cmp::Reverse;

use crate::game::moves::Move;
use crate::game::position::{Position, PositionError};
use crate::game::value::WdlBounds;
use crate::tablebase::{
    MoveProbe, PositionProof, ProbeAnswer, Probed, ProvedBounds, Tablebase, sort_best_first,
};

use super::ProofBook;

impl ProofBook {
    /// Returns the answer to a probe of a position. `value` and `moves` are what the tables, which are
    /// for the book's rules, have for it. What they lack is taken from the book: a proved outcome
    /// becomes the `category`, without a distance; a bound appears only in `proof`.
    ///
    /// # Errors
    /// If the position is not legal under the book's rules, or the game is over.
    pub fn answer<'a>(
        &self,
        tables: &'a Tablebase,
        position: &Position,
        value: Option<Probed>,
        moves: &[MoveProbe],
    ) -> Result<ProbeAnswer<'a>, PositionError> {
        if value.is_some() && moves.iter().all(|mv| mv.value.is_some()) {
            return Ok(ProbeAnswer::new(tables, position, value, moves));
        }
        let probe = self.probe(position)?;
        let mut completed = moves.to_vec();
        for mv in completed.iter_mut().filter(|mv| mv.value.is_none()) {
            mv.value = probed(bounds_of(&probe.moves, mv));
        }
        sort_best_first(&mut completed);
        // Of the winning moves, only the strategy's own is sure to make progress.
        let first = probe.strategy.and_then(|book_move| {
            completed.iter().position(|mv| mv.played == book_move.played && mv.value.is_some())
        });
        if let Some(at) = first {
            let value = completed[at].value;
            let head = completed.iter().position(|mv| mv.value == value).unwrap_or(at);
            completed[head..=at].rotate_right(1);
        }
        // Of the moves of unknown value, those with bounds come first.
        completed.sort_by_key(|mv| {
            let bounds = bounds_of(&probe.moves, mv);
            let known = mv.value.is_none().then_some((bounds.at_least, bounds.at_most));
            (mv.value.is_none(), Reverse(known))
        });
        let own = value.or(probed(probe.bounds));
        let mut answer = ProbeAnswer::new(tables, position, own, &completed);
        for (text, mv) in answer.moves.iter_mut().zip(&completed) {
            let is_unknown = moves.iter().any(|old| old.played == mv.played && old.value.is_none());
            let bounds = bounds_of(&probe.moves, mv);
            let shown = is_unknown && bounds.is_known();
            text.proof = shown.then(|| ProvedBounds::new(tables, bounds));
        }
        if value.is_none() && probe.bounds.is_known() {
            answer.proof = Some(PositionProof {
                bounds: ProvedBounds::new(tables, probe.bounds),
                played: probe
                    .strategy
                    .map(|book_move| book_move.played.display(self.rules().board).to_string()),
                certificate: probe.certificate.map(|at| self.certificates[at].name.clone()),
            });
        }
        Ok(answer)
    }
}

fn bounds_of(moves: &[(Move, WdlBounds)], wanted: &MoveProbe) -> WdlBounds {
    let found = moves.iter().find(|(played, _)| *played == wanted.played);
    found.map_or(WdlBounds::UNKNOWN, |&(_, bounds)| bounds)
}

/// Converts a proved outcome to a table value without a distance.
fn probed(bounds: WdlBounds) -> Option<Probed> {
    bounds.exact().map(|wdl| Probed { wdl, plies: None })
}
