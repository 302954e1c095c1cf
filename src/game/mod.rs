//! The games: boards, rules, positions, moves and notation. This is all that an engine needs;
//! nothing here depends on tables.

pub mod board;
pub(crate) mod capture;
pub(crate) mod enclosure;
pub mod formations;
pub mod history;
pub mod moves;
pub mod notation;
pub mod perft;
pub mod position;
pub mod record;
pub mod replay;
pub mod retractions;
pub mod rules;
pub(crate) mod shieldwall;
pub mod slice;
pub mod unmoves;
pub mod value;
