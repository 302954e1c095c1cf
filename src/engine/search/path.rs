//! The path from the start of the game to the current node, and what scores depend on it.

use super::score::{Points, is_decided};

/// The maximum length of a line in plies.
pub(super) const MAX_PLY: usize = 128;

/// In place of an index in the path: the score does not depend on the path.
pub(super) const PATH_INDEPENDENT: usize = usize::MAX;

/// A position on the path from the start of the game.
#[derive(Clone, Copy)]
pub(super) struct PathEntry {
    pub(super) key: u64,
    /// The index of the first position on the path that can be equal to this one: the one after
    /// the last capture, or the start, or the one after a start that does not count.
    pub(super) since: usize,
}

/// The earlier positions that the scores of a node's moves depend on; see
/// [`Worker::depends_on`](super::worker::Worker::depends_on).
pub(super) struct PathDependence {
    best: usize,
    any: usize,
}

impl PathDependence {
    pub(super) const NONE: PathDependence =
        PathDependence { best: PATH_INDEPENDENT, any: PATH_INDEPENDENT };

    /// Adds a move whose score depends on `earlier`.
    #[inline]
    pub(super) fn add(&mut self, earlier: usize, is_best: bool) {
        self.any = self.any.min(earlier);
        if is_best {
            self.best = earlier;
        }
    }

    /// Returns what the node's score depends on: as the best move's, or as all moves' if the
    /// node is lost, because then each of them has to lose.
    #[inline]
    pub(super) fn of(&self, score: Points) -> usize {
        if score < 0 && is_decided(score) { self.any } else { self.best }
    }
}
