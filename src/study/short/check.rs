//! Formulas against what was computed, square by square.

use super::theorem::{self, ProofText};
use super::{Cell, Solved, patterns};

/// Examples that a [`Comparison`] keeps.
const EXAMPLES: usize = 5;

/// How a statement about positions fares.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The positions of which it says something.
    pub said: u64,
    /// Those of which it says what is wrong.
    pub wrong: u64,
    /// The first few of them: the king's square and the soldier's.
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

/// Compares what [`patterns::outcome`] says with the outcomes. For soldiers that move south
/// or east that is the theorem.
pub fn check_pattern<V: Copy + Into<u16>>(solved: &Solved<V>) -> Comparison {
    let mut comparison = Comparison::default();
    for (king, soldier) in solved.all() {
        if let Some(is_p) = patterns::outcome(solved.game(), king, soldier) {
            comparison.add(king, soldier, is_p == solved.is_p(king, soldier));
        }
    }
    comparison
}

/// Compares what [`patterns::value`] says with Grundy values.
pub fn check_values(solved: &Solved<u16>) -> Comparison {
    let mut comparison = Comparison::default();
    for (king, soldier) in solved.all() {
        if let Some(value) = patterns::value(solved.game(), king, soldier) {
            comparison.add(king, soldier, value == solved.value(king, soldier));
        }
    }
    comparison
}

/// Compares the theorem's clauses as the slides list them with the outcomes. Soldiers that
/// move south or east only.
pub fn check_clauses<V: Copy + Into<u16>>(solved: &Solved<V>) -> Comparison {
    let mut comparison = Comparison::default();
    for king in solved.game().kings().cells() {
        let is_mirrored = king.row > king.column;
        let listed = theorem::p_squares(if is_mirrored { king.transposed() } else { king });
        for soldier in solved.soldiers(king) {
            let looked_up = if is_mirrored { soldier.transposed() } else { soldier };
            let is_p = listed.contains(&looked_up);
            comparison.add(king, soldier, is_p == solved.is_p(king, soldier));
        }
    }
    comparison
}

/// What the sets of the theorem's proof are: of all positions with the king off the main
/// diagonal.
#[derive(Clone, Debug, Default)]
pub struct ProofReport {
    /// The proof needs them to hold all positions that the mover wins, but not by
    /// a move of the soldier. Wrong are those that they leave out.
    pub needed: Comparison,
    /// All that they hold must be positions that the mover wins. Wrong are P-positions.
    pub held: Comparison,
}

/// Looks at the proof's sets. Soldiers that move south or east only.
pub fn check_proof<V: Copy + Into<u16>>(solved: &Solved<V>, print: ProofText) -> ProofReport {
    let mut report = ProofReport::default();
    for king in solved.game().kings().cells().filter(|king| king.row != king.column) {
        for (soldier, move_of_soldier_wins) in by_soldier_moves(solved, king) {
            let is_in = theorem::proof_set(king, soldier, print).is_some();
            let is_p = solved.is_p(king, soldier);
            if is_in {
                report.held.add(king, soldier, !is_p);
            }
            if !is_p && !move_of_soldier_wins {
                report.needed.add(king, soldier, is_in);
            }
        }
    }
    report
}

/// The soldier's squares, and whether it has a move south or east to a P-position.
fn by_soldier_moves<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell) -> Vec<(Cell, bool)> {
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
