use std::sync::Arc;

use serde::Serialize;

use crate::game::slice::Slice;
use crate::study::manifest::{FileEntry, SliceEntry};
use crate::study::stats::{SliceReport, count_values};

use super::background_cache::BackgroundCache;
use super::problem::Problem;
use super::response::CachedBody;
use super::served_ruleset::ServedRuleset;

/// Cache of slice statistics. An entry takes a few kilobytes.
pub(super) struct StatsCache {
    counts: BackgroundCache<(String, Slice), SliceStats>,
    /// Whether clients may download the table files.
    downloads: bool,
}

/// The statistics of a slice, and the response made of them.
pub(super) struct SliceStats {
    pub(super) report: SliceReport,
    pub(super) body: CachedBody,
}

/// The statistics of a slice, with its files if they may be downloaded.
#[derive(Serialize)]
struct SliceReply<'a> {
    #[serde(flatten)]
    report: &'a SliceReport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    downloads: Vec<Download>,
}

/// A file that may be downloaded.
#[derive(Serialize)]
struct Download {
    path: String,
    #[serde(flatten)]
    file: FileEntry,
}

impl StatsCache {
    pub(super) fn new(downloads: bool) -> StatsCache {
        StatsCache { counts: BackgroundCache::new(), downloads }
    }

    /// Returns the statistics of a slice that has a table, or `None` while they are counted.
    pub(super) fn get(
        &self,
        served: &Arc<ServedRuleset>,
        slice: Slice,
    ) -> Result<Option<Arc<SliceStats>>, Problem> {
        let (counted, downloads) = (Arc::clone(served), self.downloads);
        let key = (served.name().to_owned(), slice);
        self.counts.get(&key, move || count(&counted, slice, downloads))
    }
}

fn count(served: &ServedRuleset, slice: Slice, downloads: bool) -> Result<SliceStats, Problem> {
    let base = &served.base;
    let table =
        base.best_table(slice).map_err(|error| Problem::of_tables(&served.rules, &error))?;
    let counts =
        count_values(base.rules(), table).map_err(|error| Problem::of_counting(slice, &error))?;
    let report = SliceReport::new(base, slice, table.header().metric, &counts);
    let downloads = if downloads { files(served, slice)? } else { Vec::new() };
    let body = CachedBody::json(&SliceReply { report: &report, downloads })?;
    Ok(SliceStats { report, body })
}

/// Returns the files of a slice with their paths on this server.
fn files(served: &ServedRuleset, slice: Slice) -> Result<Vec<Download>, Problem> {
    let entry = SliceEntry::of(&served.base, slice)
        .map_err(|error| Problem::of_tables(&served.rules, &error))?;
    let files = entry.files.into_iter().map(|file| Download {
        path: format!("/api/v1/rulesets/{}/tables/{slice}.{}", served.name(), file.metric),
        file,
    });
    Ok(files.collect())
}
