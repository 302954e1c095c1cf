//! Ranks that are threads of one process.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Communicator, CommunicatorError};

/// A rank that runs in a thread of this process. When it is dropped, calls of the others fail.
#[derive(Debug)]
pub struct ThreadRank {
    rank: usize,
    shared: Arc<Shared>,
}

/// The memory shared by all ranks of a group.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// By sender, then by receiver.
    sent: Vec<Option<Vec<Vec<u8>>>>,
    /// The number of ranks that have yet to receive.
    receivers: usize,
    stopped: bool,
}

/// Creates a group of ranks, each to be moved to a thread of its own.
pub fn thread_ranks(ranks: usize) -> Vec<ThreadRank> {
    let state = Mutex::new(State { sent: vec![None; ranks], receivers: 0, stopped: false });
    let shared = Arc::new(Shared { state, changed: Condvar::new() });
    (0..ranks).map(|rank| ThreadRank { rank, shared: Arc::clone(&shared) }).collect()
}

/// Runs `work` on each rank in a thread of its own; returns the results.
#[cfg(test)]
pub(in crate::solve) fn on_each_rank<T: Send>(
    ranks: usize,
    work: impl Fn(ThreadRank) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = thread_ranks(ranks)
            .into_iter()
            .map(|member| scope.spawn(move || work(member)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a condition holds or a rank has stopped.
    fn wait<'t>(
        &self,
        state: MutexGuard<'t, State>,
        until: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'t, State>, CommunicatorError> {
        let changed = self
            .changed
            .wait_while(state, |state| !state.stopped && !until(state))
            .unwrap_or_else(PoisonError::into_inner);
        // A rank may stop after it has sent data that others have yet to receive.
        if until(&changed) { Ok(changed) } else { Err(CommunicatorError) }
    }
}

impl Communicator for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.state().sent.len()
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        // Some ranks may still have to receive from the call before.
        let mut state = self.shared.wait(self.shared.state(), |state| state.receivers == 0)?;
        state.sent[self.rank] = Some(bytes);
        if state.sent.iter().all(Option::is_some) {
            state.receivers = state.sent.len();
            self.shared.changed.notify_all();
        }
        let mut state = self.shared.wait(state, |state| state.receivers > 0)?;
        let sent = state.sent.iter_mut().flatten();
        let received = sent
            .map(|by_rank| by_rank.get_mut(self.rank).map(mem::take).unwrap_or_default())
            .collect();
        state.receivers -= 1;
        if state.receivers == 0 {
            state.sent.fill(None);
            self.shared.changed.notify_all();
        }
        Ok(received)
    }
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        self.shared.state().stopped = true;
        self.shared.changed.notify_all();
    }
}
