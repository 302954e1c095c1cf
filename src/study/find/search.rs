use std::ops::ControlFlow;

use super::hits::{Drawn, Hit, Longest};
use super::{FindError, Found, FoundCount, Pattern, Query, mutual_zugzwang};
use crate::game::board::SquareSet;
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::game::value::Wdl;
use crate::study::scan::{Lot, Scan, outcome, value};
use crate::table::{Code, Metric, Source, Table, WIN_IN_1};
use crate::tablebase::Probed;

/// A query to one table. All its answers are in the order of the table's rows: by the
/// placement of the soldiers, then by the king's square, then by the side to move.
///
/// Each answer goes through the table once, on rayon's current threads.
pub struct Search<'a, S> {
    scan: Scan<'a, S>,
    query: Query,
    patterns: Vec<Pattern>,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl<'a, S: Source + Sync> Search<'a, S> {
    /// Looks for that in a table of these rules.
    ///
    /// # Errors
    /// If the table is not one of these rules, or has no distances and the query asks
    /// for them, or if no position can fit the pattern.
    pub fn new(
        rules: &'a Ruleset,
        table: &'a Table<S>,
        query: &Query,
    ) -> Result<Search<'a, S>, FindError> {
        query.pattern.check(rules)?;
        let scan = Scan::new(rules, table)?;
        let patterns = query.pattern.images(rules);
        let search = Search { scan, query: query.clone(), patterns, goes_on: &|| true };
        if query.plies.is_some() {
            search.check_distances()?;
        }
        Ok(search)
    }

    /// The search, which asks now and then on the thread of whoever waits for it whether
    /// to go on. If not, it ends as if the rest of the table had nothing.
    #[must_use]
    pub fn while_wanted(self, goes_on: &'a (dyn Fn() -> bool + Sync)) -> Search<'a, S> {
        Search { goes_on, ..self }
    }

    /// Hands over each position, until that breaks off. Who breaks off soon does not
    /// wait for the rest of the table.
    ///
    /// # Errors
    /// If a block is damaged.
    pub fn each(&self, mut take: impl FnMut(Found) -> ControlFlow<()>) -> Result<(), FindError> {
        let row_by_row = |mut hits: Vec<Hit>| {
            hits.sort_unstable();
            hits
        };
        self.run(row_by_row, |hits| {
            hits.iter().flat_map(|hit| self.found(hit)).try_for_each(&mut take)
        })
    }

    /// How many positions there are, by side to move; none of a side that is not looked
    /// for.
    ///
    /// # Errors
    /// As [`each`](Search::each).
    pub fn count(&self) -> Result<BySide<FoundCount>, FindError> {
        let mut all = BySide::<FoundCount>::default();
        let count = |hits: Vec<Hit>| {
            let mut counts = BySide::<FoundCount>::default();
            for hit in hits {
                counts[hit.to_move].stored += 1;
                counts[hit.to_move].placements += u64::from(hit.images);
            }
            counts
        };
        self.run(count, |counts| {
            for (all, count) in all.iter_mut().zip(counts) {
                all.stored += count.stored;
                all.placements += count.placements;
            }
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// The positions that take the longest, of each side to move: wins, unless the query
    /// asks for losses; draws have no
    /// distance. They are in memory together.
    ///
    /// # Errors
    /// As [`each`](Search::each), and if the table has no distances.
    pub fn longest(&self) -> Result<Vec<Found>, FindError> {
        self.check_distances()?;
        let asked = self.query.wdl.unwrap_or(Wdl::Win);
        let longest = |mut hits: Vec<Hit>| {
            hits.retain(|hit| asked != Wdl::Draw && outcome(hit.code) == asked);
            Longest::of(hits)
        };
        let mut all = Longest::default();
        self.run(longest, |longest| {
            all.join(longest);
            ControlFlow::Continue(())
        })?;
        Ok(all.into_hits().iter().flat_map(|hit| self.found(hit)).collect())
    }

    /// Whether the table has distances.
    ///
    /// # Errors
    /// If it has none.
    pub fn check_distances(&self) -> Result<(), FindError> {
        match self.scan.table.header().metric {
            Metric::Dtw => Ok(()),
            Metric::Wdl => Err(FindError::NoDistances(self.scan.index.slice())),
        }
    }

    /// Does the work on what each lot has, in any order within the lot.
    fn run<T: Send>(
        &self,
        work: impl Fn(Vec<Hit>) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), FindError> {
        let take = |done| if (self.goes_on)() { take(done) } else { ControlFlow::Break(()) };
        let sides = if self.query.zugzwang { &Side::ALL } else { self.query.sides() };
        let places = self.scan.rules.places(Kind::King);
        let kings = |attackers, defenders| {
            let of = |pattern: &Pattern| pattern.kings(places, attackers, defenders);
            self.patterns.iter().fold(SquareSet::EMPTY, |kings, pattern| kings | of(pattern))
        };
        let fits = BySide::from_fn(|side| self.codes_that_fit(side));
        self.scan.run(sides, kings, |lot| work(self.hits(lot, &fits)), take)?;
        Ok(())
    }

    /// By code: whether it is one of the values that are looked for.
    fn codes_that_fit(&self, side: Side) -> Vec<bool> {
        let table = self.scan.table;
        let metric = table.header().metric;
        let fits = |code| {
            let Some((wdl, plies)) = value(code, metric) else {
                return false;
            };
            self.query.wdl.is_none_or(|asked| asked == wdl)
                && match &self.query.plies {
                    Some(asked) => plies.is_some_and(|plies| asked.contains(&plies)),
                    None => true,
                }
        };
        let largest = table.summary(side).largest_code(metric).max(WIN_IN_1);
        (0..=largest).map(fits).collect()
    }

    fn hits(&self, lot: &Lot, fits: &BySide<Vec<bool>>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for &to_move in self.query.sides() {
            let slots = lot.codes[to_move].iter().zip(&lot.weights).enumerate();
            // Reading has compared the codes with the largest.
            let fitting = slots
                .filter(|&(_, (&code, &images))| images > 0 && fits[to_move][usize::from(code)]);
            for (place, (&code, &images)) in fitting {
                let other = lot.codes[to_move.other()].get(place).copied().unwrap_or(0);
                if !self.query.zugzwang || self.is_zugzwang(code, other) {
                    hits.push(Hit {
                        row: lot.rows.start + (place % lot.height()) as u64,
                        lane: (place / lot.height()) as u16,
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
        // It is the same for both sides.
        mutual_zugzwang(endless, outcome(code), outcome(other)) == Some(true)
    }

    /// The position of a hit, which is there, since the slot is asked for.
    fn found(&self, hit: &Hit) -> Option<Found> {
        let metric = self.scan.table.header().metric;
        let probed = |code| value(code, metric).map(|(wdl, plies)| Probed { wdl, plies });
        Some(Found {
            position: self.scan.index.unrank(hit.slot(), hit.to_move)?,
            value: probed(hit.code)?,
            other: if self.query.zugzwang { probed(hit.other) } else { None },
            images: usize::from(hit.images),
        })
    }
}

/// So many positions of those that the searches would find, or all if there are fewer,
/// in the order in which they are drawn: each as likely as any other, mirror images
/// counted as one. The same seed gives the same positions, whatever the number of
/// threads; who draws fewer draws the first of them.
///
/// # Errors
/// As [`Search::each`].
pub fn random<S: Source + Sync>(
    searches: &[Search<'_, S>],
    count: usize,
    seed: u64,
) -> Result<Vec<Found>, FindError> {
    let mut all = Vec::new();
    for search in searches {
        let slice = search.scan.index.slice();
        let mut drawn = Drawn::new(count);
        search.run(
            |hits| Drawn::of(hits, slice, count, seed),
            |more| {
                drawn.join(more);
                ControlFlow::Continue(())
            },
        )?;
        let found = |(number, hit)| Some((number, search.found(&hit)?));
        all.extend(drawn.into_hits().into_iter().filter_map(found));
        all.sort_by_key(|(number, found)| (*number, found.position));
        all.truncate(count);
    }
    Ok(all.into_iter().map(|(_, found)| found).collect())
}
