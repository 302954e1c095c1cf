//! What the tables say of positions inside the search.

use crate::game::history::Game;
use crate::game::position::Position;
use crate::game::rules::Endless;
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::table::Metric;
use crate::tablebase::Tablebase;

use super::score::{Points, decided_in, of_wdl};
use super::worker::Worker;

/// The tables, as positions inside the search ask them.
pub(super) struct Oracle<'a> {
    tables: Option<&'a Tablebase>,
    /// Positions with more men are not asked for.
    men: usize,
    /// What there is of each slice: by defenders and attackers.
    known: Vec<Known>,
    /// Attackers in a row of `known`.
    width: usize,
    /// Whether a table's draw is one under all histories.
    draws_count: bool,
}

#[derive(Clone, Copy, Default)]
struct Known {
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
        let mut known = vec![Known::default(); width * height];
        for slice in all() {
            known[slice.defenders * width + slice.attackers].any = true;
        }
        for slice in &dtw {
            known[slice.defenders * width + slice.attackers].distances = true;
        }
        let men = all().map(|slice| slice.men()).max().unwrap_or(0);
        let draws_count = game.rules().endless == Endless::Draw;
        let mut oracle = Oracle { tables, men, known, width, draws_count };
        let root = game.position().slice();
        if oracle.of(root).any {
            oracle.men = root.men() - 1;
        }
        oracle
    }

    fn of(&self, slice: Slice) -> Known {
        let Slice { defenders, attackers } = slice;
        let in_width = attackers < self.width;
        let known = self.known.get(defenders * self.width + attackers).filter(|_| in_width);
        known.copied().unwrap_or_default()
    }

    /// What a position `ply` plies from the root is worth that is not decided at once,
    /// and whether it would be worth something else if the game could go on for longer.
    /// `last_ply` is the ply after which the game is drawn.
    fn ask(
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
            return (wdl != Wdl::Draw || self.draws_count).then(|| (of_wdl(wdl, draw, ply), false));
        };
        if !self.of(slice).distances {
            let wdl: Wdl = tables.probe_undecided(position, slice).ok()?;
            return (wdl == Wdl::Draw && self.draws_count).then_some((draw, false));
        }
        let value: Value = tables.probe_undecided(position, slice).ok()?;
        match value.plies() {
            None => self.draws_count.then_some((draw, false)),
            // A win that comes too late is none.
            Some(plies) if ply + usize::from(plies) > last_ply => {
                self.draws_count.then_some((draw, true))
            }
            plies => Some((decided_in(value.wdl() == Wdl::Win, plies, ply), false)),
        }
    }
}

impl<const W: usize> Worker<'_, W> {
    /// What the tables say of the position, in which nobody wins at once.
    #[inline]
    pub(super) fn ask_tables(&mut self, ply: usize) -> Option<Points> {
        let men = self.state.soldiers.map(|soldiers| soldiers.len());
        let [attackers, defenders] = men.0.map(|men| men as usize);
        let slice = Slice { defenders, attackers };
        let oracle = &self.shared.oracle;
        if slice.men() > oracle.men || !oracle.of(slice).any {
            return None;
        }
        let position = self.state.position(self.shared.ground.rules);
        let draw = self.shared.draw(ply);
        let (score, too_late) =
            oracle.ask(&position, slice, ply, self.shared.validity.last_ply, draw)?;
        if too_late {
            // Plies count from the start.
            self.rests_on = 0;
        }
        self.table_hits += 1;
        self.new_table_hits += 1;
        Some(score)
    }
}
