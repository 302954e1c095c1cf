//! Static evaluation: numbers by the rules, the tables and the king's threats, or an estimate.

use crate::engine::evaluate::features::Mobility;
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::game::value::Wdl;

use super::lookahead::{self, Judgement, judge};
use super::search::{Numbers, Worker};

/// The points of the engine's evaluation, in hundredths of a soldier, that change a proof number
/// by 1.
const POINTS_PER_NUMBER: i32 = 60;
/// The divisor of the attackers' mobility at a leaf where the king threatens to win.
const THREAT_DIVISOR: u32 = 8;

impl<const W: usize> Worker<'_, '_, W> {
    /// Probes the tables for the current state, which no side wins at once.
    #[inline]
    pub(super) fn probe(&self) -> Option<Wdl> {
        let oracle = &self.shared.oracle;
        let [attackers, defenders] =
            [Side::Attackers, Side::Defenders].map(|side| self.state.soldiers[side].len() as usize);
        let slice = Slice { defenders, attackers };
        let position = oracle.includes(slice).then(|| self.state.position(self.shared.rules))?;
        oracle.probe(&position, slice)
    }

    /// Returns the numbers of the current state by static evaluation.
    pub(super) fn evaluate(&mut self) -> Numbers {
        let (mover, prover) = (self.state.to_move, self.prover);
        let judgement = judge(&self.shared.board, &self.state);
        if let Judgement::Won(winner) = judgement {
            return Numbers::decided((winner == prover) == (mover == prover));
        }
        if let Some(wdl) = self.probe() {
            // A draw is enough for the prover's opponent.
            return Numbers::decided(match wdl {
                Wdl::Win => true,
                Wdl::Loss => false,
                Wdl::Draw => mover != prover,
            });
        }
        let mobility = Mobility::of(&self.shared.board, &self.state);
        let moves = match mover {
            Side::Attackers => self.attackers_moves(judgement, &mobility),
            Side::Defenders => match self.defenders_moves(&mobility) {
                Some(moves) => moves,
                None => return Numbers::decided(true),
            },
        };
        if moves == 0 {
            return Numbers::decided(false);
        }
        let Self { shared, state, .. } = self;
        let points = shared.evaluator.estimate_with(&shared.board, state, &mobility);
        let estimate = points / POINTS_PER_NUMBER;
        Numbers::estimated(1 + (-estimate).max(0) as u32, 1 + moves / 2 + estimate.max(0) as u32)
    }

    /// Counts the attackers' moves. Under a threat of escape only blocks that hold count, and a
    /// fraction of all moves if the king would win after a pass.
    fn attackers_moves(&mut self, judgement: Judgement<W>, mobility: &Mobility<W>) -> u32 {
        let board = &self.shared.board;
        let line_squares = mobility.line_squares;
        if let Judgement::Blocks(blocks) = judgement {
            return lookahead::holding_blocks(board, &mut self.state, blocks, 1, u32::MAX);
        }
        let moves = mobility.soldiers[Side::Attackers].count;
        if line_squares.is_empty() {
            return moves;
        }
        self.state.pass(board);
        let is_threat = lookahead::wins_by_fork_on(board, &mut self.state, line_squares, 1);
        self.state.pass(board);
        if is_threat { moves.div_ceil(THREAT_DIVISOR) } else { moves }
    }

    /// Counts the defenders' moves; only those that keep the king safe if he is threatened. `None` if
    /// the king wins by a fork.
    fn defenders_moves(&mut self, mobility: &Mobility<W>) -> Option<u32> {
        let board = &self.shared.board;
        let line_squares = mobility.line_squares;
        if lookahead::wins_by_fork_on(board, &mut self.state, line_squares, 1) {
            return None;
        }
        let reached = mobility.soldiers[Side::Attackers].squares;
        if self.state.king_capture_squares(board).meets(&reached) {
            return Some(lookahead::safe_moves(board, &mut self.state));
        }
        Some(mobility.soldiers[Side::Defenders].count + mobility.king.len())
    }
}
