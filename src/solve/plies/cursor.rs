use bitvec::vec::BitVec;

use crate::solve::rows::row::Event;

/// A cursor over a chunk's events of one ply, block by block.
pub(crate) struct Cursor<'e, const N: usize>(pub &'e [Event<N>]);

impl<'e, const N: usize> Cursor<'e, N> {
    /// Returns the given blocks of the chunk and those that have events.
    pub(crate) fn blocks(&self, blocks: &BitVec, block_rows: usize) -> BitVec {
        let mut all = blocks.clone();
        self.0.iter().for_each(|event| all.set(event.row.index() / block_rows, true));
        all
    }

    /// Takes the next events: those of the block whose first row in the chunk is `first`.
    pub(crate) fn take_block(&mut self, first: usize, block_rows: usize) -> &'e [Event<N>] {
        let end = self.0.iter().position(|event| event.row.index() >= first + block_rows);
        let (taken, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        taken
    }
}
