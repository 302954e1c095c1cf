use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;

use super::accept::Doorkeeper;
use super::router::router;
use super::site::{Site, cores};

/// How long a server that ends waits for answers under way.
const GRACE: Duration = Duration::from_secs(10);

/// Serves a [`Site`] on an address.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    site: Arc<Site>,
}

/// Ends a [`Server`] from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// The server takes no more connections, ends its streams, answers the requests that it
    /// has, and returns. Returns whether it had not been told so before.
    pub fn stop(&self) -> bool {
        !self.0.send_replace(true)
    }
}

/// Why a server cannot serve.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened on.
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
    /// The system gives no threads or events.
    Runtime(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Bind { address, source } => {
                write!(f, "{address}: cannot listen there: {source}; name another address or port")
            }
            ServeError::Runtime(error) => write!(f, "cannot start the server: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl Server {
    /// Takes the address; port 0 is any that is free. Clients may connect from here on.
    ///
    /// # Errors
    /// If the address cannot be listened on.
    pub fn bind(address: SocketAddr, site: Arc<Site>) -> Result<Server, ServeError> {
        let refused = |source| ServeError::Bind { address, source };
        let listener = TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Server { listener, address, site })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What can end it.
    pub fn stopper(&self) -> Stopper {
        self.site.stopper()
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// If the system gives it no threads.
    pub fn run(self) -> Result<(), ServeError> {
        let Server { listener, site, .. } = self;
        let runtime = Builder::new_multi_thread().enable_all().worker_threads(cores()).build();
        let runtime = runtime.map_err(ServeError::Runtime)?;
        let served: io::Result<()> = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let doorkeeper = Doorkeeper {
                router: router(Arc::clone(&site)),
                connections: site.options.connections,
                patience: site.options.patience,
                grace: GRACE,
            };
            doorkeeper.serve(listener, &site.metrics, site.ended()).await;
            Ok(())
        });
        // Work that nobody waits for any more is left.
        runtime.shutdown_timeout(Duration::from_millis(100));
        site.options.log.end();
        served.map_err(ServeError::Runtime)
    }
}

impl Stopper {
    pub(super) fn new() -> Stopper {
        Stopper(watch::Sender::new(false))
    }

    /// Waits until it is stopped.
    pub(super) async fn stopped(&self) {
        // The sender is here.
        let _ = self.0.subscribe().wait_for(|&stopped| stopped).await;
    }
}
