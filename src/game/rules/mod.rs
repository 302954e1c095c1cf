//! Rulesets as data: ruleset files, their checked form, and fingerprints.

mod check;
mod error;
mod file;
mod fingerprint;
#[cfg(feature = "build")]
mod json;
mod layout;
mod load;
mod names;
mod otn;
mod ruleset;
mod side;
mod similar;
mod slides;
mod summary;
mod unsolved;
mod value_decisions;
mod words;

pub use error::RulesetError;
pub use fingerprint::{Fingerprint, RulesId};
pub use layout::{Layout, LayoutError};
pub use otn::OtnError;
pub use ruleset::{Decisions, Endless, Hostility, Movement, Origin, Repetition, Ruleset};
pub use side::{ByKind, BySide, Kind, Side};
pub use slides::{Rays, Slides, Step};
pub use summary::RulesetSummary;
pub(crate) use words::plural;
