use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::Ruleset;

use super::geometry::{Geometry, Slide};
use super::score::Score;

/// The scores of a row that a move leads to, for all lanes.
pub(super) enum Child<'a, T> {
    /// The opponent has no men left: the game is over.
    GameOver,
    /// A row with the same orientation, so that its lanes are the same.
    Row(&'a [T]),
    /// A row stored as its image under a symmetry, and the image of each lane.
    Image(&'a [T], Symmetry, &'a [u16]),
}

impl<T: Score> Child<'_, T> {
    #[inline]
    pub(super) fn score(&self, lane: usize) -> T {
        match self {
            Child::GameOver => T::LOST,
            Child::Row(row) => row[lane],
            Child::Image(row, _, images) => row[usize::from(images[lane])],
        }
    }
}

/// The best score of each lane of a row, with the buffers to compute it.
pub(super) struct BestScores<T> {
    pub scores: Vec<T>,
    /// By symmetry: the best scores of moves to rows stored under it, by image lane. All are
    /// [`Score::NONE`] between rows.
    images: [Vec<T>; 8],
    /// The symmetries with scores in `images`.
    used: [bool; 8],
    /// By square: the score of a king's move there.
    pub king_arrivals: Vec<T>,
    /// The lanes on which the current move captures other soldiers than on most lanes: the
    /// lane, the captured soldiers, and the best score before the move.
    pub exceptions: Vec<(usize, SquareSet, T)>,
}

impl<T: Score> BestScores<T> {
    /// Allocates the buffers.
    pub(super) fn new(geometry: &Geometry<T>, rules: &Ruleset) -> BestScores<T> {
        BestScores {
            scores: vec![T::NONE; geometry.stride],
            images: std::array::from_fn(|_| vec![T::NONE; geometry.stride]),
            used: [false; 8],
            king_arrivals: vec![T::NONE; rules.board.area()],
            exceptions: Vec::new(),
        }
    }

    /// Takes a move into account for one lane.
    #[inline]
    pub(super) fn offer(&mut self, lane: usize, score: T) {
        self.scores[lane] = self.scores[lane].min(score);
    }

    /// Takes a soldier's move into account for all lanes whose king does not block it.
    #[inline]
    pub(super) fn offer_row(&mut self, child: &Child<T>, slide: &Slide<T>) {
        let (best, row, blocked) = match child {
            Child::GameOver => {
                let lanes = self.scores.iter_mut().zip(slide.blocked());
                return lanes.for_each(|(best, &blocked)| *best = (*best).min(blocked));
            }
            Child::Row(row) => (&mut self.scores, row, slide.blocked()),
            Child::Image(row, symmetry, _) => {
                self.used[symmetry.index()] = true;
                (&mut self.images[symmetry.index()], row, slide.blocked_image(*symmetry))
            }
        };
        for ((best, &blocked), &score) in best.iter_mut().zip(blocked).zip(*row) {
            *best = (*best).min(score.masked(blocked));
        }
    }

    /// Returns the score that [`BestScores::offer_row`] changes for a lane.
    pub(super) fn slot_mut(&mut self, child: &Child<T>, lane: usize) -> &mut T {
        match child {
            Child::GameOver | Child::Row(_) => &mut self.scores[lane],
            Child::Image(_, symmetry, images) => {
                &mut self.images[symmetry.index()][usize::from(images[lane])]
            }
        }
    }

    /// Merges the scores from image lanes into `scores`.
    pub(super) fn merge_images(&mut self, geometry: &Geometry<T>) {
        for symmetry in Symmetry::ALL {
            if std::mem::take(&mut self.used[symmetry.index()]) {
                let image = &mut self.images[symmetry.index()];
                for (best, &lane) in self.scores.iter_mut().zip(geometry.lane_images(symmetry)) {
                    *best = (*best).min(image[usize::from(lane)]);
                }
                image.fill(T::NONE);
            }
        }
    }
}
