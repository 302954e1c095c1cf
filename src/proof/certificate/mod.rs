#![doc = include_str!("FORMAT.md")]

mod check;
mod code;
mod error;
mod file;
mod part;

pub use check::{CheckReport, check};
pub(in crate::proof) use code::{Coder, find_code};
pub use error::CertificateError;
pub(in crate::proof) use file::{begins_with, check_file, hexadecimal, read_rules};
#[cfg(test)]
pub(in crate::proof) use part::StoredMove;
pub(in crate::proof) use part::{Part, PartBuilder, StrategyMove};

use crate::game::position::Position;
use crate::game::rules::{Fingerprint, Ruleset, Side};
use crate::game::slice::Slice;
use crate::table::{Metric, ValueHash};
use crate::tablebase::{ProbeError, Tablebase};

use super::answer::{Answer, ProvedValue, value};

/// The file extension of certificates.
pub(in crate::proof) const EXTENSION: &str = "cert";
/// The folder of a store that holds its certificates.
pub(in crate::proof) const STORE_FOLDER: &str = "proofs";

/// A proved value of a position, or part of it, with the strategies that prove it.
#[derive(Clone, Debug)]
pub struct Certificate {
    rules: String,
    fingerprint: Fingerprint,
    position: Position,
    text: String,
    value: ProvedValue,
    parts: Vec<Part>,
    tables: Vec<TableReference>,
}

/// A table that a certificate depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TableReference {
    slice: Slice,
    metric: Metric,
    values: ValueHash,
}

impl Certificate {
    /// Makes the certificate of a position from its parts. It refers to all tables that the search
    /// could probe and whose slices can be reached from the position.
    pub(super) fn new(
        rules: &Ruleset,
        position: &Position,
        parts: Vec<Part>,
        tables: Option<&Tablebase>,
    ) -> Certificate {
        let root = position.slice();
        let tables = tables.map_or_else(Vec::new, |tables| {
            references(tables)
                .filter(|reference| {
                    let Slice { defenders, attackers } = reference.slice;
                    defenders <= root.defenders && attackers <= root.attackers
                })
                .collect()
        });
        Certificate {
            rules: rules.name.clone(),
            fingerprint: rules.fingerprint(),
            position: *position,
            text: position.to_text(rules),
            value: claimed_value(rules, &parts),
            parts,
            tables,
        }
    }

    /// Returns the name of the rules.
    pub fn rules_name(&self) -> &str {
        &self.rules
    }

    /// Returns the fingerprint of the rules.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the value that the certificate claims.
    pub fn value(&self) -> ProvedValue {
        self.value
    }

    /// Returns the sides that have a strategy, the attackers first, each with whether its strategy
    /// wins (otherwise it does not lose).
    pub fn holders(&self) -> Vec<(Side, bool)> {
        let mut holders: Vec<(Side, bool)> =
            self.parts.iter().map(|part| (part.holder, part.wins)).collect();
        holders.sort_by_key(|&(holder, wins)| (holder == Side::Defenders, wins));
        holders
    }

    /// Compares the tables that the certificate depends on with the given ones. Returns the slices
    /// whose tables are missing: positions in them are not decided by this certificate.
    ///
    /// # Errors
    /// If a table has other values, or cannot be read.
    pub fn compare_tables(&self, tables: &Tablebase) -> Result<Vec<Slice>, CertificateError> {
        let mut missing = Vec::new();
        for &TableReference { slice, metric, values } in &self.tables {
            match tables.table(slice, metric) {
                Ok(table) if table.value_hash() == values => {}
                Ok(_) => return Err(CertificateError::OtherTable { slice }),
                Err(ProbeError::MissingTable { .. }) => missing.push(slice),
                Err(error) => return Err(CertificateError::Table(error)),
            }
        }
        Ok(missing)
    }

    /// Checks that all tables that the certificate depends on are among the given ones.
    pub(in crate::proof) fn require_tables(
        &self,
        tables: Option<&Tablebase>,
    ) -> Result<(), CertificateError> {
        let missing = match tables {
            Some(tables) => self.compare_tables(tables)?.first().copied(),
            None => self.tables.first().map(|reference| reference.slice),
        };
        missing.map_or(Ok(()), |slice| {
            let metric = Metric::Wdl;
            Err(CertificateError::Table(ProbeError::MissingTable { slice, metric }))
        })
    }

    /// Returns its strategies.
    pub(in crate::proof) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns its strategies: the holder, whether it wins (otherwise it does not lose), and its
    /// moves.
    pub(super) fn strategies<'a>(
        &'a self,
        rules: &'a Ruleset,
    ) -> impl Iterator<Item = (Side, bool, impl Iterator<Item = StrategyMove> + 'a)> + 'a {
        self.parts.iter().map(|part| (part.holder, part.wins, part.moves(rules)))
    }

    /// Returns its strategies alone.
    pub(in crate::proof) fn into_parts(self) -> Vec<Part> {
        self.parts
    }

    /// Returns the number of moves in its strategies.
    pub fn moves(&self) -> usize {
        self.parts.iter().map(Part::len).sum()
    }
}

/// Returns the value that the parts claim.
fn claimed_value(rules: &Ruleset, parts: &[Part]) -> ProvedValue {
    let answer = |side: Side| {
        let wins = parts.iter().any(|part| part.holder == side && part.wins);
        let is_held = parts.iter().any(|part| part.holder == side.other());
        match (wins, is_held) {
            (true, _) => Answer::Won,
            (false, true) => Answer::NotWon,
            (false, false) => Answer::Unasked,
        }
    };
    value(Side::ALL.map(answer), rules.endless)
}

/// The tables that probes read: WDL where there is one, else DTW.
fn references(tables: &Tablebase) -> impl Iterator<Item = TableReference> {
    let mut slices: Vec<Slice> =
        Metric::ALL.into_iter().flat_map(|metric| tables.slices(metric)).collect();
    slices.sort();
    slices.dedup();
    slices.into_iter().filter_map(|slice| {
        [Metric::Wdl, Metric::Dtw].into_iter().find_map(|metric| {
            let table = tables.table(slice, metric).ok()?;
            Some(TableReference { slice, metric, values: table.value_hash() })
        })
    })
}
