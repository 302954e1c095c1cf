//! Game records of OpenTafl.

use std::sync::Arc;

use crate::game::history::Game;
use crate::game::notation::MoveError;
use crate::game::record::{GameResult, Record, RecordError, RecordFault};
use crate::game::rules::Ruleset;

use super::{Difference, Ending, ReplayVerdict, ReplayedGame};

/// Replays a record under the rules of `start`. Of a record with a fault nothing is replayed.
pub(super) fn replay(text: &str, start: Game, rules: &Arc<Ruleset>) -> ReplayedGame {
    let (line, ending) = match Record::parse_with(text, Arc::clone(start.rules())) {
        Ok(Record { game, result, .. }) => {
            (1, Ending { game, verdict: ReplayVerdict::Agrees, result, is_timeout: false })
        }
        Err(error) => {
            let (line, verdict) = (error.line, verdict(error));
            (line, Ending { game: start, verdict, result: GameResult::Open, is_timeout: false })
        }
    };
    ending.finish(line, rules)
}

fn verdict(RecordError { turn, fault, .. }: RecordError) -> ReplayVerdict {
    let text = match &fault {
        RecordFault::Move { text, .. }
        | RecordFault::GameOver { text, .. }
        | RecordFault::Resigned(text)
        | RecordFault::ThirdMove(text) => text.clone(),
        RecordFault::Contradiction { claimed, .. } => claimed.clone(),
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
        RecordFault::Contradiction { .. } => ReplayVerdict::OtherResult(difference),
        _ => ReplayVerdict::Illegal(difference),
    }
}
