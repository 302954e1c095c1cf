use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use super::problem::Problem;

/// Limits concurrent work. Up to `max_queued` requests wait for a permit; further ones get 503.
pub(super) struct Limiter {
    permits: Arc<Semaphore>,
    queued: AtomicUsize,
    max_queued: usize,
}

/// Leaves the queue when dropped, so that a client that disconnects makes room.
struct QueueGuard<'a>(&'a AtomicUsize);

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Limiter {
    pub(super) fn new(concurrent: usize, max_queued: usize) -> Limiter {
        let permits = Arc::new(Semaphore::new(concurrent));
        Limiter { permits, queued: AtomicUsize::new(0), max_queued }
    }

    /// Waits for a permit.
    pub(super) async fn acquire(&self) -> Result<OwnedSemaphorePermit, Problem> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let guard = QueueGuard(&self.queued);
        if self.queued.fetch_add(1, Ordering::Relaxed) >= self.max_queued {
            return Err(Problem::overloaded("the server is overloaded: try again"));
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        drop(guard);
        permit.map_err(|_| Problem::internal("the server is shutting down"))
    }

    /// Runs `work` with a permit on a thread that may block on the disk. Work that has started
    /// keeps its permit to the end, even if the client disconnects.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.acquire().await?;
        let task = spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        task.await.unwrap_or_else(|error| {
            Err(match error.try_into_panic() {
                Ok(panic) => Problem::of_panic(&*panic),
                Err(error) => Problem::internal(error.to_string()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_beyond_the_queue_are_refused() {
        let limiter = Limiter::new(1, 1);
        let permit = limiter.acquire().await.unwrap();
        let mut queued = Box::pin(limiter.acquire());
        assert!(polled(&mut queued).await.is_none());
        assert!(limiter.acquire().await.is_err());
        // A client that disconnects while queued makes room for another.
        drop(queued);
        let mut queued = Box::pin(limiter.acquire());
        assert!(polled(&mut queued).await.is_none());
        drop(permit);
        assert!(queued.await.is_ok());
    }

    /// Returns the output of a future that is ready.
    async fn polled<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = std::future::ready(()) => None,
        }
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_and_frees_its_permit() {
        let limiter = Limiter::new(1, 0);
        for _ in 0..3 {
            let done = limiter.run(|| -> Result<(), Problem> { panic!("broken") }).await;
            let problem = serde_json::to_value(done.unwrap_err()).unwrap();
            assert_eq!((&problem["code"], &problem["status"]), (&"internal".into(), &500.into()));
            assert!(!problem.to_string().contains("broken"));
        }
        assert_eq!(limiter.run(|| Ok(7)).await.unwrap(), 7);
    }
}
