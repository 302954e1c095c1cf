use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;

use super::acceptor::Acceptor;
use super::app_state::{AppState, cores};
use super::router::router;
use super::stopper::Stopper;

/// Time that requests in flight have at shutdown.
const GRACE: Duration = Duration::from_secs(10);

/// Serves an [`AppState`] on an address.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<AppState>,
}

/// Why a server cannot start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// Listening on the address failed.
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused threads or an event queue.
    Runtime(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Bind { address, source } => {
                write!(f, "cannot listen on {address}: {source}; choose another address or port")
            }
            ServeError::Runtime(error) => write!(f, "cannot start the server: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl Server {
    /// Listens on the address; port 0 takes any free port. Clients can connect from now on.
    ///
    /// # Errors
    /// If the server cannot listen on the address.
    pub fn bind(address: SocketAddr, state: Arc<AppState>) -> Result<Server, ServeError> {
        let listener = listen(address).map_err(|source| ServeError::Bind { address, source })?;
        let bound = listener.local_addr().map_err(|source| ServeError::Bind { address, source })?;
        Ok(Server { listener, address: bound, state })
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        self.state.stopper()
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// If the system refuses threads.
    pub fn run(self) -> Result<(), ServeError> {
        let Server { listener, state, .. } = self;
        let workers = cores();
        // If the system refuses one of these threads, the runtime panics.
        check_threads(workers + 1).map_err(ServeError::Runtime)?;
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .worker_threads(workers)
            .thread_keep_alive(Duration::MAX)
            .build()
            .map_err(ServeError::Runtime)?;
        // Later, work that blocks waits for this thread if the system refuses it one of its own.
        drop(runtime.spawn_blocking(|| ()));
        let result: io::Result<()> = runtime.block_on(async {
            let acceptor = Acceptor {
                router: router(Arc::clone(&state)),
                connections: state.options.connections,
                client_timeout: state.options.client_timeout,
                grace: GRACE,
            };
            let async_listener = tokio::net::TcpListener::from_std(listener)?;
            acceptor.serve(async_listener, &state.metrics, state.shutdown()).await;
            Ok(())
        });
        // Probes that have lost their client would otherwise delay the exit.
        runtime.shutdown_timeout(Duration::from_millis(100));
        state.options.log.end();
        result.map_err(ServeError::Runtime)
    }
}

/// Fails if the system refuses this many threads at a time.
fn check_threads(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = gate.lock();
        (0..count).try_for_each(|_| {
            thread::Builder::new().spawn_scoped(scope, || drop(gate.lock())).map(drop)
        })
    })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
