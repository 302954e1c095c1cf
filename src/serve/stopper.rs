use tokio::sync::watch;

/// Stops a [`Server`](super::Server) from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    pub(super) fn new() -> Stopper {
        Stopper(watch::Sender::new(false))
    }

    /// Starts a graceful shutdown: the server accepts no more connections, closes its event
    /// streams, answers the requests in flight, and returns. Returns `false` if it was stopped
    /// before.
    pub fn stop(&self) -> bool {
        !self.0.send_replace(true)
    }

    /// Waits for the stop.
    pub(super) async fn stopped(&self) {
        // This cannot fail: `self` keeps the sender alive.
        let _ = self.0.subscribe().wait_for(|&stopped| stopped).await;
    }
}
