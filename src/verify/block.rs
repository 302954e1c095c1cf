use std::ops::Range;

use crate::game::board::{Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Side};

use super::custodial::{CustodialCaptures, KingLine};
use super::enclosures::ringed_areas;
use super::geometry::{BlockAttackers, Geometry, Slide};
use super::row_layout::RowLayout;
use super::score::Score;

/// The part of move generation that is the same for all rows of a block.
pub(super) struct Block<'a, T> {
    pub number: usize,
    pub attackers: SquareSet,
    /// The number of images that each placement represents.
    pub images: u64,
    pub moves: Vec<AttackerMove<'a, T>>,
    /// The lanes on which a move may capture the king, grouped by move.
    pub king_captures: Vec<(usize, KingLine)>,
    /// By square: the slides of a defender there that no attacker blocks; empty if there are
    /// no defenders.
    pub slides: Vec<Vec<&'a Slide<T>>>,
    /// The squares where an arriving king may capture.
    pub king_capture_squares: Vec<Square>,
    /// The areas that the attackers separate from the edge, if the rules have encirclements.
    pub ringed_areas: Vec<SquareSet>,
}

/// An initial capacity that suffices for most sets of attackers.
const MOVES_CAPACITY: usize = 128;

/// A move of an attacker that no other attacker blocks.
pub(super) struct AttackerMove<'a, T> {
    pub slide: &'a Slide<T>,
    /// The attackers after the move.
    pub attackers: SquareSet,
    /// The block of that set, and the symmetry that leads there.
    pub block: usize,
    pub symmetry: Symmetry,
    /// Its range in [`Block::king_captures`].
    pub king_captures: Range<usize>,
}

impl<'a, T: Score> Block<'a, T> {
    /// Creates an empty block, whose buffers [`set`](Block::set) reuses.
    pub(super) fn empty() -> Block<'a, T> {
        Block {
            number: 0,
            attackers: SquareSet::EMPTY,
            images: 1,
            moves: Vec::with_capacity(MOVES_CAPACITY),
            king_captures: Vec::with_capacity(MOVES_CAPACITY),
            slides: Vec::new(),
            king_capture_squares: Vec::new(),
            ringed_areas: Vec::new(),
        }
    }

    /// Replaces the block by the one with this number and these attackers.
    pub(super) fn set(
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
        self.king_captures.clear();
        // Defenders in the way are ignored: they differ from row to row, and each row skips the
        // slides that its defenders block.
        for from in attackers {
            let find = layout.blocks.find_with(attackers.without(from));
            for slide in geometry.free_slides(Side::Attackers, from, attackers) {
                self.add_move(slide, find(slide.to), geometry, custodial);
            }
        }
        self.slides.clear();
        if layout.index.slice().defenders > 0 {
            let movers = custodial.rules.places(Kind::Defender) - attackers;
            self.slides.extend(custodial.rules.board.squares().map(|from| {
                if !movers.contains(from) {
                    return Vec::new();
                }
                geometry.free_slides(Side::Defenders, from, attackers).collect()
            }));
        }
        // On all other squares the king's arrival captures nothing, whatever the defenders.
        self.king_capture_squares.clear();
        if custodial.rules.king_armed {
            self.king_capture_squares.extend(custodial.rules.board.squares().filter(|&at| {
                custodial.lines(at).iter().any(|line| attackers.contains(line.victim))
            }));
        }
        self.ringed_areas = ringed_areas(custodial.rules, attackers);
    }

    /// Adds a move of an attacker, which leads to `block` under `symmetry`.
    fn add_move(
        &mut self,
        slide: &'a Slide<T>,
        (block, symmetry): (usize, Symmetry),
        geometry: &Geometry<T>,
        custodial: &CustodialCaptures,
    ) {
        let attackers = self.attackers.without(slide.from).with(slide.to);
        let first = self.king_captures.len();
        let lines = custodial.king_capture_lines(slide.to, attackers);
        self.king_captures.extend(lines.filter_map(|line| {
            let lane = geometry.lanes.lane(line.king)?;
            (!slide.path.contains(line.king)).then_some((usize::from(lane), line))
        }));
        let king_captures = first..self.king_captures.len();
        self.moves.push(AttackerMove { slide, attackers, block, symmetry, king_captures });
    }
}
