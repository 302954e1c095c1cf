//! What the tables say: of positions inside the search, and of the one on the board.

use crate::engine::Score;
use crate::history::{Game, Outcome};
use crate::moves::{Move, legal_moves};
use crate::rules::Endless;
use crate::table::Metric;
use crate::tablebase::{MoveProbe, ProbeError, Probed, Tablebase};
use crate::value::{Plies, Value, Wdl};
use crate::{Position, Slice};

use super::score::{Points, of_wdl};
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

    /// What a position that is not decided at once is worth, if so many plies may follow,
    /// and whether it would be worth something else if more might.
    fn ask(&self, position: &Position, slice: Slice, left: Option<usize>) -> Option<(Wdl, bool)> {
        let tables = self.tables?;
        let mut too_late = false;
        let wdl = match left {
            None => tables.probe_undecided(position, slice).ok()?,
            Some(left) if self.of(slice).distances => {
                let value: Value = tables.probe_undecided(position, slice).ok()?;
                too_late = value.plies().is_some_and(|plies| usize::from(plies) > left);
                // A win that comes too late is none.
                if too_late { Wdl::Draw } else { value.wdl() }
            }
            Some(_) => {
                let wdl = tables.probe_undecided(position, slice).ok();
                wdl.filter(|&wdl| wdl == Wdl::Draw)?
            }
        };
        (wdl != Wdl::Draw || self.draws_count).then_some((wdl, too_late))
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
        let left = self.shared.plies_left.map(|left| left - ply);
        let (wdl, too_late) = oracle.ask(&self.state.position(), slice, left)?;
        if too_late {
            // Plies count from the start.
            self.rests_on = 0;
        }
        self.table_hits += 1;
        self.new_table_hits += 1;
        Some(of_wdl(wdl, self.shared.draw(ply), ply))
    }
}

/// What the tables say of the position on the board.
pub(super) struct Advice {
    /// The moves that keep what can be reached, best first.
    pub(super) moves: Vec<Advised>,
    /// Whether the first of them needs no search.
    pub(super) is_certain: bool,
}

impl Advice {
    /// What the moves keep.
    pub(super) fn outcome(&self) -> Option<Wdl> {
        self.moves.first().map(|advised| advised.outcome)
    }
}

/// A move that the tables advise.
#[derive(Clone, Copy)]
pub(super) struct Advised {
    pub(super) played: Move,
    outcome: Wdl,
    /// From the position before the move, if it is known to be as long as that.
    plies: Option<Plies>,
}

impl Advised {
    pub(super) fn score(&self) -> Score {
        match (self.outcome, self.plies) {
            (Wdl::Win, Some(plies)) => Score::Win(plies),
            (Wdl::Win, None) => Score::TableWin,
            (Wdl::Loss, Some(plies)) => Score::Loss(plies),
            (Wdl::Loss, None) => Score::TableLoss,
            (Wdl::Draw, _) => Score::Estimate(0),
        }
    }
}

/// What the tables advise in the game's position: nothing if they do not know it.
///
/// They know nothing of the game's history. A move that ends the game by a repetition
/// has the value that the ruleset says; a win is kept only if no defence can bring an
/// earlier position back.
pub(super) fn advice(tables: &Tablebase, game: &Game) -> Option<Advice> {
    let probe = tables.probe(game.position()).ok()?;
    let judged = probe.moves.iter().map(|mv| judged(game, mv));
    let mut moves = judged.collect::<Option<Vec<Advised>>>()?;
    let best = moves.iter().map(|mv| mv.outcome).max()?;
    moves.retain(|mv| mv.outcome == best);
    let distance = |mv: &Advised| i32::from(mv.plies.unwrap_or(Plies::MAX));
    let is_exact = moves.iter().all(|mv| mv.plies.is_some());
    match best {
        Wdl::Draw => return Some(Advice { moves, is_certain: false }),
        Wdl::Loss => moves.sort_by_key(|mv| -distance(mv)),
        Wdl::Win => moves.sort_by_key(distance),
    }
    if best == Wdl::Loss || !is_exact {
        return Some(Advice { moves, is_certain: is_exact });
    }
    let safe = Proof::new(tables, game)?.winning_move(moves.iter().map(|mv| &mv.played));
    if let Some(at @ 1..) = safe {
        moves[..=at].rotate_right(1);
        // A way round takes longer; how long is not known for certain.
        moves[0].plies = None;
    }
    Some(Advice { moves, is_certain: safe.is_some() })
}

/// What a move leads to in this game; `None` if the tables do not know.
fn judged(game: &Game, mv: &MoveProbe) -> Option<Advised> {
    let mover = game.position().to_move;
    let mut then = game.clone();
    then.play(&mv.played);
    let left = game.plies_left();
    let (outcome, plies) = match (then.outcome(), mv.value) {
        (Some(Outcome { winner: Some(winner), .. }), _) => {
            (if winner == mover { Wdl::Win } else { Wdl::Loss }, Some(1))
        }
        (Some(Outcome { winner: None, .. }), _) => (Wdl::Draw, None),
        (None, None) => return None,
        // What comes after the last ply does not come.
        (None, Some(Probed { wdl, plies: Some(plies) }))
            if wdl != Wdl::Draw && left.is_some_and(|left| u32::from(plies) >= left) =>
        {
            (Wdl::Draw, None)
        }
        (None, Some(Probed { wdl, plies })) => (wdl, plies.map(|plies| plies + 1)),
    };
    Some(Advised { played: mv.played, outcome, plies })
}

/// Whether a win of the tables stands although earlier positions can come back.
struct Proof<'a> {
    tables: &'a Tablebase,
    game: Game,
    /// Earlier positions that are won by the same side are nearer to the end than this
    /// cannot be reached, if the distance falls with every move.
    nearest: Plies,
    /// Positions that may still be looked at.
    budget: u32,
}

impl<'a> Proof<'a> {
    fn new(tables: &'a Tablebase, game: &Game) -> Option<Proof<'a>> {
        let winner = game.position().to_move;
        let mut nearest = Plies::MAX;
        for earlier in game.earlier_positions() {
            let value = match tables.probe_dtw(earlier) {
                Ok(value) => value,
                Err(ProbeError::Position(_)) => continue,
                Err(_) => return None,
            };
            match value {
                Value::Win(plies) if earlier.to_move == winner => nearest = nearest.min(plies),
                Value::Loss(plies) if earlier.to_move != winner => nearest = nearest.min(plies),
                _ => {}
            }
        }
        Some(Proof { tables, game: game.clone(), nearest, budget: 20_000 })
    }

    /// The number of the first of these winning moves that wins whatever happens.
    fn winning_move<'m>(&mut self, mut moves: impl Iterator<Item = &'m Move>) -> Option<usize> {
        moves.position(|played| {
            self.game.play(played);
            let wins = self.is_lost();
            self.game.undo();
            wins
        })
    }

    /// Whether the side to move, lost by the tables, loses with this history, too.
    fn is_lost(&mut self) -> bool {
        if let Some(outcome) = self.game.outcome() {
            return outcome.winner == Some(self.game.position().to_move.other());
        }
        let Ok(Value::Loss(plies)) = self.tables.probe_dtw(self.game.position()) else {
            return false;
        };
        if plies <= self.nearest {
            return true;
        }
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let replies = legal_moves(self.game.rules(), self.game.position());
        replies.iter().all(|reply| {
            self.game.play(reply);
            let won = match self.game.outcome() {
                Some(outcome) => outcome.winner == Some(self.game.position().to_move),
                None => self.wins(),
            };
            self.game.undo();
            won
        })
    }

    /// Whether the side to move wins.
    fn wins(&mut self) -> bool {
        let Ok(probe) = self.tables.probe(self.game.position()) else {
            return false;
        };
        let won = probe.moves.iter().filter(|mv| mv.value.is_some_and(|v| v.wdl == Wdl::Win));
        self.winning_move(won.map(|mv| &mv.played)).is_some()
    }
}
