use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::game::slice::Slice;
use crate::study::stats::{SliceReport, count_values};
use crate::system::priority;

use super::problem::Problem;
use super::response::CachedBody;
use super::served_ruleset::ServedRuleset;

/// Cache of slice statistics. A background thread counts one slice at a time, on its first
/// request. An entry takes a few kilobytes and is never evicted.
pub(super) struct StatsCache {
    entries: Arc<Mutex<Entries>>,
    requests: Sender<CountRequest>,
}

type Entries = BTreeMap<(String, Slice), CacheEntry>;

#[derive(Clone)]
enum CacheEntry {
    /// Queued or being counted.
    Pending,
    Ready(Arc<SliceStats>),
    /// Removed when it is reported, so that a repaired table is counted again.
    Failed(Problem),
}

/// The statistics of a slice, and the response made of them.
pub(super) struct SliceStats {
    pub(super) report: SliceReport,
    pub(super) body: CachedBody,
}

struct CountRequest {
    served: Arc<ServedRuleset>,
    slice: Slice,
}

impl StatsCache {
    pub(super) fn new() -> StatsCache {
        let (requests, received) = channel();
        let entries = Arc::<Mutex<Entries>>::default();
        let results = Arc::clone(&entries);
        // The thread ends when the cache is dropped, which closes the channel.
        thread::spawn(move || count_requested(&received, &results));
        StatsCache { entries, requests }
    }

    /// Returns the statistics of a slice that has a table, or `None` while they are counted.
    pub(super) fn get(
        &self,
        served: &Arc<ServedRuleset>,
        slice: Slice,
    ) -> Result<Option<Arc<SliceStats>>, Problem> {
        let key = (served.name().to_owned(), slice);
        let mut entries = lock(&self.entries);
        match entries.get(&key).cloned() {
            Some(CacheEntry::Pending) => Ok(None),
            Some(CacheEntry::Ready(stats)) => Ok(Some(stats)),
            Some(CacheEntry::Failed(problem)) => {
                entries.remove(&key);
                Err(problem)
            }
            None => {
                entries.insert(key, CacheEntry::Pending);
                self.requests
                    .send(CountRequest { served: Arc::clone(served), slice })
                    .map_err(|_| Problem::internal("the statistics thread has ended"))?;
                Ok(None)
            }
        }
    }
}

fn lock(entries: &Mutex<Entries>) -> MutexGuard<'_, Entries> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts the requested slices on one thread of low priority.
fn count_requested(requests: &Receiver<CountRequest>, entries: &Mutex<Entries>) {
    priority::lower();
    // `count_values` is parallel: a pool of one keeps it off the cores that answer requests.
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else {
        return;
    };
    for CountRequest { served, slice } in requests {
        let entry = match pool.install(|| std::panic::catch_unwind(|| count(&served, slice))) {
            Ok(Ok(stats)) => CacheEntry::Ready(Arc::new(stats)),
            Ok(Err(problem)) => CacheEntry::Failed(problem),
            Err(panic) => CacheEntry::Failed(Problem::of_panic(&*panic)),
        };
        lock(entries).insert((served.name().to_owned(), slice), entry);
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
