//! An alpha-beta search that probes at every node. `examples/alpha_beta.c` is the same
//! search in C.

use std::cmp::Reverse;

use taflbase::Tablebase;
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::rules::{Endless, Ruleset, Side};
use taflbase::tablebase::ProbeError;
use taflbase::value::Wdl;

/// The score of a win in n plies found by the search is `WON - n`.
pub(crate) const WON: i32 = 10_000;
/// The score of a position n plies from the root that a table calls won is `TABLE_WON - n`.
pub(crate) const TABLE_WON: i32 = 9_000;

/// A searcher, with statistics over all its searches.
pub(crate) struct Search<'a> {
    /// The rules.
    pub(crate) rules: &'a Ruleset,
    /// The tables to probe, if any.
    pub(crate) tables: Option<&'a Tablebase>,
    /// The number of pieces in the largest table; larger positions are not probed.
    pub(crate) most_men: usize,
    /// Nodes searched.
    pub(crate) nodes: u64,
    /// Nodes whose value came from a table.
    pub(crate) answered: u64,
}

impl Search<'_> {
    /// Probes the tables; returns `None` if they do not decide the position.
    fn probe(&self, position: &Position) -> Result<Option<Wdl>, ProbeError> {
        let Some(tables) = self.tables.filter(|_| position.slice().men() <= self.most_men) else {
            return Ok(None);
        };
        match tables.probe_wdl(position) {
            // The result of an undecided position depends on the game's history: search on.
            Ok(Wdl::Draw) if self.rules.endless == Endless::Undecided => Ok(None),
            Ok(wdl) => Ok(Some(wdl)),
            Err(ProbeError::MissingTable { .. }) => Ok(None),
            // Any other error means a damaged table.
            Err(error) => Err(error),
        }
    }

    /// Returns the score for the side to move, `ply` plies from the root.
    pub(crate) fn value(
        &mut self,
        position: &Position,
        (depth, ply): (i32, i32),
        (mut alpha, beta): (i32, i32),
    ) -> Result<i32, ProbeError> {
        self.nodes += 1;
        // Not at the root, which needs a move, not only a value.
        let known = if ply > 0 { self.probe(position)? } else { None };
        if let Some(wdl) = known {
            self.answered += 1;
            return Ok(match wdl {
                Wdl::Win => TABLE_WON - ply,
                Wdl::Draw => 0,
                Wdl::Loss => ply - TABLE_WON,
            });
        }
        let mut moves = legal_moves(self.rules, position);
        if moves.is_empty() {
            return Ok(ply - WON);
        }
        if depth == 0 {
            return Ok(material(position));
        }
        moves.sort_by_key(|m| (m.ending.is_none(), Reverse(m.captured.len())));
        let mut best = -WON;
        for played in moves {
            let value = match played.ending {
                Some(_) => WON - ply - 1,
                None => {
                    let after = position.after(&played);
                    -self.value(&after, (depth - 1, ply + 1), (-beta, -alpha))?
                }
            };
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}

fn material(position: &Position) -> i32 {
    let balance = position.attackers.len() as i32 - 2 * position.defenders.len() as i32;
    if position.to_move == Side::Attackers { balance } else { -balance }
}
