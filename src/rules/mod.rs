//! Rulesets as data: what a file says, its checked form, and its fingerprint.

mod fingerprint;
mod ruleset;
mod slides;

pub use fingerprint::Fingerprint;
pub use ruleset::{Endless, Hostility, Kind, Layout, Movement, Repetition, Ruleset, Side};
pub use slides::{Rays, Slides, Step};
