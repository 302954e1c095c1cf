use std::fmt;

use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::value::{Value, Wdl};
use crate::table::{Metric, SideSummary, ValueHash};
use crate::tablebase::category;

use super::MAX_FINDINGS;

/// An error found in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// The DTW table's value of a position does not follow from its moves.
    Dtw {
        /// The position.
        position: Position,
        /// The value in the table.
        stored: Value,
        /// The value that follows from the stored values of its moves.
        found: Value,
    },
    /// The WDL table's value of a position contradicts the DTW table or, without a DTW table,
    /// does not follow from its moves.
    Wdl {
        /// The position.
        position: Position,
        /// The value in the table.
        stored: Wdl,
        /// The correct value.
        found: Wdl,
    },
    /// A table's summary does not match its values.
    Summary {
        /// The table.
        metric: Metric,
        /// The side to move.
        side: Side,
        /// The summary in the table.
        stored: SideSummary,
        /// The summary of its values.
        found: SideSummary,
    },
    /// A table's value hash does not match its values.
    ValueHash {
        /// The table.
        metric: Metric,
        /// The hash in the table.
        stored: ValueHash,
        /// The hash of its values.
        found: ValueHash,
    },
}

/// Findings, of which only the first are kept.
#[derive(Default)]
pub(super) struct Findings {
    pub count: u64,
    /// At most [`MAX_FINDINGS`].
    pub first: Vec<Finding>,
}

impl Findings {
    pub(super) fn add(&mut self, finding: Finding) {
        self.count += 1;
        if self.first.len() < MAX_FINDINGS {
            self.first.push(finding);
        }
    }

    pub(super) fn join(&mut self, next: Findings) {
        self.count += next.count;
        self.first.extend(next.first);
        self.first.truncate(MAX_FINDINGS);
    }
}

impl Finding {
    /// Returns a description of the finding, on one line.
    pub fn display(&self, rules: &Ruleset) -> impl fmt::Display + use<> {
        match self {
            Finding::Dtw { position, stored, found } => format!(
                "{}: the DTW table says {}, but the moves give {}",
                position.display(rules),
                value_text(rules, *stored),
                value_text(rules, *found)
            ),
            Finding::Wdl { position, stored, found } => format!(
                "{}: the WDL table says {}, but should say {}",
                position.display(rules),
                category(rules, *stored),
                category(rules, *found)
            ),
            Finding::Summary { metric, side, stored, found } => format!(
                "the {metric} table counts, with the {} to move, {}, but its values give {}",
                side.name(),
                counts(rules, stored),
                counts(rules, found)
            ),
            Finding::ValueHash { metric, stored, found } => {
                format!("the {metric} table's value hash is {stored}, but its values give {found}")
            }
        }
    }
}

fn value_text(rules: &Ruleset, value: Value) -> String {
    let outcome = category(rules, value.wdl());
    match value.plies() {
        Some(plies) => format!("{outcome} in {plies}"),
        None => outcome.to_owned(),
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
