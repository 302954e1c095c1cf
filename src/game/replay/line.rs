//! Files with one game on each line.

use std::sync::Arc;

use crate::game::board::{Board, SquareSet};
use crate::game::history::Game;
use crate::game::moves::{Ending as MoveEnding, Move};
use crate::game::notation::parse_move;
use crate::game::record::GameResult;
use crate::game::rules::Ruleset;

use super::{Difference, Ending, RESULTS, ReplayVerdict, ReplayedGame};

/// The last word of a game that the clock ended.
const TIMEOUT: &str = "timeout";

/// Returns whether a file's first line names its columns: it has no digit, unlike any move.
pub(super) fn is_header(line: &str) -> bool {
    let moves = line.split(',').next().unwrap_or_default().trim();
    !moves.is_empty() && moves != TIMEOUT && !line.contains(|c: char| c.is_ascii_digit())
}

/// Replays the game of a line from its start.
pub(super) fn replay(text: &str, line: usize, start: Game, rules: &Arc<Ruleset>) -> ReplayedGame {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut ending = Ending {
        game: start,
        verdict: ReplayVerdict::Agrees,
        result: GameResult::Open,
        is_timeout: false,
    };
    if let Err(verdict) = play_all(&mut ending, fields[0]) {
        ending.verdict = verdict;
    }
    match result(&fields) {
        Ok(result) => ending.result = result,
        // The moves come first in the line.
        Err(difference) if ending.verdict == ReplayVerdict::Agrees => {
            ending.verdict = ReplayVerdict::Illegal(difference);
        }
        Err(_) => {}
    }
    ending.finish(line, rules)
}

/// Reads the result in the last of the four fields.
fn result(fields: &[&str]) -> Result<GameResult, Difference> {
    let fault =
        |text: &str, reason: String| Err(Difference { ply: None, text: text.to_owned(), reason });
    let [_, _, _, name] = fields else {
        let reason = format!(
            "the line has {} instead of 4 fields: moves, two numbers and the result",
            fields.len()
        );
        return fault(fields[fields.len() - 1], reason);
    };
    match RESULTS.iter().find(|(known, _)| known == name) {
        Some(&(_, result)) => Ok(result),
        None => {
            let known: Vec<&str> =
                RESULTS.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect();
            let known = known.join(", ");
            fault(name, format!("{name:?} is not a result: write one of {known}"))
        }
    }
}

/// Plays the moves as far as they agree with the rules.
fn play_all(ending: &mut Ending, moves: &str) -> Result<(), ReplayVerdict> {
    for (ply, word) in (1..).zip(moves.split_whitespace()) {
        let difference = |reason: String| Difference {
            ply: Some(ply),
            text: word.to_owned(),
            reason: format!("{word}: {reason}"),
        };
        if ending.is_timeout {
            let reason = format!("a move follows {TIMEOUT}");
            return Err(ReplayVerdict::Illegal(difference(reason)));
        }
        let outcome = ending.game.outcome();
        if word == TIMEOUT && outcome.is_none() {
            ending.is_timeout = true;
            continue;
        }
        if let Some(outcome) = outcome {
            let reason = format!("follows the end of the game ({outcome})");
            return Err(ReplayVerdict::EndedEarly(difference(reason)));
        }
        play(&mut ending.game, word).map_err(|fault| match fault {
            Fault::Illegal(reason) => ReplayVerdict::Illegal(difference(reason)),
            Fault::Captures(reason) => ReplayVerdict::CapturesDiffer(difference(reason)),
        })?;
    }
    Ok(())
}

/// Why a word is not the next move.
enum Fault {
    Illegal(String),
    Captures(String),
}

/// Plays a move such as `g3-e3xe2xe4`. The king may be among the captured pieces or not.
fn play(game: &mut Game, word: &str) -> Result<(), Fault> {
    let rules = Arc::clone(game.rules());
    let board = rules.board;
    let position = *game.position();
    let (moved, captures) = word.split_once('x').unwrap_or((word, ""));
    let captured = parse_captures(board, captures).map_err(Fault::Illegal)?;
    let played =
        parse_move(&rules, &position, moved).map_err(|error| Fault::Illegal(error.to_string()))?;
    let mut right = vec![played.captured];
    if played.ending == Some(MoveEnding::KingCaptured) {
        right.push(played.captured.with(position.king));
    }
    if !right.contains(&captured) {
        return Err(Fault::Captures(difference(board, &played, captured)));
    }
    game.push(&played);
    Ok(())
}

/// Parses squares separated by `x` or `/`. Some files name a square twice.
fn parse_captures(board: Board, text: &str) -> Result<SquareSet, String> {
    let names = text.split(['x', '/']).filter(|name| !name.is_empty());
    names
        .map(|name| board.parse(name).ok_or_else(|| format!("the board has no square {name:?}")))
        .collect()
}

/// Describes the difference between the captures of a move and those that the file gives.
fn difference(board: Board, played: &Move, captured: SquareSet) -> String {
    let list = |squares: SquareSet| match squares.is_empty() {
        true => "nothing".to_owned(),
        false => board.names(squares).join(", "),
    };
    format!("captures {}, but the file says {}", list(played.captured), list(captured))
}
