//! The probe of the endgame tables at the root.
//!
//! Tables ignore a game's history and its ply limit. Where positions of the game can be repeated,
//! a table value holds for this game only if it can be proved: see [`Proof`]. A move that wins,
//! but not as quickly as another one, always needs a proof, because the current position can be
//! repeated.

use std::cmp::Reverse;

use crate::engine::iteration::{Line, Score};
use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;
use crate::game::rules::{Repetition, Side};
use crate::game::value::{Plies, Wdl};
use crate::tablebase::{Probed, Tablebase};

use super::certainty::{endless_value, gains_by_repetition, wins_hold};
use super::proof::Proof;
use super::shared::Deadline;

/// The value of a root position whose moves are left to the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KnownValue {
    /// A win by tables without distances, or by endless play.
    TableWin,
    /// A loss by endless play.
    TableLoss,
    /// A win by proofs.
    ProvedWin,
    /// A loss by proofs.
    ProvedLoss,
    /// A draw, by either.
    Draw,
}

/// The result of a root probe.
pub(super) enum RootProbe {
    /// The position is not known.
    None,
    /// The position is solved: the best lines.
    Lines(Vec<Line>),
    /// A part is solved; the rest is left to the search.
    Moves {
        /// The moves to search, sorted by their values.
        moves: Vec<RankedMove>,
        /// The value of the position, if it is known.
        known: Option<KnownValue>,
    },
}

/// A root move with its table value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedMove {
    pub(super) played: Move,
    /// The value to the side to move, with the plies from the root: by the tables, or by the
    /// rules if the move ends the game.
    value: Probed,
    /// Whether the value holds in this game.
    is_proved: bool,
}

impl RankedMove {
    /// Creates a move without a value of its own.
    pub(super) fn unproved(played: Move) -> RankedMove {
        let value = Probed { wdl: Wdl::Draw, plies: None };
        RankedMove { played, value, is_proved: false }
    }

    /// Returns the value if it holds in this game.
    pub(super) fn proved(&self) -> Option<Probed> {
        self.is_proved.then_some(self.value)
    }

    fn distance(&self) -> Plies {
        self.value.plies.unwrap_or(Plies::MAX)
    }

    fn score(&self) -> Score {
        match (self.value.wdl, self.value.plies) {
            (Wdl::Win, Some(plies)) => Score::Win(plies),
            (Wdl::Win, None) => Score::TableWin,
            (Wdl::Loss, Some(plies)) => Score::Loss(plies),
            (Wdl::Loss, None) => Score::TableLoss,
            (Wdl::Draw, _) => Score::Estimate(0),
        }
    }
}

/// Probes the tables for these moves, of which `lines` are to be reported. No proof goes on after the
/// deadline.
pub(super) fn probe_root(
    tables: &Tablebase,
    game: &Game,
    moves: &[Move],
    lines: usize,
    deadline: Deadline<'_>,
) -> RootProbe {
    let has_history = game.can_repeat();
    let Some(ranked) = rank_moves(tables, game, moves, has_history) else { return RootProbe::None };
    let Some(best) = ranked.iter().map(|mv| mv.value.wdl).max() else { return RootProbe::None };
    match best {
        Wdl::Win => won(tables, game, ranked, lines, deadline),
        Wdl::Loss => lost(tables, game, ranked, lines, deadline),
        Wdl::Draw => drawn(game, ranked),
    }
}

/// Returns the moves sorted by their values; `None` if the value of one is unknown.
fn rank_moves(
    tables: &Tablebase,
    game: &Game,
    moves: &[Move],
    has_history: bool,
) -> Option<Vec<RankedMove>> {
    let probed = tables.for_search(tables.probe_moves(game.position()))?;
    let wanted = probed.iter().filter(|mv| moves.contains(&mv.played));
    wanted.map(|mv| rank_move(game, mv.played, mv.value, has_history)).collect()
}

/// Returns a move with its value in this game, derived from its value by the tables.
fn rank_move(
    game: &Game,
    played: Move,
    value: Option<Probed>,
    has_history: bool,
) -> Option<RankedMove> {
    let rules = game.rules();
    let mover = game.position().to_move;
    let mut then = game.clone();
    then.push(&played);
    let (wdl, plies, is_proved) = match (then.outcome(), value?) {
        (Some(Outcome { winner: Some(winner), .. }), _) => {
            (if winner == mover { Wdl::Win } else { Wdl::Loss }, Some(1), true)
        }
        (Some(Outcome { winner: None, .. }), _) => (Wdl::Draw, None, true),
        // A table's draw is an endless game, but where repetition loses, no game is endless.
        (None, Probed { wdl: Wdl::Draw, .. }) => {
            (Wdl::Draw, None, endless_holds(game, mover).is_some())
        }
        (None, Probed { wdl, plies }) => {
            let winner = if wdl == Wdl::Win { mover } else { mover.other() };
            match (then.plies_left(), plies) {
                // The ply limit ends the game before the win. The loser can hold out that long even
                // if positions can be repeated.
                (Some(left), Some(plies)) if u32::from(plies) > left => {
                    let holds_out = rules.repetition != Repetition::MoverLoses
                        && !gains_by_repetition(rules, winner);
                    (Wdl::Draw, None, holds_out)
                }
                (Some(_), None) => (wdl, None, false),
                _ => {
                    let can_recur = rules.repetition != Repetition::Allowed
                        && wdl == Wdl::Win
                        && played.captured.is_empty();
                    let from_root = plies.map(|plies| plies.saturating_add(1));
                    let is_proved = gains_by_repetition(rules, winner)
                        || wins_hold(rules, winner) && !has_history && !can_recur;
                    (wdl, from_root, is_proved)
                }
            }
        }
    };
    Some(RankedMove { played, value: Probed { wdl, plies }, is_proved })
}

/// Returns the probe of a won position. Moves that are not proved to win are left to the search.
fn won(
    tables: &Tablebase,
    game: &Game,
    mut moves: Vec<RankedMove>,
    lines: usize,
    deadline: Deadline<'_>,
) -> RootProbe {
    let has_history = game.can_repeat();
    let holds = wins_hold(game.rules(), game.position().to_move);
    // If a winner would have to repeat and lose, other moves may be better.
    if holds && (!has_history || game.rules().repetition != Repetition::MoverLoses) {
        moves.retain(|mv| mv.value.wdl == Wdl::Win);
    }
    moves.sort_by_key(|mv| (mv.value.wdl != Wdl::Win, mv.distance()));
    // A win without a distance may come too late for the ply limit.
    let is_in_time = wins(&moves).any(|mv| mv.value.plies.is_some() || game.plies_left().is_none());
    let known = (holds && !has_history && is_in_time).then_some(KnownValue::TableWin);
    let is_exact = wins(&moves).all(|mv| mv.value.plies.is_some());
    let Some(mut proof) = Proof::new(tables, game, deadline).filter(|_| is_exact) else {
        return RootProbe::Moves { moves, known };
    };
    // Lazy, since a proof takes time: none is attempted after the last line that is needed.
    let found = wins(&moves).filter_map(|mv| match mv.is_proved {
        true => Some(table_line(tables, game, mv)),
        false => proof.winning_line(&mv.played),
    });
    let mut proved: Vec<Line> = found.take(lines).collect();
    if proved.is_empty() {
        return RootProbe::Moves { moves, known };
    }
    proved.sort_by_key(|line| match line.score {
        Score::Win(plies) => plies,
        _ => Plies::MAX,
    });
    RootProbe::Lines(proved)
}

/// Returns the moves that win by the tables.
fn wins(moves: &[RankedMove]) -> impl Iterator<Item = &RankedMove> {
    moves.iter().filter(|mv| mv.value.wdl == Wdl::Win)
}

/// Returns the probe of a position that is lost by the tables. With a history, moves that are not
/// proved to lose are searched.
fn lost(
    tables: &Tablebase,
    game: &Game,
    mut moves: Vec<RankedMove>,
    lines: usize,
    deadline: Deadline<'_>,
) -> RootProbe {
    let has_history = game.can_repeat();
    let mut proof = if has_history { Proof::new(tables, game, deadline) } else { None };
    if let Some(proof) = &mut proof {
        for mv in moves.iter_mut().filter(|mv| !mv.is_proved) {
            if let Some(plies) = proof.losing_move(&mv.played) {
                (mv.value.plies, mv.is_proved) = (Some(plies), true);
            }
        }
    }
    moves.sort_by_key(|mv| (mv.is_proved, Reverse(mv.distance())));
    if !moves.iter().all(|mv| mv.is_proved && mv.value.plies.is_some()) {
        return RootProbe::Moves { moves, known: None };
    }
    let best = moves.iter().take(lines).map(|mv| match &mut proof {
        Some(proof) => Line { moves: proof.losing_line(&mv.played), ..line(mv) },
        None => table_line(tables, game, mv),
    });
    RootProbe::Lines(best.collect())
}

/// Returns the probe of a position in which neither side can force a win by the tables. Losing moves
/// are left out only if the values of the others are proved.
fn drawn(game: &Game, mut moves: Vec<RankedMove>) -> RootProbe {
    moves.sort_by_key(|mv| mv.value.wdl != Wdl::Draw);
    let draws = moves.iter().take_while(|mv| mv.value.wdl == Wdl::Draw);
    let is_draw =
        game.rules().repetition != Repetition::MoverLoses && draws.clone().all(|mv| mv.is_proved);
    if is_draw {
        let count = draws.count();
        moves.truncate(count);
    }
    let value = endless_holds(game, game.position().to_move);
    let known = match value.filter(|_| is_draw) {
        Some(Wdl::Draw) => Some(KnownValue::Draw),
        Some(Wdl::Win) => Some(KnownValue::TableWin),
        Some(Wdl::Loss) => Some(KnownValue::TableLoss),
        None => None,
    };
    RootProbe::Moves { moves, known }
}

/// Returns the value of endless play to this side if it holds in this game. Where the attackers would
/// win, a ply limit makes a draw.
pub(super) fn endless_holds(game: &Game, side: Side) -> Option<Wdl> {
    let rules = game.rules();
    match endless_value(rules, side)? {
        Wdl::Draw => (rules.repetition != Repetition::MoverLoses).then_some(Wdl::Draw),
        decided => game.plies_left().is_none().then_some(decided),
    }
}

/// Returns a line of the move alone.
fn line(mv: &RankedMove) -> Line {
    Line { score: mv.score(), depth: 1, moves: vec![mv.played] }
}

/// Returns a line of the move and, unless it ends the game, the tables' continuation.
fn table_line(tables: &Tablebase, game: &Game, mv: &RankedMove) -> Line {
    let mut extended = line(mv);
    let mut then = game.clone();
    then.push(&mv.played);
    if then.outcome().is_none() {
        extended.moves.extend(tables.for_search(tables.line(then.position())).unwrap_or_default());
    }
    extended
}
