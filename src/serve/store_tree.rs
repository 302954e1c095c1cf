//! The trees of proof stores, each in the memory of a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::proof::store::{StoreError, StoreTree, with_tree};
use crate::tablebase::Tablebase;

use super::problem::Problem;

/// Requests that may wait for a tree.
const MAX_QUEUED: usize = 64;
/// How long a request waits for a tree that is being read.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// How old a tree may be. One that takes long to read may be older, by this factor.
const FRESH: Duration = Duration::from_secs(2);
const COST_FACTOR: u32 = 10;
/// After this time without a request the tree is forgotten.
const IDLE: Duration = Duration::from_secs(600);

type Request = Box<dyn FnOnce(Result<&mut dyn StoreTree, Problem>) + Send>;

/// A store whose tree is served. It is read for the first request, and kept up to date while there
/// are requests.
pub(super) struct ServedStore {
    pub(super) name: String,
    requests: SyncSender<Request>,
    /// Whether the tree is in memory.
    is_open: Arc<AtomicBool>,
}

impl ServedStore {
    /// Serves the store in a folder. Whether it can be read is seen with the first request.
    pub(super) fn open(folder: PathBuf, name: String, tables: Arc<Tablebase>) -> ServedStore {
        let (requests, received) = sync_channel(MAX_QUEUED);
        let is_open = Arc::<AtomicBool>::default();
        let reader = Reader { folder, name: name.clone(), tables, is_open: Arc::clone(&is_open) };
        // The thread ends when the store is dropped, which closes the channel. Without a thread every
        // request is refused.
        let _ = thread::Builder::new().spawn(move || reader.serve(&received));
        ServedStore { name, requests, is_open }
    }

    /// Runs `work` with the tree; returns `None` if reading it takes longer.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn StoreTree) -> Result<T, Problem> + Send + 'static,
    ) -> Result<Option<T>, Problem> {
        let (reply, answer) = oneshot::channel();
        let request: Request = Box::new(move |tree| {
            // The client of an earlier request may have gone.
            if !reply.is_closed() {
                let _ = reply.send(tree.and_then(work));
            }
        });
        self.requests
            .try_send(request)
            .map_err(|_| Problem::overloaded("too many requests for this store: try again"))?;
        match timeout(REPLY_TIMEOUT, answer).await {
            Err(_) => Ok(None),
            Ok(Ok(result)) => result.map(Some),
            Ok(Err(_)) => Err(Problem::internal("the tree of this store could not be read")),
        }
    }

    /// Whether the tree is in memory.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }
}

/// The thread's side of a store.
struct Reader {
    folder: PathBuf,
    name: String,
    tables: Arc<Tablebase>,
    is_open: Arc<AtomicBool>,
}

impl Reader {
    fn serve(&self, requests: &Receiver<Request>) {
        let mut waiting = None;
        while let Some(request) = waiting.take().or_else(|| requests.recv().ok()) {
            waiting = Some(request);
            let started = Instant::now();
            // A panic while a request is answered drops it, which is reported as internal.
            let opened = catch_unwind(AssertUnwindSafe(|| {
                with_tree(&self.folder, &self.tables, &|_| (), &mut |tree| {
                    self.is_open.store(true, Ordering::Relaxed);
                    self.follow(tree, started.elapsed(), requests, &mut waiting);
                })
            }));
            self.is_open.store(false, Ordering::Relaxed);
            let problem = match opened {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => self.problem(&error),
                Err(panic) => Problem::of_panic(&*panic),
            };
            if let Some(request) = waiting.take() {
                request(Err(problem));
            }
        }
    }

    /// Answers requests, until there are none for a while or the tree has to be read anew for the
    /// one that is left in `waiting`.
    fn follow(
        &self,
        tree: &mut dyn StoreTree,
        mut cost: Duration,
        requests: &Receiver<Request>,
        waiting: &mut Option<Request>,
    ) {
        let mut read = Instant::now();
        while let Some(request) = waiting.take().or_else(|| requests.recv_timeout(IDLE).ok()) {
            if read.elapsed() >= FRESH.max(cost * COST_FACTOR) {
                let started = Instant::now();
                match tree.refresh() {
                    Ok(true) => {}
                    Ok(false) => {
                        *waiting = Some(request);
                        return;
                    }
                    Err(error) => return request(Err(self.problem(&error))),
                }
                (read, cost) = (Instant::now(), started.elapsed());
            }
            request(Ok(&mut *tree));
        }
    }

    fn problem(&self, error: &StoreError) -> Problem {
        Problem::of_store(&self.name, error)
    }
}
