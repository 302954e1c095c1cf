use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

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
    kept: Mutex<VecDeque<(String, JsonReply)>>,
}

impl FindCache {
    pub(super) fn new() -> FindCache {
        FindCache { limiter: Limiter::new(1, MAX_QUEUED), kept: Mutex::default() }
    }

    /// Returns the response that is kept under `key`, or computes it on one thread of low
    /// priority. `work` also says whether it may be kept.
    pub(super) async fn get(
        &self,
        key: String,
        work: impl FnOnce() -> Result<(JsonReply, bool), Problem> + Send + 'static,
    ) -> Result<JsonReply, Problem> {
        if let Some(reply) = self.find(&key) {
            return Ok(reply);
        }
        let (reply, is_final) = self.limiter.run(move || on_one_thread(work)?).await?;
        if is_final {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_back((key, reply.clone()));
            if kept.len() > MAX_KEPT {
                kept.pop_front();
            }
        }
        Ok(reply)
    }

    fn find(&self, key: &str) -> Option<JsonReply> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, reply)| reply.clone())
    }
}

/// Runs parallel work on one thread, away from the cores that answer requests.
fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Problem> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).start_handler(|_| priority::lower());
    let pool = pool.build().map_err(|error| Problem::internal(error.to_string()))?;
    Ok(pool.install(work))
}
