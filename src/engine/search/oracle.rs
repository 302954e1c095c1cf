//! What the tables say of positions inside the search.

use crate::game::history::Game;
use crate::game::position::Position;
use crate::game::rules::Endless;
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::table::Metric;
use crate::tablebase::Tablebase;

use super::score::{Points, decided_in, table_score};
use super::worker::Worker;

/// The tables, as positions inside the search ask them.
pub(super) struct Oracle<'a> {
    tables: Option<&'a Tablebase>,
    /// Positions with more men are not asked for.
    men: usize,
    /// What there is of each slice: by defenders and attackers.
    coverage: Vec<Coverage>,
    /// Attackers in a row of `known`.
    width: usize,
    /// Whether a table's draw is one under all histories.
    draws_are_final: bool,
}

#[derive(Clone, Copy, Default)]
struct Coverage {
    any: bool,
    distances: bool,
}

impl<'a> Oracle<'a> {
    /// What may be asked inside a search from the game's position. If that is in the
    /// tables itself, only positions with fewer men are: for the rest of its slice all
    /// is known already.
    pub(super) fn new(tables: Option<&'a Tablebase>, game: &Game) -> Oracle<'a> {
        let slices = |metric| tables.map_or_else(Vec::new, |tables| tables.slices(metric));
        let (wdl, dtw) = (slices(Metric::Wdl), slices(Metric::Dtw));
        let all = || wdl.iter().chain(&dtw);
        let width = all().map(|slice| slice.attackers + 1).max().unwrap_or(0);
        let height = all().map(|slice| slice.defenders + 1).max().unwrap_or(0);
        let mut coverage = vec![Coverage::default(); width * height];
        for slice in all() {
            coverage[slice.defenders * width + slice.attackers].any = true;
        }
        for slice in &dtw {
            coverage[slice.defenders * width + slice.attackers].distances = true;
        }
        let men = all().map(|slice| slice.men()).max().unwrap_or(0);
        let draws_are_final = game.rules().endless == Endless::Draw;
        let mut oracle = Oracle { tables, men, coverage, width, draws_are_final };
        let root = game.position().slice();
        if oracle.coverage(root).any {
            oracle.men = root.men() - 1;
        }
        oracle
    }

    fn coverage(&self, slice: Slice) -> Coverage {
        let Slice { defenders, attackers } = slice;
        let in_width = attackers < self.width;
        let coverage = self.coverage.get(defenders * self.width + attackers).filter(|_| in_width);
        coverage.copied().unwrap_or_default()
    }

    /// What a position `ply` plies from the root is worth that is not decided at once,
    /// and whether it would be worth something else if the game could go on for longer.
    /// `last_ply` is the ply after which the game is drawn.
    fn probe(
        &self,
        position: &Position,
        slice: Slice,
        ply: usize,
        last_ply: Option<usize>,
        draw: Points,
    ) -> Option<(Points, bool)> {
        let tables = self.tables?;
        let Some(last_ply) = last_ply else {
            let wdl = tables.probe_undecided(position, slice).ok()?;
            return (wdl != Wdl::Draw || self.draws_are_final)
                .then(|| (table_score(wdl, draw, ply), false));
        };
        if !self.coverage(slice).distances {
            let wdl: Wdl = tables.probe_undecided(position, slice).ok()?;
            return (wdl == Wdl::Draw && self.draws_are_final).then_some((draw, false));
        }
        let value: Value = tables.probe_undecided(position, slice).ok()?;
        match value.plies() {
            None => self.draws_are_final.then_some((draw, false)),
            // A win that comes too late is none.
            Some(plies) if ply + usize::from(plies) > last_ply => {
                self.draws_are_final.then_some((draw, true))
            }
            plies => Some((decided_in(value.wdl() == Wdl::Win, plies, ply), false)),
        }
    }
}

impl<const W: usize> Worker<'_, W> {
    /// What the tables say of the position, in which nobody wins at once.
    #[inline]
    pub(super) fn probe_oracle(&mut self, ply: usize) -> Option<Points> {
        let men = self.state.soldiers.map(|soldiers| soldiers.len());
        let [attackers, defenders] = men.0.map(|men| men as usize);
        let slice = Slice { defenders, attackers };
        let oracle = &self.shared.oracle;
        if slice.men() > oracle.men || !oracle.coverage(slice).any {
            return None;
        }
        let position = self.state.position(self.shared.board.rules);
        let draw = self.shared.draw(ply);
        let (score, too_late) =
            oracle.probe(&position, slice, ply, self.shared.validity.last_ply, draw)?;
        if too_late {
            // Plies count from the start.
            self.depends_on = 0;
        }
        self.table_hits += 1;
        self.unreported_table_hits += 1;
        Some(score)
    }
}
