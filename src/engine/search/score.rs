//! Scores inside the search.

use crate::engine::Score;
use crate::game::value::{Plies, Wdl};

/// What a position is worth to the side to move, in hundredths of a soldier.
pub(super) type Points = i32;

/// Won now; less one for each ply that it takes.
pub(super) const WON: Points = 32_000;
/// More than any score.
pub(super) const INFINITE: Points = WON + 1;
/// Won, say tables that do not know the distance; less one for each ply to get there.
const TABLE_WON: Points = 30_500;
/// From here on a score says that the game is decided.
pub(super) const MIN_DECIDED: Points = 30_000;
/// The largest estimate.
pub(super) const MAX_ESTIMATE: Points = 20_000;
/// The longest win that has a score of its own.
const MAX_WIN_PLIES: Points = 1_000;

pub(super) fn won_in(plies: usize) -> Points {
    WON - (plies as Points).min(MAX_WIN_PLIES)
}

pub(super) fn lost_in(plies: usize) -> Points {
    -won_in(plies)
}

/// Whether somebody has won.
pub(super) fn is_decided(score: Points) -> bool {
    score.abs() >= MIN_DECIDED
}

/// A table's answer at `ply`, where a draw is worth so much.
pub(super) fn table_score(wdl: Wdl, draw: Points, ply: usize) -> Points {
    match wdl {
        Wdl::Win => TABLE_WON - ply as Points,
        Wdl::Draw => draw,
        Wdl::Loss => ply as Points - TABLE_WON,
    }
}

/// A win or a loss at `ply`, that many plies from its end, where that is known.
pub(super) fn decided_in(is_win: bool, plies: Option<Plies>, ply: usize) -> Points {
    let plies = plies.map(|plies| ply + usize::from(plies));
    let score = match plies.filter(|&plies| plies < MAX_WIN_PLIES as usize) {
        Some(plies) => won_in(plies),
        None => TABLE_WON - ply as Points,
    };
    if is_win { score } else { -score }
}

/// The plies from the root to the end of a decided game, if the score says that.
pub(super) fn plies_to_end(score: Points) -> Option<usize> {
    let plies = usize::try_from(WON - score.abs()).ok();
    plies.filter(|&plies| plies <= MAX_WIN_PLIES as usize)
}

/// The score as the library reports it.
pub(super) fn to_score(score: Points) -> Score {
    match plies_to_end(score).map(|plies| plies as Plies) {
        Some(plies) if score > 0 => Score::Win(plies),
        Some(plies) => Score::Loss(plies),
        None if score >= MIN_DECIDED => Score::TableWin,
        None if score <= -MIN_DECIDED => Score::TableLoss,
        None => Score::Estimate(score),
    }
}
