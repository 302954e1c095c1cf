//! Comparison of formulas with computed values, position by position.

use super::theorem::{self, ProofText};
use super::{Cell, Solved, patterns};

/// The number of examples that a [`Comparison`] keeps.
const EXAMPLES: usize = 5;

/// The result of comparing a statement about positions with computed values.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The number of positions that the statement covers.
    pub said: u64,
    /// The number of positions for which it is wrong.
    pub wrong: u64,
    /// The first few of those: the king's square and the soldier's.
    pub examples: Vec<(Cell, Cell)>,
}

impl Comparison {
    fn add(&mut self, king: Cell, soldier: Cell, is_right: bool) {
        self.said += 1;
        if !is_right {
            self.wrong += 1;
            if self.examples.len() < EXAMPLES {
                self.examples.push((king, soldier));
            }
        }
    }
}

/// Compares [`patterns::outcome`] with the outcomes. For soldiers that move south or east this
/// checks the theorem.
pub fn check_pattern<V: Copy + Into<u16>>(solved: &Solved<V>) -> Comparison {
    let mut comparison = Comparison::default();
    for (king, soldier) in solved.all() {
        if let Some(is_p) = patterns::outcome(solved.game(), king, soldier) {
            comparison.add(king, soldier, is_p == solved.is_p(king, soldier));
        }
    }
    comparison
}

/// Compares [`patterns::value`] with the Grundy values.
pub fn check_values(solved: &Solved<u16>) -> Comparison {
    let mut comparison = Comparison::default();
    for (king, soldier) in solved.all() {
        if let Some(value) = patterns::value(solved.game(), king, soldier) {
            comparison.add(king, soldier, value == solved.value(king, soldier));
        }
    }
    comparison
}

/// Compares the theorem's clauses, as the slides list them, with the outcomes; only for
/// soldiers that move south or east.
pub fn check_clauses<V: Copy + Into<u16>>(solved: &Solved<V>) -> Comparison {
    let mut comparison = Comparison::default();
    for king in solved.game().kings().cells() {
        let is_mirrored = king.row > king.column;
        let listed = theorem::p_squares(if is_mirrored { king.transposed() } else { king });
        for soldier in solved.soldiers(king) {
            let mirrored = if is_mirrored { soldier.transposed() } else { soldier };
            let is_p = listed.contains(&mirrored);
            comparison.add(king, soldier, is_p == solved.is_p(king, soldier));
        }
    }
    comparison
}

/// A check of the sets of the theorem's proof, over all positions with the king off the main
/// diagonal.
#[derive(Clone, Debug, Default)]
pub struct ProofReport {
    /// Positions that the mover wins, but not by a move of the soldier. The proof needs the sets
    /// to contain all of them; those outside the sets are wrong.
    pub needed: Comparison,
    /// Positions in the sets, which the mover must win; P-positions are wrong.
    pub held: Comparison,
}

/// Checks the sets of the proof; only for soldiers that move south or east.
pub fn check_proof<V: Copy + Into<u16>>(solved: &Solved<V>, text: ProofText) -> ProofReport {
    let mut report = ProofReport::default();
    for king in solved.game().kings().cells().filter(|king| king.row != king.column) {
        for (soldier, soldier_wins) in soldier_wins(solved, king) {
            let is_in = theorem::proof_set(king, soldier, text).is_some();
            let is_p = solved.is_p(king, soldier);
            if is_in {
                report.held.add(king, soldier, !is_p);
            }
            if !is_p && !soldier_wins {
                report.needed.add(king, soldier, is_in);
            }
        }
    }
    report
}

/// Returns the soldier's squares, each with whether a move of the soldier leads to a P-position.
fn soldier_wins<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell) -> Vec<(Cell, bool)> {
    let mut moves = Vec::new();
    let mut in_columns = vec![false; king.column + 1];
    for row in (0..=king.row).rev() {
        let mut in_row = false;
        for column in (0..=king.column).rev() {
            let (soldier, in_column) = (Cell::new(row, column), &mut in_columns[column]);
            if soldier != king {
                moves.push((soldier, in_row || *in_column));
                let is_p = solved.is_p(king, soldier);
                (in_row, *in_column) = (in_row || is_p, *in_column || is_p);
            }
        }
    }
    moves
}
