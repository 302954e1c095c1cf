//! What a session's engine is thinking about, and what wakes the session meanwhile.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::game::rules::Side;

use super::thinking::Thinking;

/// What the engine thinks about.
pub(super) struct Task {
    pub(super) number: u64,
    pub(super) thinking: Thinking,
    pub(super) aim: Aim,
    /// When it has to answer, if the clock was told anew.
    pub(super) deadline: Option<Instant>,
}

/// Whom an answer is for.
pub(super) enum Aim {
    /// It is that side's move.
    Play(Side),
    /// The host wants so many lines.
    Analyze,
}

/// Wakes the session when a task is over.
pub(super) struct Done {
    pub(super) number: u64,
    pub(super) events: Sender<Event>,
}

impl Drop for Done {
    fn drop(&mut self) {
        // A session that has ended does not care.
        let _ = self.events.send(Event::Answer(self.number));
    }
}

/// What wakes the session.
pub(super) enum Event {
    /// A line of the host, and when it came.
    Line(String, Instant),
    /// The input has ended.
    End,
    /// The engine has an answer to this task.
    Answer(u64),
}

/// The next event. Where the clock has changed, a search that takes longer than the new one
/// allows is hurried meanwhile.
pub(super) fn next_event(inbox: &Receiver<Event>, task: Option<&Task>) -> Event {
    let Some((task, deadline)) = task.and_then(|task| Some((task, task.deadline?))) else {
        return inbox.recv().unwrap_or(Event::End);
    };
    loop {
        let now = Instant::now();
        let wait = deadline.saturating_duration_since(now).max(Duration::from_millis(10));
        match inbox.recv_timeout(wait) {
            Ok(event) => return event,
            Err(RecvTimeoutError::Disconnected) => return Event::End,
            Err(RecvTimeoutError::Timeout) => task.thinking.hurry(),
        }
    }
}
