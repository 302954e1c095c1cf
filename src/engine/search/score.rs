//! Scores inside the search.

use crate::engine::Score;
use crate::value::{Plies, Wdl};

/// What a position is worth to the side to move, in hundredths of a soldier.
pub(super) type Points = i32;

/// Won now; less one for each ply that it takes.
pub(super) const WON: Points = 32_000;
/// More than any score.
pub(super) const INFINITE: Points = WON + 1;
/// Won, say tables that do not know the distance; less one for each ply to get there.
const TABLE_WON: Points = 30_500;
/// From here on a score says that the game is decided.
pub(super) const TABLE_BAND: Points = 30_000;
/// The largest estimate.
pub(super) const MOST: Points = 20_000;
/// The longest win that has a score of its own.
const LONGEST: Points = 1_000;

pub(super) fn won_in(plies: usize) -> Points {
    WON - (plies as Points).min(LONGEST)
}

pub(super) fn lost_in(plies: usize) -> Points {
    -won_in(plies)
}

/// Whether somebody has won.
pub(super) fn is_decided(score: Points) -> bool {
    score.abs() >= TABLE_BAND
}

/// A table's answer at `ply`, where a draw is worth so much.
pub(super) fn of_wdl(wdl: Wdl, draw: Points, ply: usize) -> Points {
    match wdl {
        Wdl::Win => TABLE_WON - ply as Points,
        Wdl::Draw => draw,
        Wdl::Loss => ply as Points - TABLE_WON,
    }
}

/// For those who are told.
pub(super) fn told(score: Points) -> Score {
    let plies = |score: Points| (WON - score) as Plies;
    match score {
        score if score >= WON - LONGEST => Score::Win(plies(score)),
        score if score <= LONGEST - WON => Score::Loss(plies(-score)),
        score if score >= TABLE_BAND => Score::TableWin,
        score if score <= -TABLE_BAND => Score::TableLoss,
        score => Score::Estimate(score),
    }
}
