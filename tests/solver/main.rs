//! Built tables against an independent brute-force solver, and builds that are interrupted.

mod brute_force;
#[path = "../support/comparison/mod.rs"]
mod comparison;
mod counts;
mod custom_rules;
mod determinism;
mod interrupted;
#[path = "../support/inventions/mod.rs"]
mod inventions;
mod large_boards;
mod long_wins;
#[path = "../support/positions/mod.rs"]
mod positions;
#[path = "../support/reference/mod.rs"]
mod reference;
mod reference_fixtures;
mod whole_games;
