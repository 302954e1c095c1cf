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
    /// Ready, but computed again.
    Renewed(Arc<V>),
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
        // The thread ends when the cache is dropped, which closes the channel. Without a thread every
        // request is refused.
        let _ = thread::Builder::new().spawn(move || compute_requested(received, &results));
        BackgroundCache { entries, requests }
    }

    /// Returns the value of `key`, or `None` while it is computed by `work`.
    pub(super) fn get(
        &self,
        key: &K,
        work: impl FnOnce() -> Result<V, Problem> + Send + 'static,
    ) -> Result<Option<Arc<V>>, Problem> {
        self.get_current(key, |_| true, work)
    }

    /// Like `get`, but computes a value again that `is_current` rejects. The old one is returned
    /// until the new one is ready.
    pub(super) fn get_current(
        &self,
        key: &K,
        is_current: impl FnOnce(&V) -> bool,
        work: impl FnOnce() -> Result<V, Problem> + Send + 'static,
    ) -> Result<Option<Arc<V>>, Problem> {
        let mut entries = lock(&self.entries);
        let (entry, is_requested) = match entries.remove(key) {
            Some(CacheEntry::Failed(problem)) => return Err(problem),
            Some(CacheEntry::Ready(value)) if !is_current(&value) => {
                (CacheEntry::Renewed(value), true)
            }
            Some(known) => (known, false),
            None => (CacheEntry::Pending, true),
        };
        let value = match &entry {
            CacheEntry::Ready(value) | CacheEntry::Renewed(value) => Some(Arc::clone(value)),
            CacheEntry::Pending | CacheEntry::Failed(_) => None,
        };
        // The thread adds its result once the entries are unlocked.
        if is_requested {
            let request = Request { key: key.clone(), work: Box::new(work) };
            self.requests
                .send(request)
                .map_err(|_| Problem::internal("the background thread has ended"))?;
        }
        entries.insert(key.clone(), entry);
        Ok(value)
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
    fn without_a_thread_every_request_is_refused() {
        let cache = BackgroundCache { entries: Arc::default(), requests: channel().0 };
        for _ in 0..2 {
            assert!(cache.get(&1, || Ok(1)).is_err());
        }
    }

    #[test]
    fn an_outdated_value_is_returned_until_it_is_computed_again() {
        let cache = BackgroundCache::new();
        assert_eq!(awaited(&cache, Ok(1)), Some(1));
        let (release, wait) = channel::<()>();
        let renewed = cache.get_current(
            &1,
            |&value| value > 1,
            move || {
                let _ = wait.recv();
                Ok(2)
            },
        );
        assert_eq!(renewed.unwrap().as_deref(), Some(&1));
        // It is not requested a second time.
        let again = cache.get_current(&1, |&value| value > 1, || Ok(3));
        assert_eq!(again.unwrap().as_deref(), Some(&1));
        release.send(()).unwrap();
        let is_renewed = || {
            thread::sleep(Duration::from_millis(10));
            cache.get_current(&1, |&value| value > 1, || Ok(3)).unwrap().as_deref() == Some(&2)
        };
        assert!((0..500).any(|_| is_renewed()));
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
