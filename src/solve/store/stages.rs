//! The stages of the work on a slice. Each rank computes some parts, and all ranks know the parts
//! of all others.

use std::mem::take;
use std::ops::Range;

use crate::solve::communicator::Communicator;
use crate::solve::error::BuildError;
use crate::solve::rows::numbers::ChunkNumber;
use crate::table::array;

use super::ScratchFolder;
use super::error::ScratchError;
use super::file::{StageFile, StageWriter};
use super::index::Hash;
use super::stage::{Key, Part, Stage};

/// The stages of a slice: opens those that are finished and stores new ones.
pub(crate) struct Stages<'a> {
    scratch: &'a ScratchFolder<'a>,
    comm: &'a dyn Communicator,
    /// The number of chunks.
    chunks: usize,
    /// The chunks that this rank reads.
    reads: Range<usize>,
    /// The parts that existed when the build started or resumed.
    existing: Vec<Part>,
}

/// A finished stage, with open files for the parts that this rank reads.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    scratch: &'a ScratchFolder<'a>,
    stage: Stage,
    base: Hash,
    /// All parts, including those that only other ranks read, ordered by chunk.
    done: Vec<PartInfo>,
    /// The open files, in the same order.
    files: Vec<StageFile<'a>>,
}

/// The metadata of a finished part, known to every rank.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PartInfo {
    chunks: Range<usize>,
    records: usize,
    hash: Hash,
}

impl<'a> Stages<'a> {
    /// Lists the existing stages of a slice with `chunks` chunks, of which this rank reads some.
    ///
    /// # Errors
    /// If the folder cannot be read or a rank has stopped.
    pub(crate) fn new(
        scratch: &'a ScratchFolder<'a>,
        comm: &'a dyn Communicator,
        chunks: usize,
        reads: Range<usize>,
    ) -> Result<Stages<'a>, ScratchError> {
        // All ranks must see the same files, even if a network file system shows them different
        // ones.
        let own_names = match comm.rank() {
            0 => {
                scratch.sweep()?;
                let parts = scratch.parts()?;
                parts.iter().map(Part::to_string).collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        };
        let shared_names = comm.broadcast(own_names.as_bytes())?;
        let names = String::from_utf8_lossy(&shared_names);
        let mut existing: Vec<Part> = names.split('\n').filter_map(Part::named).collect();
        existing.sort_by_key(|part| part.chunks.start);
        Ok(Stages { scratch, comm, chunks, reads, existing })
    }

    /// Returns the ranks of the build.
    pub(crate) fn comm(&self) -> &'a dyn Communicator {
        self.comm
    }

    /// Returns the scratch folder.
    pub(crate) fn scratch(&self) -> &'a ScratchFolder<'a> {
        self.scratch
    }

    /// Opens a stage based on `base`, if all of it is finished.
    ///
    /// # Errors
    /// If it cannot be read or a rank has stopped.
    pub(crate) fn finished(
        &self,
        stage: Stage,
        base: Hash,
    ) -> Result<Option<Parts<'a>>, ScratchError> {
        let (done, opened) = self.existing_parts(stage, base)?;
        if missing(&done, self.chunks).is_empty() {
            return self.parts(stage, base, done, opened).map(Some);
        }
        // The remaining parts would overlap those of the next attempt.
        if !done.is_empty() {
            if self.comm.rank() == 0 {
                done.iter().try_for_each(|done| self.scratch.remove(&done.part(stage)))?;
            }
            self.comm.barrier()?;
        }
        Ok(None)
    }

    /// Computes the missing parts of a stage: calls `work` with up to `at_once` of this rank's
    /// chunks at a time.
    ///
    /// # Errors
    /// If the work fails, cannot be written, or a rank has stopped.
    pub(crate) fn complete(
        &self,
        stage: Stage,
        base: Hash,
        own: Range<usize>,
        at_once: usize,
        mut work: impl FnMut(Range<usize>, &StageWriter) -> Result<(), BuildError>,
    ) -> Result<Parts<'a>, BuildError> {
        let (done, mut opened) = self.existing_parts(stage, base)?;
        let mut computed = Vec::new();
        for gap in missing(&done, self.chunks) {
            let own_gap = gap.start.max(own.start)..gap.end.min(own.end);
            for start in own_gap.clone().step_by(at_once) {
                let chunks = start..(start + at_once).min(own_gap.end);
                let writer = self.begin(stage, chunks.clone(), base)?;
                work(chunks, &writer)?;
                let file = writer.finish()?;
                computed.push(PartInfo::of(&file));
                opened.push(file);
            }
        }
        let all = [done, self.gather_parts(&computed)?].concat();
        Ok(self.parts(stage, base, all, opened)?)
    }

    /// Starts a part of an unfinished stage.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(crate) fn begin(
        &self,
        stage: Stage,
        chunks: Range<usize>,
        base: Hash,
    ) -> Result<StageWriter<'a>, ScratchError> {
        self.scratch.begin(Part { stage, chunks }, base)
    }

    /// Finishes a stage of which each rank has started a part or none.
    ///
    /// # Errors
    /// If a part cannot be written or read, or a rank has stopped.
    pub(crate) fn finish(
        &self,
        stage: Stage,
        base: Hash,
        own: Option<StageWriter<'a>>,
    ) -> Result<Parts<'a>, ScratchError> {
        let files: Vec<StageFile> = own.map(StageWriter::finish).transpose()?.into_iter().collect();
        let done = self.gather_parts(&files.iter().map(PartInfo::of).collect::<Vec<_>>())?;
        self.parts(stage, base, done, files)
    }

    /// Returns the valid parts of a stage based on `base`, ordered and without overlaps, and the
    /// files that this rank has opened to check them.
    fn existing_parts(
        &self,
        stage: Stage,
        base: Hash,
    ) -> Result<(Vec<PartInfo>, Vec<StageFile<'a>>), ScratchError> {
        let existing: Vec<&Part> =
            self.existing.iter().filter(|part| part.stage == stage).collect();
        if existing.is_empty() {
            return Ok(Default::default());
        }
        // Each rank checks some of the parts.
        let (rank, ranks) = (self.comm.rank(), self.comm.size());
        let mut opened = Vec::new();
        for part in existing.into_iter().skip(rank).step_by(ranks) {
            opened.extend(self.scratch.finished(part, base)?);
        }
        let mut done = self.gather_parts(&opened.iter().map(PartInfo::of).collect::<Vec<_>>())?;
        done.sort_by_key(|done| done.chunks.start);
        let mut end = 0;
        done.retain(|done| {
            let fits = done.chunks.start >= end && done.chunks.end <= self.chunks;
            end = if fits { done.chunks.end } else { end };
            fits
        });
        Ok((done, opened))
    }

    /// Gathers the finished parts of all ranks.
    fn gather_parts(&self, own: &[PartInfo]) -> Result<Vec<PartInfo>, ScratchError> {
        let bytes: Vec<u8> = own.iter().flat_map(PartInfo::to_bytes).collect();
        let gathered = self.comm.all_gather(&bytes)?.concat();
        Ok(gathered.as_chunks().0.iter().map(PartInfo::from_bytes).collect())
    }

    /// Assembles a stage from its finished parts, of which this rank has opened some.
    fn parts(
        &self,
        stage: Stage,
        base: Hash,
        mut done: Vec<PartInfo>,
        opened: Vec<StageFile<'a>>,
    ) -> Result<Parts<'a>, ScratchError> {
        done.sort_by_key(|done| done.chunks.start);
        let parts = Parts { scratch: self.scratch, stage, base, done, files: opened };
        parts.reading(&self.reads)
    }
}

impl<'a> Parts<'a> {
    /// Changes the chunks that this rank reads.
    ///
    /// # Errors
    /// If a file is missing or has changed.
    pub(crate) fn reading(mut self, chunks: &Range<usize>) -> Result<Parts<'a>, ScratchError> {
        let mut opened = take(&mut self.files);
        for done in &self.done {
            if done.chunks.start >= chunks.end || chunks.start >= done.chunks.end {
                continue;
            }
            let part = done.part(self.stage);
            let file = match opened.iter().position(|other| other.chunks() == done.chunks) {
                Some(at) => Some(opened.swap_remove(at)),
                None => self.scratch.finished(&part, self.base)?,
            };
            match file.filter(|file| file.hash() == done.hash) {
                Some(file) => self.files.push(file),
                None => return Err(ScratchError::damaged(&self.scratch.path(&part))),
            }
        }
        Ok(self)
    }

    /// Returns the keys of the parts that this rank reads.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.files.iter().flat_map(StageFile::keys)
    }

    /// Returns `true` if no part has records, including those of other ranks.
    pub(crate) fn is_empty(&self) -> bool {
        self.done.iter().all(|done| done.records == 0)
    }

    /// Returns the file with the records of a chunk, which this rank must read.
    pub(crate) fn of(&self, chunk: ChunkNumber) -> &StageFile<'a> {
        &self.files[self.files.partition_point(|file| file.chunks().end <= chunk.index())]
    }

    /// Returns the hash of all parts, on which the next stage is based.
    pub(crate) fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        self.done.iter().for_each(|done| {
            hasher.update(&done.hash);
        });
        *hasher.finalize().as_bytes()
    }
}

impl PartInfo {
    const BYTES: usize = 3 * size_of::<u64>() + size_of::<Hash>();

    fn of(file: &StageFile) -> PartInfo {
        PartInfo { chunks: file.chunks(), records: file.records(), hash: file.hash() }
    }

    fn part(&self, stage: Stage) -> Part {
        Part { stage, chunks: self.chunks.clone() }
    }

    fn to_bytes(&self) -> [u8; PartInfo::BYTES] {
        let numbers = [self.chunks.start, self.chunks.end, self.records];
        let mut bytes = [0; PartInfo::BYTES];
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
            *bytes = (number as u64).to_le_bytes();
        }
        bytes[PartInfo::BYTES - size_of::<Hash>()..].copy_from_slice(&self.hash);
        bytes
    }

    fn from_bytes(bytes: &[u8; PartInfo::BYTES]) -> PartInfo {
        let [start, end, records] =
            [0, 8, 16].map(|at| u64::from_le_bytes(array(bytes, at)) as usize);
        let hash = array(bytes, PartInfo::BYTES - size_of::<Hash>());
        PartInfo { chunks: start..end, records, hash }
    }
}

/// Returns the chunks that are in no part.
fn missing(done: &[PartInfo], chunks: usize) -> Vec<Range<usize>> {
    let starts = done.iter().map(|done| done.chunks.start).chain([chunks]);
    let ends = [0].into_iter().chain(done.iter().map(|done| done.chunks.end));
    ends.zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
}
