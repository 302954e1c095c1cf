//! An alpha-beta search that probes at every node. `examples/alpha_beta.c` is the same
//! search in C.

use std::cmp::Reverse;

use taflbase::Tablebase;
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::rules::{Endless, Ruleset, Side};
use taflbase::tablebase::ProbeError;
use taflbase::value::Wdl;

/// A win in n plies that the search sees is worth `WON - n`; one n plies ahead that
/// a table tells of, `TABLE_WON - n`.
pub(crate) const WON: i32 = 10_000;
pub(crate) const TABLE_WON: i32 = 9_000;

/// One search after the other, and what they have cost.
pub(crate) struct Search<'a> {
    /// The rules.
    pub(crate) rules: &'a Ruleset,
    /// The tables, if they are to be probed.
    pub(crate) tables: Option<&'a Tablebase>,
    /// The most men that the tables have, so as not to ask in vain.
    pub(crate) most_men: usize,
    /// Positions that were looked at.
    pub(crate) nodes: u64,
    /// Nodes that a table has answered.
    pub(crate) answered: u64,
}

impl Search<'_> {
    /// What the tables tell, if they do.
    fn probe(&self, position: &Position) -> Result<Option<Wdl>, ProbeError> {
        let Some(tables) = self.tables.filter(|_| position.slice().men() <= self.most_men) else {
            return Ok(None);
        };
        match tables.probe_wdl(position) {
            // Undecided: who wins depends on what was played before. Search on.
            Ok(Wdl::Draw) if self.rules.endless == Endless::Undecided => Ok(None),
            Ok(wdl) => Ok(Some(wdl)),
            Err(ProbeError::MissingTable { .. }) => Ok(None),
            // Anything else is damage, which a user wants to know of.
            Err(error) => Err(error),
        }
    }

    /// The value for the side to move, `ply` plies from the root.
    pub(crate) fn value(
        &mut self,
        position: &Position,
        (depth, ply): (i32, i32),
        (mut alpha, beta): (i32, i32),
    ) -> Result<i32, ProbeError> {
        self.nodes += 1;
        // Not at the root, where a move is sought and not only a value.
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
