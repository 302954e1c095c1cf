use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::system::priority;

use super::limiter::Limiter;
use super::problem::Problem;
use super::response::JsonReply;

/// Maximum searches in the queue.
const MAX_QUEUED: usize = 8;
/// Maximum responses that are kept; each takes up to some 50 KB.
const MAX_KEPT: usize = 64;

/// Searches in tables, one at a time, and their last responses.
pub(super) struct FindCache {
    limiter: Limiter,
    kept: Arc<KeptReplies>,
}

/// The last responses, each with its key.
#[derive(Default)]
struct KeptReplies(Mutex<VecDeque<(String, JsonReply)>>);

impl KeptReplies {
    fn find(&self, key: &str) -> Option<JsonReply> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, reply)| reply.clone())
    }

    fn push(&self, key: String, reply: JsonReply) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((key, reply));
        if kept.len() > MAX_KEPT {
            kept.pop_front();
        }
    }
}

impl FindCache {
    pub(super) fn new() -> FindCache {
        FindCache { limiter: Limiter::new(1, MAX_QUEUED), kept: Arc::default() }
    }

    /// Returns the response that is kept under `key`, or computes it on one thread of low
    /// priority. `work` also says whether it may be kept.
    pub(super) async fn get(
        &self,
        key: String,
        work: impl FnOnce() -> Result<(JsonReply, bool), Problem> + Send + 'static,
    ) -> Result<JsonReply, Problem> {
        if let Some(reply) = self.kept.find(&key) {
            return Ok(reply);
        }
        let kept = Arc::clone(&self.kept);
        let find_or_compute = move || {
            // An equal request may have been answered while this one waited.
            if let Some(reply) = kept.find(&key) {
                return Ok(reply);
            }
            let (reply, is_final) = on_one_thread(work)??;
            if is_final {
                kept.push(key, reply.clone());
            }
            Ok(reply)
        };
        self.limiter.run(find_or_compute).await
    }
}

/// Runs parallel work on one thread, away from the cores that answer requests.
fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Problem> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).start_handler(|_| priority::lower());
    let pool = pool.build().map_err(|error| Problem::internal(error.to_string()))?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::serve::response::Caching;

    #[tokio::test]
    async fn equal_requests_that_wait_are_computed_once() {
        let cache = FindCache::new();
        let computed = Arc::new(AtomicUsize::new(0));
        let get = |key: &str, is_final| {
            let computed = Arc::clone(&computed);
            cache.get(key.to_owned(), move || {
                computed.fetch_add(1, Ordering::Relaxed);
                Ok((JsonReply::new(&(), Caching::Revalidate)?, is_final))
            })
        };
        let [one, two, three] = [(); 3].map(|()| get("same", true));
        let replies = tokio::join!(one, two, three);
        assert!(replies.0.is_ok() && replies.1.is_ok() && replies.2.is_ok());
        assert_eq!(computed.load(Ordering::Relaxed), 1);
        // What may not be kept is computed for each.
        let _ = tokio::join!(get("partial", false), get("partial", false));
        assert_eq!(computed.load(Ordering::Relaxed), 3);
    }
}
