use std::iter::Peekable;

use crate::game::board::SquareSet;
use crate::game::rules::Side;

use super::custodial::CustodialCaptures;
use super::geometry::{BlockWalker, Blocks, Geometry};
use super::held_blocks::{BlockSet, HeldBlocks};
use super::score::Score;

/// The blocks that the comparison of some blocks takes.
pub(super) struct NeededBlocks {
    /// Those compared: with the attackers to move, the blocks that quiet moves
    /// of defenders and king stay in.
    pub compared: HeldBlocks,
    /// Those and the ones that the attackers' moves lead to, with the defenders
    /// to move, in the slice and in those with fewer defenders.
    pub beside: HeldBlocks,
    /// By the number of attackers captured, from 1 on: what is left of them.
    pub left: Vec<HeldBlocks>,
}

impl NeededBlocks {
    /// All blocks there are; first those of the slice, then those of the slices
    /// with fewer attackers.
    pub(super) fn all(blocks: &[Blocks]) -> NeededBlocks {
        let all = |blocks: &Blocks| HeldBlocks::All(blocks.count() as usize);
        let left = blocks[1..].iter().map(all).collect();
        NeededBlocks { compared: all(&blocks[0]), beside: all(&blocks[0]), left }
    }
}

/// What a block of some number of attackers takes in memory.
pub(super) struct BlockBytes {
    /// In the slice, or one with fewer attackers.
    pub own: u64,
    /// In the slice and all with fewer defenders.
    pub all: u64,
}

/// A block that takes more memory than there is, with those that its moves lead to.
pub(super) struct BlockTooLarge {
    pub bytes: u64,
}

/// Puts together blocks that can be compared at a time.
pub(super) struct Groups<'a, T, I: Iterator> {
    pub geometry: &'a Geometry<T>,
    pub custodial: CustodialCaptures<'a>,
    /// As in [`NeededBlocks::all`].
    pub blocks: &'a [Blocks],
    pub bytes: BlockBytes,
    /// How much memory a group may take.
    pub memory_bytes: u64,
    /// Of the slice's blocks.
    pub walker: BlockWalker<'a>,
    /// The blocks still to be compared.
    pub rest: Peekable<I>,
}

/// A group under way.
struct Group {
    compared: BlockSet,
    beside: BlockSet,
    left: Vec<BlockSet>,
}

/// What the moves of a block lead to.
struct Successors {
    beside: Vec<usize>,
    left: Vec<Vec<usize>>,
}

impl<T: Score, I: Iterator<Item = usize>> Groups<'_, T, I> {
    /// The next group; `None` when all blocks have been in one.
    ///
    /// # Errors
    /// If a block takes more memory than there is.
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
        let beside = moved.map(|attackers| self.blocks[0].find(attackers).0);
        let mut successors = Successors {
            beside: beside.chain([block]).collect(),
            left: vec![Vec::new(); self.blocks.len() - 1],
        };
        for captured in self.capturable(attackers) {
            let number = captured.len() - 1;
            // Without attackers the game is over; no move captures four.
            if let (Some(blocks), Some(left)) =
                (self.blocks.get(number + 1), successors.left.get_mut(number))
            {
                left.push(blocks.find(attackers - captured).0);
            }
        }
        for blocks in successors.left.iter_mut().chain([&mut successors.beside]) {
            blocks.sort_unstable();
            blocks.dedup();
        }
        successors
    }

    /// Sets of attackers that one move may capture: neighbours of one square.
    fn capturable(&self, attackers: SquareSet) -> impl Iterator<Item = SquareSet> + '_ {
        let board = self.custodial.rules.board;
        board.squares().flat_map(move |at| {
            let victims = self.custodial.lines(at).iter().map(|line| line.victim);
            let victims: Vec<_> = victims.filter(|&square| attackers.contains(square)).collect();
            (1_u32..1 << victims.len()).map(move |chosen| {
                let chosen = victims.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
                chosen.map(|(_, &square)| square).collect()
            })
        })
    }
}

impl Group {
    /// None of these blocks, as in [`NeededBlocks::all`].
    fn new(blocks: &[Blocks]) -> Group {
        let none = |blocks: &Blocks| BlockSet::new(blocks.count() as usize);
        Group {
            compared: none(&blocks[0]),
            beside: none(&blocks[0]),
            left: blocks[1..].iter().map(none).collect(),
        }
    }

    /// What it takes with a block more.
    fn bytes_with(&self, block: usize, successors: &Successors, bytes: &BlockBytes) -> u64 {
        let with = |set: &BlockSet, more: &[usize]| {
            (set.len() + more.iter().filter(|&&block| !set.contains(block)).count()) as u64
        };
        let left = self.left.iter().zip(&successors.left).map(|(set, more)| with(set, more));
        let own = with(&self.compared, &[block]) + left.sum::<u64>();
        own * bytes.own + with(&self.beside, &successors.beside) * bytes.all
    }

    fn insert(&mut self, block: usize, successors: Successors) {
        self.compared.insert(block);
        successors.beside.into_iter().for_each(|block| self.beside.insert(block));
        for (set, blocks) in self.left.iter_mut().zip(successors.left) {
            blocks.into_iter().for_each(|block| set.insert(block));
        }
    }

    fn needed(self) -> NeededBlocks {
        NeededBlocks {
            compared: self.compared.into(),
            beside: self.beside.into(),
            left: self.left.into_iter().map(HeldBlocks::from).collect(),
        }
    }
}
