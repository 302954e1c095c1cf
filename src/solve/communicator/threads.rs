//! Ranks that are threads of one process.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Communicator, CommunicatorError};

/// A rank among the threads of a process. If it is dropped, no other one waits for it.
#[derive(Debug)]
pub struct ThreadRank {
    rank: usize,
    table: Arc<Table>,
}

/// Where all members put down what they give.
#[derive(Debug)]
struct Table {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// By giver, by taker.
    given: Vec<Option<Vec<Vec<u8>>>>,
    /// How many have yet to take what was given.
    takers: usize,
    stopped: bool,
}

/// As many ranks, each for a thread of its own.
pub fn thread_ranks(ranks: usize) -> Vec<ThreadRank> {
    let state = Mutex::new(State { given: vec![None; ranks], takers: 0, stopped: false });
    let table = Arc::new(Table { state, changed: Condvar::new() });
    (0..ranks).map(|rank| ThreadRank { rank, table: Arc::clone(&table) }).collect()
}

/// What each rank of a thread_ranks comes to, in a thread of its own.
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

    /// Waits until it is so, or a member has stopped.
    fn wait<'t>(
        &self,
        state: MutexGuard<'t, State>,
        until: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'t, State>, CommunicatorError> {
        let waits = |state: &mut State| !state.stopped && !until(state);
        let state = self.changed.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        // Who stops may have given before what others still are to take.
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
        // Some may still have to take what was given before.
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
