//! What the tables say: of positions inside the search, and of the one on the board.

use crate::history::Game;
use crate::rules::Endless;
use crate::table::Metric;
use crate::tablebase::{ProbeError, Tablebase};
use crate::value::{Value, Wdl};
use crate::{Position, Slice};

use super::score::{Points, of_wdl};
use super::worker::Worker;

/// The tables, as positions inside the search ask them.
pub(super) struct Oracle<'a> {
    tables: Option<&'a Tablebase>,
    /// Positions with more men are not asked for.
    men: u32,
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
        let mut oracle = Oracle { tables, men: men as u32, known, width, draws_count };
        let root = game.position().slice();
        if oracle.of(root).any {
            oracle.men = root.men() as u32 - 1;
        }
        oracle
    }

    fn of(&self, slice: Slice) -> Known {
        let Slice { defenders, attackers } = slice;
        let in_width = attackers < self.width;
        let known = self.known.get(defenders * self.width + attackers).filter(|_| in_width);
        known.copied().unwrap_or_default()
    }

    /// The value of a position `ply` plies from the root of which `left` plies are
    /// allowed to follow.
    fn ask(&self, position: &Position, ply: usize, left: Option<usize>) -> Option<Points> {
        let known = self.of(position.slice());
        let tables = self.tables.filter(|_| known.any)?;
        let wdl = match left {
            None => tables.probe_wdl(position).ok()?,
            // A win that comes too late is none.
            Some(left) if known.distances => match tables.probe_dtw(position).ok()? {
                Value::Win(plies) | Value::Loss(plies) if usize::from(plies) > left => Wdl::Draw,
                value => value.wdl(),
            },
            Some(_) => tables.probe_wdl(position).ok().filter(|&wdl| wdl == Wdl::Draw)?,
        };
        (wdl != Wdl::Draw || self.draws_count).then(|| of_wdl(wdl, ply))
    }
}

impl<const W: usize> Worker<'_, W> {
    /// What the tables say of the position.
    #[inline]
    pub(super) fn ask_tables(&mut self, ply: usize) -> Option<Points> {
        if self.state.men_count() > self.shared.oracle.men {
            return None;
        }
        let left = self.shared.plies_left.map(|left| left - ply);
        let score = self.shared.oracle.ask(&self.state.position(), ply, left)?;
        self.table_hits += 1;
        Some(score)
    }
}

/// What the tables say of the position on the board.
pub(super) struct Advice {
    /// The moves that keep its value, best first.
    pub(super) moves: Vec<crate::moves::Move>,
    /// Whether the first of them needs no search.
    pub(super) is_certain: bool,
    /// The position's value, with its distance where that counts.
    pub(super) value: Option<Value>,
}

/// What the tables advise in the game's position: nothing if they do not know it.
///
/// They know nothing of the game's history. A move that ends the game by a repetition
/// has the value that the ruleset says; a win is kept only if no defence can bring an
/// earlier position back.
pub(super) fn advice(tables: &Tablebase, game: &Game) -> Option<Advice> {
    let rules = game.rules();
    let position = game.position();
    let probe = tables.probe(position).ok()?;
    let left = game.plies_left();
    let mut judged = Vec::new();
    for mv in &probe.moves {
        let mut then = game.clone();
        then.play(&mv.played);
        let known = mv.value.map(|value| (value.wdl, value.plies));
        let judgement = match then.outcome() {
            // The end by rule.
            Some(outcome) => match outcome.winner {
                Some(winner) if winner == position.to_move => (Wdl::Win, Some(0)),
                Some(_) => (Wdl::Loss, Some(0)),
                None => (Wdl::Draw, None),
            },
            // A table's win that comes too late is a draw, and so is such a loss.
            None => match known {
                Some((wdl, Some(plies)))
                    if wdl != Wdl::Draw && left.is_some_and(|left| u32::from(plies) >= left) =>
                {
                    (Wdl::Draw, None)
                }
                Some(known) => known,
                None => return None,
            },
        };
        judged.push((mv.played, judgement));
    }
    let best = judged.iter().map(|(_, (wdl, _))| *wdl).max()?;
    let undecided = best == Wdl::Draw && rules.endless == Endless::Undecided;
    judged.retain(|(_, (wdl, _))| *wdl == best);
    let distance = |plies: Option<u16>| i32::from(plies.unwrap_or(u16::MAX));
    match best {
        Wdl::Win => judged.sort_by_key(|(_, (_, plies))| distance(*plies)),
        Wdl::Loss => judged.sort_by_key(|(_, (_, plies))| -distance(*plies)),
        Wdl::Draw => {}
    }
    let exact = judged.iter().all(|(_, (_, plies))| plies.is_some());
    let moves: Vec<_> = judged.iter().map(|(played, _)| *played).collect();
    let plies = judged.first().and_then(|(_, (_, plies))| *plies);
    match (best, plies) {
        (Wdl::Loss, Some(plies)) if exact => {
            Some(Advice { moves, is_certain: true, value: Some(Value::Loss(plies + 1)) })
        }
        (Wdl::Win, Some(plies)) if exact => {
            let mut proof = Proof::new(tables, game)?;
            let safe = proof.winning_move(&moves);
            let is_certain = safe.is_some();
            let mut value = Some(Value::Win(plies + 1));
            let mut moves = moves;
            if let Some(at) = safe {
                if at > 0 {
                    // Another way takes longer; how long is not known for certain.
                    value = None;
                }
                moves.rotate_left(at);
            }
            Some(Advice { moves, is_certain, value })
        }
        _ => {
            let value = (best == Wdl::Draw && !undecided).then_some(Value::Draw);
            Some(Advice { moves, is_certain: false, value })
        }
    }
}

/// Whether a win of the tables stands although earlier positions can come back.
struct Proof<'a> {
    tables: &'a Tablebase,
    game: Game,
    /// Earlier positions that are won by the same side are nearer to the end than this
    /// cannot be reached, if the distance falls with every move.
    nearest: u16,
    /// Positions that may still be looked at.
    budget: u32,
}

impl<'a> Proof<'a> {
    fn new(tables: &'a Tablebase, game: &Game) -> Option<Proof<'a>> {
        let winner = game.position().to_move;
        let mut nearest = u16::MAX;
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
    fn winning_move(&mut self, moves: &[crate::moves::Move]) -> Option<usize> {
        moves.iter().position(|played| {
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
        let replies = crate::moves::legal_moves(self.game.rules(), self.game.position());
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
        let won: Vec<_> = won.map(|mv| mv.played).collect();
        self.winning_move(&won).is_some()
    }
}
