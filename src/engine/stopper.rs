use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle that stops a search from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper(pub(crate) Arc<AtomicBool>);

impl Stopper {
    /// Stops the running search, which returns its result so far. If no search is running, the
    /// next one stops as soon as it begins.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Withdraws a stop that has not reached a search yet.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
