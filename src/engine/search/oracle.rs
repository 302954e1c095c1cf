//! The endgame tables, as the nodes of the search probe them.

use crate::engine::coverage::Coverage;
use crate::engine::state::Step;
use crate::game::history::Game;
use crate::game::position::Position;
use crate::game::rules::{Endless, Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::tablebase::Tablebase;

use super::certainty::{endless_value, wins_hold};
use super::score::{MAX_ESTIMATE, Points, decided_in, is_decided, table_score};

/// The endgame tables with a directory of their slices.
pub(super) struct Oracle<'a> {
    tables: Option<&'a Tablebase>,
    rules: &'a Ruleset,
    /// The maximum number of men to probe.
    max_men: usize,
    coverage: Coverage,
    /// Whether a draw in the tables is a draw in the game, whatever its history.
    draws_are_final: bool,
    /// Whether the defenders' wins in the tables are certain in the game.
    defenders_wins_hold: bool,
}

impl<'a> Oracle<'a> {
    /// Creates the oracle for a search from the game's position. If the tables include the
    /// root's slice, only positions with fewer men are probed: the root probe has already used
    /// the rest.
    pub(super) fn new(tables: Option<&'a Tablebase>, game: &'a Game) -> Oracle<'a> {
        let coverage = Coverage::new(tables);
        let root = game.position().slice();
        let max_men = if coverage.of(root).any { root.men() - 1 } else { coverage.max_men() };
        let rules = game.rules();
        Oracle {
            tables,
            rules,
            max_men,
            coverage,
            draws_are_final: rules.endless == Endless::Draw,
            defenders_wins_hold: wins_hold(rules, Side::Defenders),
        }
    }

    /// Returns whether positions of this slice are to be probed.
    #[inline]
    pub(super) fn includes(&self, slice: Slice) -> bool {
        slice.men() <= self.max_men && self.coverage.of(slice).any
    }

    /// Probes a position `ply` plies from the root in which no side wins at once. Returns its
    /// score, and whether the score depends on `last_ply`, the ply after which the game is drawn.
    pub(super) fn probe(
        &self,
        position: &Position,
        slice: Slice,
        ply: usize,
        last_ply: Option<usize>,
        draw: Points,
    ) -> Option<(Points, bool)> {
        let tables = self.tables?;
        let Some(last_ply) = last_ply else {
            let wdl = match tables.probe_undecided(position, slice)? {
                Wdl::Draw => endless_value(self.rules, position.to_move)?,
                decided => decided,
            };
            return Some((self.in_game(table_score(wdl, draw, ply), position.to_move, ply), false));
        };
        if !self.coverage.of(slice).distances {
            let wdl: Wdl = tables.probe_undecided(position, slice)?;
            return (wdl == Wdl::Draw && self.draws_are_final).then_some((draw, false));
        }
        let value: Value = tables.probe_undecided(position, slice)?;
        match value.plies() {
            None => self.draws_are_final.then_some((draw, false)),
            // A win after the last ply is a draw.
            Some(plies) if ply + usize::from(plies) > last_ply => {
                self.draws_are_final.then_some((draw, true))
            }
            plies => {
                let score = decided_in(value.wdl() == Wdl::Win, plies, ply);
                Some((self.in_game(score, position.to_move, ply), false))
            }
        }
    }

    /// Returns the tables' line from a position in which no side wins at once; `None` if they are
    /// not probed there, or have no distances.
    pub(super) fn line(&self, position: &Position) -> Option<Vec<Step>> {
        let slice = position.slice();
        let tables = self.tables.filter(|_| self.includes(slice))?;
        let line = tables.for_search(tables.line(position))?;
        Some(line.iter().map(Step::of).collect())
    }

    /// Returns a table's score, which becomes an estimate if the game's history may prevent the win.
    #[inline]
    fn in_game(&self, score: Points, mover: Side, ply: usize) -> Points {
        let winner = if score > 0 { mover } else { mover.other() };
        if self.defenders_wins_hold || winner == Side::Attackers || !is_decided(score) {
            return score;
        }
        let most = MAX_ESTIMATE - ply as Points;
        score.clamp(-most, most)
    }
}
