use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use super::problem::Problem;

/// Lets so much work be done at once, and so much wait for it; the rest is refused.
pub(super) struct Gate {
    open: Arc<Semaphore>,
    waiting: AtomicUsize,
    may_wait: usize,
}

/// Somebody who waits; no more once it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    pub(super) fn new(at_once: usize, may_wait: usize) -> Gate {
        Gate { open: Arc::new(Semaphore::new(at_once)), waiting: AtomicUsize::new(0), may_wait }
    }

    /// A place at work, as soon as there is one.
    pub(super) async fn enter(&self) -> Result<OwnedSemaphorePermit, Problem> {
        if let Ok(permit) = Arc::clone(&self.open).try_acquire_owned() {
            return Ok(permit);
        }
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.may_wait {
            return Err(Problem::overloaded("the server has more to do than it can: try again"));
        }
        let permit = Arc::clone(&self.open).acquire_owned().await;
        drop(waiting);
        permit.map_err(|_| Problem::internal("the server ends"))
    }

    /// Does the work on a thread where it may wait for the disk. It keeps its place until
    /// it is done, even if nobody waits for it any more.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.enter().await?;
        let done = spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        done.await.unwrap_or_else(|error| {
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
    async fn so_many_work_so_many_wait_and_the_rest_is_refused() {
        let gate = Gate::new(1, 1);
        let place = gate.enter().await.unwrap();
        let mut waiting = Box::pin(gate.enter());
        assert!(polled(&mut waiting).await.is_none());
        assert!(gate.enter().await.is_err());
        // Who goes away while he waits makes room for another.
        drop(waiting);
        let mut waiting = Box::pin(gate.enter());
        assert!(polled(&mut waiting).await.is_none());
        drop(place);
        assert!(waiting.await.is_ok());
    }

    /// What a future has come to, if it has by now.
    async fn polled<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = std::future::ready(()) => None,
        }
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_and_leaves_its_place() {
        let gate = Gate::new(1, 0);
        for _ in 0..3 {
            let done = gate.work(|| -> Result<(), Problem> { panic!("broken") }).await;
            let problem = serde_json::to_value(done.unwrap_err()).unwrap();
            assert_eq!((&problem["code"], &problem["status"]), (&"internal".into(), &500.into()));
            assert!(!problem.to_string().contains("broken"));
        }
        assert_eq!(gate.work(|| Ok(7)).await.unwrap(), 7);
    }
}
