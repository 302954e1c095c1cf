use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::engine::Stopper;

use super::problem::Problem;

/// Maximum analyses that wait, and maximum moves of games that wait.
const MAX_QUEUED: usize = 16;

/// What a search is for, in the order in which waiting searches begin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Purpose {
    /// A move of a game.
    Game,
    /// An analysis that gave way to a game.
    Interrupted,
    Analysis,
}

/// Admits a limited number of concurrent searches. Moves of games come before analyses: if one
/// has to wait, the youngest running analysis is cancelled.
pub(super) struct SearchQueue {
    concurrent: usize,
    searches: Mutex<Searches>,
    /// Wakes the waiting searches whenever one enters or leaves.
    moved: watch::Sender<()>,
}

#[derive(Default)]
struct Searches {
    next_id: u64,
    running: Vec<Entry>,
    /// In the order in which they begin.
    waiting: Vec<Entry>,
}

struct Entry {
    id: u64,
    purpose: Purpose,
    cancellation: Arc<Cancellation>,
}

/// A place in the queue, and then the permission to search until it is dropped.
pub(super) struct SearchTicket {
    id: u64,
    queue: Arc<SearchQueue>,
    cancellation: Arc<Cancellation>,
    moved: watch::Receiver<()>,
    /// The place that `next_place` returned last.
    reported_place: usize,
}

/// Cancels a search, even one that has not started.
#[derive(Default)]
pub(super) struct Cancellation {
    is_cancelled: AtomicBool,
    has_given_way: AtomicBool,
    stopper: Mutex<Option<Stopper>>,
}

impl Cancellation {
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        if let Some(stopper) = &*self.stopper.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.stop();
        }
    }

    fn give_way(&self) {
        self.has_given_way.store(true, Ordering::Relaxed);
        self.cancel();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Whether the search was cancelled by the queue rather than by its client.
    pub(super) fn has_given_way(&self) -> bool {
        self.has_given_way.load(Ordering::Relaxed)
    }

    /// Sets the handle that stops the engine. Call this before reading `is_cancelled`: a
    /// concurrent `cancel` then either finds the stopper or is seen.
    pub(super) fn publish(&self, stopper: Stopper) {
        *self.stopper.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
    }
}

impl SearchQueue {
    pub(super) fn new(concurrent: usize) -> SearchQueue {
        let (moved, _) = watch::channel(());
        SearchQueue { concurrent, searches: Mutex::default(), moved }
    }

    /// Enters the queue.
    ///
    /// # Errors
    /// If too many searches wait already. An interrupted analysis is never refused.
    pub(super) fn enter(self: &Arc<Self>, purpose: Purpose) -> Result<SearchTicket, Problem> {
        let cancellation = Arc::new(Cancellation::default());
        let moved = self.moved.subscribe();
        let entered = Arc::clone(&cancellation);
        let id = self.change(|searches| searches.enter(purpose, entered, self.concurrent));
        let id = id.ok_or_else(|| Problem::overloaded("the server is overloaded: try again"))?;
        Ok(SearchTicket { id, queue: Arc::clone(self), cancellation, moved, reported_place: 0 })
    }

    /// Changes the lists of searches, starts those whose turn has come, and wakes the others.
    fn change<T>(&self, change: impl FnOnce(&mut Searches) -> T) -> T {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut searches);
        searches.settle(self.concurrent);
        drop(searches);
        self.moved.send_replace(());
        result
    }

    /// The place of a waiting search, from 1.
    fn place(&self, id: u64) -> Option<usize> {
        let searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.waiting.iter().position(|entry| entry.id == id).map(|index| index + 1)
    }
}

impl Searches {
    /// Adds a search and returns its number, or `None` if the queue is full.
    fn enter(
        &mut self,
        purpose: Purpose,
        cancellation: Arc<Cancellation>,
        concurrent: usize,
    ) -> Option<u64> {
        let is_game = purpose == Purpose::Game;
        let alike = self.waiting.iter().filter(|entry| (entry.purpose == Purpose::Game) == is_game);
        let is_full = self.running.len() >= concurrent && alike.count() >= MAX_QUEUED;
        if is_full && purpose != Purpose::Interrupted {
            return None;
        }
        let id = self.next_id;
        self.next_id += 1;
        let place = self.waiting.partition_point(|entry| entry.purpose <= purpose);
        self.waiting.insert(place, Entry { id, purpose, cancellation });
        Some(id)
    }

    fn leave(&mut self, id: u64) {
        self.running.retain(|entry| entry.id != id);
        self.waiting.retain(|entry| entry.id != id);
    }

    /// Starts as many searches as may run, and makes analyses give way to the games that wait.
    fn settle(&mut self, concurrent: usize) {
        let free = concurrent.saturating_sub(self.running.len()).min(self.waiting.len());
        self.running.extend(self.waiting.drain(..free));
        let games = self.waiting.iter().filter(|entry| entry.purpose == Purpose::Game).count();
        let ending = self.running.iter().filter(|entry| entry.cancellation.is_cancelled()).count();
        let analyses =
            self.running.iter().rev().filter(|entry| {
                entry.purpose != Purpose::Game && !entry.cancellation.is_cancelled()
            });
        for analysis in analyses.take(games.saturating_sub(ending)) {
            analysis.cancellation.give_way();
        }
    }
}

impl SearchTicket {
    /// Waits until the place in the queue, from 1, is another than before, and returns it; `None`
    /// once the search may start.
    pub(super) async fn next_place(&mut self) -> Option<usize> {
        loop {
            // Changes after this wake `changed` below.
            self.moved.mark_unchanged();
            let place = self.queue.place(self.id)?;
            if place != self.reported_place {
                self.reported_place = place;
                return Some(place);
            }
            // The sender lives as long as the queue, which this ticket holds.
            let _ = self.moved.changed().await;
        }
    }

    pub(super) fn cancellation(&self) -> Arc<Cancellation> {
        Arc::clone(&self.cancellation)
    }
}

impl Drop for SearchTicket {
    fn drop(&mut self) {
        self.queue.change(|searches| searches.leave(self.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(concurrent: usize) -> Arc<SearchQueue> {
        Arc::new(SearchQueue::new(concurrent))
    }

    fn enter(queue: &Arc<SearchQueue>, purpose: Purpose) -> SearchTicket {
        queue.enter(purpose).unwrap_or_else(|_| panic!("{purpose:?} is refused"))
    }

    #[tokio::test]
    async fn games_come_before_analyses() {
        let queue = queue(1);
        let mut first = enter(&queue, Purpose::Game);
        assert_eq!(first.next_place().await, None);
        let mut analysis = enter(&queue, Purpose::Analysis);
        assert_eq!(analysis.next_place().await, Some(1));
        let mut game = enter(&queue, Purpose::Game);
        assert_eq!(game.next_place().await, Some(1));
        assert_eq!(analysis.next_place().await, Some(2));
        // No game gives way to another.
        assert!(!first.cancellation.is_cancelled());
        drop(first);
        assert_eq!(game.next_place().await, None);
        assert_eq!(analysis.next_place().await, Some(1));
        drop(game);
        assert_eq!(analysis.next_place().await, None);
    }

    #[tokio::test]
    async fn an_analysis_gives_way_to_a_game_and_is_the_next_analysis() {
        let queue = queue(2);
        let (old, young) = (enter(&queue, Purpose::Analysis), enter(&queue, Purpose::Analysis));
        let mut other = enter(&queue, Purpose::Analysis);
        let mut game = enter(&queue, Purpose::Game);
        let given_way = [&old, &young].map(|ticket| ticket.cancellation.has_given_way());
        assert_eq!(given_way, [false, true]);
        assert_eq!(game.next_place().await, Some(1));
        drop(young);
        assert_eq!(game.next_place().await, None);
        let mut interrupted = enter(&queue, Purpose::Interrupted);
        assert_eq!(interrupted.next_place().await, Some(1));
        assert_eq!(other.next_place().await, Some(2));
        // One that is cancelled already makes room for the next game.
        old.cancellation.cancel();
        let _next = enter(&queue, Purpose::Game);
        assert!(!old.cancellation.has_given_way());
    }

    #[tokio::test]
    async fn games_are_not_refused_because_analyses_wait() {
        let queue = queue(1);
        let _running = enter(&queue, Purpose::Game);
        let mut waiting: Vec<SearchTicket> =
            (0..MAX_QUEUED).map(|_| enter(&queue, Purpose::Analysis)).collect();
        assert!(queue.enter(Purpose::Analysis).is_err());
        let _interrupted = enter(&queue, Purpose::Interrupted);
        let _games: Vec<SearchTicket> =
            (0..MAX_QUEUED).map(|_| enter(&queue, Purpose::Game)).collect();
        assert!(queue.enter(Purpose::Game).is_err());
        // A client that disconnects makes room for another.
        waiting.truncate(MAX_QUEUED - 2);
        assert!(queue.enter(Purpose::Analysis).is_ok());
    }
}
