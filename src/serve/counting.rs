use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::game::slice::Slice;
use crate::study::stats::{SliceReport, count_values};
use crate::system::priority;

use super::problem::Problem;
use super::site::Served;
use super::told::Kept;

/// Statistics of slices: counted when somebody asks for them, one slice at a time, and
/// then kept. All the results together take a few kilobytes for each slice.
pub(super) struct Counting {
    counts: Arc<Mutex<Counts>>,
    orders: Sender<Order>,
}

type Counts = BTreeMap<(String, Slice), Count>;

#[derive(Clone)]
enum Count {
    /// Ordered, or under way.
    Awaited,
    Done(Arc<Counted>),
    /// Told to whoever asks next, and then forgotten: the table may be mended.
    Failed(Problem),
}

/// What was counted, and the answer that tells it.
pub(super) struct Counted {
    pub(super) report: SliceReport,
    pub(super) answer: Kept,
}

struct Order {
    served: Arc<Served>,
    slice: Slice,
}

impl Counting {
    pub(super) fn new() -> Counting {
        let (orders, received) = channel();
        let counts = Arc::<Mutex<Counts>>::default();
        let results = Arc::clone(&counts);
        // It ends with the site, when there are no more orders to come.
        thread::spawn(move || count_all(&received, &results));
        Counting { counts, orders }
    }

    /// The statistics of a slice that has a table; `None` as long as they are counted.
    pub(super) fn get(
        &self,
        served: &Arc<Served>,
        slice: Slice,
    ) -> Result<Option<Arc<Counted>>, Problem> {
        let key = (served.name().to_owned(), slice);
        let mut counts = lock(&self.counts);
        match counts.get(&key).cloned() {
            Some(Count::Awaited) => Ok(None),
            Some(Count::Done(counted)) => Ok(Some(counted)),
            Some(Count::Failed(problem)) => {
                counts.remove(&key);
                Err(problem)
            }
            None => {
                counts.insert(key, Count::Awaited);
                let order = Order { served: Arc::clone(served), slice };
                let ended = |_| Problem::internal("nothing is counted any more");
                self.orders.send(order).map(|()| None).map_err(ended)
            }
        }
    }
}

fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts what is ordered, with one thread that gives way to requests.
fn count_all(orders: &Receiver<Order>, counts: &Mutex<Counts>) {
    priority::lower();
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else {
        return;
    };
    for Order { served, slice } in orders {
        let counted = pool.install(|| std::panic::catch_unwind(|| count(&served, slice)));
        let counted = counted.unwrap_or_else(|panic| Err(Problem::of_panic(&*panic)));
        let count = match counted {
            Ok(counted) => Count::Done(Arc::new(counted)),
            Err(problem) => Count::Failed(problem),
        };
        lock(counts).insert((served.name().to_owned(), slice), count);
    }
}

fn count(served: &Served, slice: Slice) -> Result<Counted, Problem> {
    let base = &served.base;
    let table = base.best_table(slice);
    let table = table.map_err(|error| Problem::of_tables(served.name(), &error))?;
    let counted = count_values(base.rules(), table);
    let counted = counted.map_err(|error| Problem::of_counting(slice, &error))?;
    let report = SliceReport::new(base, slice, table.header().metric, &counted);
    let answer = Kept::json(&report)?;
    Ok(Counted { report, answer })
}
