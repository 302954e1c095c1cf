use std::fs;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::block::{decode_record, packed_record};
use super::bytes::{checksum, u64_at};
use super::code::Code;
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::footer::{FOOTER_BYTES, Footer, SideSummary};
use super::header::{HEADER_BYTES, Header};
use super::value_hash::ValueHash;
use super::writer::ONE_VALUE_FLAG;
use crate::mapping::{Access, map_file};
use crate::rules::Side;

const ENTRY_BYTES: usize = size_of::<u64>();

/// An open table over any bytes: a mapped file, or a file read into memory.
///
/// Opening compares the checksums of header, footer and index; reading a block
/// compares that of the block. Tables are read from many threads at once.
#[derive(Debug)]
pub struct Table<D> {
    bytes: D,
    path: Option<PathBuf>,
    header: Header,
    footer: Footer,
    file_checksum: blake3::Hash,
    /// Where in the index each side begins.
    side_index: [usize; 2],
}

/// A block, checked and decompressed but still packed: a fifth of a byte to two
/// bytes a value.
#[derive(Clone, Debug)]
pub struct PackedBlock {
    number: u64,
    content: PackedContent,
}

#[derive(Clone, Debug)]
enum PackedContent {
    OneValue(Code),
    Bytes(Vec<u8>),
}

impl PackedBlock {
    /// The memory that it takes.
    pub fn size_bytes(&self) -> usize {
        let bytes = match &self.content {
            PackedContent::OneValue(_) => 0,
            PackedContent::Bytes(bytes) => bytes.len(),
        };
        size_of::<PackedBlock>() + bytes
    }
}

impl Table<Mmap> {
    /// Opens a file by mapping it into memory, to be read here and there.
    ///
    /// What is read stays in the system's cache and is shared by processes. A
    /// file that another process cuts short while it is mapped ends this one:
    /// [`read`](Table::read) such files.
    ///
    /// # Errors
    /// If the file cannot be opened or is no whole table of a known format.
    pub fn open(path: &Path) -> Result<Table<Mmap>, TableError> {
        open_mapped(path, Access::Random)
    }

    /// Opens a file like [`open`](Table::open), to be read from front to back, as
    /// [`check`](Table::check) does.
    ///
    /// # Errors
    /// As [`open`](Table::open).
    pub fn open_sequential(path: &Path) -> Result<Table<Mmap>, TableError> {
        open_mapped(path, Access::Sequential)
    }
}

fn open_mapped(path: &Path, access: Access) -> Result<Table<Mmap>, TableError> {
    let map = map_file(path, access).map_err(TableErrorKind::io("open the table"));
    map.and_then(|map| Table::parse(map, Some(path))).map_err(|kind| kind.at(Some(path)))
}

impl Table<Vec<u8>> {
    /// Reads a whole file into memory: for small tables, and for files that may
    /// change while they are open, as on network drives.
    ///
    /// # Errors
    /// If the file cannot be read or is no whole table of a known format.
    pub fn read(path: &Path) -> Result<Table<Vec<u8>>, TableError> {
        let bytes = fs::read(path).map_err(TableErrorKind::io("read the table"));
        bytes.and_then(|bytes| Table::parse(bytes, Some(path))).map_err(|kind| kind.at(Some(path)))
    }
}

impl<D: AsRef<[u8]>> Table<D> {
    /// Opens a table that is in memory.
    ///
    /// # Errors
    /// If the bytes are no whole table of a known format.
    pub fn new(bytes: D) -> Result<Table<D>, TableError> {
        Table::parse(bytes, None).map_err(|kind| kind.at(None))
    }

    fn parse(bytes: D, path: Option<&Path>) -> KindResult<Table<D>> {
        let file = bytes.as_ref();
        let header = Header::parse(file)?;
        if file.len() < HEADER_BYTES + FOOTER_BYTES {
            return Err(TableErrorKind::Truncated);
        }
        let footer = Footer::parse(file)?;
        let largest = [0, 1].map(|side| footer.summaries[side].largest_code(header.metric));
        let one_values = footer.one_value.iter().zip(largest);
        if largest.iter().any(|&code| code > header.packing.largest_code())
            || one_values.into_iter().any(|(one, largest)| one.is_some_and(|one| one > largest))
        {
            return Err(TableErrorKind::Corrupted(Part::Footer));
        }
        let side_index = find_index(file.len() - FOOTER_BYTES, &header, &footer)
            .ok_or(TableErrorKind::Corrupted(Part::Footer))?;
        if checksum(&file[side_index[0]..file.len() - FOOTER_BYTES]) != footer.index_checksum {
            return Err(TableErrorKind::Corrupted(Part::Index));
        }
        let file_checksum = Footer::file_checksum(file)?;
        let path = path.map(Path::to_owned);
        Ok(Table { path, header, footer, file_checksum, side_index, bytes })
    }

    /// What the table is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What the table says about the positions with this side to move.
    pub fn summary(&self, side: Side) -> &SideSummary {
        &self.footer.summaries[side as usize]
    }

    /// The hash of the table's values, as its writer computed it: `verify` proves
    /// it, a check of the file does not.
    pub fn value_hash(&self) -> ValueHash {
        self.footer.value_hash
    }

    /// The size of the file in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.bytes.as_ref().len() as u64
    }

    /// The checksum of all bytes before it, as the footer has it.
    pub fn file_checksum(&self) -> blake3::Hash {
        self.file_checksum
    }

    /// Puts the values of a block into `values`, in the order of its
    /// [extent](super::BlockExtent). Don't-cares have some value.
    ///
    /// # Errors
    /// If the table has no such block or the block is damaged.
    pub fn read_block(&self, block: u64, values: &mut Vec<Code>) -> Result<(), TableError> {
        self.decode(block, values).map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// A block as it is packed, for those who want few of its values.
    ///
    /// # Errors
    /// If the table has no such block or the block is damaged.
    pub fn read_packed(&self, block: u64) -> Result<PackedBlock, TableError> {
        self.packed(block).map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// The value at a place of a packed block of this table.
    ///
    /// # Errors
    /// If there is no value that the table can have.
    pub fn value_of(&self, packed: &PackedBlock, at: usize) -> Result<Code, TableError> {
        let side = usize::from(packed.number >= self.header.grid.blocks_per_side());
        let largest = self.footer.summaries[side].largest_code(self.header.metric);
        let value = match &packed.content {
            PackedContent::OneValue(code) => Some(*code),
            PackedContent::Bytes(bytes) => self.header.packing.value(bytes, at),
        };
        value.filter(|&code| code <= largest).ok_or_else(|| {
            TableErrorKind::Corrupted(Part::Block(packed.number)).at(self.path.as_deref())
        })
    }

    /// The value of one slot; decompresses the whole block that holds it.
    ///
    /// # Errors
    /// If the table has no such slot or its block is damaged.
    pub fn value(&self, side: Side, lane: usize, row: u64) -> Result<Code, TableError> {
        let outside = || TableErrorKind::OutsideTable.at(self.path.as_deref());
        let (block, at) = self.header.grid.locate(side, lane, row).ok_or_else(outside)?;
        self.value_of(&self.read_packed(block)?, at)
    }

    /// Reads every byte and compares every checksum.
    ///
    /// # Errors
    /// Names each damaged block; last, the checksum of the file.
    pub fn check(&self) -> Result<(), Vec<TableError>> {
        let mut errors = Vec::new();
        let mut values = Vec::new();
        let per_side = self.header.grid.blocks_per_side();
        for (side, first) in [(0, 0), (1, per_side)] {
            // A side of one value has no bytes to check, however many blocks it has.
            if self.footer.one_value[side].is_none() {
                let blocks = first..first + per_side;
                errors.extend(blocks.filter_map(|block| self.read_block(block, &mut values).err()));
            }
        }
        if let Err(kind) = self.check_file() {
            errors.push(kind.at(self.path.as_deref()));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn check_file(&self) -> KindResult<()> {
        let file = self.bytes.as_ref();
        let hashed = file.len() - FOOTER_BYTES + super::footer::FILE_CHECKSUM;
        if blake3::hash(&file[..hashed]) == self.file_checksum {
            Ok(())
        } else {
            Err(TableErrorKind::Corrupted(Part::File))
        }
    }

    fn decode(&self, block: u64, values: &mut Vec<Code>) -> KindResult<()> {
        let extent = self.header.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        let side = extent.side as usize;
        let largest = self.footer.summaries[side].largest_code(self.header.metric);
        self.unpack(side, block, extent.values(), values)
            .filter(|()| values.iter().all(|&code| code <= largest))
            .ok_or(TableErrorKind::Corrupted(Part::Block(block)))
    }

    fn packed(&self, block: u64) -> KindResult<PackedBlock> {
        let extent = self.header.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        let content = match self.block_entry(extent.side as usize, block) {
            entry if entry & ONE_VALUE_FLAG == 0 => self
                .record(entry)
                .and_then(|record| packed_record(self.header.packing, record, extent.values()))
                .map(PackedContent::Bytes),
            entry => Code::try_from(entry & !ONE_VALUE_FLAG).ok().map(PackedContent::OneValue),
        };
        let content = content.ok_or(TableErrorKind::Corrupted(Part::Block(block)))?;
        Ok(PackedBlock { number: block, content })
    }

    /// The values of a block; `None` if it is damaged.
    fn unpack(&self, side: usize, block: u64, count: usize, values: &mut Vec<Code>) -> Option<()> {
        let entry = self.block_entry(side, block);
        if entry & ONE_VALUE_FLAG == 0 {
            return decode_record(self.header.packing, self.record(entry)?, count, values);
        }
        let code = Code::try_from(entry & !ONE_VALUE_FLAG).ok()?;
        values.clear();
        values.resize(count, code);
        Some(())
    }

    /// What the index says, or would say, about a block.
    fn block_entry(&self, side: usize, block: u64) -> u64 {
        match self.footer.one_value[side] {
            Some(code) => ONE_VALUE_FLAG | u64::from(code),
            None => self.entry(side, block % self.header.grid.blocks_per_side()),
        }
    }

    /// An entry of a side that has entries; opening has found them to be there.
    fn entry(&self, side: usize, in_side: u64) -> u64 {
        u64_at(self.bytes.as_ref(), self.side_index[side] + in_side as usize * ENTRY_BYTES)
    }

    /// The bytes from a record on, up to the index.
    fn record(&self, offset: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok().filter(|&start| start >= HEADER_BYTES)?;
        self.bytes.as_ref().get(start..self.side_index[0])
    }
}

/// Where the entries of the two sides begin, if the index is just what lies
/// between the place that the footer names and the footer.
fn find_index(index_end: usize, header: &Header, footer: &Footer) -> Option<[usize; 2]> {
    let start = usize::try_from(footer.index_offset).ok().filter(|&at| at >= HEADER_BYTES)?;
    let per_side = usize::try_from(header.grid.blocks_per_side()).ok()?.checked_mul(ENTRY_BYTES)?;
    let [attackers, defenders] =
        footer.one_value.map(|one_value| if one_value.is_some() { 0 } else { per_side });
    let second = start.checked_add(attackers)?;
    (second.checked_add(defenders)? == index_end).then_some([start, second])
}
