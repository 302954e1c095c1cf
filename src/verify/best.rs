use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::Ruleset;

use super::geometry::{Geometry, Slide};
use super::score::Score;

/// What a move leads to on some lanes.
pub(super) enum Child<'a, T> {
    /// The opponent has no men left.
    Over,
    /// A row with the same lanes.
    Row(&'a [T]),
    /// A row seen under a symmetry, and the lane there of each lane here.
    Image(&'a [T], Symmetry, &'a [u16]),
}

impl<T: Score> Child<'_, T> {
    #[inline]
    pub(super) fn score(&self, lane: usize) -> T {
        match self {
            Child::Over => T::LOST,
            Child::Row(row) => row[lane],
            Child::Image(row, _, images) => row[usize::from(images[lane])],
        }
    }
}

/// The best move of each lane of the row at hand, and room to find it.
pub(super) struct Best<T> {
    pub scores: Vec<T>,
    /// By symmetry: the best move to a row seen under it, by the lanes there; none before
    /// the next row.
    images: [Vec<T>; 8],
    /// The symmetries under which there are any.
    seen: [bool; 8],
    /// By square: what the king's arrival there is worth.
    pub arrivals: Vec<T>,
    /// Lanes on which a move captures something else than on the others, with
    /// what, and the best score without that move.
    pub apart: Vec<(usize, SquareSet, T)>,
}

impl<T: Score> Best<T> {
    pub(super) fn new(geometry: &Geometry<T>, rules: &Ruleset) -> Best<T> {
        Best {
            scores: vec![T::NONE; geometry.stride],
            images: std::array::from_fn(|_| vec![T::NONE; geometry.stride]),
            seen: [false; 8],
            arrivals: vec![T::NONE; rules.board.area()],
            apart: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn offer(&mut self, lane: usize, score: T) {
        self.scores[lane] = self.scores[lane].min(score);
    }

    /// Offers a move to all lanes that do not block it.
    #[inline]
    pub(super) fn offer_row(&mut self, child: &Child<T>, slide: &Slide<T>) {
        let (best, row, blocked) = match child {
            Child::Over => {
                let lanes = self.scores.iter_mut().zip(slide.blocked());
                return lanes.for_each(|(best, &blocked)| *best = (*best).min(blocked));
            }
            Child::Row(row) => (&mut self.scores, row, slide.blocked()),
            Child::Image(row, symmetry, _) => {
                self.seen[symmetry.index()] = true;
                (&mut self.images[symmetry.index()], row, slide.blocked_image(*symmetry))
            }
        };
        for ((best, &blocked), &score) in best.iter_mut().zip(blocked).zip(*row) {
            *best = (*best).min(score.masked(blocked));
        }
    }

    /// What [`Best::offer_row`] changes for a lane.
    pub(super) fn offered(&mut self, child: &Child<T>, lane: usize) -> &mut T {
        match child {
            Child::Over | Child::Row(_) => &mut self.scores[lane],
            Child::Image(_, symmetry, images) => {
                &mut self.images[symmetry.index()][usize::from(images[lane])]
            }
        }
    }

    /// Brings what rows seen under symmetries have offered to the lanes.
    pub(super) fn gather(&mut self, geometry: &Geometry<T>) {
        for symmetry in Symmetry::ALL {
            if std::mem::take(&mut self.seen[symmetry.index()]) {
                let image = &mut self.images[symmetry.index()];
                for (best, &lane) in self.scores.iter_mut().zip(geometry.lane_images(symmetry)) {
                    *best = (*best).min(image[usize::from(lane)]);
                }
                image.fill(T::NONE);
            }
        }
    }
}
