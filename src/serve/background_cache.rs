use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::system::priority;

use super::problem::Problem;

/// Cache of values that take long to compute. A background thread of low priority computes one at a
/// time, on its first request. Entries are never evicted.
pub(super) struct BackgroundCache<K, V> {
    entries: Arc<Mutex<Entries<K, V>>>,
    requests: Sender<Request<K, V>>,
}

type Entries<K, V> = BTreeMap<K, CacheEntry<V>>;

enum CacheEntry<V> {
    /// Queued or being computed.
    Pending,
    Ready(Arc<V>),
    /// Removed when it is reported, so that a repaired table is read again.
    Failed(Problem),
}

struct Request<K, V> {
    key: K,
    work: Box<dyn FnOnce() -> Result<V, Problem> + Send>,
}

impl<K: Ord + Clone + Send + 'static, V: Send + Sync + 'static> BackgroundCache<K, V> {
    pub(super) fn new() -> BackgroundCache<K, V> {
        let (requests, received) = channel();
        let entries = Arc::<Mutex<Entries<K, V>>>::default();
        let results = Arc::clone(&entries);
        // The thread ends when the cache is dropped, which closes the channel.
        thread::spawn(move || compute_requested(received, &results));
        BackgroundCache { entries, requests }
    }

    /// Returns the value of `key`, or `None` while it is computed by `work`.
    pub(super) fn get(
        &self,
        key: &K,
        work: impl FnOnce() -> Result<V, Problem> + Send + 'static,
    ) -> Result<Option<Arc<V>>, Problem> {
        let mut entries = lock(&self.entries);
        match entries.remove(key) {
            Some(CacheEntry::Failed(problem)) => Err(problem),
            Some(CacheEntry::Ready(value)) => {
                entries.insert(key.clone(), CacheEntry::Ready(Arc::clone(&value)));
                Ok(Some(value))
            }
            entry => {
                entries.insert(key.clone(), CacheEntry::Pending);
                if entry.is_none() {
                    let request = Request { key: key.clone(), work: Box::new(work) };
                    self.requests
                        .send(request)
                        .map_err(|_| Problem::internal("the background thread has ended"))?;
                }
                Ok(None)
            }
        }
    }
}

fn lock<K, V>(entries: &Mutex<Entries<K, V>>) -> MutexGuard<'_, Entries<K, V>> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Computes the requested values on one thread of low priority.
fn compute_requested<K: Ord, V: Send>(
    requests: Receiver<Request<K, V>>,
    entries: &Mutex<Entries<K, V>>,
) {
    priority::lower();
    // The work is parallel: a pool of one keeps it off the cores that answer requests.
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else {
        return;
    };
    for Request { key, work } in requests {
        let entry = match pool.install(|| catch_unwind(AssertUnwindSafe(work))) {
            Ok(Ok(value)) => CacheEntry::Ready(Arc::new(value)),
            Ok(Err(problem)) => CacheEntry::Failed(problem),
            Err(panic) => CacheEntry::Failed(Problem::of_panic(&*panic)),
        };
        lock(entries).insert(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Waits for the first answer that is not pending.
    fn awaited(cache: &BackgroundCache<u8, u8>, result: Result<u8, Problem>) -> Option<u8> {
        for _ in 0..500 {
            let again = result.clone();
            match cache.get(&1, move || again) {
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                Ok(Some(value)) => return Some(*value),
                Err(_) => return None,
            }
        }
        panic!("never computed");
    }

    #[test]
    fn a_value_is_computed_once_and_a_failure_again() {
        let cache = BackgroundCache::new();
        assert_eq!(awaited(&cache, Err(Problem::internal("broken"))), None);
        assert_eq!(awaited(&cache, Ok(7)), Some(7));
        assert_eq!(awaited(&cache, Ok(8)), Some(7));
        assert!(cache.get(&2, || panic!("broken")).unwrap().is_none());
        let panicked = || {
            (0..500).any(|_| {
                thread::sleep(Duration::from_millis(10));
                cache.get(&2, || Ok(1)).is_err()
            })
        };
        assert!(panicked());
    }
}
