//! Puzzles: positions of tables that are worth solving.

use super::find::{FindError, Found, Query, Search, random};
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::table::{Metric, Table, TableFile};
use crate::tablebase::{MoveProbe, ProbeError, Tablebase};

/// Maximum slots of the tables that are searched together: they are read some twenty times.
const MAX_SLOTS: u64 = 1 << 25;
/// The shortest win that is a puzzle.
const MIN_PLIES: Plies = 3;
/// Maximum distances that are sampled, spread over those that occur.
const MAX_DISTANCES: usize = 24;
/// Positions drawn for each distance.
const PER_DISTANCE: usize = 40;
/// Positions drawn for the other kinds.
const PER_KIND: usize = 150;
/// A position with fewer moves has no only move worth finding.
const MIN_MOVES: usize = 4;
/// The seed of the samples, so that the same tables give the same puzzles.
const SEED: u64 = 40;

/// A kind of puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PuzzleKind {
    /// Any position that somebody wins in some plies.
    Endgame,
    /// A single move wins.
    OnlyMove,
    /// The side to move wins in some plies.
    Win,
    /// The longest wins of the slices.
    Longest,
    /// Both sides do worse if they have to move.
    Zugzwang,
}

impl PuzzleKind {
    /// All kinds.
    pub const ALL: [PuzzleKind; 5] = [
        PuzzleKind::Endgame,
        PuzzleKind::OnlyMove,
        PuzzleKind::Win,
        PuzzleKind::Longest,
        PuzzleKind::Zugzwang,
    ];

    /// Returns its name: `endgame`, `only-move`, `win`, `longest` or `zugzwang`.
    pub fn name(self) -> &'static str {
        match self {
            PuzzleKind::Endgame => "endgame",
            PuzzleKind::OnlyMove => "only-move",
            PuzzleKind::Win => "win",
            PuzzleKind::Longest => "longest",
            PuzzleKind::Zugzwang => "zugzwang",
        }
    }
}

/// The names of the levels: thirds of the puzzles of a kind, by their distance to the end.
pub const LEVELS: [&str; 3] = ["easy", "medium", "hard"];

/// The puzzles of a ruleset's tables, for each kind from the easiest to the hardest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Puzzles([Vec<Found>; PuzzleKind::ALL.len()]);

impl Puzzles {
    /// Draws puzzles from the tables with distances, on rayon's current threads. Tables too large
    /// to be read many times are left out. `go_on` is called regularly; once it returns `false`,
    /// the rest of the puzzles is left out. Tables that cannot be read are left out, too: the first
    /// error is returned with the puzzles.
    ///
    /// # Errors
    /// If a table is damaged while puzzles are drawn from it.
    pub fn draw(
        base: &Tablebase,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Puzzles, Option<ProbeError>), FindError> {
        let (tables, mut unreadable) = searched(base, go_on);
        let sample = |query: &Query, count| draw(base, &tables, query, count, go_on);
        let distances = Query { plies: Some(MIN_PLIES..=Plies::MAX), ..Query::default() };
        let endgames = sample(&distances, PER_KIND)?;
        let zugzwangs = sample(&Query { zugzwang: true, ..Query::default() }, PER_KIND)?;
        let longest = longest(base, &tables, go_on)?;
        let mut wins = Vec::new();
        for plies in distances_of(&tables) {
            let query =
                Query { wdl: Some(Wdl::Win), plies: Some(plies..=plies), ..Query::default() };
            let long: Vec<_> =
                tables.iter().copied().filter(|table| has_win(table, plies)).collect();
            wins.extend(draw(base, &long, &query, PER_DISTANCE, go_on)?);
        }
        let mut only_moves = Vec::new();
        for found in &wins {
            match has_only_move(base, found) {
                Ok(true) => only_moves.push(*found),
                Ok(false) => {}
                Err(error) => _ = unreadable.get_or_insert(error),
            }
        }
        let mut puzzles = Puzzles([endgames, only_moves, wins, longest, zugzwangs]);
        for found in &mut puzzles.0 {
            found.sort_by_key(|one| (one.value.plies, one.position.slice().men(), one.position));
        }
        Ok((puzzles, unreadable))
    }

    /// Returns the puzzles of a kind on a level, a number below 3.
    pub fn of(&self, kind: PuzzleKind, level: usize) -> &[Found] {
        let all = &self.0[kind as usize];
        let bound = |third: usize| all.len() * third.min(LEVELS.len()) / LEVELS.len();
        &all[bound(level)..bound(level + 1)]
    }

    /// Returns the puzzle with this number on a level; if it has none, of another level.
    pub fn pick(&self, kind: PuzzleKind, level: usize, number: u64) -> Option<&Found> {
        let on_level = self.of(kind, level);
        let all = if on_level.is_empty() { &self.0[kind as usize][..] } else { on_level };
        let at = number.checked_rem(all.len() as u64)?;
        all.get(at as usize)
    }
}

/// Returns the tables to search, the largest that are small enough together, and the first error of
/// those that cannot be read.
fn searched<'a>(
    base: &'a Tablebase,
    go_on: &dyn Fn() -> bool,
) -> (Vec<&'a Table<TableFile>>, Option<ProbeError>) {
    let mut slices = base.slices(Metric::Dtw);
    slices.sort_by_key(|slice| std::cmp::Reverse(slice.men()));
    let (mut tables, mut slots, mut unreadable) = (Vec::new(), 0, None);
    for slice in slices.into_iter().take_while(|_| go_on()) {
        match sound_table(base, slice, MAX_SLOTS - slots) {
            Ok(Some((table, own))) => {
                slots += own;
                tables.push(table);
            }
            Ok(None) => {}
            Err(error) => _ = unreadable.get_or_insert(error),
        }
    }
    (tables, unreadable)
}

/// Returns the DTW table of a slice, all of whose blocks can be read, with its slots; `None` if
/// there are more than `max_slots`.
fn sound_table(
    base: &Tablebase,
    slice: Slice,
    max_slots: u64,
) -> Result<Option<(&Table<TableFile>, u64)>, ProbeError> {
    let (table, slots) = (base.table(slice, Metric::Dtw)?, base.index(slice)?.slots());
    if slots > max_slots {
        return Ok(None);
    }
    match table.check().err().and_then(|errors| errors.into_iter().next()) {
        Some(error) => Err(error.into()),
        None => Ok(Some((table, slots))),
    }
}

fn draw(
    base: &Tablebase,
    tables: &[&Table<TableFile>],
    query: &Query,
    count: usize,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Found>, FindError> {
    let searches = tables.iter().map(|table| Search::new(base.rules(), table, query));
    let searches = searches.map(|search| Ok(search?.cancel_unless(go_on)));
    let searches: Vec<_> = searches.collect::<Result<_, FindError>>()?;
    random(&searches, count, SEED)
}

/// Returns a longest win of each side to move in each table.
fn longest(
    base: &Tablebase,
    tables: &[&Table<TableFile>],
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Found>, FindError> {
    let mut all = Vec::new();
    for table in tables {
        for to_move in Side::ALL.map(Some) {
            let plies = Some(MIN_PLIES..=Plies::MAX);
            let query = Query { to_move, plies, ..Query::default() };
            let search = Search::new(base.rules(), table, &query)?.cancel_unless(go_on);
            all.extend(search.longest(1)?);
        }
    }
    Ok(all)
}

/// Returns whether a table has a win in that many plies or more.
fn has_win(table: &Table<TableFile>, plies: Plies) -> bool {
    Side::ALL.into_iter().any(|side| table.summary(side).max_win >= plies)
}

/// Returns the distances of wins to sample, which are odd.
fn distances_of(tables: &[&Table<TableFile>]) -> Vec<Plies> {
    let wins = tables.iter().flat_map(|table| Side::ALL.map(|side| table.summary(side).max_win));
    let largest: Plies = wins.max().unwrap_or(0);
    let all: Vec<Plies> = (MIN_PLIES..=largest).step_by(2).collect();
    let step = all.len().div_ceil(MAX_DISTANCES).max(1);
    all.into_iter().step_by(step).collect()
}

/// Returns whether a single move of many wins.
fn has_only_move(base: &Tablebase, found: &Found) -> Result<bool, ProbeError> {
    let moves = base.probe_moves(&found.position)?;
    let wins = |probed: &&MoveProbe| probed.value.is_none_or(|value| value.wdl == Wdl::Win);
    Ok(moves.len() >= MIN_MOVES && moves.iter().filter(wins).count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Ruleset;

    #[test]
    fn puzzles_are_what_they_promise() {
        let base = Tablebase::new(Ruleset::builtin("brandubh").unwrap());
        let (puzzles, unreadable) = Puzzles::draw(&base, &|| true).unwrap();
        assert!(unreadable.is_none());
        for kind in PuzzleKind::ALL {
            let mut last = 0;
            for (level, name) in LEVELS.iter().enumerate() {
                let found = puzzles.of(kind, level);
                assert!(!found.is_empty(), "{kind:?} {name}");
                for one in found {
                    let value = base.probe_value(&one.position).unwrap();
                    assert_eq!(value, one.value);
                    assert!(value.plies.unwrap_or(0) >= last, "{kind:?} {name}");
                    last = value.plies.unwrap_or(0);
                    match kind {
                        PuzzleKind::Endgame => assert!(last >= MIN_PLIES),
                        PuzzleKind::Zugzwang => assert!(one.other.is_some()),
                        _ => assert!(value.wdl == Wdl::Win && last >= MIN_PLIES),
                    }
                    if kind == PuzzleKind::OnlyMove {
                        let moves = base.probe(&one.position).unwrap().moves;
                        let winning =
                            moves.iter().filter(|m| m.value.unwrap().wdl == Wdl::Win).count();
                        assert_eq!((winning, moves.len() >= MIN_MOVES), (1, true));
                    }
                }
            }
        }
        let hardest = puzzles.of(PuzzleKind::Win, 2).last().unwrap().value.plies;
        assert!(hardest > puzzles.of(PuzzleKind::Win, 0)[0].value.plies);
        let one = puzzles.pick(PuzzleKind::Win, 1, 7);
        assert_eq!(one, puzzles.pick(PuzzleKind::Win, 1, 7));
        assert_ne!(one, puzzles.pick(PuzzleKind::Win, 1, 8));
        assert_eq!(Puzzles::default().pick(PuzzleKind::Win, 0, 3), None);
    }

    #[test]
    fn a_search_that_is_stopped_leaves_puzzles_out() {
        let base = Tablebase::new(Ruleset::builtin("brandubh").unwrap());
        assert_eq!(Puzzles::draw(&base, &|| false).unwrap().0, Puzzles::default());
    }
}
