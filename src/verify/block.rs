use crate::board::{Square, SquareSet, Symmetry};
use crate::rules::{Kind, Side};

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
    /// Lanes on which the king may be captured by it.
    pub royal: Vec<(usize, Line)>,
}

impl<'a, T: Score> Block<'a, T> {
    /// The block of that number and these attackers.
    pub(super) fn new(
        number: usize,
        attackers: &BlockAttackers,
        layout: &RowLayout,
        geometry: &'a Geometry<T>,
        custodial: &CustodialCaptures,
    ) -> Block<'a, T> {
        let &BlockAttackers { set: attackers, stabilizer } = attackers;
        let movers = custodial.rules.places(Kind::Defender) - attackers;
        let slides = custodial.rules.board.squares().map(|from| {
            let from = Some(from).filter(|&from| movers.contains(from));
            let slides = from
                .into_iter()
                .flat_map(|from| geometry.free_slides(Side::Defenders, from, attackers));
            slides.collect()
        });
        let slides = match layout.index.slice().defenders {
            0 => Vec::new(),
            _ => slides.collect(),
        };
        let may_capture = |at: &Square| {
            let mut lines = custodial.lines(*at).iter();
            lines.any(|line| attackers.contains(line.victim))
        };
        let mut moves = Vec::with_capacity(MANY);
        for from in attackers {
            let find = layout.blocks.find_with(attackers.without(from));
            let slides = geometry.free_slides(Side::Attackers, from, attackers);
            moves.extend(slides.map(|slide| {
                AttackerMove::new(slide, attackers, find(slide.to), geometry, custodial)
            }));
        }
        Block {
            number,
            attackers,
            images: (geometry.group.order() / stabilizer.order()) as u64,
            moves,
            slides,
            near: custodial.rules.board.squares().filter(may_capture).collect(),
        }
    }
}

impl<'a, T: Score> AttackerMove<'a, T> {
    /// The move of one of these attackers to the block.
    fn new(
        slide: &'a Slide<T>,
        attackers: SquareSet,
        (block, symmetry): (usize, Symmetry),
        geometry: &Geometry<T>,
        custodial: &CustodialCaptures,
    ) -> AttackerMove<'a, T> {
        let attackers = attackers.without(slide.from).with(slide.to);
        let royal = custodial.lines(slide.to).iter().filter_map(|line| {
            let lane = geometry.lanes.lane(line.victim)?;
            let possible = !slide.path.contains(line.victim)
                && !attackers.contains(line.victim)
                && custodial.king_in_danger(*line, attackers);
            possible.then_some((usize::from(lane), *line))
        });
        AttackerMove { slide, attackers, block, symmetry, royal: royal.collect() }
    }
}
