use std::ops::ControlFlow;

use super::hits::{Hit, Longest, RandomHits};
use super::{FindError, Found, FoundCount, Pattern, Query};
use crate::game::board::SquareSet;
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::game::value::Wdl;
use crate::study::scan::{Scan, ScannedRows, outcome};
use crate::study::zugzwang::mutual_zugzwang;
use crate::table::dont_care::is_decided;
use crate::table::{Code, Metric, Table, TableFile};
use crate::tablebase::Probed;

/// A query to one table. Results are in the order of the table's rows: by the placement of the
/// soldiers, then by the king's square, then by the side to move.
///
/// Each method scans the table once, on rayon's current threads.
pub struct Search<'a> {
    scan: Scan<'a>,
    query: Query,
    patterns: Vec<Pattern>,
    go_on: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Search<'a> {
    /// Prepares a search in a table of these rules.
    ///
    /// # Errors
    /// If the table was made for other rules, if the query needs distances and the table or the
    /// wanted positions have none, or if no position can match the pattern.
    pub fn new(
        rules: &'a Ruleset,
        table: &'a Table<TableFile>,
        query: &Query,
    ) -> Result<Search<'a>, FindError> {
        query.pattern.check(rules)?;
        let scan = Scan::new(rules, table)?;
        let patterns = query.pattern.images(rules);
        let search = Search { scan, query: query.clone(), patterns, go_on: &|| true };
        if query.plies.is_some() {
            search.check_distances()?;
        }
        Ok(search)
    }

    /// Sets a callback that is called regularly, on the thread that runs the search. If it
    /// returns `false`, the search ends as if the rest of the table had no matches.
    #[must_use]
    pub fn cancel_unless(self, go_on: &'a (dyn Fn() -> bool + Sync)) -> Search<'a> {
        Search { go_on, ..self }
    }

    /// Passes each position to `take`, until `take` breaks; the rest of the table is not read
    /// then.
    ///
    /// # Errors
    /// If a block is damaged.
    pub fn each(&self, mut take: impl FnMut(Found) -> ControlFlow<()>) -> Result<(), FindError> {
        self.run(sorted, |hits| hits.iter().flat_map(|hit| self.found(hit)).try_for_each(&mut take))
    }

    /// Counts the positions, by side to move; 0 for a side that the query excludes.
    ///
    /// # Errors
    /// As [`each`](Search::each).
    pub fn count(&self) -> Result<BySide<FoundCount>, FindError> {
        let mut totals = BySide::<FoundCount>::default();
        self.run(counts, |counts| {
            for (total, count) in totals.iter_mut().zip(counts) {
                total.stored += count.stored;
                total.placements += count.placements;
            }
            ControlFlow::Continue(())
        })?;
        Ok(totals)
    }

    /// Returns the first `count` positions with the longest distance for their side to move: wins,
    /// or losses if the query requires them. Only that many are held in memory.
    ///
    /// # Errors
    /// As [`each`](Search::each), and those of [`check_distances`](Search::check_distances).
    pub fn longest(&self, count: usize) -> Result<Vec<Found>, FindError> {
        self.check_distances()?;
        let wanted = self.query.wdl.unwrap_or(Wdl::Win);
        let mut all = Longest::new(count);
        self.run(
            |mut hits| {
                hits.retain(|hit| outcome(hit.code) == wanted);
                Longest::of(hits, count)
            },
            |longest| {
                all.join(longest);
                ControlFlow::Continue(())
            },
        )?;
        Ok(all.into_hits().iter().flat_map(|hit| self.found(hit)).collect())
    }

    /// Checks that the table has distances, and that wanted positions can have one.
    ///
    /// # Errors
    /// If the table has none, or if positions that neither side can force are wanted.
    pub fn check_distances(&self) -> Result<(), FindError> {
        if self.query.wdl == Some(Wdl::Draw) {
            return Err(FindError::OpenWithoutDistance(self.scan.rules.endless.name()));
        }
        match self.scan.table.header().metric {
            Metric::Dtw => Ok(()),
            Metric::Wdl => Err(FindError::NoDistances(self.scan.index.slice())),
        }
    }

    /// Passes the hits of each task, in any order, to `work`, and the results in row order to
    /// `take`.
    fn run<T: Send>(
        &self,
        work: impl Fn(Vec<Hit>) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), FindError> {
        // A zugzwang is decided by the values for both sides.
        let sides = if self.query.zugzwang { &Side::ALL } else { self.query.sides() };
        let matching = BySide::from_fn(|side| self.matching_codes(side));
        self.scan.run(
            sides,
            &|attackers, defenders| self.kings(attackers, defenders),
            |rows| work(self.hits(rows, &matching)),
            |result| if (self.go_on)() { take(result) } else { ControlFlow::Break(()) },
        )?;
        Ok(())
    }

    /// Returns the king's squares with which these soldiers match one of the patterns.
    fn kings(&self, attackers: SquareSet, defenders: SquareSet) -> SquareSet {
        let places = self.scan.rules.places(Kind::King);
        self.patterns.iter().fold(SquareSet::EMPTY, |kings, pattern| {
            kings | pattern.kings(places, attackers, defenders)
        })
    }

    /// Returns, by code, whether the value matches the query.
    fn matching_codes(&self, side: Side) -> Vec<bool> {
        (0..=self.scan.largest_code(side)).map(|code| self.is_matching_code(code)).collect()
    }

    fn is_matching_code(&self, code: Code) -> bool {
        let Some(Probed { wdl, plies }) = self.scan.value(code) else {
            return false;
        };
        self.query.wdl.is_none_or(|wanted| wanted == wdl)
            && match &self.query.plies {
                Some(wanted) => plies.is_some_and(|plies| wanted.contains(&plies)),
                None => true,
            }
    }

    fn hits(&self, rows: &ScannedRows, matching: &BySide<Vec<bool>>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for &to_move in self.query.sides() {
            let slots = rows.codes[to_move].iter().zip(&rows.multiplicities).enumerate();
            let matches = slots.filter(|&(_, (&code, &images))| {
                images > 0 && matching[to_move][usize::from(code)]
            });
            for (place, (&code, &images)) in matches {
                let other = rows.codes[to_move.other()].get(place).copied().unwrap_or(0);
                if !self.query.zugzwang || self.is_zugzwang(code, other) {
                    hits.push(Hit {
                        row: rows.rows.start + (place % rows.height()) as u64,
                        lane: (place / rows.height()) as u16,
                        to_move,
                        code,
                        other,
                        images,
                    });
                }
            }
        }
        hits
    }

    fn is_zugzwang(&self, code: Code, other: Code) -> bool {
        let endless = self.scan.rules.endless;
        // The definition is symmetric in the two sides.
        mutual_zugzwang(endless, outcome(code), outcome(other)) == Some(true)
    }

    /// Unranks a hit; `Some` for every slot with a position.
    fn found(&self, hit: &Hit) -> Option<Found> {
        let position = self.scan.index.unrank(hit.slot(), hit.to_move)?;
        let mut value = self.scan.value(hit.code)?;
        // As in a probe, a win by the rules has its distance without a DTW table.
        let is_win = value == Probed { wdl: Wdl::Win, plies: None };
        if is_win && is_decided(self.scan.rules, &position) {
            value.plies = Some(1);
        }
        Some(Found {
            position,
            value,
            other: if self.query.zugzwang { self.scan.value(hit.other) } else { None },
            images: usize::from(hit.images),
        })
    }
}

fn sorted(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_unstable();
    hits
}

fn counts(hits: Vec<Hit>) -> BySide<FoundCount> {
    let mut counts = BySide::<FoundCount>::default();
    for hit in hits {
        counts[hit.to_move].stored += 1;
        counts[hit.to_move].placements += u64::from(hit.images);
    }
    counts
}

/// Draws `count` random positions from those that the searches would find, or all if there are
/// fewer: uniformly distributed, mirror images counted as one, in the order in which they are
/// drawn. The result depends on the seed but not on the number of threads, and a smaller
/// `count` gives a prefix of it.
///
/// # Errors
/// As [`Search::each`].
pub fn random(searches: &[Search<'_>], count: usize, seed: u64) -> Result<Vec<Found>, FindError> {
    let mut all = Vec::new();
    for search in searches {
        let slice = search.scan.index.slice();
        let mut sample = RandomHits::new(count);
        search.run(
            |hits| RandomHits::of(hits, slice, count, seed),
            |more| {
                sample.join(more);
                ControlFlow::Continue(())
            },
        )?;
        let keyed = sample.into_hits().into_iter();
        all.extend(keyed.filter_map(|(key, hit)| Some((key, search.found(&hit)?))));
        all.sort_by_key(|(key, found)| (*key, found.position));
        all.truncate(count);
    }
    Ok(all.into_iter().map(|(_, found)| found).collect())
}
