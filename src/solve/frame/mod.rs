//! How a slice is laid out in rows: the lanes of the board, the numbers of attacker and
//! defender sets, and what depends on the attackers alone.

pub(super) mod block_lookup;
pub(super) mod defender_sets;
pub(super) mod king_captures;
pub(super) mod lines;
pub(super) mod origins;
pub(super) mod region;
pub(super) mod wide_lines;

use std::sync::Arc;

use crate::game::board::SquareSet;
use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;
use crate::index::{AttackerSets, IndexError, Walker};

use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::king_captures::KingCaptures;
use crate::solve::frame::lines::SlideLines;
use crate::solve::frame::region::Region;
use crate::solve::frame::wide_lines::WideLines;
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::Row;

/// Everything about one slice that stays the same while it is solved.
///
/// Rows are grouped into *blocks*: one canonical attacker set with all sets of
/// defenders. A block's rows are consecutive; row `block * sets + rank`.
pub(super) struct Frame<'a, const N: usize> {
    /// The rules.
    pub rules: &'a Ruleset,
    /// The slice.
    pub slice: Slice,
    /// What the lanes stand for; all shares have the same, since its tables are large.
    pub region: Arc<Region<N>>,
    /// The canonical attacker sets; a set's offset is its block's number.
    pub attackers: Arc<BlockLookup>,
    /// The sets of defenders.
    pub defenders: DefenderSets<N>,
    /// How attackers slide.
    pub attacker_lines: WideLines<N>,
    /// How defenders slide.
    pub defender_lines: SlideLines<N>,
    /// What it takes to capture the king.
    pub king_captures: KingCaptures<N>,
    /// Squares where a defender makes the difference in the capture of a king.
    pub shields: SquareSet,
}

/// One block: an attacker set and what follows from it alone.
#[derive(Clone, Debug)]
pub(super) struct Block<const N: usize> {
    /// Its number.
    pub number: BlockNumber,
    /// The canonical attacker set.
    pub attackers: SquareSet,
    /// The lanes that the attackers leave free.
    pub free: Row<N>,
    /// By defender rank: the king's possible squares; empty where the defenders
    /// meet the attackers.
    pub valid: Vec<Row<N>>,
}

impl<const N: usize> Block<N> {
    /// Nothing yet, to put blocks into.
    pub(super) const EMPTY: Block<N> = Block {
        number: BlockNumber::FIRST,
        attackers: SquareSet::EMPTY,
        free: Row::EMPTY,
        valid: Vec::new(),
    };
}

impl<const N: usize> Default for Block<N> {
    fn default() -> Block<N> {
        Block::EMPTY
    }
}

impl<'a, const N: usize> Frame<'a, N> {
    /// The frame of a slice; it must have fewer than 2^32 sets of defenders.
    ///
    /// # Errors
    /// If its attacker sets cannot be counted.
    pub(super) fn new(rules: &'a Ruleset, slice: Slice) -> Result<Frame<'a, N>, IndexError> {
        let region = Arc::new(Region::new(rules));
        let attackers =
            BlockLookup::new(attacker_sets(rules, slice)?, rules.board, slice.attackers);
        let defenders = DefenderSets::new(rules, &region, slice.defenders);
        Ok(Frame::of(rules, slice, region, Arc::new(attackers), defenders))
    }

    /// The same slice with some of the sets of defenders: see [`DefenderSets::some`].
    /// Attackers' moves stay among its rows.
    pub(super) fn some(&self, ranks: &[Rank]) -> Frame<'a, N> {
        let (region, defenders) = (Arc::clone(&self.region), self.defenders.some(ranks));
        Frame::of(self.rules, self.slice, region, Arc::clone(&self.attackers), defenders)
    }

    fn of(
        rules: &'a Ruleset,
        slice: Slice,
        region: Arc<Region<N>>,
        attackers: Arc<BlockLookup>,
        defenders: DefenderSets<N>,
    ) -> Frame<'a, N> {
        let king = &rules.hostile[Kind::King];
        let either = (king.empty | king.occupied) - (king.empty & king.occupied);
        Frame {
            rules,
            slice,
            attackers,
            defenders,
            attacker_lines: WideLines::new(rules, &region, Kind::Attacker),
            defender_lines: SlideLines::new(rules, &region, Kind::Defender),
            king_captures: KingCaptures::new(rules, &region),
            shields: either & rules.places(Kind::Defender),
            region,
        }
    }

    /// How many rows a block has.
    pub(super) fn block_rows(&self) -> usize {
        self.defenders.len()
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.attackers.sets().rows() as usize
    }

    /// The block of that number.
    pub(super) fn block(&self, number: BlockNumber) -> Block<N> {
        let (attackers, _) = self.attackers.sets().unrank(number.into());
        let mut block = Block::default();
        self.load_block(number, attackers, &mut block);
        block
    }

    /// The numbers of all blocks.
    pub(super) fn block_numbers(&self) -> impl Iterator<Item = BlockNumber> + use<N> {
        (0..self.blocks()).map(BlockNumber::new)
    }

    /// The first row of a block.
    #[inline(always)]
    pub(super) fn first_row(&self, block: BlockNumber) -> usize {
        block.index() * self.block_rows()
    }

    /// Puts the block of that number, which has these attackers, in the place of another
    /// one.
    pub(super) fn load_block(
        &self,
        number: BlockNumber,
        attackers: SquareSet,
        block: &mut Block<N>,
    ) {
        let free = !self.region.row(attackers);
        let places = free & self.region.places;
        (block.number, block.attackers, block.free) = (number, attackers, free);
        block.valid.clear();
        block.valid.extend(self.defenders.lanes.iter().map(|&lanes| places.without(lanes)));
        for square in attackers {
            for &rank in self.defenders.ranks_holding(square) {
                block.valid[rank.index()] = Row::EMPTY;
            }
        }
    }

    /// The lanes that the soldiers of a row leave free, whether the king may
    /// stand there or only pass.
    #[inline]
    pub(super) fn free(&self, block: &Block<N>, rank: Rank) -> Row<N> {
        block.free.without(self.defenders.lanes[rank.index()])
    }

    /// Goes through the blocks' sets of attackers.
    pub(super) fn walker(&self) -> Walker<'_> {
        Walker::new(self.attackers.sets())
    }
}

/// The canonical sets of that many attackers, numbered one by one.
///
/// # Errors
/// If they cannot be counted.
pub(super) fn attacker_sets(rules: &Ruleset, slice: Slice) -> Result<AttackerSets, IndexError> {
    let places = rules.places(Kind::Attacker);
    let heavy = rules.places(Kind::Defender);
    let group = rules.symmetries();
    AttackerSets::new(rules.board, group, places, heavy, slice.attackers, |_| Some(1))
        .ok_or(IndexError::TooLarge(slice))
}
