//! Game records of OpenTafl.

use std::sync::Arc;

use crate::game::history::Game;
use crate::game::notation::MoveError;
use crate::game::record::{GameResult, PartialRecord, Record, RecordError, RecordFault};
use crate::game::rules::Ruleset;

use super::{Difference, Ending, ReplayVerdict, ReplayedGame};

/// Replays a record under the rules of `start`, up to its first fault.
pub(super) fn replay(text: &str, start: Game, rules: &Arc<Ruleset>) -> ReplayedGame {
    let (game, result, fault) = match Record::parse_partially(text, Arc::clone(start.rules())) {
        Ok(PartialRecord { record: Record { game, result, .. }, fault }) => (game, result, fault),
        Err(fault) => (start, GameResult::Open, Some(fault)),
    };
    let line = fault.as_ref().map_or(1, |fault| fault.line);
    let verdict = fault.map_or(ReplayVerdict::Agrees, verdict);
    Ending { game, verdict, result, is_timeout: false }.finish(line, rules)
}

fn verdict(RecordError { turn, fault, .. }: RecordError) -> ReplayVerdict {
    let text = match &fault {
        RecordFault::Move { text, .. }
        | RecordFault::GameOver { text, .. }
        | RecordFault::Resigned(text)
        | RecordFault::ThirdMove(text) => text.clone(),
        RecordFault::Contradiction { claimed, .. }
        | RecordFault::ContradictedResignation { claimed, .. } => claimed.clone(),
        _ => String::new(),
    };
    let reason = match turn {
        Some(turn) => format!("turn {turn}: {fault}"),
        None => fault.to_string(),
    };
    let difference = Difference { ply: None, text, reason };
    match fault {
        RecordFault::Move { error: MoveError::Captures { .. }, .. } => {
            ReplayVerdict::CapturesDiffer(difference)
        }
        RecordFault::GameOver { .. } => ReplayVerdict::EndedEarly(difference),
        RecordFault::Contradiction { .. } | RecordFault::ContradictedResignation { .. } => {
            ReplayVerdict::OtherResult(difference)
        }
        _ => ReplayVerdict::Illegal(difference),
    }
}
