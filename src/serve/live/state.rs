use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

use crate::game::moves::Move;

use super::super::app_state::AppState;
use super::scene::Scene;

/// The state shared by all requests of a display.
pub(super) struct DisplayState {
    pub(super) app: Arc<AppState>,
    pub(super) address: SocketAddr,
    pub(super) current: watch::Sender<Revision>,
    pub(super) on_move: Box<dyn Fn(&Move) + Send + Sync>,
    /// Number of the last revision in which a move was accepted.
    pub(super) last_played: AtomicU64,
}

/// A scene and its number.
#[derive(Clone)]
pub(super) struct Revision {
    pub(super) number: u64,
    pub(super) scene: Scene,
}

impl DisplayState {
    /// Claims the move of a revision. Returns `false` if it was claimed before: of two clicks in
    /// two browsers, the first one counts.
    pub(super) fn claim_move(&self, revision: u64) -> bool {
        self.last_played.fetch_max(revision, Ordering::Relaxed) < revision
    }
}
