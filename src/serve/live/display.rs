use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::game::moves::Move;
use crate::tablebase::Tablebase;

use super::super::accept::Doorkeeper;
use super::super::server::Stopper;
use super::super::site::{Site, SiteOptions};
use super::Scene;
use super::requests::{Live, router};

/// Browsers that look on, each with some connections.
const CONNECTIONS: usize = 64;
/// For the last scene to reach them.
const FAREWELL: Duration = Duration::from_secs(1);

/// Shows a game at an address of this machine that nobody can guess. It ends when it is
/// dropped.
///
/// Whoever plays goes on at once after [`show`](Display::show), however slow the browsers
/// are.
pub struct Display {
    address: SocketAddr,
    token: String,
    live: Arc<Live>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// A scene and its number.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) revision: u64,
    pub(super) scene: Scene,
}

/// Why nothing can be shown.
#[derive(Debug)]
pub struct DisplayError(io::Error);

impl fmt::Display for DisplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot serve the display on this machine: {}", self.0)
    }
}

impl std::error::Error for DisplayError {}

impl Display {
    /// Shows a scene. Moves that are made in a browser are handed over as they come; they
    /// are legal in the scene that was shown last.
    ///
    /// # Errors
    /// If the system gives no port, thread or random number.
    pub fn open(
        tables: Arc<Tablebase>,
        scene: Scene,
        play: impl Fn(&Move) + Send + Sync + 'static,
    ) -> Result<Display, DisplayError> {
        Display::start(tables, scene, Box::new(play)).map_err(DisplayError)
    }

    fn start(
        tables: Arc<Tablebase>,
        scene: Scene,
        play: Box<dyn Fn(&Move) + Send + Sync>,
    ) -> io::Result<Display> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let (address, token) = (listener.local_addr()?, token()?);
        let options = SiteOptions { searches: 0, ..SiteOptions::default() };
        let site = Arc::new(Site::of_one(tables, options));
        let shown = watch::Sender::new(Shown { revision: 1, scene });
        let live = Arc::new(Live { site, address, shown, play, taken: Mutex::new(0) });
        let stopper = live.site.stopper();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (router, served) = (router(Arc::clone(&live), &token), Arc::clone(&live));
        let thread = thread::Builder::new().spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                    return;
                };
                let patience = served.site.options.patience;
                let doorkeeper =
                    Doorkeeper { router, connections: CONNECTIONS, patience, grace: FAREWELL };
                doorkeeper.serve(listener, &served.site.metrics, served.site.ended()).await;
            });
            runtime.shutdown_background();
        })?;
        Ok(Display { address, token, live, stopper, thread: Some(thread) })
    }

    /// Where it is shown.
    pub fn url(&self) -> String {
        format!("http://{}/live/{}/", self.address, self.token)
    }

    /// Shows another scene.
    pub fn show(&self, scene: Scene) {
        self.live.shown.send_modify(|shown| {
            *shown = Shown { revision: shown.revision + 1, scene };
        });
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            // It has shown what it could.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Who knows the token may move.
        f.debug_struct("Display").field("address", &self.address).finish_non_exhaustive()
    }
}

/// 128 random bits.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Live {
    /// Takes a move of that revision, once.
    pub(super) fn take(&self, revision: u64) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *taken < revision;
        *taken = revision.max(*taken);
        is_new
    }
}
