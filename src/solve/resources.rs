//! Estimates the memory and disk space that a slice needs, and chooses where its tables go.

use std::fs;
use std::iter;
use std::path::Path;

use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;
use crate::index::{IndexError, SliceIndex, binomial};
use crate::solve::convert::output::block_shape;
use crate::solve::convert::read::{MAX_SEGMENT_ROWS, sub_slices};
use crate::solve::convert::write::tiles_at_once;
use crate::solve::error::BuildError;
use crate::solve::frame::attacker_sets;
use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::frame::defender_sets::set_bytes;
use crate::solve::frame::region::row_words;
use crate::solve::initial::pass;
use crate::solve::plies::chunks::{Chunks, WINDOW_ROWS};
use crate::solve::plies::row_batch::RowBatch;
use crate::solve::plies::tables::Storage;
use crate::solve::plies::{in_memory, in_partitions};
use crate::solve::store::{Compression, RECORD_BYTES};
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::table::{Code, MAX_ROWS, Metric, Packing, ValueHasher};

/// A number of bytes, and the type for computing it. The counts of an indexable slice are below
/// 2^64, their factors below 2^32, and at most two are multiplied: no overflow.
type Amount = u128;

/// The number of bit tables of the outcome in progress.
const TABLES_IN_MEMORY: Amount = in_memory::TABLES as Amount;
const TABLES_OF_PARTITION: Amount = in_partitions::TABLES as Amount;
const TABLES_OF_ONLY_PARTITION: Amount = in_partitions::TABLES_OF_ONLY_PARTITION as Amount;
/// The fraction of the allowed memory that is reserved for caching sub-slices, if they need that
/// much and enough partitions are possible.
const CACHE_DIVISOR: Amount = 4;
/// The disk space of all partitions with their inboxes, in percent of a table. Approximate.
const PARTITIONS_ON_DISK: Amount = 140;
/// A build does not start if the free disk space is less than the estimate divided by this factor:
/// estimates may be too high, but not that much.
const DISK_ESTIMATE_MARGIN: u64 = 2;
/// The maximum of the slots and of each estimate. No machine can build a larger slice; the memory of
/// the workers, which is added to some estimates, does not make them exceed 64 bits.
const MAX_AMOUNT: Amount = 1 << 63;
/// The maximum number of chunks, which have numbers of 32 bits.
const MAX_CHUNKS: u64 = 1 << 32;
/// The maximum number of partitions; beyond it, batches take more memory than partitioning saves.
const MAX_PARTITIONS: u64 = 1 << 12;
/// Bookkeeping bytes per batch: for seeds, for the current ply, and for those in flight.
const BATCH_BYTES: Amount = 3 * size_of::<RowBatch>() as Amount;
/// Records of the stages for each chunk. Approximate.
const RECORDS_PER_CHUNK: Amount = 100;
/// Codes that occur in a row of a sub-slice. Approximate.
const CODES_PER_ROW: Amount = 4;
/// Codes that the captures of a block lead to, for each attacker: more attackers make games longer.
/// Approximate.
const CODES_PER_ATTACKER: Amount = 8;
/// Bytes of the stage files for each row and word of lanes, and the factor if they are not
/// compressed. Approximate.
const STAGE_BYTES_PER_WORD: Amount = 14;
const COMPRESSION_FACTOR: Amount = 4;
/// Findings per row over all plies, in percent: for each attacker, and in addition. Approximate.
const FOUND_PER_ATTACKER: Amount = 92;
const FOUND_PER_ROW: Amount = 310;
/// Bytes of a found row that are left without zero bytes, in percent. Approximate.
const NONZERO_BYTES: Amount = 36;
/// Bytes of seeds sent between partitions, for each word of a row, and the size of compressed
/// batches, in percent. Approximate.
const SEEDS_PER_WORD: Amount = 10;
const COMPRESSED_BATCH: Amount = 40;
/// Memory of a worker besides its rows, and of the program besides its workers.
const WORKER_BYTES: Amount = 4 << 20;
const PROGRAM_BYTES: Amount = 16 << 20;
/// Segments of sub-slices in a worker's working set. A smaller cache reads the same segments again
/// and again. Approximate.
const SEGMENTS_PER_WORKER: Amount = 8;
const CODE_BYTES: Amount = size_of::<Code>() as Amount;
/// The allocator keeps freed memory of sub-slices: this much, and a fraction of it all.
const ALLOCATOR_KEPT_BYTES: Amount = 256 << 20;
const KEPT_DIVISOR: Amount = 4;
/// Events of a row while it is prepared for writing. Approximate.
const EVENTS_PER_ROW: Amount = 18;

/// The resources that solving a slice takes, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Resources {
    /// Memory in use all the time, except records: numberings, buffers, the program.
    fixed_bytes: Amount,
    /// Memory of the initial pass for the numberings of the sub-slices and for reading them.
    sub_slices_bytes: Amount,
    /// All rows of the sub-slices.
    coded_bytes: Amount,
    /// The minimum of these rows that is in memory at a time.
    min_coded_bytes: Amount,
    /// The numbers of rows, bytes of a row, sets of defenders, and attackers.
    rows: u64,
    row_bytes: Amount,
    sets: u64,
    attackers: Amount,
    /// Values buffered for the table files.
    output_bytes: Amount,
    /// The numbers of blocks and chunks, and the rows of a chunk.
    blocks: Amount,
    chunks: u64,
    chunk_rows: Amount,
    /// The maximum number of sets of defenders that must stay in one partition: images of one
    /// another.
    images: u64,
    /// The numbering of sets and blocks within partitions.
    numbering_bytes: Amount,
    /// A window of rows received from other partitions.
    window_bytes: Amount,
    /// The maximum number of partitions.
    max_partitions: usize,
}

impl Resources {
    /// Estimates the resources of a slice for a number of threads.
    ///
    /// # Errors
    /// If the slice is too large for the solver's numbers.
    pub(super) fn of(
        rules: &Ruleset,
        slice: Slice,
        threads: usize,
    ) -> Result<Resources, BuildError> {
        let row_bytes = bytes_per_row(rules);
        let sets = defender_sets(rules, slice)?;
        let blocks = attacker_sets(rules, slice)?.rows();
        let rows = blocks.checked_mul(sets).ok_or(IndexError::TooLarge(slice))?;
        let index = SliceIndex::new(rules, slice)?;
        let chunks = Chunks::new(blocks as usize, sets as usize);
        let chunk_rows = (chunks.chunk_rows() as u64).min(rows);
        let images = rules.symmetries().order() as u64;
        let codes = CODES_PER_ATTACKER * slice.attackers as Amount;
        let block_rows = pass::BLOCK_ROWS as Amount + codes;
        let worker_rows = 8 * Amount::from(chunk_rows) + Amount::from(sets) * block_rows;
        let worker = WORKER_BYTES + row_bytes * worker_rows;
        let fixed = PROGRAM_BYTES + lookup_bytes(rules, slice) + sets_bytes(rules, slice)?;
        let (mut coded, mut max_segment_bytes, mut max_segment_rows) = (0, 0, 0);
        let mut numberings = 0;
        // All rows of all sub-slices may be cached at a time, and each worker reads one segment.
        for (child, _) in sub_slices(rules, slice) {
            let child_sets = Amount::from(defender_sets(rules, child)?);
            let child_rows = Amount::from(attacker_sets(rules, child)?.rows()) * child_sets;
            let bytes = 8 + CODES_PER_ROW * (CODE_BYTES + row_bytes);
            coded += child_rows * bytes;
            // A segment has at least one block.
            let segment_rows = (MAX_SEGMENT_ROWS as Amount).max(child_sets).min(child_rows);
            max_segment_rows = max_segment_rows.max(segment_rows);
            max_segment_bytes = max_segment_bytes.max(bytes * segment_rows);
            numberings += lookup_bytes(rules, child) + sets_bytes(rules, child)?;
        }
        let lanes = index.lanes().count() as Amount;
        // The codes read, and the coded rows: final, and twice while they grow.
        let reading = lanes * max_segment_rows * CODE_BYTES + 3 * max_segment_bytes;
        let workers = threads as Amount;
        // Neither images of a set nor a chunk can be split.
        let (chunk_count, set_groups) = (chunks.count() as u64, sets.div_ceil(images));
        let resources = Resources {
            fixed_bytes: fixed + workers * worker,
            sub_slices_bytes: numberings + workers * reading,
            coded_bytes: coded,
            min_coded_bytes: coded.min(workers * SEGMENTS_PER_WORKER * max_segment_bytes),
            rows,
            row_bytes,
            sets,
            attackers: slice.attackers as Amount,
            output_bytes: output_bytes(&index, chunks, row_bytes, threads),
            blocks: blocks.into(),
            chunks: chunk_count,
            chunk_rows: chunk_rows.into(),
            images,
            numbering_bytes: sets_bytes(rules, slice)? + Amount::from(blocks / 8),
            window_bytes: 2 * (row_bytes + 8) * Amount::from(rows.min(WINDOW_ROWS as u64)),
            max_partitions: set_groups.min(chunk_count).min(MAX_PARTITIONS) as usize,
        };
        let slots = 2 * lanes * Amount::from(rows);
        let is_too_large = index.rows() > MAX_ROWS
            || chunk_count > MAX_CHUNKS
            || slots.max(resources.largest_amount()) > MAX_AMOUNT;
        if is_too_large { Err(BuildError::TooLarge(slice)) } else { Ok(resources) }
    }

    /// Returns the largest amount that is estimated for any storage, without the workers' memory,
    /// so that the number of threads does not decide whether a slice is too large.
    fn largest_amount(&self) -> Amount {
        let memory = self.coded_bytes + self.tables_bytes(Storage::Memory, 1);
        let scratch = self.stages_bytes(false) + self.partitions_on_disk();
        memory.max(scratch).max(self.found_bytes())
    }

    /// Returns the peak memory of a rank if `ranks` ranks hold the tables and each may use
    /// `allowed` bytes.
    pub(super) fn memory_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> u64 {
        let coded = self.cached_bytes(storage, ranks, allowed).min(self.coded_bytes);
        let initial = self.sub_slices_bytes + coded;
        let plies = kept_by_allocator(coded) + self.tables_bytes(storage, ranks);
        clamped(self.lasting_bytes(ranks) + initial.max(plies).max(self.output_bytes))
    }

    /// Returns the memory in use all the time.
    fn lasting_bytes(&self, ranks: usize) -> Amount {
        let chunks = Amount::from(self.chunks.div_ceil(ranks as u64));
        self.fixed_bytes + chunks * RECORDS_PER_CHUNK * RECORD_BYTES as Amount
    }

    /// Returns the size of a table with all rows.
    fn table_bytes(&self) -> Amount {
        Amount::from(self.rows) * self.row_bytes
    }

    /// Returns the memory of a rank for tables, including everything that partitions need.
    fn tables_bytes(&self, storage: Storage, ranks: usize) -> Amount {
        let Storage::Partitions(count) = storage else {
            return self.table_bytes() * TABLES_IN_MEMORY;
        };
        let partitions = count as u64;
        let tables = match storage.is_packed(ranks) {
            true => TABLES_OF_PARTITION,
            false => TABLES_OF_ONLY_PARTITION,
        };
        // The largest partition of either kind: images and chunks are not split.
        let sets = self.sets.div_ceil(partitions).next_multiple_of(self.images).min(self.sets);
        let rows_by_defenders = self.blocks * Amount::from(sets);
        let chunks = Amount::from(self.chunks.div_ceil(partitions));
        let rows_by_attackers = (chunks * self.chunk_rows).min(self.rows.into());
        let table_bytes = rows_by_defenders.max(rows_by_attackers) * self.row_bytes;
        // Each chunk sends a batch to each partition.
        let rank_chunks = Amount::from(self.chunks.div_ceil(ranks as u64));
        let batches = rank_chunks * Amount::from(partitions) * BATCH_BYTES;
        tables * table_bytes + batches + self.numbering_bytes + self.window_bytes
    }

    /// Returns the minimum memory with which one rank or `ranks` ranks can solve the slice.
    pub(super) fn min_memory_bytes(&self, ranks: usize) -> u64 {
        let alone = self.min_memory_together(1);
        if ranks == 1 { alone } else { alone.min(self.min_memory_together(ranks)) }
    }

    /// Returns the minimum memory of a rank with which `ranks` ranks together can solve the slice.
    fn min_memory_together(&self, ranks: usize) -> u64 {
        let candidates = self.storages(ranks).map(|storage| self.memory_bytes(storage, ranks, 0));
        candidates.min().unwrap_or(u64::MAX)
    }

    /// Returns the maximum memory for cached sub-slices if a rank may use `allowed` bytes.
    pub(super) fn cache_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> u64 {
        clamped(self.cached_bytes(storage, ranks, allowed))
    }

    fn cached_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> Amount {
        let rest = Amount::from(allowed).saturating_sub(self.lasting_bytes(ranks));
        let beside_tables = rest.saturating_sub(self.tables_bytes(storage, ranks));
        let beside_reading = rest.saturating_sub(self.sub_slices_bytes);
        beside_reading.min(max_keeping(beside_tables)).max(self.min_coded_bytes)
    }

    /// Returns the possible places for the tables, best first: fewer partitions send less. All
    /// ranks have the same number of partitions, so that none waits for others.
    fn storages(&self, ranks: usize) -> impl Iterator<Item = Storage> {
        let max = self.max_partitions;
        let min = if ranks == 1 { 2 } else { ranks.min(max) };
        let in_memory = (ranks == 1).then_some(Storage::Memory);
        // The last candidate has the maximum number of partitions and takes the least memory.
        let in_partitions = (min..=max).step_by(ranks).chain((min..=max).last());
        in_memory.into_iter().chain(in_partitions.map(Storage::Partitions))
    }

    /// Returns where the tables go if each of `ranks` ranks has `memory_bytes`, or `None` if that
    /// is too little for any number of partitions.
    pub(super) fn storage(&self, memory_bytes: u64, ranks: usize) -> Option<Storage> {
        let mut fitting = self
            .storages(ranks)
            .filter(|&storage| self.memory_bytes(storage, ranks, memory_bytes) <= memory_bytes);
        let first = fitting.next()?;
        // Re-reading sub-slices costs more time than additional partitions.
        let wanted = self.coded_bytes.min(Amount::from(memory_bytes) / CACHE_DIVISOR);
        let caching = iter::once(first)
            .chain(fitting)
            .find(|&storage| self.cached_bytes(storage, ranks, memory_bytes) >= wanted);
        Some(caching.unwrap_or(first))
    }

    /// Returns `true` if scratch files and batches stay uncompressed where the disk has space: if
    /// the memory allowed to each rank could hold them.
    pub(super) fn stays_plain(&self, storage: Storage, ranks: usize, allowed: u64) -> bool {
        let of_rank = self.stages_bytes(false) / ranks as Amount;
        let in_memory = self.memory_bytes(storage, ranks, u64::MAX);
        // Tables are packed because memory is short.
        !storage.is_packed(ranks) && Amount::from(in_memory) + of_rank <= allowed.into()
    }

    /// Estimates the bytes that all ranks together exchange.
    pub(super) fn exchanged_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> u64 {
        let plain = self.found_bytes();
        let stays_plain = self.stays_plain(storage, ranks, allowed);
        let sent = if stays_plain { plain } else { plain * COMPRESSED_BATCH / 100 };
        clamped(sent / ranks as Amount * (ranks as Amount - 1))
    }

    /// Returns the bytes of all findings and seeds, uncompressed.
    fn found_bytes(&self) -> Amount {
        let found = self.attackers * FOUND_PER_ATTACKER + FOUND_PER_ROW;
        // The lanes, and a byte for the distance from the row before.
        let plies = found * (self.row_bytes * NONZERO_BYTES + 100) / (100 * 100);
        Amount::from(self.rows) * (plies + SEEDS_PER_WORD * self.row_bytes / 8)
    }

    /// Returns the number of rows of a table.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of sets of defenders.
    pub(super) fn sets(&self) -> u64 {
        self.sets
    }

    /// Returns the size of the stage files, compressed or not.
    fn stages_bytes(&self, packed: bool) -> Amount {
        let bytes = Amount::from(self.rows) * STAGE_BYTES_PER_WORD * self.row_bytes / 8;
        if packed { bytes } else { bytes * COMPRESSION_FACTOR }
    }

    /// Returns the disk space of the scratch folder, compressed or not.
    pub(super) fn scratch_bytes(&self, storage: Storage, packed: bool) -> u64 {
        let partitions = match storage {
            Storage::Memory => 0,
            Storage::Partitions(_) => self.partitions_on_disk(),
        };
        clamped(self.stages_bytes(packed) + partitions)
    }

    /// Returns the disk space of all partitions with their inboxes.
    fn partitions_on_disk(&self) -> Amount {
        self.table_bytes() * PARTITIONS_ON_DISK / 100
    }

    /// Allocates memory and disk to the slice, if each of `ranks` ranks may use `allowed` bytes of
    /// memory, of `free_memory`.
    ///
    /// # Errors
    /// If the slice needs more memory than that, or more disk space than its scratch folder has.
    pub(super) fn allocate(
        &self,
        slice: Slice,
        ranks: usize,
        allowed: u64,
        free_memory: u64,
        files: &dyn FileSystem,
        folder: &Path,
    ) -> Result<Allocation, BuildError> {
        let storage = self.storage(allowed, ranks).ok_or_else(|| BuildError::Memory {
            slice,
            needed: self.min_memory_bytes(ranks),
            allowed,
        })?;
        let needed = self.scratch_bytes(storage, true);
        // Where the system does not report free space, writing will find out.
        let free = files.available(existing(folder));
        let available = free.map_or(u64::MAX, |bytes| bytes.saturating_add(kept_bytes(folder)));
        if available < needed / DISK_ESTIMATE_MARGIN {
            return Err(BuildError::Disk { slice, path: folder.to_owned(), needed, available });
        }
        let plain = if self.stays_plain(storage, ranks, allowed) {
            Some(self.scratch_bytes(storage, false))
        } else {
            // What the system's cache can hold beside this memory is read and written faster than
            // it could be compressed. Batches of several ranks are sent, too.
            let spare = free_memory.saturating_sub(allowed);
            let all_plain = clamped(Amount::from(needed) * COMPRESSION_FACTOR);
            Some(all_plain).filter(|&plain| ranks == 1 && plain <= spare)
        };
        let always = plain.is_none_or(|plain| !has_room(plain, needed, available));
        Ok(Allocation {
            storage,
            compression: Compression { always, reserve_bytes: needed, writers: ranks },
            cache_bytes: self.cache_bytes(storage, ranks, allowed),
            short_disk: (available < needed).then_some([needed, available]),
        })
    }
}

/// The resources allocated to a slice.
pub(super) struct Allocation {
    /// Where the tables go.
    pub storage: Storage,
    /// When scratch files are compressed.
    pub compression: Compression,
    /// The memory for cached sub-slices.
    pub cache_bytes: u64,
    /// The estimated disk space and the free space, if less is free than estimated.
    pub short_disk: Option<[u64; 2]>,
}

/// Returns `true` if `available` bytes are enough for uncompressed work and, as a reserve, for the
/// same work compressed: estimates may be too low, and others use the disk, too.
pub(super) fn has_room(plain: u64, packed: u64, available: u64) -> bool {
    plain.saturating_add(packed) <= available
}

/// Converts an amount to `u64`, saturating.
fn clamped(amount: Amount) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}

/// Returns the memory that stays allocated after the sub-slices have been freed.
fn kept_by_allocator(coded: Amount) -> Amount {
    coded.min(ALLOCATOR_KEPT_BYTES + coded / KEPT_DIVISOR)
}

/// Returns the maximum memory for sub-slices of which at most `bytes` stay allocated.
fn max_keeping(bytes: Amount) -> Amount {
    bytes.max(bytes.saturating_sub(ALLOCATOR_KEPT_BYTES) * KEPT_DIVISOR)
}

/// Returns the free bytes on the disk of a folder that need not exist yet, if the system reports
/// them.
pub fn available_disk(folder: &Path) -> Option<u64> {
    SystemFiles.available(existing(folder)).ok()
}

/// Returns the folder or its first existing ancestor.
fn existing(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."))
}

/// Returns the size of the files that an interrupted build has left for this one.
fn kept_bytes(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

fn bytes_per_row(rules: &Ruleset) -> Amount {
    8 * row_words(rules) as Amount
}

fn defender_sets(rules: &Ruleset, slice: Slice) -> Result<u64, BuildError> {
    // The rows of a chunk, which has at least one block, are stored together in fewer than 2^31
    // bytes.
    binomial(rules.places(Kind::Defender).len(), slice.defenders)
        .filter(|&sets| Amount::from(sets) < (1 << 31) / bytes_per_row(rules))
        .ok_or(BuildError::TooLarge(slice))
}

fn lookup_bytes(rules: &Ruleset, slice: Slice) -> Amount {
    BlockLookup::bytes(rules.places(Kind::Attacker).len(), slice.attackers).into()
}

/// Returns the memory for writing: the values of some chunks, values pending for their blocks, and
/// the workers' rows.
fn output_bytes(index: &SliceIndex, chunks: Chunks, row_bytes: Amount, threads: usize) -> Amount {
    let lanes = index.lanes().count();
    let tiles = tiles_at_once(lanes, chunks.chunk_rows(), threads).min(chunks.count());
    let all_rows = Amount::from(index.rows());
    let batch = tiles as Amount * all_rows.div_ceil(chunks.count() as Amount);
    let block = block_shape(Packing::Base3, index).rows_per_block;
    let pending = max_pending(all_rows, batch, block.into());
    let both_sides = 2 * CODE_BYTES * lanes as Amount;
    let worker_rows =
        (threads as Amount * chunks.chunk_rows() as Amount).min(chunks.rows() as Amount);
    let worker_row = EVENTS_PER_ROW * (2 * row_bytes + 6) + 6 * row_bytes;
    let hashed = Metric::ALL.len() as Amount * all_rows.min(ValueHasher::MAX_PENDING as Amount);
    // Vectors allocate more than they need.
    both_sides * (batch + pending + pending / 2 + hashed) + worker_rows * worker_row
}

/// Returns the maximum number of pending rows if they arrive in batches and leave in blocks.
fn max_pending(rows: Amount, batch: Amount, block: Amount) -> Amount {
    // The pattern repeats after this number of batches.
    let simulated = rows.min(100 * batch);
    let (mut arrived, mut pending, mut max) = (0, 0, 0);
    while arrived < simulated {
        let new = batch.min(simulated - arrived);
        arrived += new;
        pending += new;
        max = max.max(pending);
        pending %= block;
    }
    max
}

fn sets_bytes(rules: &Ruleset, slice: Slice) -> Result<Amount, BuildError> {
    let numbers = set_bytes(slice.defenders, rules.symmetries().order()) as Amount;
    // The lanes of a set take a row.
    Ok(Amount::from(defender_sets(rules, slice)?) * (numbers + bytes_per_row(rules)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::system::filesystem::faulty::{Fault, FaultyFiles, NEVER};

    #[test]
    fn rows_are_pending_until_their_block_is_complete() {
        // 4, of which 3 leave; 1 and 4, of which 3 leave; 2 and 2.
        assert_eq!(max_pending(10, 4, 3), 5);
        assert_eq!(max_pending(2, 4, 3), 2);
        assert_eq!(max_pending(12, 4, 20), 12);
    }

    /// Estimates exist even for slices that no machine can build. None exceeds 64 bits.
    #[test]
    fn slices_too_large_for_any_machine_have_estimates() {
        for (rules, max_men) in [("alea-evangelii", [24, 48]), ("large-hnefatafl", [12, 24])] {
            let rules = Ruleset::load(rules).unwrap();
            let mut counted = 0;
            for defenders in (0..=max_men[0]).step_by(2) {
                for attackers in (1..=max_men[1]).rev().step_by(3) {
                    let Ok(resources) = Resources::of(&rules, Slice { defenders, attackers }, 2)
                    else {
                        continue;
                    };
                    counted += 1;
                    assert!(resources.chunks <= MAX_CHUNKS, "K{defenders}v{attackers}");
                    for ranks in [1, 1000] {
                        let min_memory = resources.min_memory_bytes(ranks);
                        let storage =
                            resources.storage(min_memory, ranks).unwrap_or(Storage::Memory);
                        let in_memory = resources.memory_bytes(Storage::Memory, 1, u64::MAX);
                        for bytes in [
                            min_memory,
                            in_memory,
                            resources.memory_bytes(storage, ranks, min_memory),
                            resources.scratch_bytes(storage, false),
                            resources.exchanged_bytes(storage, 1000, min_memory),
                        ] {
                            assert!((1..u64::MAX).contains(&bytes), "K{defenders}v{attackers}");
                        }
                    }
                }
            }
            assert!(counted > 2, "{counted}");
        }
    }

    #[test]
    fn slices_without_positions_or_tables_are_refused() {
        let rules = Ruleset::load("brandubh").unwrap();
        for (defenders, attackers) in [(60, 1), (60, 0), (1, 0), (1, 60)] {
            let slice = Slice { defenders, attackers };
            let refused = Resources::of(&rules, slice, 1);
            let is_of_index = |error| matches!(error, BuildError::Index(IndexError::NoSuchSlice(s)) if s == slice);
            assert!(refused.is_err_and(is_of_index), "{slice}");
        }
        let rules = Ruleset::load("alea-evangelii").unwrap();
        let slice = "K3v4".parse().unwrap();
        assert!(SliceIndex::new(&rules, slice).unwrap().rows() > MAX_ROWS);
        assert!(matches!(Resources::of(&rules, slice, 1), Err(BuildError::TooLarge(_))));
    }

    #[test]
    fn partitions_stay_uncompressed_if_the_systems_cache_can_hold_them() {
        let root = tempfile::tempdir().unwrap();
        let disk = |bytes| FaultyFiles::new(root.path(), Fault::Fail, NEVER, 0).full(bytes);
        let (large, small) = (disk(1 << 40), disk(1 << 30));
        let resources =
            Resources::of(&Ruleset::load("brandubh").unwrap(), "K2v4".parse().unwrap(), 2);
        let (resources, allowed, gib) = (resources.unwrap(), 400 << 20, 1_u64 << 30);
        for (ranks, free, files, always) in [
            (1, 8 * gib, &large, false),
            (1, gib, &large, true),
            (1, 8 * gib, &small, true),
            (2, 8 * gib, &large, true),
        ] {
            let slice = "K2v4".parse().unwrap();
            let allocation = resources.allocate(slice, ranks, allowed, free, files, root.path());
            assert_eq!(allocation.unwrap().compression.always, always, "{ranks} {free}");
        }
    }

    #[test]
    fn sub_slices_get_their_part_of_the_cache() {
        let rules = Ruleset::load("brandubh").unwrap();
        for (slice, min_mib) in [("K4v3", 1500), ("K2v4", 350)] {
            let resources = Resources::of(&rules, slice.parse().unwrap(), 2).unwrap();
            for mib in (min_mib..8 * min_mib).step_by(50) {
                let bytes = mib << 20;
                let storage = resources.storage(bytes, 1).unwrap();
                assert!(resources.memory_bytes(storage, 1, bytes) <= bytes);
                let cached = resources.cache_bytes(storage, 1, bytes);
                let wanted = resources.coded_bytes.min(Amount::from(bytes) / CACHE_DIVISOR);
                assert!(Amount::from(cached) >= wanted, "{slice}, {mib}");
            }
        }
    }

    #[test]
    fn all_ranks_have_the_same_number_of_partitions() {
        let rules = Ruleset::load("brandubh").unwrap();
        let resources = Resources::of(&rules, "K3v3".parse().unwrap(), 1).unwrap();
        for ranks in [2, 3, 7] {
            let min_memory = resources.min_memory_bytes(ranks);
            let mut counts = BTreeSet::new();
            for percent in 101..400 {
                let Some(Storage::Partitions(partitions)) =
                    resources.storage(min_memory * percent / 100, ranks)
                else {
                    panic!("{ranks} ranks: {percent} % of the minimum memory is too little")
                };
                assert_eq!(partitions % ranks, 0, "{percent} %");
                counts.insert(partitions);
            }
            assert!(counts.len() > 1, "{counts:?}");
        }
    }

    #[test]
    fn the_minimum_memory_is_enough() {
        let rules = Ruleset::load("brandubh").unwrap();
        for slice in ["K0v1", "K0v5", "K3v2", "K4v3", "K2v6", "K4v5"] {
            let resources = Resources::of(&rules, slice.parse().unwrap(), 2).unwrap();
            let min_memory = resources.min_memory_bytes(1);
            assert!(resources.storage(min_memory - 1, 1).is_none());
            for percent in (100..300).step_by(7) {
                assert!(
                    resources.storage(min_memory * percent / 100, 1).is_some(),
                    "{slice}, {percent}"
                );
            }
            let all = resources.memory_bytes(Storage::Memory, 1, u64::MAX).max(min_memory);
            assert_eq!(resources.storage(all, 1), Some(Storage::Memory), "{slice}");
            // One partition per rank, or as many as possible.
            let storage = resources.storage(u64::MAX, 3);
            let partitions = resources.max_partitions.min(3);
            assert_eq!(storage, Some(Storage::Partitions(partitions)), "{slice}");
        }
    }
}
