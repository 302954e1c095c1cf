//! Every special rule of the built-in rulesets, in positions made for it.

mod hostile_squares;
mod men;
mod paths_and_ends;
