//! What can be seen of the tree of a store.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;

use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{BySide, Side};
use crate::proof::answer::Answer;
use crate::proof::table::INFINITE;

use super::error::StoreError;

/// Where the work on a position stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// Nobody has asked.
    Unasked,
    /// The side whose win is in question wins.
    Proved,
    /// It does not win.
    Disproved,
    /// A worker has the position's job in hand.
    Working,
    /// The position waits for a job.
    Waiting,
    /// The positions after its moves are worked on.
    Open,
}

/// What a store says about a position, for one question. Sums are over the position and all below
/// it; one that several lines lead to counts on the shortest only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct NodeStatus {
    /// Where the work stands.
    pub state: NodeState,
    /// The proof number; `None` for infinity.
    pub proof: Option<u32>,
    /// The disproof number; `None` for infinity.
    pub disproof: Option<u32>,
    /// Positions of the tree.
    pub positions: u32,
    /// Those that are proved or disproved.
    pub decided: u32,
    /// Jobs that were done.
    pub jobs: u32,
    /// Jobs in hand.
    pub claimed: u32,
    /// The nodes of the jobs.
    pub nodes: u64,
    /// Whether the store knows of positions after the moves.
    pub has_moves: bool,
}

/// A move of a position in a tree.
#[derive(Clone, Copy, Debug)]
pub struct TreeMove {
    /// The move. Of those that lead to mirror images of one position, the first.
    pub played: Move,
    /// What is known of the position after it.
    pub status: NodeStatus,
}

/// A position of a tree with some of its moves.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// What is known of the position.
    pub status: NodeStatus,
    /// Moves of which the store knows something.
    pub count: usize,
    /// Those of them that were asked for; the one with the least effort for its mover is the first
    /// of all.
    pub moves: Vec<TreeMove>,
}

/// A question at a root.
#[derive(Clone, Debug)]
pub struct TreeQuestion {
    /// What is known of the root.
    pub status: NodeStatus,
    /// Positions that wait for a job and matter for the answer.
    pub open: u64,
    /// The time of all jobs of this question in the store.
    pub time: Duration,
    /// The moves of which the store knows something, the most promising one first.
    pub moves: Vec<TreeMove>,
    /// The line to work on next.
    pub line: Vec<Move>,
}

/// A position that was asked for.
#[derive(Clone, Debug)]
pub struct TreeRoot {
    /// The position. Among [`StoreTree::roots`] it is one of its mirror images, unless it is the start.
    pub position: Position,
    /// By the side whose win is in question.
    pub questions: BySide<TreeQuestion>,
}

/// The tree of a store in memory.
pub trait StoreTree {
    /// Reads what workers have added. Returns `false` if files that were read are gone: then this
    /// tree is of no use any more.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn refresh(&mut self) -> Result<bool, StoreError>;

    /// Returns the number of certificates that count.
    fn certificates(&self) -> usize;

    /// Returns the number of damaged lines and certificates that were left out.
    fn skipped(&self) -> usize;

    /// Returns the positions that were asked for, the first one first, and at most 20.
    fn roots(&mut self) -> &[TreeRoot];

    /// Returns what is known of any legal position.
    fn root(&mut self, position: &Position) -> TreeRoot;

    /// Returns what is known of a legal position and of some of its moves, in the question whether
    /// this side wins; `None` if the store does not have the position.
    fn node(&mut self, side: Side, position: &Position, wanted: Range<usize>) -> Option<TreeNode>;
}

impl NodeState {
    pub(super) fn is_decided(self) -> bool {
        matches!(self, NodeState::Proved | NodeState::Disproved)
    }
}

impl NodeStatus {
    /// Returns the answer to the question, as far as it is known.
    pub fn answer(&self) -> Answer {
        match self.state {
            NodeState::Unasked => Answer::Unasked,
            NodeState::Proved => Answer::Won,
            NodeState::Disproved => Answer::NotWon,
            NodeState::Working | NodeState::Waiting | NodeState::Open => {
                let [proof, disproof] =
                    [self.proof, self.disproof].map(|number| number.unwrap_or(INFINITE));
                Answer::Open { proof, disproof }
            }
        }
    }

    pub(super) const UNASKED: NodeStatus = NodeStatus {
        state: NodeState::Unasked,
        proof: Some(1),
        disproof: Some(1),
        positions: 0,
        decided: 0,
        jobs: 0,
        claimed: 0,
        nodes: 0,
        has_moves: false,
    };

    /// A position that is decided by a certificate, the rules or a table.
    pub(super) fn decided(is_won: bool, has_moves: bool) -> NodeStatus {
        let (state, proof, disproof) = match is_won {
            true => (NodeState::Proved, Some(0), None),
            false => (NodeState::Disproved, None, Some(0)),
        };
        let counted = NodeStatus { positions: 1, decided: 1, ..NodeStatus::UNASKED };
        NodeStatus { state, proof, disproof, has_moves, ..counted }
    }

    /// The key by which the mover's most promising move comes first: its effort to reach its aim,
    /// then the other side's.
    fn effort(&self, mover_asks: bool) -> (u32, bool, u32) {
        let (aim, failure) =
            if mover_asks { (self.proof, self.disproof) } else { (self.disproof, self.proof) };
        (aim.unwrap_or(u32::MAX), failure == Some(0), failure.unwrap_or(u32::MAX))
    }
}

/// Sorts the moves of a position, the most promising ones for their mover first. `mover_asks` says
/// whether its win is in question.
pub(super) fn sort_by_effort(moves: &mut [TreeMove], mover_asks: bool) {
    moves.sort_by_key(|mv| mv.status.effort(mover_asks));
}
