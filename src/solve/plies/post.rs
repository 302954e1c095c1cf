//! Rows on their way from the share that found them to the share that needs them.

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::solve::exchange::{Exchange, of_rank};
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::parcel::{Parcel, exchange};
use crate::solve::rows::atomics::AtomicRows;
use crate::solve::rows::numbers::{ChunkNumber, ChunkRow, ShareRow};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_events, encode_events};
use crate::solve::store::{Heap, ScratchError};

/// Takes parcels for all shares.
pub(crate) struct Post {
    heap: Arc<Heap>,
    /// By share.
    parcels: Mutex<Vec<Vec<Parcel>>>,
    /// How many rows it has taken, and how long that took, in nanoseconds.
    taken: AtomicUsize,
    took: AtomicU64,
}

/// All parcels for one share, by their first rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    heap: Option<Arc<Heap>>,
    parcels: Vec<Parcel>,
}

impl Post {
    /// With no parcels yet for so many shares, and a heap that others may use, too.
    pub(crate) fn new(heap: &Arc<Heap>, shares: usize) -> Post {
        let (heap, parcels) = (Arc::clone(heap), Mutex::new(vec![Vec::new(); shares]));
        Post { heap, parcels, taken: AtomicUsize::new(0), took: AtomicU64::new(0) }
    }

    /// Takes rows, by share, each ascending.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn send<const N: usize>(
        &self,
        by_share: &[Vec<Event<N, ShareRow>>],
    ) -> Result<(), ScratchError> {
        let begun = Instant::now();
        for (share, events) in by_share.iter().enumerate() {
            if let [first, .., last] | [first @ last] = &events[..] {
                let kept = self.heap.add(&encode_events(events))?;
                let (first, reach, rows) = (first.row, last.row, events.len());
                let mut parcels = self.parcels.lock().unwrap_or_else(PoisonError::into_inner);
                parcels[share].push(Parcel { first, reach, rows, kept });
            }
        }
        self.taken.fetch_add(by_share.iter().map(Vec::len).sum(), Ordering::Relaxed);
        self.took.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// How many rows it has taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// How long all who sent rows have waited for them to be taken.
    pub(crate) fn packing(&self) -> Duration {
        Duration::from_nanos(self.took.load(Ordering::Relaxed))
    }

    /// The error of a post that has not taken what it was given, or given what it took.
    pub(crate) fn damaged(&self) -> ScratchError {
        self.heap.damaged()
    }

    /// Gives each share of this rank what it was sent, by other ranks too.
    ///
    /// # Errors
    /// If these are not all rows that were taken, the disk fails, or a rank has stopped.
    pub(crate) fn deliver(self, ranks: &dyn Exchange) -> Result<Vec<Mail>, ScratchError> {
        let taken = self.taken();
        let mut parcels = self.parcels.into_inner().unwrap_or_else(PoisonError::into_inner);
        let count = parcels.len();
        let shares = |rank| of_rank(count, rank, ranks.ranks());
        let own = shares(ranks.rank());
        let mut inbox: Vec<Vec<Parcel>> = parcels[own.clone()].iter_mut().map(take).collect();
        if ranks.ranks() > 1 {
            let for_rank = |rank| {
                let parcels = shares(rank).map(|share| (share, take(&mut parcels[share])));
                parcels.flat_map(|(share, all)| all.into_iter().map(move |p| (share, p))).collect()
            };
            let outbox = (0..ranks.ranks()).map(for_rank).collect();
            exchange(&self.heap, ranks, outbox, |share, parcel| {
                inbox[share - own.start].push(parcel);
            })?;
        }
        let heap = self.heap;
        let mail = inbox.into_iter().map(|mut parcels| {
            parcels.sort_unstable_by_key(|parcel| parcel.first);
            let mut reach = ShareRow::FIRST;
            for parcel in &mut parcels {
                reach = reach.max(parcel.reach);
                parcel.reach = reach;
            }
            Mail { heap: Some(Arc::clone(&heap)), parcels }
        });
        let mail: Vec<Mail> = mail.collect();
        let delivered = mail.iter().map(Mail::rows).sum::<usize>();
        match ranks.sum(delivered as u64)? == ranks.sum(taken as u64)? {
            true => Ok(mail),
            false => Err(heap.damaged()),
        }
    }
}

impl Mail {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.parcels.is_empty()
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.parcels.iter().map(|parcel| parcel.rows).sum()
    }

    /// Adds all of it to the rows of the share; returns what that changes.
    ///
    /// # Errors
    /// If the disk fails, or has changed it.
    pub(crate) fn add_to<const N: usize>(
        &self,
        chunks: Chunks,
        rows: &mut [Row<N>],
    ) -> Result<Frontier, ScratchError> {
        let blocks = BitVec::<AtomicUsize>::repeat(false, chunks.blocks);
        let rows = AtomicRows::new(rows);
        self.parcels.par_iter().try_for_each(|parcel| {
            for Event { row, lanes } in self.open(parcel)? {
                rows.add(row.index(), lanes);
                blocks.set_aliased(row.index() / chunks.block_rows, true);
            }
            Ok::<_, ScratchError>(())
        })?;
        let blocks: BitVec = blocks.into_iter().collect();
        Ok(Frontier { blocks, rows: self.rows() })
    }

    /// What there is for a chunk of the share.
    ///
    /// # Errors
    /// If the disk fails, or has changed it.
    pub(crate) fn of_chunk<const N: usize>(
        &self,
        chunks: Chunks,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        let first = chunks.places_of(chunk).start * chunks.block_rows;
        let rows = first..first + chunks.chunk_rows();
        let mut events = Vec::new();
        for parcel in self.near(&rows) {
            add_events(&self.open(parcel)?, &rows, &mut events);
        }
        merge(&mut events);
        Ok(events)
    }

    /// Calls `visit` with what there is for each chunk of the share, some chunks at a
    /// time.
    ///
    /// # Errors
    /// If the disk fails, or has changed it, or a row was sent twice, or the visit fails.
    pub(crate) fn for_chunks<const N: usize>(
        &self,
        chunks: Chunks,
        visit: impl Fn(ChunkNumber, &[Event<N>]) -> Result<(), ScratchError> + Sync,
    ) -> Result<(), ScratchError> {
        let Some(heap) = &self.heap else { return Ok(()) };
        let height = chunks.chunk_rows();
        let mut visited = 0;
        for first in (0..chunks.count()).step_by(chunks.window_chunks()) {
            let end = (first + chunks.window_chunks()).min(chunks.count());
            let rows = first * height..end * height;
            let near = self.near(&rows).par_iter();
            let opened: Vec<Vec<Event<N, ShareRow>>> =
                near.map(|parcel| self.open(parcel)).collect::<Result<_, _>>()?;
            let done = (first..end).into_par_iter().map(|chunk| {
                let rows = chunk * height..(chunk + 1) * height;
                let mut events: Vec<Event<N>> = Vec::new();
                opened.iter().for_each(|parcel| add_events(parcel, &rows, &mut events));
                merge(&mut events);
                if events.is_sorted_by(|one, next| one.row < next.row) {
                    if !events.is_empty() {
                        visit(chunks.number(chunk), &events)?;
                    }
                    Ok(events.len())
                } else {
                    Err(heap.damaged())
                }
            });
            visited += done.sum::<Result<usize, ScratchError>>()?;
        }
        if visited == self.rows() { Ok(()) } else { Err(heap.damaged()) }
    }

    /// The parcels that may have some of these rows, and no others but between them.
    fn near(&self, rows: &Range<usize>) -> &[Parcel] {
        let end = self.parcels.partition_point(|parcel| parcel.first.index() < rows.end);
        let start = self.parcels.partition_point(|parcel| parcel.reach.index() < rows.start);
        self.parcels.get(start..end).unwrap_or_default()
    }

    fn open<const N: usize>(
        &self,
        parcel: &Parcel,
    ) -> Result<Vec<Event<N, ShareRow>>, ScratchError> {
        let Some(heap) = &self.heap else { return Ok(Vec::new()) };
        let events = decode_events(&heap.read(&parcel.kept)?);
        let events = events.filter(|events: &Vec<_>| events.len() == parcel.rows);
        events.ok_or_else(|| heap.damaged())
    }
}

/// Adds the rows of a parcel that are among a chunk's.
fn add_events<const N: usize>(
    parcel: &[Event<N, ShareRow>],
    rows: &Range<usize>,
    events: &mut Vec<Event<N>>,
) {
    let before = |row: usize| parcel.partition_point(|event| event.row.index() < row);
    let own = &parcel[before(rows.start)..before(rows.end)];
    events.extend(own.iter().map(|&Event { row, lanes }| Event {
        row: ChunkRow::new(row.index() - rows.start),
        lanes,
    }));
}

/// Puts rows of parcels, one after the other, in their order: each parcel ascends, and a
/// stable sort merges what does.
fn merge<const N: usize>(events: &mut [Event<N>]) {
    events.sort_by_key(|event| event.row);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::solve::exchange::Alone;
    use crate::solve::store::{Compression, Keeping, ScratchFolder};
    use crate::system::filesystem::SystemFiles;

    const CHUNKS: usize = 5;

    fn chunks() -> Chunks {
        Chunks::new(2 * CHUNKS - 1, 3).of_blocks(2)
    }

    /// Sends rows, dealt out to parcels and shares, and calls `then` with the post.
    fn sent(rows: &BTreeMap<usize, (usize, usize)>, then: impl Fn(Post, [usize; 2])) {
        let folder = tempfile::tempdir().unwrap();
        let sync_every = Duration::MAX;
        let (files, compression) = (Arc::new(SystemFiles), Compression::ALWAYS);
        let keeping = Keeping { files, sync_every, compression, progress: &() };
        let scratch = ScratchFolder::open(folder.path(), [0; 32], keeping).unwrap();
        let post = Post::new(&Arc::new(Heap::new(&scratch).unwrap()), 2);
        let mut count = [0; 2];
        for parcel in 0..3 {
            let of = |share| {
                let own = rows.iter().filter(move |(_, to)| **to == (parcel, share));
                own.map(|(&row, _)| event(row)).collect()
            };
            let by_share: [Vec<_>; 2] = [of(0), of(1)];
            (0..2).for_each(|share| count[share] += by_share[share].len());
            post.send(&by_share).unwrap();
        }
        then(post, count);
    }

    fn event(row: usize) -> Event<1, ShareRow> {
        Event { row: ShareRow::new(row), lanes: Row([row as u64 + 1]) }
    }

    /// What comes for the chunks of a share, or `None` if it is refused.
    fn visited(mail: &Mail) -> Option<Vec<(usize, Row<1>)>> {
        let visited = Mutex::new(Vec::new());
        let visit = mail.for_chunks(chunks(), |chunk, events: &[Event<1>]| {
            let first = chunk.index() * chunks().chunk_rows();
            let rows = events.iter().map(|event| (first + event.row.index(), event.lanes));
            visited.lock().unwrap().extend(rows);
            Ok(())
        });
        let mut visited = visited.into_inner().unwrap();
        visited.sort_unstable_by_key(|&(row, _)| row);
        visit.ok().map(|()| visited)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_share_gets_its_rows(
            rows in prop::collection::btree_map(0..chunks().rows(), (0..3_usize, 0..2_usize), 1..20),
        ) {
            sent(&rows, |post, count| {
                for (share, mail) in post.deliver(&Alone).unwrap().iter().enumerate() {
                    let own = rows.iter().filter(|(_, to)| to.1 == share);
                    let own: Vec<(usize, Row<1>)> =
                        own.map(|(&row, _)| (row, event(row).lanes)).collect();
                    assert_eq!(visited(mail).as_ref(), Some(&own));
                    let mut again = Vec::new();
                    for chunk in chunks().numbers() {
                        let first = chunk.index() * chunks().chunk_rows();
                        let events: Vec<Event<1>> = mail.of_chunk(chunks(), chunk).unwrap();
                        again.extend(events.iter().map(|e| (first + e.row.index(), e.lanes)));
                    }
                    assert_eq!(again, own);
                    let mut table = vec![Row::EMPTY; chunks().rows()];
                    let changed = mail.add_to(chunks(), &mut table).unwrap();
                    assert_eq!(changed.rows, count[share]);
                    for (row, &lanes) in table.iter().enumerate() {
                        let there = own.iter().find(|(own, _)| *own == row);
                        assert_eq!(lanes, there.map_or(Row::EMPTY, |there| there.1));
                        let block = row / chunks().block_rows;
                        assert!(lanes.is_empty() || changed.blocks[block]);
                    }
                }
            });
        }

        #[test]
        fn what_is_lost_or_doubled_is_noticed(
            rows in prop::collection::btree_map(0..chunks().rows(), (0..3_usize, 0..2_usize), 1..20),
            doubles in any::<bool>(),
        ) {
            sent(&rows, |post, _| {
                {
                    let mut parcels = post.parcels.lock().unwrap();
                    let share = parcels.iter_mut().find(|parcels| !parcels.is_empty()).unwrap();
                    let parcel = share.pop().unwrap();
                    if doubles {
                        share.extend([parcel, parcel]);
                    }
                }
                let there: usize =
                    post.parcels.lock().unwrap().iter().flatten().map(|p| p.rows).sum();
                assert!(there != rows.len());
                assert_eq!(post.taken(), rows.len());
                if doubles {
                    post.taken.store(there, Ordering::Relaxed);
                    let mail = post.deliver(&Alone).unwrap();
                    assert!(mail.iter().any(|mail| visited(mail).is_none()));
                } else {
                    assert!(post.deliver(&Alone).is_err());
                }
            });
        }
    }
}
