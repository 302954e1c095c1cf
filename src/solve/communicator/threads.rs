//! Ranks that are threads of one process.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Communicator, CommunicatorError};

/// A rank that runs in a thread of this process. When it is dropped, calls of the others fail.
#[derive(Debug)]
pub struct ThreadRank {
    rank: usize,
    table: Arc<Table>,
}

/// The memory shared by all ranks of a group.
#[derive(Debug)]
struct Table {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// By sender, then by receiver.
    given: Vec<Option<Vec<Vec<u8>>>>,
    /// The number of ranks that have yet to receive.
    takers: usize,
    stopped: bool,
}

/// Creates a group of ranks, each to be moved to a thread of its own.
pub fn thread_ranks(ranks: usize) -> Vec<ThreadRank> {
    let state = Mutex::new(State { given: vec![None; ranks], takers: 0, stopped: false });
    let table = Arc::new(Table { state, changed: Condvar::new() });
    (0..ranks).map(|rank| ThreadRank { rank, table: Arc::clone(&table) }).collect()
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

impl Table {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a condition holds or a rank has stopped.
    fn wait<'t>(
        &self,
        state: MutexGuard<'t, State>,
        until: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'t, State>, CommunicatorError> {
        let waits = |state: &mut State| !state.stopped && !until(state);
        let state = self.changed.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        // A rank may stop after it has sent what others have yet to receive.
        if until(&state) { Ok(state) } else { Err(CommunicatorError) }
    }
}

impl Communicator for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.table.state().given.len()
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        // Some ranks may still have to receive from the call before.
        let mut state = self.table.wait(self.table.state(), |state| state.takers == 0)?;
        state.given[self.rank] = Some(bytes);
        if state.given.iter().all(Option::is_some) {
            state.takers = state.given.len();
            self.table.changed.notify_all();
        }
        let mut state = self.table.wait(state, |state| state.takers > 0)?;
        let given = state.given.iter_mut().flatten();
        let taken = given.map(|given| given.get_mut(self.rank).map(mem::take).unwrap_or_default());
        let taken = taken.collect();
        state.takers -= 1;
        if state.takers == 0 {
            state.given.fill(None);
            self.table.changed.notify_all();
        }
        Ok(taken)
    }
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        self.table.state().stopped = true;
        self.table.changed.notify_all();
    }
}
