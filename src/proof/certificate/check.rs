//! The checker, which uses the plain rules and the tables, and nothing of the search.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::game::board::Square;
use crate::game::moves::{each_legal_move, find_move, wins_at_once};
use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::table::Metric;
use crate::tablebase::Tablebase;

use super::code::Coder;
use super::part::Part;
use super::{Certificate, CertificateError};
use crate::proof::answer::ProvedValue;

/// The result of a successful check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckReport {
    /// The value that is proved.
    pub value: ProvedValue,
    /// The positions of the strategies, each checked with all replies.
    pub positions: u64,
    /// Moves that end the game, or lead to positions that the rules decide.
    pub by_rule: u64,
    /// Moves to positions that the tables decide.
    pub by_table: u64,
    /// Moves to other positions of the strategies.
    pub inner: u64,
    /// The number of tables that the certificate depends on.
    pub tables: usize,
    /// For a win: after at most that many plies, the winner can win at once or a table decides.
    pub plies: Option<u64>,
}

/// Checks a certificate by the plain rules and these tables.
///
/// # Errors
/// If a table is missing or has other values, or a strategy fails in some position.
pub fn check(
    certificate: &Certificate,
    rules: &Ruleset,
    tables: &Tablebase,
) -> Result<CheckReport, CertificateError> {
    if certificate.fingerprint != rules.fingerprint()
        || tables.rules().fingerprint() != rules.fingerprint()
    {
        return Err(CertificateError::OtherRules { rules: certificate.rules.clone() });
    }
    let mut metrics = BTreeMap::new();
    for reference in &certificate.tables {
        let table = tables.table(reference.slice, reference.metric);
        if table.map_err(CertificateError::Table)?.value_hash() != reference.values {
            return Err(CertificateError::OtherTable { slice: reference.slice });
        }
        metrics.insert(reference.slice, reference.metric);
    }
    let coder = Coder::new(rules);
    let counts = Counts::default();
    let mut plies = None;
    for part in &certificate.parts {
        let (metrics, coder, counts) = (&metrics, &coder, &counts);
        let least_fall = AtomicU32::new(u32::MAX);
        let checker = PartChecker { rules, tables, metrics, coder, part, counts, least_fall };
        let rank = checker.root(&certificate.position)?;
        (0..part.len()).into_par_iter().try_for_each(|number| checker.strategy_move(number))?;
        if part.wins {
            plies = Some(checker.plies(&certificate.position, rank));
        }
    }
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    Ok(CheckReport {
        value: certificate.value,
        positions: certificate.moves() as u64,
        by_rule: count(&counts.by_rule),
        by_table: count(&counts.by_table),
        inner: count(&counts.inner),
        tables: metrics.len(),
        plies,
    })
}

#[derive(Default)]
struct Counts {
    by_rule: AtomicU64,
    by_table: AtomicU64,
    inner: AtomicU64,
}

struct PartChecker<'a> {
    rules: &'a Ruleset,
    tables: &'a Tablebase,
    /// The slices whose tables may be probed, with the metric of the table.
    metrics: &'a BTreeMap<Slice, Metric>,
    coder: &'a Coder,
    part: &'a Part,
    counts: &'a Counts,
    /// The least difference between the rank of a position and that of the holder's next one.
    least_fall: AtomicU32,
}

impl PartChecker<'_> {
    /// Returns after how many plies at most the holder can win at once or a table decides, given the
    /// greatest rank of the holder's first positions in the strategy.
    fn plies(&self, root: &Position, rank: Option<u32>) -> u64 {
        let least_fall = self.least_fall.load(Ordering::Relaxed);
        let moves = rank.map_or(0, |rank| u64::from(rank / least_fall) + 1);
        2 * moves + u64::from(root.to_move != self.part.holder)
    }

    /// Checks the position of the certificate itself. Returns the greatest rank of the holder's first
    /// positions in the strategy.
    fn root(&self, root: &Position) -> Result<Option<u32>, CertificateError> {
        match root.to_move == self.part.holder {
            true => self.holder_to_move(root, None),
            false => self.other_to_move(root, None),
        }
    }

    /// Checks a move of the strategy with all replies.
    fn strategy_move(&self, number: usize) -> Result<(), CertificateError> {
        let (code, stored) = self.part.get(number);
        let position = self.coder.decode(code, self.rules, self.part.holder);
        let Some(position) = position.filter(|p| p.check(self.rules).is_ok()) else {
            return Err(CertificateError::Malformed(format!("position {number} is impossible")));
        };
        if !self.coder.is_canonical(code, &position) {
            return Err(self.fails(&position, "it is not the canonical one of its mirror images"));
        }
        let area = self.rules.board.area();
        let [from, to] = [stored.from, stored.to].map(usize::from);
        let played = (from < area && to < area)
            .then(|| find_move(self.rules, &position, Square::new(from), Square::new(to)))
            .flatten();
        let Some(played) = played else {
            return Err(self.fails(&position, "its move is not legal"));
        };
        match played.ending {
            Some(ending) if ending.winner() == self.part.holder => Ok(()),
            Some(_) => Err(self.fails(&position, "its move loses")),
            None => {
                let next = self.other_to_move(&position.after(&played), Some(stored.rank))?;
                if let Some(next) = next {
                    self.least_fall.fetch_min(stored.rank - next, Ordering::Relaxed);
                }
                Ok(())
            }
        }
    }

    /// Checks a position with the other side to move; `rank` is the rank of the position before it.
    /// Returns the greatest rank of the positions after it that are in the strategy.
    fn other_to_move(
        &self,
        position: &Position,
        rank: Option<u32>,
    ) -> Result<Option<u32>, CertificateError> {
        if let Some(wdl) = self.probe(position)? {
            let is_good = if self.part.wins { wdl == Wdl::Loss } else { wdl != Wdl::Win };
            self.by_table(position, is_good)?;
            return Ok(None);
        }
        let mut greatest = None;
        for reply in each_legal_move(self.rules, position) {
            match reply.ending {
                Some(ending) if ending.winner() == self.part.holder => {
                    self.counts.by_rule.fetch_add(1, Ordering::Relaxed);
                }
                Some(_) => return Err(self.fails(position, "the other side wins")),
                None => {
                    greatest = greatest.max(self.holder_to_move(&position.after(&reply), rank)?)
                }
            }
        }
        Ok(greatest)
    }

    /// Checks a position with the holder to move. Returns its rank if it is in the strategy.
    fn holder_to_move(
        &self,
        position: &Position,
        rank: Option<u32>,
    ) -> Result<Option<u32>, CertificateError> {
        if wins_at_once(self.rules, position) {
            self.counts.by_rule.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        if let Some(wdl) = self.probe(position)? {
            let is_good = if self.part.wins { wdl == Wdl::Win } else { wdl != Wdl::Loss };
            self.by_table(position, is_good)?;
            return Ok(None);
        }
        let Some(stored) = self.part.find(self.coder.encode(position).as_bytes()) else {
            return Err(self.fails(position, "the strategy has no move here"));
        };
        if self.part.wins && rank.is_some_and(|rank| stored.rank >= rank) {
            return Err(self.fails(position, "the rank does not fall"));
        }
        self.counts.inner.fetch_add(1, Ordering::Relaxed);
        Ok(Some(stored.rank))
    }

    fn by_table(&self, position: &Position, is_good: bool) -> Result<(), CertificateError> {
        if !is_good {
            return Err(self.fails(position, "the table says otherwise"));
        }
        self.counts.by_table.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the table value of a position if its table is among those of the certificate.
    fn probe(&self, position: &Position) -> Result<Option<Wdl>, CertificateError> {
        // Only the table whose hash was compared.
        let wdl = match self.metrics.get(&position.slice()) {
            None => return Ok(None),
            Some(Metric::Wdl) => self.tables.probe_one(position),
            Some(Metric::Dtw) => self.tables.probe_one::<Value>(position).map(Value::wdl),
        };
        wdl.map(Some).map_err(CertificateError::Table)
    }

    fn fails(&self, position: &Position, reason: &'static str) -> CertificateError {
        CertificateError::Fails { position: position.to_text(self.rules), reason }
    }
}
