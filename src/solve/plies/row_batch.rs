//! Batches of rows on their way between partitions, and their exchange between ranks.

use crate::solve::communicator::{Communicator, CommunicatorError, ROUND_BYTES};
use crate::solve::rows::numbers::PartitionRow;
use crate::solve::store::{SPILL_HEADER_BYTES, ScratchError, SpillFile, SpillHeader, SpillRecord};

/// Ascending rows for a partition, in a spill file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowBatch {
    /// The first row.
    pub first: PartitionRow,
    /// The last row; in an inbox, the greatest last row of this batch and all before it.
    pub reach: PartitionRow,
    /// The number of rows.
    pub rows: usize,
    /// The encoded events.
    pub record: SpillRecord,
}

/// The fields that precede a batch on the wire: partition, first row, last row and number of rows,
/// then the header of the record.
const WIRE_NUMBERS: usize = 4;
const WIRE_HEADER_BYTES: usize = WIRE_NUMBERS * size_of::<u64>() + SPILL_HEADER_BYTES;

/// Sends all batches to the ranks of their partitions, by rank, in rounds of limited size. Calls
/// `take` with each received batch, which is then in `spill`.
///
/// # Errors
/// If the disk fails or a rank has stopped.
pub(crate) fn exchange(
    spill: &SpillFile,
    comm: &dyn Communicator,
    mut outbox: Vec<Vec<(usize, RowBatch)>>,
    mut take: impl FnMut(usize, RowBatch),
) -> Result<(), ScratchError> {
    let most = ROUND_BYTES / comm.size();
    loop {
        let mut all = Vec::with_capacity(outbox.len());
        for batches in &mut outbox {
            // The first byte tells the receiver if another round follows.
            let mut bytes = vec![0];
            while let Some((partition, batch)) = batches.pop_if(|(_, batch)| {
                bytes.len() == 1 || bytes.len() + WIRE_HEADER_BYTES + batch.record.size() <= most
            }) {
                put(spill, partition, &batch, &mut bytes)?;
            }
            all.push(bytes);
        }
        let more = outbox.iter().any(|batches| !batches.is_empty());
        all.iter_mut().for_each(|bytes| bytes[0] = more.into());
        let domain = comm.all_to_all(all)?;
        let mut any_more = false;
        for bytes in &domain {
            let (&more, mut rest) = bytes.split_first().ok_or(CommunicatorError)?;
            any_more |= more != 0;
            while !rest.is_empty() {
                let (partition, batch) = next(spill, &mut rest)?;
                take(partition, batch);
            }
        }
        if !any_more {
            return Ok(());
        }
    }
}

/// Encodes a batch at the end of `bytes`.
fn put(
    spill: &SpillFile,
    partition: usize,
    batch: &RowBatch,
    bytes: &mut Vec<u8>,
) -> Result<(), ScratchError> {
    let (header, rows) = spill.read_raw(&batch.record)?;
    let numbers = [partition, batch.first.index(), batch.reach.index(), batch.rows];
    bytes.extend(numbers.iter().flat_map(|&number| (number as u64).to_le_bytes()));
    bytes.extend(header.to_bytes());
    bytes.extend(rows);
    Ok(())
}

/// Decodes the next batch and the index of its partition; adds its record to `spill`.
fn next(spill: &SpillFile, bytes: &mut &[u8]) -> Result<(usize, RowBatch), ScratchError> {
    let damaged = || spill.damaged();
    let (head, rest) = bytes.split_first_chunk::<WIRE_HEADER_BYTES>().ok_or_else(damaged)?;
    let (numbers, header) = head.split_at(WIRE_NUMBERS * size_of::<u64>());
    let numbers = numbers.as_chunks().0;
    let number = |i: usize| u64::from_le_bytes(numbers[i]) as usize;
    let header = SpillHeader::from_bytes(header.first_chunk().ok_or_else(damaged)?);
    let (rows, rest) = rest.split_at_checked(header.size()).ok_or_else(damaged)?;
    *bytes = rest;
    let (first, reach) = (PartitionRow::new(number(1)), PartitionRow::new(number(2)));
    let record = spill.add_raw(header, rows)?;
    Ok((number(0), RowBatch { first, reach, rows: number(3), record }))
}
