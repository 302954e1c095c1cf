use crate::board::{Square, SquareSet, Symmetry};
use crate::rules::{Kind, Side};

use super::enclosing::Line;
use super::geometry::{BlockAttackers, Slide};
use super::rows::Rows;
use super::score::Score;

/// All that is the same for all rows of a block.
pub(super) struct Block<'a, T> {
    pub number: usize,
    pub attackers: SquareSet,
    /// How many images each placement stands for.
    pub images: u64,
    pub moves: Vec<AttackerMove<'a, T>>,
    /// By square: the slides of a defender there that no attacker blocks.
    pub slides: Vec<Vec<&'a Slide<T>>>,
    /// Where an arriving king may capture.
    pub near: Vec<Square>,
}

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

impl<'a, T: Score> Rows<'a, T> {
    /// The block of that number and these attackers.
    pub(super) fn block(&self, number: usize, attackers: &BlockAttackers) -> Block<'a, T> {
        let &BlockAttackers { set: attackers, stabilizer } = attackers;
        let squares = self.rules.board.squares();
        let movers = match self.own.layout.index.slice().defenders {
            0 => SquareSet::EMPTY,
            _ => self.rules.places(Kind::Defender) - attackers,
        };
        let slides = squares.map(|from| {
            let from = Some(from).filter(|&from| movers.contains(from));
            let slides = from
                .into_iter()
                .flat_map(|from| self.geometry.free_slides(Side::Defenders, from, attackers));
            slides.collect()
        });
        let may_capture = |at: &Square| {
            let mut lines = self.enclosing.lines(*at).iter();
            lines.any(|line| attackers.contains(line.victim))
        };
        Block {
            number,
            attackers,
            images: (self.geometry.group.order() / stabilizer.order()) as u64,
            moves: self.attacker_moves(attackers),
            slides: slides.collect(),
            near: self.rules.board.squares().filter(may_capture).collect(),
        }
    }

    fn attacker_moves(&self, attackers: SquareSet) -> Vec<AttackerMove<'a, T>> {
        let slides = attackers
            .iter()
            .flat_map(|from| self.geometry.free_slides(Side::Attackers, from, attackers));
        slides
            .map(|slide| {
                let attackers = attackers.without(slide.from).with(slide.to);
                let (block, symmetry) = self.own.layout.blocks.find(attackers);
                let royal = self.enclosing.lines(slide.to).iter().filter_map(|line| {
                    let lane = self.geometry.lanes.lane(line.victim)?;
                    let possible = !slide.path.contains(line.victim)
                        && !attackers.contains(line.victim)
                        && self.enclosing.king_in_danger(*line, attackers);
                    possible.then_some((usize::from(lane), *line))
                });
                AttackerMove { slide, attackers, block, symmetry, royal: royal.collect() }
            })
            .collect()
    }
}
