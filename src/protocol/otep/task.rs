//! The engine's current task, and the events that a session waits for.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::game::rules::Side;

use super::search_thread::SearchThread;

/// A running search and its purpose.
pub(super) struct Task {
    pub(super) number: u64,
    pub(super) search: SearchThread,
    pub(super) purpose: Purpose,
    /// Deadline, if a new clock was received during the search.
    pub(super) deadline: Option<Instant>,
}

/// The purpose of a search.
pub(super) enum Purpose {
    /// A move for this side.
    Play(Side),
    /// An analysis.
    Analyze,
}

/// Sends [`Event::SearchEnded`] when it is dropped.
pub(super) struct DoneSignal {
    pub(super) number: u64,
    pub(super) events: Sender<Event>,
}

impl Drop for DoneSignal {
    fn drop(&mut self) {
        // This fails after the session has ended.
        let _ = self.events.send(Event::SearchEnded(self.number));
    }
}

/// An event for a session.
pub(super) enum Event {
    /// A line of the host, with its time of arrival.
    Line(String, Instant),
    /// End of the input.
    EndOfInput,
    /// The search of the task with this number has ended.
    SearchEnded(u64),
}

/// Waits for the next event. If the task has a deadline, stops its search then.
pub(super) fn next_event(inbox: &Receiver<Event>, task: Option<&Task>) -> Event {
    let Some((task, deadline)) = task.and_then(|task| Some((task, task.deadline?))) else {
        return inbox.recv().unwrap_or(Event::EndOfInput);
    };
    loop {
        let now = Instant::now();
        let wait = deadline.saturating_duration_since(now).max(Duration::from_millis(10));
        match inbox.recv_timeout(wait) {
            Ok(event) => return event,
            Err(RecvTimeoutError::Disconnected) => return Event::EndOfInput,
            Err(RecvTimeoutError::Timeout) => task.search.stop(),
        }
    }
}
