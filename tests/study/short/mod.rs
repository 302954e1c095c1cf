//! Short tafl: the solver compared with the rules, the theorem, and graphs.

mod brute_force;
mod formulas;
mod graphs;
mod pinned;

use taflbase::short::{Board, Game, Soldier, Solved, grundy_values, outcomes};

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

fn solved(text: &str, rule: Soldier) -> Solved<u8> {
    outcomes(Game::new(board(text), rule), &|_, _| true).unwrap()
}

fn valued(text: &str, rule: Soldier) -> Solved<u16> {
    grundy_values(Game::new(board(text), rule), &|_, _| true).unwrap()
}
