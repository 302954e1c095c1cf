use std::ops::Range;

use crate::game::board::{Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Side};

use super::custodial::{CustodialCaptures, Line};
use super::geometry::{BlockAttackers, Geometry, Slide};
use super::row_layout::RowLayout;
use super::score::Score;

/// All that is the same for all rows of a block.
pub(super) struct Block<'a, T> {
    pub number: usize,
    pub attackers: SquareSet,
    /// How many images each placement stands for.
    pub images: u64,
    pub moves: Vec<AttackerMove<'a, T>>,
    /// Lanes on which the king may be captured, move by move.
    pub royal: Vec<(usize, Line)>,
    /// By square: the slides of a defender there that no attacker blocks; nothing if there
    /// are no defenders.
    pub slides: Vec<Vec<&'a Slide<T>>>,
    /// Where an arriving king may capture.
    pub near: Vec<Square>,
}

/// More moves than most sets of attackers have.
const MANY: usize = 128;

/// A move of an attacker that no other attacker blocks.
pub(super) struct AttackerMove<'a, T> {
    pub slide: &'a Slide<T>,
    /// Where the attackers stand after it.
    pub attackers: SquareSet,
    /// The block of that set, and the symmetry that leads there.
    pub block: usize,
    pub symmetry: Symmetry,
    /// Which of the block's [`royal`](Block::royal) ones are its own.
    pub royal: Range<usize>,
}

impl<'a, T: Score> Block<'a, T> {
    /// None, to put one in after the other: room is used again.
    pub(super) fn none() -> Block<'a, T> {
        Block {
            number: 0,
            attackers: SquareSet::EMPTY,
            images: 1,
            moves: Vec::with_capacity(MANY),
            royal: Vec::with_capacity(MANY),
            slides: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Puts in the block of that number and these attackers.
    pub(super) fn put(
        &mut self,
        number: usize,
        attackers: &BlockAttackers,
        layout: &RowLayout,
        geometry: &'a Geometry<T>,
        custodial: &CustodialCaptures,
    ) {
        let &BlockAttackers { set: attackers, stabilizer } = attackers;
        (self.number, self.attackers) = (number, attackers);
        self.images = (geometry.group.order() / stabilizer.order()) as u64;
        self.moves.clear();
        self.royal.clear();
        for from in attackers {
            let find = layout.blocks.find_with(attackers.without(from));
            for slide in geometry.free_slides(Side::Attackers, from, attackers) {
                self.put_move(slide, find(slide.to), geometry, custodial);
            }
        }
        self.slides.clear();
        if layout.index.slice().defenders > 0 {
            let movers = custodial.rules.places(Kind::Defender) - attackers;
            self.slides.extend(custodial.rules.board.squares().map(|from| {
                let from = Some(from).filter(|&from| movers.contains(from)).into_iter();
                let slides =
                    from.flat_map(|from| geometry.free_slides(Side::Defenders, from, attackers));
                slides.collect()
            }));
        }
        let may_capture = |at: &Square| {
            let mut lines = custodial.lines(*at).iter();
            lines.any(|line| attackers.contains(line.victim))
        };
        self.near.clear();
        self.near.extend(custodial.rules.board.squares().filter(may_capture));
    }

    /// Adds the move of an attacker to the block that it leads to.
    fn put_move(
        &mut self,
        slide: &'a Slide<T>,
        (block, symmetry): (usize, Symmetry),
        geometry: &Geometry<T>,
        custodial: &CustodialCaptures,
    ) {
        let attackers = self.attackers.without(slide.from).with(slide.to);
        let before = self.royal.len();
        let lines = custodial.kings_in_danger(slide.to, attackers);
        self.royal.extend(lines.filter_map(|line| {
            let lane = geometry.lanes.lane(line.victim)?;
            (!slide.path.contains(line.victim)).then_some((usize::from(lane), line))
        }));
        let royal = before..self.royal.len();
        self.moves.push(AttackerMove { slide, attackers, block, symmetry, royal });
    }
}
