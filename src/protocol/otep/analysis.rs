use crate::engine::{Iteration, Score};
use crate::game::history::Game;
use crate::game::rules::Side;

use super::notation::simple_move;

/// Writes an iteration as two lines of text: `status` with the depth, marked if the iteration is
/// not finished, and `analysis` with the number of lines of play, then the moves and the score of
/// each.
pub(super) fn analysis(found: &Iteration, game: &Game) -> String {
    let (board, mover) = (game.rules().board, game.position().to_move);
    let unfinished = if found.is_complete { "" } else { ", not finished" };
    let mut text = format!("status depth {}{unfinished}\n", found.depth);
    text.push_str(&format!("analysis {}", found.lines.len()));
    for line in &found.lines {
        let moves: Vec<String> =
            line.moves.iter().map(|played| simple_move(played, board)).collect();
        text.push_str(&format!(" {} {:.2}", moves.join("|"), value(line.score, mover)));
    }
    text
}

/// Converts a score for OpenTafl: in soldiers, positive if good for the attackers.
fn value(score: Score, mover: Side) -> f64 {
    const WIN: f64 = 1000.0;
    // Long wins are still worth more than those of unknown length.
    let win_in = |plies| WIN - f64::from(plies).min(WIN / 2.0 - 1.0);
    let for_mover = match score {
        Score::Win(plies) => win_in(plies),
        Score::Loss(plies) => -win_in(plies),
        Score::TableWin | Score::ProvedWin => WIN / 2.0,
        Score::TableLoss | Score::ProvedLoss => -WIN / 2.0,
        Score::Estimate(hundredths) => f64::from(hundredths) / 100.0,
    };
    if mover == Side::Attackers { for_mover } else { -for_mover }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_positive_for_the_attackers() {
        let (attackers, defenders) = (Side::Attackers, Side::Defenders);
        for (score, mover, expected) in [
            (Score::Win(3), attackers, 997.0),
            (Score::Win(3), defenders, -997.0),
            (Score::Win(700), attackers, 501.0),
            (Score::Loss(1200), attackers, -501.0),
            (Score::Loss(4), attackers, -996.0),
            (Score::Loss(4), defenders, 996.0),
            (Score::TableWin, defenders, -500.0),
            (Score::TableLoss, defenders, 500.0),
            (Score::Estimate(-35), attackers, -0.35),
            (Score::Estimate(-35), defenders, 0.35),
        ] {
            assert_eq!(value(score, mover), expected, "{score} for the {}", mover.name());
        }
    }
}
