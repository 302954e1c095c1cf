use crate::engine::{Iteration, Score};
use crate::game::history::Game;
use crate::game::rules::Side;

use super::simple;

/// What a search has found, in two lines: a status with the depth and whether it was finished,
/// and the analysis with the number of lines, and for each its moves and what it is worth.
pub(super) fn analysis(found: &Iteration, game: &Game) -> String {
    let (board, mover) = (game.rules().board, game.position().to_move);
    let unfinished = if found.is_complete { "" } else { ", not finished" };
    let mut text = format!("status depth {}{unfinished}\n", found.depth);
    text.push_str(&format!("analysis {}", found.lines.len()));
    for line in &found.lines {
        let moves: Vec<String> = line.moves.iter().map(|played| simple(played, board)).collect();
        text.push_str(&format!(" {} {:.2}", moves.join("|"), value(line.score, mover)));
    }
    text
}

/// A score as OpenTafl shows it: in soldiers, and good for the attackers if positive.
fn value(score: Score, mover: Side) -> f64 {
    const WIN: f64 = 1000.0;
    let for_mover = match score {
        Score::Win(plies) => WIN - f64::from(plies),
        Score::Loss(plies) => f64::from(plies) - WIN,
        Score::TableWin => WIN / 2.0,
        Score::TableLoss => -WIN / 2.0,
        Score::Estimate(hundredths) => f64::from(hundredths) / 100.0,
    };
    if mover == Side::Attackers { for_mover } else { -for_mover }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_for_the_attackers_is_positive() {
        let (attackers, defenders) = (Side::Attackers, Side::Defenders);
        for (score, mover, expected) in [
            (Score::Win(3), attackers, 997.0),
            (Score::Win(3), defenders, -997.0),
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
