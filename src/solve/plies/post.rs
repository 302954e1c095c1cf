//! Rows on their way from the share that found them to the share that needs them.

use std::sync::{Arc, Mutex, PoisonError};

use bitvec::vec::BitVec;
use rayon::prelude::*;
use std::sync::atomic::AtomicUsize;

use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::rows::atomics::SharedRows;
use crate::solve::rows::numbers::{ChunkNumber, ChunkRow, ShareRow};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_events, encode_events};
use crate::solve::store::{Heap, Kept, ScratchError, ScratchFolder};

/// Takes parcels for all shares.
pub(crate) struct Post {
    heap: Heap,
    /// By share.
    parcels: Mutex<Vec<Vec<Parcel>>>,
}

/// Some rows for a share, ascending.
#[derive(Clone, Copy, Debug)]
struct Parcel {
    first: ShareRow,
    last: ShareRow,
    rows: usize,
    kept: Kept,
}

/// All parcels for one share, by their first rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    heap: Option<Arc<Heap>>,
    parcels: Vec<Parcel>,
}

impl Post {
    /// With no parcels yet for so many shares.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(scratch: &ScratchFolder, shares: usize) -> Result<Post, ScratchError> {
        Ok(Post { heap: Heap::new(scratch)?, parcels: Mutex::new(vec![Vec::new(); shares]) })
    }

    /// Takes rows, by share, each ascending.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn send<const N: usize>(
        &self,
        by_share: &[Vec<Event<N, ShareRow>>],
    ) -> Result<(), ScratchError> {
        for (share, events) in by_share.iter().enumerate() {
            if let [first, .., last] | [first @ last] = &events[..] {
                let kept = self.heap.add(&encode_events(events))?;
                let (first, last, rows) = (first.row, last.row, events.len());
                let mut parcels = self.parcels.lock().unwrap_or_else(PoisonError::into_inner);
                parcels[share].push(Parcel { first, last, rows, kept });
            }
        }
        Ok(())
    }

    /// Gives each share what it was sent.
    pub(crate) fn deliver(self) -> impl Iterator<Item = Mail> {
        let parcels = self.parcels.into_inner().unwrap_or_else(PoisonError::into_inner);
        let heap = Arc::new(self.heap);
        parcels.into_iter().map(move |mut parcels| {
            parcels.sort_unstable_by_key(|parcel| parcel.first);
            Mail { heap: Some(Arc::clone(&heap)), parcels }
        })
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
        let rows = SharedRows::new(rows);
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

    /// By chunk of the share: what there is for it.
    ///
    /// # Errors
    /// If the disk fails, or has changed it.
    pub(crate) fn by_chunk<const N: usize>(
        &self,
        chunks: Chunks,
    ) -> Result<Vec<Vec<Event<N>>>, ScratchError> {
        let opened = self.parcels.par_iter().map(|parcel| self.open(parcel));
        let mut by_chunk = vec![Vec::new(); chunks.count()];
        for Event { row, lanes } in opened.collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
            let chunk = row.index() / chunks.chunk_rows();
            let row = ChunkRow::new(row.index() % chunks.chunk_rows());
            by_chunk[chunk].push(Event { row, lanes });
        }
        Ok(by_chunk)
    }

    /// Calls `visit` with what there is for each chunk of the share, some chunks at a
    /// time.
    ///
    /// # Errors
    /// If the disk fails, or has changed it, or a row was sent twice or not at all, or
    /// the visit does.
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
            let near = self.parcels.par_iter().filter(|parcel| {
                parcel.first.index() < rows.end && parcel.last.index() >= rows.start
            });
            let opened: Vec<Vec<Event<N, ShareRow>>> =
                near.map(|parcel| self.open(parcel)).collect::<Result<_, _>>()?;
            let done = (first..end).into_par_iter().map(|chunk| {
                let rows = chunk * height..(chunk + 1) * height;
                let mut events: Vec<Event<N>> = Vec::new();
                for parcel in &opened {
                    let before = |row: usize| parcel.partition_point(|e| e.row.index() < row);
                    let own = &parcel[before(rows.start)..before(rows.end)];
                    events.extend(own.iter().map(|&Event { row, lanes }| Event {
                        row: ChunkRow::new(row.index() - rows.start),
                        lanes,
                    }));
                }
                events.sort_unstable_by_key(|event| event.row);
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
