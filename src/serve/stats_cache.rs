use std::sync::Arc;

use crate::game::slice::Slice;
use crate::study::stats::{SliceReport, count_values};

use super::background_cache::BackgroundCache;
use super::problem::Problem;
use super::response::CachedBody;
use super::served_ruleset::ServedRuleset;

/// Cache of slice statistics. An entry takes a few kilobytes.
pub(super) struct StatsCache(BackgroundCache<(String, Slice), SliceStats>);

/// The statistics of a slice, and the response made of them.
pub(super) struct SliceStats {
    pub(super) report: SliceReport,
    pub(super) body: CachedBody,
}

impl StatsCache {
    pub(super) fn new() -> StatsCache {
        StatsCache(BackgroundCache::new())
    }

    /// Returns the statistics of a slice that has a table, or `None` while they are counted.
    pub(super) fn get(
        &self,
        served: &Arc<ServedRuleset>,
        slice: Slice,
    ) -> Result<Option<Arc<SliceStats>>, Problem> {
        let counted = Arc::clone(served);
        self.0.get(&(served.name().to_owned(), slice), move || count(&counted, slice))
    }
}

fn count(served: &ServedRuleset, slice: Slice) -> Result<SliceStats, Problem> {
    let base = &served.base;
    let table =
        base.best_table(slice).map_err(|error| Problem::of_tables(served.name(), &error))?;
    let counts =
        count_values(base.rules(), table).map_err(|error| Problem::of_counting(slice, &error))?;
    let report = SliceReport::new(base, slice, table.header().metric, &counts);
    let body = CachedBody::json(&report)?;
    Ok(SliceStats { report, body })
}
