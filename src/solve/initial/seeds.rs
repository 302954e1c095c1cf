//! The results of the initial pass, and the seeds of both outcomes made from them.

use crate::game::value::{Plies, Wdl};
use crate::table::{Code, dtw_value};

use crate::solve::frame::Block;
use crate::solve::rows::numbers::{ChunkRow, Rank};
use crate::solve::rows::row::{Event, Row};

/// The seeds of a chunk for one outcome: the winner is the side that wins in it, the loser the
/// other one.
#[derive(Clone, Debug)]
pub(crate) struct Seeds<const N: usize> {
    /// By row: the lanes on which the loser, to move, is lost as soon as all its quiet moves lead
    /// to wins. Lanes held back by captures come later.
    pub open: Vec<Row<N>>,
    /// The lanes on which the loser, to move, has no legal move.
    pub stalemates: Vec<Event<N>>,
    /// By ply: the lanes on which the winner, to move, wins in that many plies, and not in fewer,
    /// by rule or by a capture. A row may occur twice.
    pub wins: Vec<Vec<Event<N>>>,
    /// By ply: the lanes on which the slowest of the loser's captures leads to a win in that many
    /// plies; from then on the lane is open.
    pub releases: Vec<Vec<Event<N>>>,
}

/// The immediate results of one side to move, by row of a block.
pub(crate) struct ImmediateMoves<const N: usize> {
    /// The lanes without a legal move.
    pub stalemates: Vec<Row<N>>,
    /// The lanes on which a move wins by rule: a capture of the king, an escape, or an enclosure.
    pub decisive: Vec<Row<N>>,
    /// By code: the lanes on which a capture leads to a position of that code. Without such a
    /// capture the list of rows is empty, since there can be many codes.
    captures: Vec<Vec<Row<N>>>,
    /// The codes that captures lead to.
    codes: Vec<Code>,
}

/// The number of rows in [`ImmediateMoves`] for each row of a block, apart from those for codes.
pub(crate) const BLOCK_ROWS: usize = 2;

impl<const N: usize> ImmediateMoves<N> {
    /// Creates an empty result; captures lead to no code above the greatest.
    pub(crate) fn new(rows: usize, greatest: Code) -> ImmediateMoves<N> {
        let empty = vec![Row::EMPTY; rows];
        let captures = vec![Vec::new(); usize::from(greatest) + 1];
        ImmediateMoves { stalemates: empty.clone(), decisive: empty, captures, codes: Vec::new() }
    }

    /// Resets the results for a block with these positions: all are stalemates until a move is
    /// found.
    pub(crate) fn clear(&mut self, valid: &[Row<N>]) {
        self.stalemates.copy_from_slice(valid);
        self.decisive.fill(Row::EMPTY);
        self.codes.drain(..).for_each(|code| self.captures[usize::from(code)].clear());
    }

    /// Ends the game on these lanes, by rank: the side to move has lost.
    pub(crate) fn finish(&mut self, lanes: &[Row<N>]) {
        for (stalemates, &lanes) in self.stalemates.iter_mut().zip(lanes) {
            *stalemates |= lanes;
        }
        let codes = self.codes.iter().map(|&code| usize::from(code));
        for code in codes {
            remove(&mut self.captures[code], lanes);
        }
        remove(&mut self.decisive, lanes);
    }

    /// Returns the captures that lead to values of that kind, shortest first: the plies to the end,
    /// 0 for a draw, and the lanes by rank.
    fn captures(&self, to: Wdl) -> Vec<(Plies, &[Row<N>])> {
        let values = self.codes.iter().filter_map(|&code| Some((code, dtw_value(code)?)));
        let some = values.filter(|(_, value)| value.wdl() == to);
        let mut captures: Vec<(Plies, &[Row<N>])> = some
            .map(|(code, value)| {
                (value.plies().unwrap_or(0), &self.captures[usize::from(code)][..])
            })
            .collect();
        captures.sort_unstable_by_key(|&(plies, _)| plies);
        captures
    }

    /// Adds captures that lead to positions of that code.
    pub(crate) fn add_capture(&mut self, code: Code, rank: Rank, lanes: Row<N>) {
        let rows = &mut self.captures[usize::from(code)];
        if rows.is_empty() {
            self.codes.push(code);
            rows.resize(self.stalemates.len(), Row::EMPTY);
        }
        rows[rank.index()] |= lanes;
    }
}

fn remove<const N: usize>(rows: &mut [Row<N>], lanes: &[Row<N>]) {
    for (row, &lanes) in rows.iter_mut().zip(lanes) {
        *row = row.without(lanes);
    }
}

impl<const N: usize> Seeds<N> {
    /// Creates empty seeds; captures lead to no code above the greatest.
    pub(crate) fn new(greatest: Code) -> Seeds<N> {
        // No ply is above the code that it comes from.
        let plies = vec![Vec::new(); usize::from(greatest) + 1];
        Seeds { open: Vec::new(), stalemates: Vec::new(), wins: plies.clone(), releases: plies }
    }

    /// Appends the rows of the chunk's next block, given the immediate results of the winner and of
    /// the loser, each when to move.
    pub(crate) fn add(
        &mut self,
        block: &Block<N>,
        winner: &ImmediateMoves<N>,
        loser: &ImmediateMoves<N>,
    ) {
        let won_by = winner.captures(Wdl::Loss);
        let safe_by = [loser.captures(Wdl::Draw), loser.captures(Wdl::Loss)].concat();
        let held_by = loser.captures(Wdl::Win);
        for (rank, &valid) in block.valid.iter().enumerate() {
            let row = ChunkRow::new(self.open.len());
            let by_rule = winner.decisive[rank] & valid;
            if !by_rule.is_empty() {
                self.wins[1].push(Event { row, lanes: by_rule });
            }
            let mut rest = valid.without(by_rule);
            // If a capture leaves the loser lost in n plies, it wins in n + 1.
            for &(plies, captures) in &won_by {
                let lanes = rest & captures[rank];
                if !lanes.is_empty() {
                    self.wins[usize::from(plies) + 1].push(Event { row, lanes });
                    rest = rest.without(lanes);
                }
            }
            if !loser.stalemates[rank].is_empty() {
                self.stalemates.push(Event { row, lanes: loser.stalemates[rank] });
            }
            // Captures that lead to draws or to wins of the loser make the loser safe.
            let safe = safe_by.iter().fold(Row::EMPTY, |all, (_, captures)| all | captures[rank]);
            let mut open = valid.without(loser.stalemates[rank] | loser.decisive[rank] | safe);
            for &(plies, captures) in held_by.iter().rev() {
                let lanes = open & captures[rank];
                if !lanes.is_empty() {
                    self.releases[usize::from(plies)].push(Event { row, lanes });
                    open = open.without(lanes);
                }
            }
            self.open.push(open);
        }
    }
}
