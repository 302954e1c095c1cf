//! Boards, rules, moves, notation and indices, against data files and each other.

mod architecture;
#[path = "../support/counted/mod.rs"]
mod counted;
mod index;
mod moves_and_unmoves;
mod naive;
mod otn;
mod perft;
mod played_rules;
#[path = "../support/positions/mod.rs"]
mod positions;
#[path = "../support/random/mod.rs"]
mod random;
mod records;
mod rulesets;
mod special_rules;
