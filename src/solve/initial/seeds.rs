//! What the initial pass finds, and how it becomes the seeds of both outcomes.

use crate::table::Code;

use crate::solve::frame::Block;
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
pub(crate) struct Immediate<const N: usize> {
    /// Where it has no legal move.
    pub stalemates: Vec<Row<N>>,
    /// Where a move wins at once by rule: a king's capture or escape.
    pub decisive: Vec<Row<N>>,
    /// By code: where a capture leads to a position of that code; no rows at
    /// all for a code that no capture leads to, since codes can be many.
    captures: Vec<Vec<Row<N>>>,
    /// The codes that captures lead to.
    codes: Vec<usize>,
}

impl<const N: usize> Immediate<N> {
    /// How many rows it has for each row of a block, besides those for codes.
    pub(crate) const BLOCK_ROWS: usize = 2;

    /// Nothing yet; captures will lead to codes below `codes`.
    pub(crate) fn new(rows: usize, codes: usize) -> Immediate<N> {
        let empty = vec![Row::EMPTY; rows];
        let captures = vec![Vec::new(); codes];
        Immediate { stalemates: empty.clone(), decisive: empty, captures, codes: Vec::new() }
    }

    /// Forgets everything, for a block with these positions.
    pub(crate) fn clear(&mut self, valid: &[Row<N>]) {
        self.stalemates.copy_from_slice(valid);
        self.decisive.fill(Row::EMPTY);
        self.codes.drain(..).for_each(|code| self.captures[code].clear());
    }

    /// The codes of losses that captures lead to, shortest first.
    fn losses(&self) -> Vec<usize> {
        self.sorted(|code| code >= 2 && code % 2 == 0)
    }

    /// The codes of wins that captures lead to, shortest first.
    fn wins(&self) -> Vec<usize> {
        self.sorted(|code| code % 2 == 1)
    }

    fn sorted(&self, which: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut codes: Vec<usize> = self.codes.iter().copied().filter(|&c| which(c)).collect();
        codes.sort_unstable();
        codes
    }

    /// Notes that captures lead to positions of that code.
    pub(crate) fn capture(&mut self, code: Code, rank: u32, lanes: Row<N>) {
        let rows = &mut self.captures[usize::from(code)];
        if rows.is_empty() {
            self.codes.push(usize::from(code));
            rows.resize(self.stalemates.len(), Row::EMPTY);
        }
        rows[rank as usize] |= lanes;
    }
}

impl<const N: usize> Seeds<N> {
    /// No seeds yet; captures lead to codes below `codes`.
    pub(crate) fn new(codes: usize) -> Seeds<N> {
        // A capture into a code is one ply earlier; codes of losses are two
        // above their plies.
        let plies = || vec![Vec::new(); codes + 1];
        Seeds { open: Vec::new(), stalemates: Vec::new(), wins: plies(), releases: plies() }
    }

    /// Adds the rows of the chunk's next block: what the winner and the loser can
    /// do when they are to move.
    pub(crate) fn add(&mut self, block: &Block<N>, winner: &Immediate<N>, loser: &Immediate<N>) {
        let won_by = winner.losses();
        let draws = Some(0).filter(|&code| !loser.captures[code].is_empty());
        let safe_by: Vec<usize> = draws.into_iter().chain(loser.losses()).collect();
        let held_by = loser.wins();
        for (rank, &valid) in block.valid.iter().enumerate() {
            let row = self.open.len() as u32;
            let by_rule = winner.decisive[rank] & valid;
            if !by_rule.is_empty() {
                self.wins[1].push((row, by_rule));
            }
            let mut rest = valid.without(by_rule);
            for &code in &won_by {
                let lanes = rest & winner.captures[code][rank];
                if !lanes.is_empty() {
                    // The code of a loss in n is n + 2; the win is in n + 1.
                    self.wins[code - 1].push((row, lanes));
                    rest = rest.without(lanes);
                }
            }
            if !loser.stalemates[rank].is_empty() {
                self.stalemates.push((row, loser.stalemates[rank]));
            }
            // Captures that lead to draws or to wins of the loser keep him safe.
            let safe =
                safe_by.iter().fold(Row::EMPTY, |safe, &code| safe | loser.captures[code][rank]);
            let mut open = valid.without(loser.stalemates[rank] | loser.decisive[rank] | safe);
            for &code in held_by.iter().rev() {
                let lanes = open & loser.captures[code][rank];
                if !lanes.is_empty() {
                    self.releases[code].push((row, lanes));
                    open = open.without(lanes);
                }
            }
            self.open.push(open);
        }
    }
}
