//! Rows on their way, some at a time, and how they come to other ranks.

use crate::solve::exchange::{Exchange, ExchangeError, ROUND_BYTES};
use crate::solve::rows::numbers::ShareRow;
use crate::solve::store::{Heap, Kept, LABEL_BYTES, Label, ScratchError};

/// Some rows for a share, ascending, in a heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    /// The first row.
    pub first: ShareRow,
    /// Its last row; in mail, the greatest last one of it and all before it.
    pub reach: ShareRow,
    /// How many rows there are.
    pub rows: usize,
    /// Where they are.
    pub kept: Kept,
}

/// What stands before the bytes of a parcel: its share, first row, last row and number of
/// rows, then the label.
const HEAD_NUMBERS: usize = 4;
const HEAD_BYTES: usize = HEAD_NUMBERS * size_of::<u64>() + LABEL_BYTES;

/// Gives all other ranks what is meant for their shares, by rank, round after round, and
/// calls `take` with what they have for this one, which is then in its heap.
///
/// # Errors
/// If the disk fails, or a rank has stopped.
pub(crate) fn exchange(
    heap: &Heap,
    ranks: &dyn Exchange,
    mut outbox: Vec<Vec<(usize, Parcel)>>,
    mut take: impl FnMut(usize, Parcel),
) -> Result<(), ScratchError> {
    let most = ROUND_BYTES / ranks.ranks();
    loop {
        let mut all = Vec::with_capacity(outbox.len());
        for parcels in &mut outbox {
            // The first byte is for what is known when all are filled.
            let mut bytes = vec![0];
            while let Some((share, parcel)) = parcels.pop_if(|(_, parcel)| {
                bytes.len() == 1 || bytes.len() + HEAD_BYTES + parcel.kept.size() <= most
            }) {
                put(heap, share, &parcel, &mut bytes)?;
            }
            all.push(bytes);
        }
        let more = outbox.iter().any(|parcels| !parcels.is_empty());
        all.iter_mut().for_each(|bytes| bytes[0] = more.into());
        let given = ranks.all_to_all(all)?;
        let mut any_more = false;
        for bytes in &given {
            let (&more, mut rest) = bytes.split_first().ok_or(ExchangeError)?;
            any_more |= more != 0;
            while !rest.is_empty() {
                let (share, parcel) = next(heap, &mut rest)?;
                take(share, parcel);
            }
        }
        if !any_more {
            return Ok(());
        }
    }
}

/// Puts a parcel after other bytes.
fn put(
    heap: &Heap,
    share: usize,
    parcel: &Parcel,
    bytes: &mut Vec<u8>,
) -> Result<(), ScratchError> {
    let (label, rows) = heap.labelled(&parcel.kept)?;
    let numbers = [share, parcel.first.index(), parcel.reach.index(), parcel.rows];
    bytes.extend(numbers.iter().flat_map(|&number| (number as u64).to_le_bytes()));
    bytes.extend(label.to_bytes());
    bytes.extend(rows);
    Ok(())
}

/// Takes the next parcel and the number of its share.
fn next(heap: &Heap, bytes: &mut &[u8]) -> Result<(usize, Parcel), ScratchError> {
    let damaged = || heap.damaged();
    let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>().ok_or_else(damaged)?;
    let (numbers, label) = head.split_at(HEAD_NUMBERS * size_of::<u64>());
    let numbers = numbers.as_chunks().0;
    let number = |i: usize| u64::from_le_bytes(numbers[i]) as usize;
    let label = Label::from_bytes(label.first_chunk().ok_or_else(damaged)?);
    let (rows, rest) = rest.split_at_checked(label.size()).ok_or_else(damaged)?;
    *bytes = rest;
    let (first, reach) = (ShareRow::new(number(1)), ShareRow::new(number(2)));
    let kept = heap.add_labelled(label, rows)?;
    Ok((number(0), Parcel { first, reach, rows: number(3), kept }))
}
