//! Lookahead: what the next moves decide, by the rules or by threats of the king.

use crate::engine::bits::Bits;
use crate::engine::board_tables::BoardTables;
use crate::engine::state::{State, Step};
use crate::game::rules::{Kind, Side};

/// What the next move decides in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judgement<const W: usize> {
    /// The game is over, or this side wins with its next move, whatever the other side plays before.
    Won(Side),
    /// The attackers are to move and must move to one of these squares, or the king escapes.
    Blocks(Bits<W>),
    /// Nothing is decided.
    Open,
}

/// Judges a position by its next moves.
#[inline]
pub(super) fn judge<const W: usize>(board: &BoardTables<W>, state: &State<W>) -> Judgement<W> {
    if state.soldiers[Side::Attackers].is_empty() {
        return Judgement::Won(Side::Defenders);
    }
    if let Some(winner) = state.region_winner(board) {
        return Judgement::Won(winner);
    }
    if state.to_move == Side::Defenders {
        let escapes = !state.open_goals(board, state.king).is_empty();
        return if escapes { Judgement::Won(Side::Defenders) } else { Judgement::Open };
    }
    if state.king_capture(board).is_some() {
        return Judgement::Won(Side::Attackers);
    }
    match state.line_blocks(board) {
        (_, 0) => Judgement::Open,
        (blocks, _) => {
            let free = blocks.without(state.occupied());
            if free.is_empty() { Judgement::Won(Side::Defenders) } else { Judgement::Blocks(free) }
        }
    }
}

/// Generates the moves that the judgement leaves to the side to move.
#[inline]
pub(super) fn each_step<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    judgement: Judgement<W>,
    found: impl FnMut(Step),
) {
    match judgement {
        Judgement::Blocks(blocks) => state.each_step_to(board, blocks, found),
        _ => state.each_step(board, found),
    }
}

/// Returns a fork by which the defenders, who are to move and cannot escape at once, win: a move of
/// the king after which no block holds, even by another fork if `depth` is above 1.
pub(super) fn fork<const W: usize>(
    board: &BoardTables<W>,
    state: &mut State<W>,
    depth: u32,
) -> Option<Step> {
    let targets = state.targets(board, Kind::King, state.king);
    let (line_squares, _) = state.line_squares(board, targets);
    fork_on(board, state, line_squares, depth)
}

/// As [`fork`], given the king's targets with an open line to a goal.
pub(super) fn fork_on<const W: usize>(
    board: &BoardTables<W>,
    state: &mut State<W>,
    line_squares: Bits<W>,
    depth: u32,
) -> Option<Step> {
    if line_squares.is_empty() {
        return None;
    }
    let before = state.clone();
    for to in line_squares.iter() {
        let step = Step::new(before.king, to);
        state.play(board, step);
        let wins = match judge(board, state) {
            Judgement::Won(winner) => winner == Side::Defenders,
            Judgement::Blocks(blocks) => holding_blocks(board, state, blocks, depth - 1, 1) == 0,
            Judgement::Open => false,
        };
        state.clone_from(&before);
        if wins {
            return Some(step);
        }
    }
    None
}

/// Counts the attackers' moves to these squares that no fork of this depth refutes. Stops at
/// `enough`.
pub(super) fn holding_blocks<const W: usize>(
    board: &BoardTables<W>,
    state: &mut State<W>,
    blocks: Bits<W>,
    depth: u32,
    enough: u32,
) -> u32 {
    let before = state.clone();
    let mut holding = 0;
    for to in blocks.iter() {
        for from in before.arrivals(board, Side::Attackers, to) {
            state.play(board, Step::new(from, to));
            // A block can capture a defender and open another line.
            let fails = !state.open_goals(board, state.king).is_empty()
                || depth > 0 && fork(board, state, depth).is_some();
            state.clone_from(&before);
            holding += u32::from(!fails);
            if holding >= enough {
                return holding;
            }
        }
    }
    holding
}

/// Counts the defenders' moves after which the attackers cannot capture the king at once.
pub(super) fn safe_moves<const W: usize>(board: &BoardTables<W>, state: &mut State<W>) -> u32 {
    let before = state.clone();
    let mut safe = 0;
    before.each_step(board, |step| {
        state.play(board, step);
        safe += u32::from(state.king_capture(board).is_none());
        state.clone_from(&before);
    });
    safe
}
