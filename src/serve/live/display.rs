use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::game::moves::Move;
use crate::tablebase::Tablebase;

use super::super::acceptor::Acceptor;
use super::super::app_state::{AppState, ServeOptions};
use super::super::stopper::Stopper;
use super::routes::router;
use super::scene::Scene;
use super::state::{DisplayState, Revision};

/// Maximum connections; a browser opens several.
const CONNECTIONS: usize = 64;
/// Time that the last scene has to reach the browsers at shutdown.
const GRACE: Duration = Duration::from_secs(1);

/// Shows a game in a browser, at a local address that nobody can guess, until it is dropped.
///
/// [`show`](Display::show) does not wait for the browsers.
pub struct Display {
    address: SocketAddr,
    token: String,
    state: Arc<DisplayState>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// Why a display cannot be served.
#[derive(Debug)]
pub struct DisplayError(io::Error);

impl fmt::Display for DisplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot serve the display on this machine: {}", self.0)
    }
}

impl std::error::Error for DisplayError {}

impl Display {
    /// Shows a scene. `on_move` is called with each move made in a browser; such a move is legal
    /// in the scene shown last.
    ///
    /// # Errors
    /// If the system provides no port, thread or random numbers.
    pub fn open(
        tables: Arc<Tablebase>,
        scene: Scene,
        on_move: impl Fn(&Move) + Send + Sync + 'static,
    ) -> Result<Display, DisplayError> {
        Display::start(tables, scene, Box::new(on_move)).map_err(DisplayError)
    }

    fn start(
        tables: Arc<Tablebase>,
        scene: Scene,
        on_move: Box<dyn Fn(&Move) + Send + Sync>,
    ) -> io::Result<Display> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let (address, token) = (listener.local_addr()?, random_token()?);
        let options = ServeOptions { searches: 0, ..ServeOptions::default() };
        let app = Arc::new(AppState::with_ruleset(tables, options));
        let stopper = app.stopper();
        let current = watch::Sender::new(Revision { number: 1, scene });
        let last_played = AtomicU64::new(0);
        let state = Arc::new(DisplayState { app, address, current, on_move, last_played });
        let acceptor = Acceptor {
            router: router(Arc::clone(&state), &token),
            connections: CONNECTIONS,
            client_timeout: state.app.options.client_timeout,
            grace: GRACE,
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let app = Arc::clone(&state.app);
        let thread = thread::Builder::new().spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                    return;
                };
                acceptor.serve(listener, &app.metrics, app.shutdown()).await;
            });
            runtime.shutdown_background();
        })?;
        Ok(Display { address, token, state, stopper, thread: Some(thread) })
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/live/{}/", self.address, self.token)
    }

    /// Shows another scene.
    pub fn show(&self, scene: Scene) {
        self.state.current.send_modify(|current| {
            *current = Revision { number: current.number + 1, scene };
        });
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            // A panic of the server thread must not spread to the game.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token is left out: it gives access to the game.
        f.debug_struct("Display").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Returns 128 random bits in hexadecimal.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
