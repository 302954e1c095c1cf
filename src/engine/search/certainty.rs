//! What values that know no history, those of tables and proofs, mean for a game that has one.

use crate::game::rules::{Endless, Repetition, Ruleset, Side};
use crate::game::value::Wdl;

/// Returns whether a forced win of this side holds as long as no position of the game recurs.
pub(super) fn wins_hold(rules: &Ruleset, winner: Side) -> bool {
    !rules.may_bar_win(winner)
}

/// Returns whether a repetition never harms this side.
pub(super) fn gains_by_repetition(rules: &Ruleset, side: Side) -> bool {
    let favours_attackers = match rules.repetition {
        Repetition::DefendersLose | Repetition::DefendersBarred => true,
        Repetition::Allowed | Repetition::Draw | Repetition::MoverLoses => false,
    };
    favours_attackers && side == Side::Attackers
}

/// Returns the value, to this side, of a position in which neither side can force a win; `None` if
/// it depends on the history.
pub(super) fn endless_value(rules: &Ruleset, side: Side) -> Option<Wdl> {
    match rules.endless {
        Endless::Draw => Some(Wdl::Draw),
        Endless::Undecided => None,
        Endless::Attackers if side == Side::Attackers => Some(Wdl::Win),
        Endless::Attackers => Some(Wdl::Loss),
    }
}
