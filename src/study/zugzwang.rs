//! Mutual zugzwangs.

use crate::game::rules::Endless;
use crate::game::value::Wdl;

/// Returns whether a placement of pieces is a mutual zugzwang, given the outcome for the
/// attackers if they are to move and the outcome for the defenders if they are.
///
/// In a mutual zugzwang each side does worse when it is to move than when the other side is.
/// The game is zero-sum, so if that holds for one side it holds for both: either both lose
/// when they are to move, or one loses and the other draws. Distances do not count.
///
/// Returns `None` where undecided positions leave it open. Play from an undecided position is
/// won by one of the sides, and tables do not know which: the answer is certain only if a side
/// wins when it is to move, or both lose.
pub fn mutual_zugzwang(endless: Endless, attackers: Wdl, defenders: Wdl) -> Option<bool> {
    match (attackers, defenders) {
        (Wdl::Win, _) | (_, Wdl::Win) => Some(false),
        (Wdl::Loss, Wdl::Loss) => Some(true),
        // Whoever is to move, a position that neither side can force is not won by the defenders.
        _ if endless == Endless::Attackers => Some(attackers == Wdl::Loss),
        _ if endless == Endless::Undecided => None,
        (attackers, defenders) => Some(attackers < -defenders),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutual_zugzwang_is_worse_for_both_to_move() {
        let all = [Wdl::Loss, Wdl::Draw, Wdl::Win];
        for (attackers, defenders) in all.into_iter().flat_map(|a| all.map(|d| (a, d))) {
            let worse_for_attackers = attackers < -defenders;
            let worse_for_defenders = defenders < -attackers;
            let both = worse_for_attackers && worse_for_defenders;
            assert_eq!(both, worse_for_attackers);
            assert_eq!(mutual_zugzwang(Endless::Draw, attackers, defenders), Some(both));
            // An undecided position may be won by either side: both answers must agree.
            let ends = |wdl| if wdl == Wdl::Draw { vec![Wdl::Loss, Wdl::Win] } else { vec![wdl] };
            let mut answers: Vec<bool> = Vec::new();
            for one in ends(attackers) {
                answers.extend(ends(defenders).into_iter().map(|other| one < -other));
            }
            answers.dedup();
            let certain = (answers.len() == 1).then(|| answers[0]);
            let found = mutual_zugzwang(Endless::Undecided, attackers, defenders);
            assert_eq!(found, certain, "{attackers:?} {defenders:?}");
            // The attackers win endless play.
            let attackers_end = if attackers == Wdl::Draw { Wdl::Win } else { attackers };
            let defenders_end = if defenders == Wdl::Draw { Wdl::Loss } else { defenders };
            let found = mutual_zugzwang(Endless::Attackers, attackers, defenders);
            assert_eq!(found, Some(attackers_end < -defenders_end), "{attackers:?} {defenders:?}");
        }
    }
}
