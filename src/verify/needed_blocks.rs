use std::iter::Peekable;

use crate::game::board::SquareSet;
use crate::game::rules::Side;

use super::custodial::CustodialCaptures;
use super::geometry::{BlockWalker, Blocks, Geometry};
use super::held_blocks::{BlockSet, HeldBlocks};
use super::score::Score;

/// The blocks that must be in memory to compare some blocks.
pub(super) struct NeededBlocks {
    /// The compared blocks. Quiet moves of the defenders and the king stay in them, with the
    /// attackers to move.
    pub compared: HeldBlocks,
    /// The compared blocks and those that the attackers' moves lead to, with the defenders to
    /// move, in the slice and in those with fewer defenders.
    pub reached: HeldBlocks,
    /// By the number of captured attackers, from 1 on: the blocks of the remaining ones.
    pub after_captures: Vec<HeldBlocks>,
}

impl NeededBlocks {
    /// Returns all blocks, given those of the slice and then those of the slices with fewer
    /// attackers.
    pub(super) fn all(blocks: &[Blocks]) -> NeededBlocks {
        NeededBlocks {
            compared: all_of(&blocks[0]),
            reached: all_of(&blocks[0]),
            after_captures: blocks[1..].iter().map(all_of).collect(),
        }
    }
}

fn all_of(blocks: &Blocks) -> HeldBlocks {
    HeldBlocks::All(blocks.count() as usize)
}

/// The memory that a block takes.
pub(super) struct BlockBytes {
    /// In one slice.
    pub own: u64,
    /// In the slice and all those with fewer defenders.
    pub all: u64,
}

/// The error for a block that exceeds the memory limit, together with those that its moves
/// lead to.
pub(super) struct BlockTooLarge {
    pub bytes: u64,
}

/// Divides the blocks to compare into groups that fit in memory.
pub(super) struct BlockGroups<'a, T> {
    pub geometry: &'a Geometry<T>,
    pub custodial: CustodialCaptures<'a>,
    /// As in [`NeededBlocks::all`].
    pub blocks: &'a [Blocks],
    pub bytes: BlockBytes,
    /// The memory that a group may take.
    pub memory_bytes: u64,
    /// Finds the attackers of the slice's blocks.
    pub walker: BlockWalker<'a>,
    /// The blocks still to be compared.
    pub rest: Peekable<Box<dyn Iterator<Item = usize>>>,
}

/// An unfinished group, with fields as in [`NeededBlocks`].
struct Group {
    compared: BlockSet,
    reached: BlockSet,
    after_captures: Vec<BlockSet>,
}

/// The blocks that the moves of a block lead to, with fields as in [`NeededBlocks`].
struct Successors {
    reached: Vec<usize>,
    after_captures: Vec<Vec<usize>>,
}

impl<T: Score> BlockGroups<'_, T> {
    /// Returns the next group; `None` after the last block.
    ///
    /// # Errors
    /// If a single block exceeds the memory limit.
    pub(super) fn next(&mut self) -> Result<Option<NeededBlocks>, BlockTooLarge> {
        let mut group = Group::new(self.blocks);
        while let Some(&block) = self.rest.peek() {
            let successors = self.successors(block);
            let bytes = group.bytes_with(block, &successors, &self.bytes);
            if bytes > self.memory_bytes {
                if group.compared.len() == 0 {
                    return Err(BlockTooLarge { bytes });
                }
                break;
            }
            group.insert(block, successors);
            self.rest.next();
        }
        Ok((group.compared.len() > 0).then(|| group.needed()))
    }

    fn successors(&mut self, block: usize) -> Successors {
        let attackers = self.walker.attackers(block).set;
        let slides = attackers
            .iter()
            .flat_map(|from| self.geometry.free_slides(Side::Attackers, from, attackers));
        let moved = slides.map(|slide| attackers.without(slide.from).with(slide.to));
        let reached = moved.map(|attackers| self.blocks[0].find(attackers).0);
        let mut successors = Successors {
            reached: reached.chain([block]).collect(),
            after_captures: vec![Vec::new(); self.blocks.len() - 1],
        };
        for captured in self.capturable(attackers) {
            let number = captured.len() - 1;
            // There is no slice without attackers, nor one after more captures than a move makes.
            if let (Some(blocks), Some(after_captures)) =
                (self.blocks.get(number + 1), successors.after_captures.get_mut(number))
            {
                after_captures.push(blocks.find(attackers - captured).0);
            }
        }
        let Successors { reached, after_captures } = &mut successors;
        for blocks in after_captures.iter_mut().chain([reached]) {
            blocks.sort_unstable();
            blocks.dedup();
        }
        successors
    }

    /// Returns the sets of attackers that one move may capture: neighbours of one square, and rows
    /// beside it at the edge.
    fn capturable(&self, attackers: SquareSet) -> impl Iterator<Item = SquareSet> + '_ {
        let board = self.custodial.rules.board;
        board.squares().flat_map(move |at| {
            let neighbours = self.custodial.lines(at).iter().map(|line| line.victim);
            let single = neighbours.filter(|&s| attackers.contains(s)).map(SquareSet::of);
            let victims: Vec<SquareSet> =
                single.chain(self.custodial.rows_beside(at, attackers)).collect();
            // Every non-empty subset of the victims, as a bit mask.
            (1_u32..1 << victims.len()).map(move |subset| {
                let captured = victims.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
                captured.fold(SquareSet::EMPTY, |all, (_, &victims)| all | victims)
            })
        })
    }
}

impl Group {
    /// Creates an empty group of these blocks, which are as in [`NeededBlocks::all`].
    fn new(blocks: &[Blocks]) -> Group {
        Group {
            compared: none_of(&blocks[0]),
            reached: none_of(&blocks[0]),
            after_captures: blocks[1..].iter().map(none_of).collect(),
        }
    }

    /// Returns the memory of the group with another block.
    fn bytes_with(&self, block: usize, successors: &Successors, bytes: &BlockBytes) -> u64 {
        let after_captures = self.after_captures.iter().zip(&successors.after_captures);
        let own = union_len(&self.compared, &[block])
            + after_captures.map(|(set, more)| union_len(set, more)).sum::<u64>();
        own * bytes.own + union_len(&self.reached, &successors.reached) * bytes.all
    }

    fn insert(&mut self, block: usize, successors: Successors) {
        self.compared.insert(block);
        successors.reached.into_iter().for_each(|block| self.reached.insert(block));
        for (set, blocks) in self.after_captures.iter_mut().zip(successors.after_captures) {
            blocks.into_iter().for_each(|block| set.insert(block));
        }
    }

    fn needed(self) -> NeededBlocks {
        NeededBlocks {
            compared: self.compared.into(),
            reached: self.reached.into(),
            after_captures: self.after_captures.into_iter().map(HeldBlocks::from).collect(),
        }
    }
}

fn none_of(blocks: &Blocks) -> BlockSet {
    BlockSet::new(blocks.count() as usize)
}

/// Returns the number of blocks in `set` or `more`, whose elements are distinct.
fn union_len(set: &BlockSet, more: &[usize]) -> u64 {
    (set.len() + more.iter().filter(|&&block| !set.contains(block)).count()) as u64
}
