//! Scores inside the search.

use crate::engine::iteration::Score;
use crate::game::value::{Plies, Wdl};

/// The value of a position to the side to move, in hundredths of a soldier.
pub(super) type Points = i32;

/// The score of a win now; 1 less for each ply to the end of the game.
pub(super) const WON: Points = 32_000;
/// A bound above all scores.
pub(super) const INFINITE: Points = WON + 1;
/// The score of the position after a barred move, to the side that would move there: for the other
/// side every legal move, and even to have none, is better.
pub(super) const BARRED: Points = INFINITE;
/// The score of a win by tables without distances; 1 less for each ply from the root.
const TABLE_WON: Points = 30_500;
/// The minimum absolute score of a decided game.
pub(super) const MIN_DECIDED: Points = 30_000;
/// The maximum absolute evaluation.
pub(super) const MAX_ESTIMATE: Points = 20_000;
/// The longest win with its own score.
const MAX_WIN_PLIES: Points = 1_000;

/// Returns the score of a win at this ply from the root.
pub(super) fn won_in(plies: usize) -> Points {
    WON - (plies as Points).min(MAX_WIN_PLIES)
}

/// Returns the score of a loss at this ply from the root.
pub(super) fn lost_in(plies: usize) -> Points {
    -won_in(plies)
}

/// Returns whether the score is a win or a loss.
pub(super) fn is_decided(score: Points) -> bool {
    score.abs() >= MIN_DECIDED
}

/// Returns the score of a table value at `ply`, with `draw` as the score of a draw.
pub(super) fn table_score(wdl: Wdl, draw: Points, ply: usize) -> Points {
    match wdl {
        Wdl::Win => TABLE_WON - ply as Points,
        Wdl::Draw => draw,
        Wdl::Loss => ply as Points - TABLE_WON,
    }
}

/// Returns the score of a win or a loss at `ply`, `plies` from its end if that is known.
pub(super) fn decided_in(is_win: bool, plies: Option<Plies>, ply: usize) -> Points {
    let from_root = plies.map(|plies| ply + usize::from(plies));
    let score = match from_root.filter(|&plies| plies < MAX_WIN_PLIES as usize) {
        Some(plies) => won_in(plies),
        None => TABLE_WON - ply as Points,
    };
    if is_win { score } else { -score }
}

/// Returns the plies from the root to the end of a decided game, if the score includes them.
pub(super) fn plies_to_end(score: Points) -> Option<usize> {
    let plies = usize::try_from(WON - score.abs()).ok();
    plies.filter(|&plies| plies <= MAX_WIN_PLIES as usize)
}

/// Converts to the score that the library reports.
pub(super) fn to_score(score: Points) -> Score {
    match plies_to_end(score).map(|plies| plies as Plies) {
        Some(plies) if score > 0 => Score::Win(plies),
        Some(plies) => Score::Loss(plies),
        None if score >= MIN_DECIDED => Score::TableWin,
        None if score <= -MIN_DECIDED => Score::TableLoss,
        None => Score::Estimate(score),
    }
}
