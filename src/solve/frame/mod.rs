//! The layout of a slice in rows: the lanes of the board, the numbers of attacker and defender
//! sets, and everything that depends on the attackers alone.

pub(super) mod block_lookup;
pub(super) mod defender_sets;
pub(super) mod enclosures;
pub(super) mod king_captures;
pub(super) mod lines;
pub(super) mod origins;
pub(super) mod region;
pub(super) mod shieldwalls;
pub(super) mod wide_lines;

use std::sync::Arc;

use crate::game::board::SquareSet;
use crate::game::rules::{Kind, Ruleset, Side};
use crate::game::slice::Slice;
use crate::index::{AttackerSets, IndexError, Walker};

use crate::solve::error::BuildError;
use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::enclosures::{Fort, Rings, forts};
use crate::solve::frame::king_captures::KingCaptures;
use crate::solve::frame::lines::SlideLines;
use crate::solve::frame::region::Region;
use crate::solve::frame::shieldwalls::Shieldwalls;
use crate::solve::frame::wide_lines::WideLines;
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::Row;

/// The data of a slice that stay constant while it is solved.
///
/// Rows are grouped into *blocks*: one canonical attacker set with all sets of defenders. A block's
/// rows are consecutive: row `block * sets + rank`.
pub(super) struct Frame<'a, const N: usize> {
    /// The rules.
    pub rules: &'a Ruleset,
    /// The slice.
    pub slice: Slice,
    /// The squares of the lanes. All partitions share one, since its tables are large.
    pub region: Arc<Region<N>>,
    /// The canonical attacker sets; a set's offset is its block number.
    pub attackers: Arc<BlockLookup>,
    /// The sets of defenders.
    pub defenders: DefenderSets,
    /// By defender rank: the lanes on which the men stand.
    pub defender_lanes: Vec<Row<N>>,
    /// The slides of attackers.
    pub attacker_lines: WideLines<N>,
    /// The slides of defenders.
    pub defender_lines: SlideLines<N>,
    /// The conditions for capturing the king.
    pub king_captures: KingCaptures<N>,
    /// The squares where a defender may decide whether the king is captured.
    pub shields: SquareSet,
    /// The possible shieldwalls.
    pub walls: Shieldwalls,
    /// The exit forts, by rank.
    pub forts: Vec<Fort<N>>,
    /// Finds encirclements, if there can be any.
    pub rings: Option<Rings>,
}

/// A block: an attacker set and everything that follows from it alone.
#[derive(Clone, Debug)]
pub(super) struct Block<const N: usize> {
    /// Its number.
    pub number: BlockNumber,
    /// The canonical attacker set.
    pub attackers: SquareSet,
    /// The lanes that the attackers leave free.
    pub free: Row<N>,
    /// By defender rank: the possible squares of the king; empty if the defenders overlap the
    /// attackers.
    pub valid: Vec<Row<N>>,
}

/// An empty block, to be loaded.
impl<const N: usize> Default for Block<N> {
    fn default() -> Block<N> {
        let (number, attackers) = (BlockNumber::FIRST, SquareSet::EMPTY);
        Block { number, attackers, free: Row::EMPTY, valid: Vec::new() }
    }
}

impl<'a, const N: usize> Frame<'a, N> {
    /// Creates the frame of a slice; it must have fewer than 2^32 sets of defenders.
    ///
    /// # Errors
    /// If its attacker sets are too many to count, or the memory is exhausted.
    pub(super) fn new(rules: &'a Ruleset, slice: Slice) -> Result<Frame<'a, N>, BuildError> {
        let region = Arc::new(Region::new(rules));
        let sets = attacker_sets(rules, slice)?;
        let attackers = BlockLookup::new(sets).map_err(BuildError::OutOfMemory)?;
        let defenders = DefenderSets::new(rules, slice.defenders);
        let forts = forts(rules, &region, &defenders);
        Ok(Frame::from_parts(rules, slice, region, Arc::new(attackers), defenders, forts))
    }

    /// Restricts the slice to some of its sets of defenders, as [`DefenderSets::subset`] does.
    /// Attackers' moves stay within them.
    pub(super) fn subset(&self, ranks: &[Rank]) -> Frame<'a, N> {
        let (region, defenders) = (Arc::clone(&self.region), self.defenders.subset(ranks));
        let forts = self.forts.iter().filter_map(|fort| {
            let rank = ranks.binary_search(&fort.rank).ok()?;
            Some(Fort { rank: Rank::new(rank), ..*fort })
        });
        let (forts, attackers) = (forts.collect(), Arc::clone(&self.attackers));
        Frame::from_parts(self.rules, self.slice, region, attackers, defenders, forts)
    }

    fn from_parts(
        rules: &'a Ruleset,
        slice: Slice,
        region: Arc<Region<N>>,
        attackers: Arc<BlockLookup>,
        defenders: DefenderSets,
        forts: Vec<Fort<N>>,
    ) -> Frame<'a, N> {
        let king = &rules.hostile[Kind::King];
        let either = (king.empty | king.occupied) - (king.empty & king.occupied);
        let defender_lanes = defenders.ranks().map(|rank| region.row(defenders.set(rank)));
        Frame {
            rules,
            slice,
            attackers,
            defender_lanes: defender_lanes.collect(),
            defenders,
            attacker_lines: WideLines::new(rules, &region, Kind::Attacker),
            defender_lines: SlideLines::new(rules, &region, Kind::Defender),
            king_captures: KingCaptures::new(rules, &region),
            shields: either & rules.places(Kind::Defender),
            walls: Shieldwalls::new(rules, slice),
            forts,
            rings: Rings::new(rules, slice),
            region,
        }
    }

    /// Returns the number of rows in a block.
    pub(super) fn block_rows(&self) -> usize {
        self.defenders.len()
    }

    /// Returns the number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.attackers.sets().rows() as usize
    }

    /// Returns a block.
    pub(super) fn block(&self, number: BlockNumber) -> Block<N> {
        let (attackers, _) = self.attackers.sets().unrank(number.into());
        let mut block = Block::default();
        self.load_block(number, attackers, &mut block);
        block
    }

    /// Iterates over the numbers of all blocks.
    pub(super) fn block_numbers(&self) -> impl Iterator<Item = BlockNumber> + use<N> {
        (0..self.blocks()).map(BlockNumber::new)
    }

    /// Returns the first row of a block.
    #[inline(always)]
    pub(super) fn first_row(&self, block: BlockNumber) -> usize {
        block.index() * self.block_rows()
    }

    /// Replaces `block` by the block of this number, whose attackers are given.
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
        block.valid.extend(self.defender_lanes.iter().map(|&lanes| places.without(lanes)));
        for square in attackers {
            for &rank in self.defenders.ranks_holding(square) {
                block.valid[rank.index()] = Row::EMPTY;
            }
        }
    }

    /// Returns the lanes that the soldiers of a row leave free, whether the king may stand there or
    /// only pass.
    #[inline]
    pub(super) fn free(&self, block: &Block<N>, rank: Rank) -> Row<N> {
        block.free.without(self.defender_lanes[rank.index()])
    }

    /// Adds to `rows`, by defender rank, the lanes on which the opponent's last move has ended the
    /// game: those of exit forts with the attackers to move, and of encirclements with the
    /// defenders to move.
    pub(super) fn add_finished(&self, block: &Block<N>, to_move: Side, rows: &mut [Row<N>]) {
        match (to_move, &self.rings) {
            (Side::Attackers, _) => {
                for fort in self.forts.iter().filter(|fort| !fort.room.meets(block.attackers)) {
                    let rank = fort.rank.index();
                    rows[rank] |= fort.kings & block.valid[rank];
                }
            }
            (Side::Defenders, Some(rings)) => {
                for area in rings.areas(block.attackers) {
                    let kings = self.region.row(area);
                    for (rank, row) in self.defenders.ranks().zip(&mut *rows) {
                        if self.defenders.set(rank).is_subset(area) {
                            *row |= kings & block.valid[rank.index()];
                        }
                    }
                }
            }
            (Side::Defenders, None) => {}
        }
    }

    /// Creates a walker over the blocks' sets of attackers.
    pub(super) fn walker(&self) -> Walker<'_> {
        Walker::new(self.attackers.sets())
    }
}

/// Numbers the canonical attacker sets of a slice.
///
/// # Errors
/// If they are too many to count.
pub(super) fn attacker_sets(rules: &Ruleset, slice: Slice) -> Result<AttackerSets, IndexError> {
    let places = rules.places(Kind::Attacker);
    let heavy = rules.places(Kind::Defender);
    let group = rules.symmetries();
    AttackerSets::new(rules.board, group, places, heavy, slice.attackers, &|_| Some(1))
        .ok_or(IndexError::TooLarge(slice))
}
