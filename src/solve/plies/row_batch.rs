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
    let max_bytes = ROUND_BYTES / comm.size();
    loop {
        let mut messages = Vec::with_capacity(outbox.len());
        for batches in &mut outbox {
            // The first byte is 1 if another round follows.
            let mut bytes = vec![0];
            while let Some((partition, batch)) = batches.pop_if(|(_, batch)| {
                bytes.len() == 1
                    || bytes.len() + WIRE_HEADER_BYTES + batch.record.size() <= max_bytes
            }) {
                encode_batch(spill, partition, &batch, &mut bytes)?;
            }
            messages.push(bytes);
        }
        let more = outbox.iter().any(|batches| !batches.is_empty());
        messages.iter_mut().for_each(|bytes| bytes[0] = more.into());
        let received = comm.all_to_all(messages)?;
        // All ranks receive the same flags, so they stop after the same round.
        let mut any_more = false;
        for bytes in &received {
            let (&more, mut rest) = bytes.split_first().ok_or(CommunicatorError)?;
            any_more |= more != 0;
            while !rest.is_empty() {
                let (partition, batch) = decode_batch(spill, &mut rest)?;
                take(partition, batch);
            }
        }
        if !any_more {
            return Ok(());
        }
    }
}

/// Encodes a batch at the end of `bytes`.
fn encode_batch(
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
fn decode_batch(spill: &SpillFile, bytes: &mut &[u8]) -> Result<(usize, RowBatch), ScratchError> {
    let (head, tail) =
        bytes.split_first_chunk::<WIRE_HEADER_BYTES>().ok_or_else(|| spill.damaged())?;
    let (number_bytes, header_bytes) = head.split_at(WIRE_NUMBERS * size_of::<u64>());
    let words = number_bytes.as_chunks().0;
    let [partition, first, reach, rows]: [usize; WIRE_NUMBERS] =
        std::array::from_fn(|i| u64::from_le_bytes(words[i]) as usize);
    let header =
        SpillHeader::from_bytes(header_bytes.first_chunk().ok_or_else(|| spill.damaged())?);
    let (encoded, rest) = tail.split_at_checked(header.size()).ok_or_else(|| spill.damaged())?;
    *bytes = rest;
    let record = spill.add_raw(header, encoded)?;
    let (first, reach) = (PartitionRow::new(first), PartitionRow::new(reach));
    Ok((partition, RowBatch { first, reach, rows, record }))
}
