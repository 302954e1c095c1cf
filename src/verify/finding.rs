use std::fmt;

use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::value::{Value, Wdl};
use crate::table::{Metric, SideSummary, ValueHash};

/// Something in a table that is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// The DTW table's value of a position is not what its moves lead to.
    Dtw {
        /// The position.
        position: Position,
        /// What the table says.
        stored: Value,
        /// What follows from the values stored for the moves.
        found: Value,
    },
    /// The WDL table's value of a position is not the sign of the distance in
    /// the DTW table or, without one, not what its moves lead to.
    Wdl {
        /// The position.
        position: Position,
        /// What the table says.
        stored: Wdl,
        /// What it should say.
        found: Wdl,
    },
    /// A table's summary is not that of its values.
    Summary {
        /// The table.
        metric: Metric,
        /// The side to move.
        side: Side,
        /// What the table says.
        stored: SideSummary,
        /// The counts of its values.
        found: SideSummary,
    },
    /// A table's value hash is not that of its values.
    ValueHash {
        /// The table.
        metric: Metric,
        /// What the table says.
        stored: ValueHash,
        /// The hash of its values.
        found: ValueHash,
    },
}

impl Finding {
    /// The finding in words, on one line.
    pub fn display(&self, rules: &Ruleset) -> impl fmt::Display + use<> {
        let outcome = |wdl| match wdl {
            Wdl::Win => "win",
            Wdl::Draw => rules.endless.name(),
            Wdl::Loss => "loss",
        };
        let value = |value: Value| match value.plies() {
            Some(plies) => format!("{} in {plies}", outcome(value.wdl())),
            None => outcome(value.wdl()).to_owned(),
        };
        match self {
            Finding::Dtw { position, stored, found } => format!(
                "{}: the DTW table says {}, the moves {}",
                position.display(rules),
                value(*stored),
                value(*found)
            ),
            Finding::Wdl { position, stored, found } => format!(
                "{}: the WDL table says {}, it should say {}",
                position.display(rules),
                outcome(*stored),
                outcome(*found)
            ),
            Finding::Summary { metric, side, stored, found } => format!(
                "the {metric} table counts {}, with the {} to move it has {}",
                counts(rules, stored),
                side.name(),
                counts(rules, found)
            ),
            Finding::ValueHash { metric, stored, found } => {
                format!("the {metric} table's value hash is {stored}, that of its values {found}")
            }
        }
    }
}

fn counts(rules: &Ruleset, summary: &SideSummary) -> String {
    let endless = rules.endless.name();
    let SideSummary { positions, wins, draws, losses, max_win, max_loss } = summary;
    format!(
        "{positions} placements, {wins} wins (up to {max_win} plies), {draws} {endless}, \
         {losses} losses (up to {max_loss} plies)"
    )
}
