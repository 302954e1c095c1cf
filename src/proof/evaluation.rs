//! Static evaluation: numbers by the rules, the tables and the king's threats, or an estimate.

use crate::engine::evaluate::features::{KingMobility, Mobility};
use crate::engine::evaluate::weights::Weight;
use crate::engine::state::Step;
use crate::game::rules::Side;
use crate::game::value::Wdl;
use crate::system::processor::with_bit_instructions;

use super::lookahead::{self, Judgement, judge};
use super::search::{Numbers, Shared, Worker};

/// The divisor of the attackers' mobility at a leaf where the king threatens to win.
const THREAT_DIVISOR: u32 = 8;

impl<const W: usize> Worker<'_, '_, W> {
    /// Probes the tables for the current state, which no side wins at once. A table that cannot be
    /// read decides nothing.
    #[inline]
    pub(super) fn probe(&self) -> Option<Wdl> {
        let Shared { tables, coverage, rules, .. } = self.shared;
        let slice = self.state.slice();
        let tables = tables.filter(|_| coverage.of(slice).any)?;
        tables.probe_undecided(&self.state.position(*rules), slice)
    }

    /// Returns the numbers of the current state by static evaluation.
    pub(super) fn evaluate(&mut self) -> Numbers {
        let estimate = self.shared.estimates.for_mover(self.prover, self.state.to_move);
        self.evaluate_with(estimate.evaluator.places(&self.state))
    }

    /// Returns the same, given the weight of the men's squares.
    pub(super) fn evaluate_with(&mut self, places: Weight) -> Numbers {
        with_bit_instructions(
            #[inline(always)]
            || self.evaluate_inline(places),
        )
    }

    #[inline(always)]
    fn evaluate_inline(&mut self, places: Weight) -> Numbers {
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
        let king = KingMobility::of(&self.shared.board, &self.state);
        // What threats decide costs least.
        let few = match self.moves_under_threat(judgement, &king) {
            Ok(few) => few,
            Err(decided) => return decided,
        };
        let is_threat = self.is_threat(judgement, &king);
        let mobility = Mobility::with(king, &self.shared.board, &self.state);
        let moves = few.unwrap_or_else(|| self.count_moves(&mobility, is_threat));
        if moves == 0 {
            return Numbers::decided(false);
        }
        let Self { shared: Shared { board, estimates, .. }, state, .. } = self;
        let estimate = estimates.for_mover(prover, mover);
        let points = estimate.points(board, state, &mobility, places, is_threat);
        Numbers::estimated(
            1 + estimate.to_success(points),
            1 + moves / 2 + estimate.to_failure(points),
        )
    }

    /// Returns a fork by which the current side to move wins, if it is the defenders.
    pub(super) fn winning_fork(&mut self) -> Option<Step> {
        match self.state.to_move {
            Side::Attackers => None,
            Side::Defenders => lookahead::fork(&self.shared.board, &mut self.state, 1),
        }
    }

    /// Returns whether the attackers are to move, need not stop an escape, and the king would win by a
    /// fork after a pass.
    #[inline(always)]
    pub(super) fn is_threat(&mut self, judgement: Judgement<W>, king: &KingMobility<W>) -> bool {
        let Self { shared: Shared { board, .. }, state, .. } = self;
        if state.to_move == Side::Defenders || judgement != Judgement::Open {
            return false;
        }
        state.pass(board);
        let is_threat = lookahead::fork_on(board, state, king.line_squares, 1).is_some();
        state.pass(board);
        is_threat
    }

    /// Counts the blocks that hold if the king threatens to escape. The error is the value if he
    /// wins by a fork, or no block holds.
    #[inline(always)]
    fn moves_under_threat(
        &mut self,
        judgement: Judgement<W>,
        king: &KingMobility<W>,
    ) -> Result<Option<u32>, Numbers> {
        let Self { shared: Shared { board, .. }, state, .. } = self;
        if state.to_move == Side::Defenders {
            return match lookahead::fork_on(board, state, king.line_squares, 1) {
                Some(_) => Err(Numbers::decided(true)),
                None => Ok(None),
            };
        }
        let Judgement::Blocks(blocks) = judgement else { return Ok(None) };
        match lookahead::holding_blocks(board, state, blocks, 1, u32::MAX) {
            0 => Err(Numbers::decided(false)),
            holding => Ok(Some(holding)),
        }
    }

    /// Counts the moves of the side to move: for the attackers, a fraction of them if the king
    /// threatens to win; for the defenders, only those that keep the king safe if he is threatened.
    #[inline(always)]
    fn count_moves(&mut self, mobility: &Mobility<W>, is_threat: bool) -> u32 {
        let Self { shared: Shared { board, .. }, state, .. } = self;
        let Mobility { king, soldiers } = mobility;
        match state.to_move {
            Side::Attackers if is_threat => {
                soldiers[Side::Attackers].count.div_ceil(THREAT_DIVISOR)
            }
            Side::Attackers => soldiers[Side::Attackers].count,
            Side::Defenders if king.capture_squares.meets(&soldiers[Side::Attackers].squares) => {
                lookahead::safe_moves(board, state)
            }
            Side::Defenders => soldiers[Side::Defenders].count + king.targets.len(),
        }
    }
}
