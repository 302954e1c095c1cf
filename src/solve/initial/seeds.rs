//! What the initial pass finds, and how it becomes the seeds of both outcomes.

use crate::game::value::{Plies, Wdl};
use crate::table::{Code, dtw_value};

use crate::solve::frame::Block;
use crate::solve::rows::numbers::{ChunkRow, Rank};
use crate::solve::rows::row::{Event, Row};

/// What the initial pass says about a chunk for one outcome: the winner is the
/// side that wins, the loser the other one.
#[derive(Clone, Debug)]
pub(crate) struct Seeds<const N: usize> {
    /// By row: where the loser, to move, is lost as soon as all moves that
    /// capture nothing lead to wins. Lanes held back by captures come later.
    pub open: Vec<Row<N>>,
    /// Where the loser, to move, has no legal move.
    pub stalemates: Vec<Event<N>>,
    /// By ply: where the winner, to move, wins in that many plies by rule or by
    /// a capture, and not in fewer. A row can come twice.
    pub wins: Vec<Vec<Event<N>>>,
    /// By ply: where the slowest of the loser's captures leads to a win in that
    /// many plies; from then on the lane is open.
    pub releases: Vec<Vec<Event<N>>>,
}

/// What one side to move can do at once, by row of a block.
pub(crate) struct ImmediateMoves<const N: usize> {
    /// Where it has no legal move.
    pub stalemates: Vec<Row<N>>,
    /// Where a move wins at once by rule: a king's capture or escape.
    pub decisive: Vec<Row<N>>,
    /// By code: where a capture leads to a position of that code; no rows at
    /// all for a code that no capture leads to, since codes can be many.
    captures: Vec<Vec<Row<N>>>,
    /// The codes that captures lead to.
    codes: Vec<Code>,
}

impl<const N: usize> ImmediateMoves<N> {
    /// How many rows it has for each row of a block, besides those for codes.
    pub(crate) const BLOCK_ROWS: usize = 2;

    /// Nothing yet; captures will lead to no code above the greatest.
    pub(crate) fn new(rows: usize, greatest: Code) -> ImmediateMoves<N> {
        let empty = vec![Row::EMPTY; rows];
        let captures = vec![Vec::new(); usize::from(greatest) + 1];
        ImmediateMoves { stalemates: empty.clone(), decisive: empty, captures, codes: Vec::new() }
    }

    /// Forgets everything, for a block with these positions.
    pub(crate) fn clear(&mut self, valid: &[Row<N>]) {
        self.stalemates.copy_from_slice(valid);
        self.decisive.fill(Row::EMPTY);
        self.codes.drain(..).for_each(|code| self.captures[usize::from(code)].clear());
    }

    /// The captures that lead to values of that kind, shortest first: the plies to the
    /// end, none for a draw, and the lanes by rank.
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

    /// Notes that captures lead to positions of that code.
    pub(crate) fn add_capture(&mut self, code: Code, rank: Rank, lanes: Row<N>) {
        let rows = &mut self.captures[usize::from(code)];
        if rows.is_empty() {
            self.codes.push(code);
            rows.resize(self.stalemates.len(), Row::EMPTY);
        }
        rows[rank.index()] |= lanes;
    }
}

impl<const N: usize> Seeds<N> {
    /// No seeds yet; captures lead to no code above the greatest.
    pub(crate) fn new(greatest: Code) -> Seeds<N> {
        // No ply is above the code that it comes from.
        let plies = || vec![Vec::new(); usize::from(greatest) + 1];
        Seeds { open: Vec::new(), stalemates: Vec::new(), wins: plies(), releases: plies() }
    }

    /// Adds the rows of the chunk's next block: what the winner and the loser can
    /// do when they are to move.
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
            // A capture after which the loser is lost in n plies wins in n + 1.
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
            // Captures that lead to draws or to wins of the loser keep him safe.
            let safe = safe_by.iter().fold(Row::EMPTY, |safe, (_, captures)| safe | captures[rank]);
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
