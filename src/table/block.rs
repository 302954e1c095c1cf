use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{self, CParameter, ParamSwitch};

use super::bytes::{checksum, put, u32_at, u64_at};
use super::code::{Code, DONT_CARE};
use super::error::{KindResult, TableErrorKind};
use super::grid::MAX_BLOCK_VALUES;
use super::packing::Packing;
use super::runs;

const PAYLOAD_CHECKSUM: usize = 0;
const PAYLOAD_LENGTH: usize = PAYLOAD_CHECKSUM + size_of::<u64>();
const PAYLOAD: usize = PAYLOAD_LENGTH + size_of::<u32>();

/// The size of a record's header: its checksum and length.
pub(super) const RECORD_HEAD: usize = PAYLOAD;

/// Returns the size of the record with this header.
pub(super) fn record_bytes(head: &[u8]) -> usize {
    // On a 32-bit machine the sum may not fit; a record that long is rejected anyway.
    PAYLOAD.saturating_add(u32_at(head, PAYLOAD_LENGTH) as usize)
}

/// The zstd version of published tables.
pub const PUBLISHED_ZSTD: &str = "1.5.7";

/// Returns the version of zstd that this program compresses tables with. Versions other
/// than [`PUBLISHED_ZSTD`] may compress the same values to different bytes: compare value
/// hashes ([`ValueHash`](super::ValueHash)) instead of files.
pub fn zstd_version() -> &'static str {
    zstd_safe::version_string()
}

/// Settings of the zstd compressor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compression {
    /// A zstd level, 1 (fast) to 22.
    Level(i32),
    /// Lazy matching with hash chains and a minimum match of four bytes, which suits runs of
    /// distances: 3 to 4 % smaller on 7x7 than a minimum match of six.
    HashChains,
}

impl Compression {
    /// Returns the default for a packing, which takes little time compared with solving.
    /// Base-3 data is small and compresses fast, so that it affords a high level.
    pub(crate) fn for_packing(packing: Packing) -> Compression {
        match packing {
            Packing::Base3 => Compression::Level(15),
            Packing::Runs | Packing::Bytes | Packing::Words => Compression::HashChains,
        }
    }

    fn compressor(self) -> io::Result<Compressor<'static>> {
        match self {
            Compression::Level(level) => Compressor::new(level),
            Compression::HashChains => {
                let mut compressor = Compressor::new(9)?;
                for parameter in [
                    CParameter::Strategy(zstd_safe::Strategy::ZSTD_lazy2),
                    CParameter::SearchLog(5),
                    CParameter::MinMatch(4),
                    // The row match finder's output depends on earlier inputs of the
                    // compressor.
                    CParameter::UseRowMatchFinder(ParamSwitch::Disable),
                ] {
                    compressor.set_parameter(parameter)?;
                }
                Ok(compressor)
            }
        }
    }

    /// Returns whether the output depends on earlier inputs of the compressor: some match finders
    /// hash with a salt that changes with each use.
    fn is_salted(self) -> bool {
        matches!(self, Compression::Level(4..=13))
    }
}

/// A compressed block, ready to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EncodedBlock {
    pub(super) packing: Packing,
    pub(super) values: usize,
    pub(super) largest: Code,
    pub(super) content: BlockContent,
}

/// The stored form of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BlockContent {
    /// Only don't-cares: any value will do.
    DontCares,
    /// A single value, stored in the index.
    OneValue(Code),
    /// A record.
    Record(Vec<u8>),
}

/// Fills, packs and compresses the values of one block. Blocks are independent: encode
/// them in parallel.
///
/// Values are in the block's order (see [`super::BlockExtent`]); [`DONT_CARE`] marks
/// slots that are never probed.
///
/// # Errors
/// If a value is too large for the packing, if there are no values or more than
/// [`MAX_BLOCK_VALUES`], or if zstd fails.
pub(crate) fn encode_block(
    packing: Packing,
    compression: Compression,
    values: &[Code],
) -> Result<EncodedBlock, super::TableError> {
    encode(packing, compression, values).map_err(|kind| kind.at(None))
}

/// Returns the size of a block's record with the default compression. Only for benchmarks.
///
/// # Errors
/// See `encode_block`.
pub fn encoded_bytes(packing: Packing, values: &[Code]) -> Result<usize, super::TableError> {
    let encoded = encode_block(packing, Compression::for_packing(packing), values)?;
    Ok(match encoded.content {
        BlockContent::DontCares | BlockContent::OneValue(_) => 0,
        BlockContent::Record(bytes) => bytes.len(),
    })
}

pub(super) fn encode(
    packing: Packing,
    compression: Compression,
    values: &[Code],
) -> KindResult<EncodedBlock> {
    if !(1..=MAX_BLOCK_VALUES).contains(&values.len()) {
        return Err(TableErrorKind::Unwritable("a block is empty or too large"));
    }
    ENCODER.with_borrow_mut(|encoder| {
        let (largest, content) = encoder.encode(packing, compression, values)?;
        Ok(EncodedBlock { packing, values: values.len(), largest, content })
    })
}

thread_local! {
    /// Creating a compressor takes longer than compressing a small block.
    static ENCODER: RefCell<Encoder> = RefCell::default();
}

/// A thread's compressor and buffers.
#[derive(Default)]
struct Encoder {
    filled: Vec<Code>,
    packed: Vec<u8>,
    runs: Vec<u8>,
    compressed: Vec<u8>,
    compressor: Option<(Compression, Compressor<'static>)>,
}

impl Encoder {
    /// Returns the block's largest code and its stored form.
    fn encode(
        &mut self,
        packing: Packing,
        compression: Compression,
        values: &[Code],
    ) -> KindResult<(Code, BlockContent)> {
        let Some((least, greatest)) = fill(values, &mut self.filled) else {
            return Ok((0, BlockContent::DontCares));
        };
        let largest = packing.largest_code();
        if greatest > largest {
            return Err(TableErrorKind::CodeTooLarge { code: greatest, largest });
        }
        if least == greatest {
            return Ok((greatest, BlockContent::OneValue(greatest)));
        }
        packing.pack(&self.filled, &mut self.packed);
        self.compress(packing, compression).map_err(TableErrorKind::io("compress a block"))?;
        let smaller = match self.compressed.len() < self.packed.len() {
            true => &self.compressed,
            false => &self.packed,
        };
        Ok((greatest, BlockContent::Record(record(smaller))))
    }

    fn compress(&mut self, packing: Packing, compression: Compression) -> io::Result<()> {
        let compressor = match self.compressor.take() {
            Some((made_for, compressor)) if made_for == compression && !compression.is_salted() => {
                compressor
            }
            _ => compression.compressor()?,
        };
        let (_, compressor) = self.compressor.insert((compression, compressor));
        self.compressed.clear();
        let bytes = match packing {
            Packing::Runs => {
                runs::from_values(&self.packed, &mut self.runs);
                &self.runs
            }
            _ => &self.packed,
        };
        self.compressed.reserve(zstd_safe::compress_bound(bytes.len()));
        compressor.compress_to_buffer(bytes, &mut self.compressed)?;
        Ok(())
    }
}

/// The number of values that are filled at a time.
const FILL_CHUNK: usize = 32;

/// Replaces every don't-care by the value before it, and leading ones by the first value.
/// Returns the smallest and the largest value; `None` if there are only don't-cares.
fn fill(values: &[Code], filled: &mut Vec<Code>) -> Option<(Code, Code)> {
    let mut last = *values.iter().find(|&&value| value != DONT_CARE)?;
    filled.clear();
    filled.extend_from_slice(values);
    for chunk in filled.chunks_mut(FILL_CHUNK) {
        // Without don't-cares a chunk needs no serial pass; this test is vectorized.
        if chunk.iter().fold(0, |marks, &value| marks + u32::from(value == DONT_CARE)) == 0 {
            last = chunk[chunk.len() - 1];
            continue;
        }
        for value in chunk {
            last = if *value == DONT_CARE { last } else { *value };
            *value = last;
        }
    }
    let empty = (Code::MAX, 0);
    Some(
        filled
            .iter()
            .fold(empty, |(least, greatest), &value| (value.min(least), value.max(greatest))),
    )
}

/// Returns the record of a payload.
fn record(payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; PAYLOAD + payload.len()];
    put(&mut bytes, PAYLOAD_CHECKSUM, &checksum(payload).to_le_bytes());
    // A block's limit keeps its payload far below 4 GiB.
    put(&mut bytes, PAYLOAD_LENGTH, &(payload.len() as u32).to_le_bytes());
    put(&mut bytes, PAYLOAD, payload);
    bytes
}

/// Decompresses a zstd frame to exactly `length` bytes. Each thread reuses its context,
/// since creating one takes longer than decompressing a small frame.
pub(crate) fn decompress(frame: &[u8], length: usize) -> Option<Vec<u8>> {
    thread_local! {
        static CONTEXT: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|context| {
        let decompressor = match context {
            Some(decompressor) => decompressor,
            none => none.insert(Decompressor::new().ok()?),
        };
        decompressor.decompress(frame, length).ok().filter(|bytes| bytes.len() == length)
    })
}

/// Returns the packed values, `count` in number, of the record at the start of `bytes`; `None` if
/// it is damaged. More bytes may follow the record.
pub(super) fn packed_record(packing: Packing, bytes: &[u8], count: usize) -> Option<Vec<u8>> {
    let head = bytes.get(..PAYLOAD)?;
    let length = usize::try_from(u32_at(head, PAYLOAD_LENGTH)).ok()?;
    let payload = bytes[PAYLOAD..].get(..length)?;
    let packed_bytes = packing.packed_bytes(count);
    if length > packed_bytes || u64_at(head, PAYLOAD_CHECKSUM) != checksum(payload) {
        return None;
    }
    if length == packed_bytes {
        return Some(payload.to_vec());
    }
    if packing == Packing::Runs {
        let content_size = zstd_safe::get_frame_content_size(payload).ok()??;
        let run_bytes = usize::try_from(content_size).ok()?;
        if run_bytes > runs::max_bytes(count) {
            return None;
        }
        return runs::to_values(&decompress(payload, run_bytes)?, count);
    }
    decompress(payload, packed_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const X: Code = DONT_CARE;

    proptest! {
        #[test]
        fn blocks_go_through_bytes(
            packing in prop::sample::select(&Packing::ALL[..]),
            compression in prop_oneof![(1..20_i32).prop_map(Compression::Level), Just(Compression::HashChains)],
            runs in prop::collection::vec((any::<Code>(), any::<bool>(), 1..60usize), 1..9),
        ) {
            let value = |(any, care, _): &(Code, bool, usize)| {
                let largest = u32::from(packing.largest_code());
                if *care { (u32::from(*any) % (largest + 1)) as Code } else { X }
            };
            let values: Vec<Code> =
                runs.iter().flat_map(|run| std::iter::repeat_n(value(run), run.2)).collect();
            let block = encode_block(packing, compression, &values).unwrap();
            let mut read = vec![];
            match block.content {
                BlockContent::DontCares => prop_assert!(values.iter().all(|&v| v == X)),
                BlockContent::OneValue(code) => read = vec![code; values.len()],
                BlockContent::Record(mut bytes) => {
                    bytes.push(0);
                    let packed = packed_record(packing, &bytes, values.len()).unwrap();
                    packing.unpack(&packed, 0..values.len(), &mut read).unwrap();
                }
            }
            for (read, value) in read.iter().zip(&values) {
                prop_assert!(*value == X || read == value);
                prop_assert!(*read <= block.largest);
            }
        }

        #[test]
        fn no_bytes_make_the_reader_panic(
            packing in prop::sample::select(&Packing::ALL[..]),
            payload in prop::collection::vec(any::<u8>(), 0..40),
            zstd in any::<bool>(),
            count in 0..200usize,
        ) {
            // The checksum is right, so that the payload is read.
            let payload = if zstd { zstd::bulk::compress(&payload, 1).unwrap() } else { payload };
            let mut values = vec![];
            if let Some(packed) = packed_record(packing, &record(&payload), count) {
                prop_assert_eq!(packed.len(), packing.packed_bytes(count));
                let is_valid = packing.unpack(&packed, 0..count, &mut values).is_some();
                prop_assert!(!is_valid || values.len() == count);
            }
        }
    }

    #[test]
    fn dont_cares_take_the_value_before_them() {
        let mut filled = Vec::new();
        assert_eq!(fill(&[X, X, 1, X, 2, X], &mut filled), Some((1, 2)));
        assert_eq!(filled, [1, 1, 1, 1, 2, 2]);
        assert_eq!(fill(&[X, X], &mut filled), None);
        let one = encode_block(Packing::Base3, Compression::Level(3), &[X, 2, X]).unwrap();
        assert_eq!((one.content, one.largest, one.values), (BlockContent::OneValue(2), 2, 3));
    }

    #[test]
    fn what_compression_does_not_shrink_is_stored() {
        let block = encode_block(Packing::Bytes, Compression::Level(19), &[5, 6, 7]).unwrap();
        let BlockContent::Record(bytes) = block.content else { panic!("several values") };
        assert_eq!(bytes[8..], [3, 0, 0, 0, 5, 6, 7]);
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let error = encode_block(Packing::Base3, Compression::Level(3), &[0, 3]).unwrap_err();
        assert!(matches!(error.kind, TableErrorKind::CodeTooLarge { code: 3, largest: 2 }));
        assert!(encode_block(Packing::Bytes, Compression::Level(3), &[]).is_err());
        assert!(
            encode_block(Packing::Bytes, Compression::Level(3), &vec![0; MAX_BLOCK_VALUES + 1])
                .is_err()
        );
    }

    #[test]
    fn frames_of_a_wrong_size_are_damage() {
        for size in [999, 1001] {
            let frame = record(&zstd::bulk::compress(&vec![1; size], 3).unwrap());
            assert_eq!(packed_record(Packing::Bytes, &frame, 1000), None);
        }
    }
}
