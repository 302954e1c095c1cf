//! What a slice takes of memory and of the disk, and how it is made to fit.

use std::fs;
use std::path::Path;

use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;
use crate::index::{IndexError, SliceIndex, binomial};
use crate::solve::convert::output::block_shape;
use crate::solve::convert::read::{MOST_SEGMENT_ROWS, sub_slices};
use crate::solve::convert::write::tiles_at_once;
use crate::solve::error::BuildError;
use crate::solve::frame::attacker_sets;
use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::frame::defender_sets::set_bytes;
use crate::solve::frame::region::row_words;
use crate::solve::initial::pass::Buffers;
use crate::solve::plies::chunks::{Chunks, WINDOW_ROWS};
use crate::solve::plies::in_memory::InMemory;
use crate::solve::plies::in_partitions::InPartitions;
use crate::solve::plies::row_batch::RowBatch;
use crate::solve::plies::tables::Storage;
use crate::solve::store::{Compression, RECORD_BYTES};
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::table::{Code, Metric, Packing, ValueHasher};

/// Bytes, and what they are worked out from. The counts of a slice that can be indexed are
/// below 2^64 and their factors below 2^32, at most two at a time: nothing overflows.
type Amount = u128;

/// Bit tables of the outcome in progress.
const TABLES_IN_MEMORY: Amount = InMemory::<1>::TABLES as Amount;
const TABLES_OF_PARTITION: Amount = InPartitions::<1>::TABLES as Amount;
const TABLES_OF_ONLY_PARTITION: Amount = InPartitions::<1>::TABLES_OF_ONLY_PARTITION as Amount;
/// Of the memory that is allowed, this part is for smaller slices, if all of them would take
/// more, and if there can be so many partitions.
const CACHE_PART: Amount = 4;
/// Of a table, in per cent: what all partitions take on the disk, their mail included, about.
const PARTITIONS_ON_DISK: Amount = 140;
/// Where less than this part of the disk that work takes, about, is free, it is not begun:
/// what is foretold may be too much, but not so many times.
const SURELY_TOO_LITTLE: u64 = 2;
/// More partitions than that take more memory for their batches than they save.
const MAX_PARTITIONS: u64 = 1 << 12;
/// What is told of a batch, with what of it is under way, for those of what captures decide
/// and of a ply.
const BATCH_BYTES: Amount = 3 * size_of::<RowBatch>() as Amount;
/// Records of the stages for each chunk, about.
const RECORDS_PER_CHUNK: Amount = 100;
/// Codes that occur in a row of a smaller slice, about.
const CODES_PER_ROW: Amount = 4;
/// Codes that captures of a block lead to, about, for each attacker: more of them make
/// games longer.
const CODES_PER_ATTACKER: Amount = 8;
/// Bytes of the stage files for each row and word of lanes, about, and how many times as
/// many there are where they are not compressed.
const STAGE_BYTES_PER_WORD: Amount = 14;
const PACKED_SHARE: Amount = 8;
/// In per cent: how many times something is found in a row, over all plies, about.
const FOUND_PER_ATTACKER: Amount = 92;
const FOUND_PER_ROW: Amount = 310;
/// Bytes, for each word of a row, of what captures decide, on the way to where it is
/// needed, about; and how many times fewer there are if they are packed.
const SEEDS_PER_WORD: Amount = 22;
const PACKED_MAIL_SHARE: Amount = 5;
/// What a worker takes besides its rows, and the program besides its workers.
const WORKER_BYTES: Amount = 4 << 20;
const PROGRAM_BYTES: Amount = 16 << 20;
/// Segments of smaller slices that a worker comes back to, about: with fewer kept it reads
/// the same ones again and again.
const SEGMENTS_PER_WORKER: Amount = 8;
const CODE_BYTES: Amount = size_of::<Code>() as Amount;
/// Of what the smaller slices took, all up to here stays with the allocator when
/// it has been given back, and a part of the rest.
const KEPT_BYTES: Amount = 256 << 20;
const KEPT_SHARE: Amount = 4;
/// Events of a row, about, while it is made ready to be written.
const EVENTS_PER_ROW: Amount = 18;

/// What solving a slice takes, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Resources {
    /// What is there all the time, records left out: numberings, buffers, the program.
    fixed_bytes: Amount,
    /// The numberings of the smaller slices, and what reading some of them takes, for the
    /// initial pass.
    sub_slices_bytes: Amount,
    /// All their rows.
    coded_bytes: Amount,
    /// Those of them that are in memory at a time, at least.
    least_coded_bytes: Amount,
    /// How many rows there are, their bytes, sets of defenders, and attackers.
    rows: u64,
    row_bytes: Amount,
    sets: u64,
    attackers: Amount,
    /// Values on their way to the files.
    output_bytes: Amount,
    /// The blocks and chunks, and the rows of a chunk.
    blocks: Amount,
    chunks: u64,
    chunk_rows: Amount,
    /// Sets of defenders that go together are at most so many: images of one another.
    images: u64,
    /// The sets and blocks once more, as partitions number them.
    numbering_bytes: Amount,
    /// Rows that come by post, some at a time.
    window_bytes: Amount,
    /// How many partitions there can be.
    max_partitions: usize,
}

impl Resources {
    /// The needs of a slice, with that many threads.
    ///
    /// # Errors
    /// If the slice is too large for the solver's numbers.
    pub(super) fn of(
        rules: &Ruleset,
        slice: Slice,
        threads: usize,
    ) -> Result<Resources, BuildError> {
        let row_bytes = row_bytes(rules);
        let sets = defender_sets(rules, slice)?;
        let blocks = attacker_sets(rules, slice)?.rows();
        let rows = blocks.checked_mul(sets).ok_or(IndexError::TooLarge(slice))?;
        let chunks = Chunks::new(blocks as usize, sets as usize);
        let chunk_rows = (chunks.chunk_rows() as u64).min(rows);
        let images = rules.symmetries().order() as u64;
        let index = SliceIndex::new(rules, slice)?;
        let codes = CODES_PER_ATTACKER * slice.attackers as Amount;
        let block_rows = Buffers::<1>::BLOCK_ROWS as Amount + codes;
        let of_buffers = 8 * Amount::from(chunk_rows) + Amount::from(sets) * block_rows;
        let worker = WORKER_BYTES + row_bytes * of_buffers;
        let fixed = PROGRAM_BYTES + lookup_bytes(rules, slice) + sets_bytes(rules, slice)?;
        let (mut coded, mut largest, mut segment) = (0, 0, 0);
        let mut numberings = 0;
        for (child, _) in sub_slices(slice) {
            let sets = Amount::from(defender_sets(rules, child)?);
            let rows = Amount::from(attacker_sets(rules, child)?.rows()) * sets;
            let bytes = 8 + CODES_PER_ROW * (CODE_BYTES + row_bytes);
            coded += rows * bytes;
            // A segment has one block at least.
            let of_segment = (MOST_SEGMENT_ROWS as Amount).max(sets).min(rows);
            segment = segment.max(of_segment);
            largest = largest.max(bytes * of_segment);
            numberings += lookup_bytes(rules, child) + sets_bytes(rules, child)?;
        }
        let lanes = index.lanes().count() as Amount;
        // What is read, and the same as it is kept while it grows and when it is done.
        let reading = lanes * segment * CODE_BYTES + 3 * largest;
        let workers = threads as Amount;
        let (most_chunks, most_sets) = (chunks.count() as u64, sets.div_ceil(images));
        Ok(Resources {
            fixed_bytes: fixed + workers * worker,
            sub_slices_bytes: numberings + workers * reading,
            coded_bytes: coded,
            least_coded_bytes: coded.min(workers * SEGMENTS_PER_WORKER * largest),
            rows,
            row_bytes,
            sets,
            attackers: slice.attackers as Amount,
            output_bytes: output_bytes(&index, chunks, row_bytes, threads),
            blocks: blocks.into(),
            chunks: most_chunks,
            chunk_rows: chunk_rows.into(),
            images,
            numbering_bytes: sets_bytes(rules, slice)? + Amount::from(blocks / 8),
            window_bytes: 2 * (row_bytes + 8) * Amount::from(rows.min(WINDOW_ROWS as u64)),
            max_partitions: most_sets.min(most_chunks).min(MAX_PARTITIONS) as usize,
        })
    }

    /// The most memory of a rank in use at a time, if the tables of so many ranks are there
    /// and each may use so much.
    pub(super) fn memory_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> u64 {
        let coded = self.cached_bytes(storage, ranks, allowed).min(self.coded_bytes);
        let initial = self.sub_slices_bytes + coded;
        let plies = kept(coded) + self.tables_bytes(storage, ranks);
        clamped(self.lasting_bytes(ranks) + initial.max(plies).max(self.output_bytes))
    }

    /// What is there all the time.
    fn lasting_bytes(&self, ranks: usize) -> Amount {
        let chunks = Amount::from(self.chunks.div_ceil(ranks as u64));
        self.fixed_bytes + chunks * RECORDS_PER_CHUNK * RECORD_BYTES as Amount
    }

    /// A table with all rows.
    fn table_bytes(&self) -> Amount {
        Amount::from(self.rows) * self.row_bytes
    }

    /// What the tables of a rank take, with all that belongs to partitions.
    fn tables_bytes(&self, storage: Storage, ranks: usize) -> Amount {
        let Storage::Partitions(partitions) = storage else {
            return self.table_bytes() * TABLES_IN_MEMORY;
        };
        let tables = match storage.is_packed(ranks) {
            true => TABLES_OF_PARTITION,
            false => TABLES_OF_ONLY_PARTITION,
        };
        // The largest partition of either cut: images and chunks go together.
        let partitions = partitions as u64;
        let sets = self.sets.div_ceil(partitions).next_multiple_of(self.images).min(self.sets);
        let of_sets = self.blocks * Amount::from(sets);
        let chunks = Amount::from(self.chunks.div_ceil(partitions));
        let of_chunks = (chunks * self.chunk_rows).min(self.rows.into());
        let rows = of_sets.max(of_chunks) * tables * self.row_bytes;
        // Each chunk has a batch for each partition.
        let chunks = Amount::from(self.chunks.div_ceil(ranks as u64));
        let batches = chunks * Amount::from(partitions) * BATCH_BYTES;
        rows + batches + self.numbering_bytes + self.window_bytes
    }

    /// The least memory with which so many ranks, or one, can solve the slice.
    pub(super) fn least_memory_bytes(&self, ranks: usize) -> u64 {
        let least = |ranks| {
            let resources =
                self.storages(ranks).map(|storage| self.memory_bytes(storage, ranks, 0));
            resources.min().unwrap_or(u64::MAX)
        };
        if ranks == 1 { least(1) } else { least(1).min(least(ranks)) }
    }

    /// How much of the smaller slices is kept in memory at the most, if so much of it is
    /// allowed.
    pub(super) fn cache_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> u64 {
        clamped(self.cached_bytes(storage, ranks, allowed))
    }

    fn cached_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> Amount {
        let rest = Amount::from(allowed).saturating_sub(self.lasting_bytes(ranks));
        let beside_tables = rest.saturating_sub(self.tables_bytes(storage, ranks));
        let rest = rest.saturating_sub(self.sub_slices_bytes);
        rest.min(most_keeping(beside_tables)).max(self.least_coded_bytes)
    }

    /// Where the tables can be, best first: the fewer partitions there are, the less is sent. All
    /// ranks have the same number, or others would wait for those that have more.
    fn storages(&self, ranks: usize) -> impl Iterator<Item = Storage> {
        let most = self.max_partitions;
        let least = if ranks == 1 { 2 } else { ranks.min(most) };
        let in_memory = (ranks == 1).then_some(Storage::Memory);
        // In the end as many as there can be, which take least memory.
        let in_partitions = (least..=most).step_by(ranks).chain((least..=most).last());
        in_memory.into_iter().chain(in_partitions.map(Storage::Partitions))
    }

    /// Where the tables go, if each of so many ranks has that much memory; `None` if it is
    /// too little however many partitions there are.
    pub(super) fn storage(&self, memory_bytes: u64, ranks: usize) -> Option<Storage> {
        let fits =
            |&storage: &Storage| self.memory_bytes(storage, ranks, memory_bytes) <= memory_bytes;
        // Smaller slices that are read again and again take more time than more partitions do.
        let cached = self.coded_bytes.min(Amount::from(memory_bytes) / CACHE_PART);
        let caches = |&storage: &Storage| self.cached_bytes(storage, ranks, memory_bytes) >= cached;
        let mut fitting = self.storages(ranks).filter(fits);
        let first = fitting.next()?;
        Some([first].into_iter().chain(fitting).find(caches).unwrap_or(first))
    }

    /// Whether what so many ranks keep on disk of their work, and what they send, is left
    /// uncompressed where the disk has room for it: if the memory that each is allowed has.
    pub(super) fn stays_plain(&self, storage: Storage, ranks: usize, allowed: u64) -> bool {
        let of_rank = self.stages_bytes(false) / ranks as Amount;
        let in_memory = self.memory_bytes(storage, ranks, u64::MAX);
        // Where tables wait packed, memory is short.
        !storage.is_packed(ranks) && Amount::from(in_memory) + of_rank <= allowed.into()
    }

    /// The bytes that so many ranks, each of which is allowed so much memory, give each
    /// other, all together.
    pub(super) fn exchanged_bytes(&self, storage: Storage, ranks: usize, allowed: u64) -> u64 {
        let found = self.attackers * FOUND_PER_ATTACKER + FOUND_PER_ROW;
        // As many bytes as a row has, and one for its distance from the one before.
        let plies = found * (self.row_bytes + 1) / 100;
        let plain = Amount::from(self.rows) * (plies + SEEDS_PER_WORD * self.row_bytes / 8);
        let stays_plain = self.stays_plain(storage, ranks, allowed);
        let sent = if stays_plain { plain } else { plain / PACKED_MAIL_SHARE };
        clamped(sent / ranks as Amount * (ranks as Amount - 1))
    }

    /// The rows of a table.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The sets of defenders.
    pub(super) fn sets(&self) -> u64 {
        self.sets
    }

    /// The stage files, compressed or not.
    fn stages_bytes(&self, packed: bool) -> Amount {
        let bytes = Amount::from(self.rows) * STAGE_BYTES_PER_WORD * self.row_bytes / 8;
        if packed { bytes } else { bytes * PACKED_SHARE }
    }

    /// The disk that the scratch folder takes, compressed or not.
    pub(super) fn scratch_bytes(&self, storage: Storage, packed: bool) -> u64 {
        let partitions = match storage {
            Storage::Memory => 0,
            Storage::Partitions(_) => self.table_bytes() * PARTITIONS_ON_DISK / 100,
        };
        clamped(self.stages_bytes(packed) + partitions)
    }
}

/// How a slice is made to fit.
pub(super) struct Fit {
    /// Where the tables go.
    pub storage: Storage,
    /// What is compressed of what is kept of the work.
    pub compression: Compression,
    /// How many bytes of the smaller slices are kept in memory.
    pub cache_bytes: u64,
    /// The disk that the work takes, about, and what is free, if that is less.
    pub short_disk: Option<[u64; 2]>,
}

/// With what a slice is to be solved.
pub(super) struct Limits<'a> {
    /// Threads of a rank.
    pub threads: usize,
    /// The memory of a rank.
    pub memory_bytes: u64,
    /// How many ranks there are.
    pub ranks: usize,
    /// The disk of the scratch folder.
    pub files: &'a dyn FileSystem,
}

/// Refuses a slice that cannot be solved with so much memory, or for which the
/// disk of its scratch folder has no room.
pub(super) fn check(
    rules: &Ruleset,
    slice: Slice,
    limits: &Limits,
    folder: &Path,
) -> Result<Fit, BuildError> {
    let &Limits { threads, memory_bytes, ranks, files } = limits;
    let resources = Resources::of(rules, slice, threads)?;
    let storage = resources.storage(memory_bytes, ranks).ok_or(BuildError::Memory {
        slice,
        needed: resources.least_memory_bytes(ranks),
        allowed: memory_bytes,
    })?;
    let needed = resources.scratch_bytes(storage, true);
    // Where the system does not say, the work itself will find out.
    let available = files.available(existing(folder));
    let available = available.map_or(u64::MAX, |bytes| bytes.saturating_add(kept_bytes(folder)));
    if available < needed / SURELY_TOO_LITTLE {
        return Err(BuildError::Disk { slice, path: folder.to_owned(), needed, available });
    }
    let cache_bytes = resources.cache_bytes(storage, ranks, memory_bytes);
    let plain = resources.scratch_bytes(storage, false);
    let stays_plain = resources.stays_plain(storage, ranks, memory_bytes);
    let always = !stays_plain || !has_room(plain, needed, available);
    let compression = Compression { always, reserve_bytes: needed, writers: ranks };
    let short_disk = (available < needed).then_some([needed, available]);
    Ok(Fit { storage, compression, cache_bytes, short_disk })
}

/// Whether so many bytes of a disk have room for work in progress that is not compressed, and
/// for as much as it takes compressed beside it: what is foretold may be too little, and the
/// disk is there for others, too.
pub(super) fn has_room(plain: u64, packed: u64, available: u64) -> bool {
    plain.saturating_add(packed) <= available
}

/// An amount in the numbers of those who ask for it.
fn clamped(amount: Amount) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}

/// Of what the smaller slices took, what stays when it has been given back.
fn kept(coded: Amount) -> Amount {
    coded.min(KEPT_BYTES + coded / KEPT_SHARE)
}

/// The most that the smaller slices may take if no more than that is to stay.
fn most_keeping(bytes: Amount) -> Amount {
    bytes.max(bytes.saturating_sub(KEPT_BYTES) * KEPT_SHARE)
}

/// The bytes that are free on the disk on which a folder is, or would be, if the system says.
pub fn available_disk(folder: &Path) -> Option<u64> {
    SystemFiles.available(existing(folder)).ok()
}

/// The folder, or the first one above it that is there.
fn existing(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."))
}

/// What an interrupted build has left in its folder and will use.
fn kept_bytes(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

fn row_bytes(rules: &Ruleset) -> Amount {
    8 * row_words(rules) as Amount
}

fn defender_sets(rules: &Ruleset, slice: Slice) -> Result<u64, BuildError> {
    // The rows of a chunk, of a block at least, are kept together, in fewer than 2^31 bytes.
    binomial(rules.places(Kind::Defender).len(), slice.defenders)
        .filter(|&sets| Amount::from(sets) < (1 << 31) / row_bytes(rules))
        .ok_or(BuildError::TooLarge(slice))
}

fn lookup_bytes(rules: &Ruleset, slice: Slice) -> Amount {
    BlockLookup::bytes(rules.places(Kind::Attacker).len(), slice.attackers).into()
}

/// What writing takes: the values of some chunks, those that wait for their blocks,
/// and the rows that the workers make them of.
fn output_bytes(index: &SliceIndex, chunks: Chunks, row_bytes: Amount, threads: usize) -> Amount {
    let lanes = index.lanes().count();
    let tiles = tiles_at_once(lanes, chunks.chunk_rows(), threads).min(chunks.count());
    let all_rows = Amount::from(index.rows());
    let batch = tiles as Amount * all_rows.div_ceil(chunks.count() as Amount);
    let block = block_shape(Packing::Base3, index).rows_per_block;
    let waiting = most_waiting(all_rows, batch, block.into());
    let both_sides = 2 * CODE_BYTES * lanes as Amount;
    let worker_rows =
        (threads as Amount * chunks.chunk_rows() as Amount).min(chunks.rows() as Amount);
    let worker_row = EVENTS_PER_ROW * (2 * row_bytes + 6) + 6 * row_bytes;
    let hashed = Metric::ALL.len() as Amount * all_rows.min(ValueHasher::MAX_PENDING as Amount);
    // Vectors grow by more than they need.
    both_sides * (batch + waiting + waiting / 2 + hashed) + worker_rows * worker_row
}

/// The most rows that wait at a time, if they come in batches and leave in blocks.
fn most_waiting(rows: Amount, batch: Amount, block: Amount) -> Amount {
    // The batches after these are no others.
    let rows = rows.min(100 * batch);
    let (mut come, mut waiting, mut most) = (0, 0, 0);
    while come < rows {
        let new = batch.min(rows - come);
        come += new;
        waiting += new;
        most = most.max(waiting);
        waiting %= block;
    }
    most
}

fn sets_bytes(rules: &Ruleset, slice: Slice) -> Result<Amount, BuildError> {
    let row_bytes = 8 * row_words(rules);
    let each = set_bytes(slice.defenders, row_bytes, rules.symmetries().order());
    Ok(Amount::from(defender_sets(rules, slice)?) * each as Amount)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_wait_for_their_block() {
        // 4, of which 3 leave; 1 and 4, of which 3 leave; 2 and 2.
        assert_eq!(most_waiting(10, 4, 3), 5);
        assert_eq!(most_waiting(2, 4, 3), 2);
        assert_eq!(most_waiting(12, 4, 20), 12);
    }

    /// Slices that no machine can build are told with some number.
    #[test]
    fn what_is_beyond_all_machines_can_be_counted() {
        for (rules, most) in [("alea-evangelii", [24, 48]), ("large-hnefatafl", [12, 24])] {
            let rules = Ruleset::load(rules).unwrap();
            let mut counted = 0;
            for defenders in (0..=most[0]).step_by(2) {
                for attackers in (1..=most[1]).rev().step_by(5) {
                    let Ok(resources) = Resources::of(&rules, Slice { defenders, attackers }, 2)
                    else {
                        continue;
                    };
                    counted += 1;
                    for ranks in [1, 1000] {
                        let least = resources.least_memory_bytes(ranks);
                        let storage = resources.storage(least, ranks).unwrap_or(Storage::Memory);
                        assert!(resources.memory_bytes(storage, ranks, u64::MAX) > 0);
                        assert!(resources.scratch_bytes(storage, false) > 0);
                        resources.exchanged_bytes(storage, ranks, least);
                    }
                }
            }
            assert!(counted > 2, "{counted}");
        }
    }

    #[test]
    fn smaller_slices_have_their_part() {
        let rules = Ruleset::load("brandubh").unwrap();
        for (slice, least_mib) in [("K4v3", 1500), ("K2v4", 350)] {
            let resources = Resources::of(&rules, slice.parse().unwrap(), 2).unwrap();
            for mib in (least_mib..8 * least_mib).step_by(50) {
                let bytes = mib << 20;
                let storage = resources.storage(bytes, 1).unwrap();
                assert!(resources.memory_bytes(storage, 1, bytes) <= bytes);
                let cached = resources.cache_bytes(storage, 1, bytes);
                let wanted = resources.coded_bytes.min(Amount::from(bytes) / CACHE_PART);
                assert!(Amount::from(cached) >= wanted, "{slice}, {mib}");
            }
        }
    }

    #[test]
    fn all_ranks_have_equally_many_partitions() {
        let rules = Ruleset::load("brandubh").unwrap();
        let resources = Resources::of(&rules, "K3v3".parse().unwrap(), 1).unwrap();
        for ranks in [2, 3, 7] {
            let least = resources.least_memory_bytes(ranks);
            let mut counts = BTreeSet::new();
            for percent in 101..400 {
                let Some(Storage::Partitions(partitions)) =
                    resources.storage(least * percent / 100, ranks)
                else {
                    panic!("{ranks} ranks: {percent} % of the least memory is too little")
                };
                assert_eq!(partitions % ranks, 0, "{percent} %");
                counts.insert(partitions);
            }
            assert!(counts.len() > 1, "{counts:?}");
        }
    }

    #[test]
    fn what_is_least_is_enough() {
        let rules = Ruleset::load("brandubh").unwrap();
        for slice in ["K0v1", "K0v5", "K3v2", "K4v3", "K2v6", "K4v5"] {
            let resources = Resources::of(&rules, slice.parse().unwrap(), 2).unwrap();
            let least = resources.least_memory_bytes(1);
            assert!(resources.storage(least - 1, 1).is_none());
            for percent in (100..300).step_by(7) {
                assert!(
                    resources.storage(least * percent / 100, 1).is_some(),
                    "{slice}, {percent}"
                );
            }
            let all = resources.memory_bytes(Storage::Memory, 1, u64::MAX).max(least);
            assert_eq!(resources.storage(all, 1), Some(Storage::Memory), "{slice}");
            // A partition for each rank, or for as many as there can be.
            let storage = resources.storage(u64::MAX, 3);
            let partitions = resources.max_partitions.min(3);
            assert_eq!(storage, Some(Storage::Partitions(partitions)), "{slice}");
        }
    }
}
