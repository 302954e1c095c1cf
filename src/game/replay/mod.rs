//! Games that people played, replayed through the rules: which moves are illegal or capture
//! otherwise, and how the games ended.
//!
//! A file is a game record of OpenTafl (see [`record`](crate::record)), or has one game on each
//! line:
//!
//! ```text
//! d1-d3 e5-e2 g1-g3 f4-c4 g3-e3xe2,1,0,Ongoing
//! ```
//!
//! - The moves, with the captured soldiers; a capture of the king is not marked. A last word
//!   `timeout` says that the side to move ran out of time.
//! - Two numbers, which are not read.
//! - The result: `White` (the defenders have won), `Black`, `Draw`, `Ongoing` or nothing.
//!
//! Positions are judged, and the history of a game is not: repetitions and the number of plies end
//! games by the rules of the place where they are played. So they end no game here, and forbid no
//! move; [`ReplayedGame::repeats`] says where the ruleset would.

mod line;
mod otg;

use std::sync::Arc;

use crate::game::history::{Game, Outcome, Reason};
use crate::game::position::PositionError;
use crate::game::record::GameResult;
use crate::game::rules::{Ruleset, Side};

/// A game of a file, replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayedGame {
    /// Its line in the file, from 1.
    pub line: usize,
    /// The number of plies that were replayed.
    pub plies: usize,
    /// Whether the game agrees with the rules.
    pub verdict: ReplayVerdict,
    /// How it ended.
    pub cause: EndCause,
    /// The number of moves with captures by shieldwalls.
    pub shieldwalls: usize,
    /// Whether the ruleset's repetition rule or ply limit would have ended the game or forbidden a
    /// move.
    pub repeats: bool,
}

/// Whether a game agrees with the rules; if not, the first difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayVerdict {
    /// All moves are legal, capture what the file says, and the game did not end before the last.
    Agrees,
    /// A move is illegal, or the line cannot be read.
    Illegal(Difference),
    /// A move captures something else.
    CapturesDiffer(Difference),
    /// Moves follow the end of the game.
    EndedEarly(Difference),
    /// The moves end the game with another result than the file gives.
    OtherResult(Difference),
}

/// A place in a game where it differs from the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The ply, from 1; `None` if the difference is in no move.
    pub ply: Option<usize>,
    /// The word of the file.
    pub text: String,
    /// The difference.
    pub reason: String,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndCause {
    /// By the rules.
    Rules(Reason),
    /// A side ran out of time.
    Timeout,
    /// A side won in another way, such as by a resignation.
    Otherwise,
    /// A draw that the rules do not give.
    Draw,
    /// The game is unfinished, or its end is unknown.
    Ongoing,
}

impl EndCause {
    /// All causes, in the order of reports.
    pub const ALL: [EndCause; 10] = [
        EndCause::Rules(Reason::KingEscaped),
        EndCause::Rules(Reason::ExitFort),
        EndCause::Rules(Reason::KingCaptured),
        EndCause::Rules(Reason::Encirclement),
        EndCause::Rules(Reason::NoMove),
        EndCause::Rules(Reason::Repetition),
        EndCause::Timeout,
        EndCause::Otherwise,
        EndCause::Draw,
        EndCause::Ongoing,
    ];

    /// Returns the name that programs read: that of the [`Reason`], `timeout`, `otherwise`, `draw`
    /// or `ongoing`.
    pub fn name(self) -> &'static str {
        match self {
            EndCause::Rules(reason) => reason.name(),
            EndCause::Timeout => "timeout",
            EndCause::Otherwise => "otherwise",
            EndCause::Draw => "draw",
            EndCause::Ongoing => "ongoing",
        }
    }

    /// Returns the cause for a game that the rules have not ended.
    fn of_result(result: GameResult) -> EndCause {
        match result {
            GameResult::Won(_) => EndCause::Otherwise,
            GameResult::Drawn => EndCause::Draw,
            GameResult::Open => EndCause::Ongoing,
        }
    }
}

impl ReplayVerdict {
    /// Returns the name that programs read: `agrees`, `illegal`, `captures-differ`, `ended-early`
    /// or `other-result`.
    pub fn name(&self) -> &'static str {
        match self {
            ReplayVerdict::Agrees => "agrees",
            ReplayVerdict::Illegal(_) => "illegal",
            ReplayVerdict::CapturesDiffer(_) => "captures-differ",
            ReplayVerdict::EndedEarly(_) => "ended-early",
            ReplayVerdict::OtherResult(_) => "other-result",
        }
    }

    /// Returns the first difference.
    pub fn difference(&self) -> Option<&Difference> {
        match self {
            ReplayVerdict::Agrees => None,
            ReplayVerdict::Illegal(difference)
            | ReplayVerdict::CapturesDiffer(difference)
            | ReplayVerdict::EndedEarly(difference)
            | ReplayVerdict::OtherResult(difference) => Some(difference),
        }
    }
}

/// Replays all games of a file's text.
///
/// # Errors
/// If the ruleset's starting position cannot be played from. Games that cannot be read are
/// reported as [`ReplayVerdict::Illegal`].
pub fn replay(text: &str, rules: &Arc<Ruleset>) -> Result<Vec<ReplayedGame>, PositionError> {
    let unlimited = Arc::new(rules.without_history());
    let text = text.trim_start_matches('\u{feff}');
    let start = Game::new(unlimited)?;
    if text.trim_start().starts_with('[') {
        return Ok(vec![otg::replay(text, start, rules)]);
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let mut games = Vec::new();
    for (number, text) in lines {
        if games.is_empty() && line::is_header(text) {
            continue;
        }
        games.push(line::replay(text, number, start.clone(), rules));
    }
    Ok(games)
}

/// A game as far as it could be replayed, with the result that its file gives.
struct Ending {
    game: Game,
    verdict: ReplayVerdict,
    result: GameResult,
    is_timeout: bool,
}

impl Ending {
    /// Judges the end of the game, and counts what happened in it.
    fn finish(self, line: usize, rules: &Arc<Ruleset>) -> ReplayedGame {
        let Ending { game, mut verdict, result, is_timeout } = self;
        let outcome = game.outcome();
        if let (ReplayVerdict::Agrees, Some(outcome)) = (&verdict, outcome)
            && result != GameResult::Open
            && result != GameResult::from(Some(outcome))
        {
            let text = result_name(result).to_owned();
            let reason = format!("the result is {text}, but the moves give: {outcome}");
            verdict = ReplayVerdict::OtherResult(Difference { ply: None, text, reason });
        }
        let cause = match outcome {
            Some(Outcome { reason, .. }) => EndCause::Rules(reason),
            None if is_timeout => EndCause::Timeout,
            None => EndCause::of_result(result),
        };
        let played = game.positions().iter().zip(game.moves());
        let walls = played.filter(|(position, mv)| !mv.walled_in(rules, position).is_empty());
        ReplayedGame {
            line,
            plies: game.moves().len(),
            verdict,
            cause,
            shieldwalls: walls.count(),
            repeats: repeats(&game, rules),
        }
    }
}

/// Returns whether the history of the game would have mattered under the ruleset.
fn repeats(game: &Game, rules: &Arc<Ruleset>) -> bool {
    let Ok(mut judged) = Game::from_position(Arc::clone(rules), game.positions()[0]) else {
        return false;
    };
    game.moves().iter().any(|played| {
        let is_barred = judged.is_barred(played);
        judged.push(played);
        let ends =
            |outcome: Outcome| matches!(outcome.reason, Reason::Repetition | Reason::PlyLimit);
        is_barred || judged.outcome().is_some_and(ends)
    })
}

/// The results of files with one game on each line.
const RESULTS: [(&str, GameResult); 5] = [
    ("White", GameResult::Won(Side::Defenders)),
    ("Black", GameResult::Won(Side::Attackers)),
    ("Draw", GameResult::Drawn),
    ("Ongoing", GameResult::Open),
    // Some files leave out the result of a game that was broken off.
    ("", GameResult::Open),
];

fn result_name(result: GameResult) -> &'static str {
    RESULTS.iter().find(|(_, known)| *known == result).map_or("unknown", |&(name, _)| name)
}
