//! What the tables say of the position on the board, and what of it is proved for this game.
//!
//! Tables know nothing of a game's past, nor of its last ply. Where positions of the game
//! can come back, a value of the tables is a statement about this game only if it can be
//! proved: see [`Proof`]. Of a move that wins, but not as quickly as another one, that has
//! to be proved always: the position on the board may come back.

use std::cmp::Reverse;

use crate::engine::{Line, Score};
use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;
use crate::game::rules::{Endless, Repetition};
use crate::game::value::{Plies, Wdl};
use crate::tablebase::{Probed, Tablebase};

use super::proof::Proof;

/// What the tables say of the position on the board.
pub(super) enum RootProbe {
    /// Nothing.
    None,
    /// All there is to know: the best lines.
    Lines(Vec<Line>),
    /// Some of what there is to know.
    Moves {
        /// The moves to search, in the order of what the tables say of them.
        moves: Vec<RankedMove>,
        /// What the position is worth, if that is known: a win or a draw.
        known: Option<Wdl>,
    },
}

/// A move, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedMove {
    pub(super) played: Move,
    /// What it is worth to its player, with the plies from the position before it: by
    /// the tables, or by the rules if it ends the game.
    value: Probed,
    /// Whether that holds in this game.
    is_proved: bool,
}

impl RankedMove {
    /// What holds in this game.
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

/// What the tables say of these moves, of which `lines` are to be reported.
pub(super) fn probe_root(
    tables: &Tablebase,
    game: &Game,
    moves: &[Move],
    lines: usize,
) -> RootProbe {
    let has_past = game.can_repeat();
    let Some(moves) = judged(tables, game, moves, has_past) else { return RootProbe::None };
    let Some(best) = moves.iter().map(|mv| mv.value.wdl).max() else { return RootProbe::None };
    match best {
        Wdl::Win => won(tables, game, moves, lines, has_past),
        Wdl::Loss => lost(tables, game, moves, lines, has_past),
        Wdl::Draw => drawn(game, moves),
    }
}

/// The moves in the order of what they are worth; `None` if of one nothing is known.
fn judged(
    tables: &Tablebase,
    game: &Game,
    moves: &[Move],
    has_past: bool,
) -> Option<Vec<RankedMove>> {
    let probed = tables.probe_moves(game.position()).ok()?;
    let wanted = probed.iter().filter(|mv| moves.contains(&mv.played));
    wanted.map(|mv| judge(game, mv.played, mv.value, has_past)).collect()
}

/// What a move is worth of which the tables say that.
fn judge(game: &Game, played: Move, value: Option<Probed>, has_past: bool) -> Option<RankedMove> {
    let rules = game.rules();
    let mover = game.position().to_move;
    let mut then = game.clone();
    then.push(&played);
    let advised = |wdl, plies, is_proved| {
        Some(RankedMove { played, value: Probed { wdl, plies }, is_proved })
    };
    match (then.outcome(), value?) {
        (Some(Outcome { winner: Some(winner), .. }), _) => {
            advised(if winner == mover { Wdl::Win } else { Wdl::Loss }, Some(1), true)
        }
        (Some(Outcome { winner: None, .. }), _) => advised(Wdl::Draw, None, true),
        // Without end means without a repetition that would lose.
        (None, Probed { wdl: Wdl::Draw, .. }) => {
            let is_draw =
                rules.endless == Endless::Draw && rules.repetition != Repetition::MoverLoses;
            advised(Wdl::Draw, None, is_draw)
        }
        (None, Probed { wdl, plies }) => match (then.plies_left(), plies) {
            // What comes after the last ply does not come. The loser holds out as long even
            // if something can come back.
            (Some(left), Some(plies)) if u32::from(plies) > left => {
                advised(Wdl::Draw, None, rules.repetition != Repetition::MoverLoses)
            }
            (Some(_), None) => advised(wdl, None, false),
            _ => {
                let comes_back = rules.repetition != Repetition::Allowed
                    && wdl == Wdl::Win
                    && played.captured.is_empty();
                let plies = plies.map(|plies| plies.saturating_add(1));
                advised(wdl, plies, !has_past && !comes_back)
            }
        },
    }
}

/// The moves that win. Those that are not proved to win are left to the search.
fn won(
    tables: &Tablebase,
    game: &Game,
    mut moves: Vec<RankedMove>,
    lines: usize,
    has_past: bool,
) -> RootProbe {
    // A winner who has to repeat loses: then others may be better.
    if !has_past || game.rules().repetition != Repetition::MoverLoses {
        moves.retain(|mv| mv.value.wdl == Wdl::Win);
    }
    moves.sort_by_key(|mv| (mv.value.wdl != Wdl::Win, mv.distance()));
    let wins = || moves.iter().filter(|mv| mv.value.wdl == Wdl::Win);
    let is_in_time = |mv: &RankedMove| mv.value.plies.is_some() || game.plies_left().is_none();
    let known = (!has_past && wins().any(is_in_time)).then_some(Wdl::Win);
    let is_exact = wins().all(|mv| mv.value.plies.is_some());
    let Some(mut proof) = Proof::new(tables, game).filter(|_| is_exact) else {
        return RootProbe::Moves { moves, known };
    };
    let mut proved = Vec::new();
    for mv in wins() {
        let line = match mv.is_proved {
            true => Some(table_line(tables, game, mv)),
            false => proof.winning_line(&mv.played),
        };
        proved.extend(line);
        if proved.len() == lines {
            break;
        }
    }
    if proved.is_empty() {
        return RootProbe::Moves { moves, known };
    }
    proved.sort_by_key(|line| match line.score {
        Score::Win(plies) => plies,
        _ => Plies::MAX,
    });
    RootProbe::Lines(proved)
}

/// All moves lose, say the tables. If there is a past, some may not: they are searched.
fn lost(
    tables: &Tablebase,
    game: &Game,
    mut moves: Vec<RankedMove>,
    lines: usize,
    has_past: bool,
) -> RootProbe {
    let mut proof = if has_past { Proof::new(tables, game) } else { None };
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
    let best = moves.iter().take(lines);
    let line = |mv: &RankedMove| match &mut proof {
        Some(proof) => Line { moves: proof.losing_line(&mv.played), ..line(mv) },
        None => table_line(tables, game, mv),
    };
    RootProbe::Lines(best.map(line).collect())
}

/// Nobody wins, or nobody knows who. Moves that are not known to draw are left out only
/// where the others are.
fn drawn(game: &Game, mut moves: Vec<RankedMove>) -> RootProbe {
    moves.sort_by_key(|mv| mv.value.wdl != Wdl::Draw);
    let draws = moves.iter().take_while(|mv| mv.value.wdl == Wdl::Draw);
    let is_draw =
        game.rules().repetition != Repetition::MoverLoses && draws.clone().all(|mv| mv.is_proved);
    if is_draw {
        let count = draws.count();
        moves.truncate(count);
    }
    RootProbe::Moves { moves, known: is_draw.then_some(Wdl::Draw) }
}

/// The move alone.
fn line(mv: &RankedMove) -> Line {
    Line { score: mv.score(), depth: 1, moves: vec![mv.played] }
}

/// The move, and what the tables expect after it.
fn table_line(tables: &Tablebase, game: &Game, mv: &RankedMove) -> Line {
    let mut line = line(mv);
    if mv.played.ending.is_none() {
        let after = game.position().after(&mv.played);
        line.moves.extend(tables.line(&after).unwrap_or_default());
    }
    line
}
