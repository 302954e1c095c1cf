//! The two questions about a position, and when the effort for a closed set is due.

use crate::game::rules::{BySide, Side};

use super::answer::Answer;

/// A closed set waits until the other question has had this many times the nodes of its own.
const MAX_NODE_RATIO: u64 = 8;

/// What is known of both questions, by the side whose win is in question.
///
/// If the search finds no win of a side, only a closed set can prove that there is none. A win of
/// the other side, which may still be found, proves it as well, and closed sets are expensive: so
/// the other question is searched first.
#[derive(Clone, Debug)]
pub(super) struct Questions {
    pub(super) answers: BySide<Answer>,
    /// Whether the search finds no win, and only a closed set is missing.
    lacks_closed_set: BySide<bool>,
    /// Whether that closed set is too large, so that the question stays open.
    pub(super) is_given_up: BySide<bool>,
}

impl Questions {
    /// Asks whether these sides win.
    pub(super) fn new(sides: &[Side]) -> Questions {
        let mut answers = BySide::default();
        for &side in sides {
            answers[side] = Answer::UNKNOWN;
        }
        Questions { answers, lacks_closed_set: BySide::default(), is_given_up: BySide::default() }
    }

    /// Records an answer. If a side wins, the other one does not.
    pub(super) fn answer(&mut self, side: Side, answer: Answer) {
        self.answers[side] = answer;
        if answer == Answer::Won {
            self.answers[side.other()] = Answer::NotWon;
            self.is_given_up[side.other()] = false;
        }
    }

    /// Records whether the search finds no win of a side.
    pub(super) fn set_lacks_closed_set(&mut self, side: Side, lacks: bool) {
        self.lacks_closed_set[side] = lacks;
    }

    /// Records that the closed set of a side is too large.
    pub(super) fn give_up(&mut self, side: Side) {
        self.is_given_up[side] = true;
    }

    pub(super) fn is_open(&self, side: Side) -> bool {
        matches!(self.answers[side], Answer::Open { .. })
    }

    pub(super) fn is_answered(&self) -> bool {
        !Side::ALL.into_iter().any(|side| self.is_open(side))
    }

    /// Returns whether a side's win is still to be searched for.
    pub(super) fn is_searched(&self, side: Side) -> bool {
        self.is_open(side) && !self.lacks_closed_set[side]
    }

    /// Returns whether only a closed set is missing for an answer, and may be found.
    pub(super) fn lacks_closed_set(&self, side: Side) -> bool {
        self.is_open(side) && self.lacks_closed_set[side] && !self.is_given_up[side]
    }

    /// Returns whether the closed set of a side is to wait, given the nodes of both questions.
    pub(super) fn closed_set_waits(&self, side: Side, nodes: BySide<u64>) -> bool {
        let other = side.other();
        self.is_searched(other) && nodes[other] < MAX_NODE_RATIO.saturating_mul(nodes[side])
    }
}
