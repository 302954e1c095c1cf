use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{self, CParameter, ParamSwitch};

use super::bytes::{checksum, put, u32_at, u64_at};
use super::code::{Code, DONT_CARE};
use super::error::{KindResult, TableErrorKind};
use super::runs;
use super::{MAX_BLOCK_VALUES, Packing};

const PAYLOAD_CHECKSUM: usize = 0;
const PAYLOAD_LENGTH: usize = PAYLOAD_CHECKSUM + size_of::<u64>();
const PAYLOAD: usize = PAYLOAD_LENGTH + size_of::<u32>();

/// The bytes of a record that tell its length.
pub(super) const RECORD_HEAD: usize = PAYLOAD;

/// How many bytes the record has that begins with these.
pub(super) fn record_bytes(head: &[u8]) -> usize {
    // A length of 32 bits cannot overflow 64, and a record that long is refused.
    PAYLOAD.saturating_add(u32_at(head, PAYLOAD_LENGTH) as usize)
}

/// The version of zstd that published tables are compressed with.
pub const PUBLISHED_ZSTD: &str = "1.5.7";

/// The version of zstd that tables are compressed with here. Another one than
/// [`PUBLISHED_ZSTD`] may make other bytes of the same values: compare the hashes of values
/// ([`ValueHash`](super::ValueHash)) then, and no bytes.
pub fn zstd_version() -> &'static str {
    zstd_safe::version_string()
}

/// How hard zstd tries to find what repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// As at one of its levels, 1 (fast) to 22.
    Level(i32),
    /// Lazily, over chains of places where four bytes are alike, which is what suits the
    /// runs of distances: 3 to 4 % fewer bytes on 7x7 than where six are.
    Chains,
}

impl Effort {
    /// What takes little beside solving. What is packed to base 3 is little and
    /// compresses fast.
    pub(crate) fn for_packing(packing: Packing) -> Effort {
        match packing {
            Packing::Base3 => Effort::Level(15),
            Packing::Runs | Packing::Bytes | Packing::Words => Effort::Chains,
        }
    }

    fn compressor(self) -> io::Result<Compressor<'static>> {
        match self {
            Effort::Level(level) => Compressor::new(level),
            Effort::Chains => {
                let mut compressor = Compressor::new(9)?;
                for parameter in [
                    CParameter::Strategy(zstd_safe::Strategy::ZSTD_lazy2),
                    CParameter::SearchLog(5),
                    CParameter::MinMatch(4),
                    // The other way to find repetitions depends on what a compressor was
                    // used for before.
                    CParameter::UseRowMatchFinder(ParamSwitch::Disable),
                ] {
                    compressor.set_parameter(parameter)?;
                }
                Ok(compressor)
            }
        }
    }

    /// Whether what comes out depends on what a compressor was used for before: some
    /// match finders hash with a salt that changes with use.
    fn is_salted(self) -> bool {
        matches!(self, Effort::Level(4..=13))
    }
}

/// The values of one block, ready to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EncodedBlock {
    pub(super) packing: Packing,
    pub(super) values: usize,
    pub(super) largest: Code,
    pub(super) content: BlockContent,
}

/// What a block takes in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BlockContent {
    /// Nothing but don't-cares: any value will do.
    Nothing,
    /// One value, which the index holds.
    OneValue(Code),
    /// The bytes of a record.
    Record(Vec<u8>),
}

/// Fills, packs and compresses the values of one block. Blocks do not depend on
/// each other: call it from as many threads as there are.
///
/// Values are in the block's order (see [`super::BlockExtent`]); [`DONT_CARE`] marks
/// the slots that nobody will ask for.
///
/// # Errors
/// If a value is too large for the packing, if there are no values or more than
/// [`MAX_BLOCK_VALUES`], or if zstd fails.
pub(crate) fn encode_block(
    packing: Packing,
    effort: Effort,
    values: &[Code],
) -> Result<EncodedBlock, super::TableError> {
    encode(packing, effort, values).map_err(|kind| kind.at(None))
}

/// How many bytes the values take in a file that is built without a word on
/// compression: for the benchmarks, nothing to build upon.
///
/// # Errors
/// As `encode_block`.
pub fn encoded_bytes(packing: Packing, values: &[Code]) -> Result<usize, super::TableError> {
    let encoded = encode_block(packing, Effort::for_packing(packing), values)?;
    Ok(match encoded.content {
        BlockContent::Nothing | BlockContent::OneValue(_) => 0,
        BlockContent::Record(bytes) => bytes.len(),
    })
}

pub(super) fn encode(
    packing: Packing,
    effort: Effort,
    values: &[Code],
) -> KindResult<EncodedBlock> {
    if !(1..=MAX_BLOCK_VALUES).contains(&values.len()) {
        return Err(TableErrorKind::Unwritable("a block is empty or too large"));
    }
    ENCODER.with_borrow_mut(|encoder| {
        let (largest, content) = encoder.encode(packing, effort, values)?;
        Ok(EncodedBlock { packing, values: values.len(), largest, content })
    })
}

thread_local! {
    /// A compressor takes longer to make than a small block to be compressed.
    static ENCODER: RefCell<Encoder> = RefCell::default();
}

/// What encoding works in, made once for each thread.
#[derive(Default)]
struct Encoder {
    filled: Vec<Code>,
    packed: Vec<u8>,
    runs: Vec<u8>,
    compressed: Vec<u8>,
    compressor: Option<(Effort, Compressor<'static>)>,
}

impl Encoder {
    /// The largest code, and what the block takes in the file.
    fn encode(
        &mut self,
        packing: Packing,
        effort: Effort,
        values: &[Code],
    ) -> KindResult<(Code, BlockContent)> {
        let Some((least, greatest)) = fill(values, &mut self.filled) else {
            return Ok((0, BlockContent::Nothing));
        };
        let largest = packing.largest_code();
        if greatest > largest {
            return Err(TableErrorKind::CodeTooLarge { code: greatest, largest });
        }
        if least == greatest {
            return Ok((greatest, BlockContent::OneValue(greatest)));
        }
        packing.pack(&self.filled, &mut self.packed);
        self.compress(packing, effort).map_err(TableErrorKind::io("compress a block"))?;
        let smaller = match self.compressed.len() < self.packed.len() {
            true => &self.compressed,
            false => &self.packed,
        };
        Ok((greatest, BlockContent::Record(record(smaller))))
    }

    fn compress(&mut self, packing: Packing, effort: Effort) -> io::Result<()> {
        let compressor = match self.compressor.take() {
            Some((made_for, compressor)) if made_for == effort && !effort.is_salted() => compressor,
            _ => effort.compressor()?,
        };
        let (_, compressor) = self.compressor.insert((effort, compressor));
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

/// Values that are looked at together when don't-cares are filled.
const RUN: usize = 32;

/// Gives every don't-care the value before it, the first ones the first value.
/// Returns the least and the greatest value; `None` if there is none.
fn fill(values: &[Code], filled: &mut Vec<Code>) -> Option<(Code, Code)> {
    let mut last = *values.iter().find(|&&value| value != DONT_CARE)?;
    filled.clear();
    filled.extend_from_slice(values);
    for run in filled.chunks_mut(RUN) {
        // Where there is nothing to fill, values need not wait for those before them.
        if run.iter().fold(0, |marks, &value| marks + u32::from(value == DONT_CARE)) == 0 {
            last = run[run.len() - 1];
            continue;
        }
        for value in run {
            last = if *value == DONT_CARE { last } else { *value };
            *value = last;
        }
    }
    let ends =
        |(least, greatest): (Code, Code), &value: &Code| (value.min(least), value.max(greatest));
    Some(filled.iter().fold((Code::MAX, 0), ends))
}

fn record(payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; PAYLOAD + payload.len()];
    put(&mut bytes, PAYLOAD_CHECKSUM, &checksum(payload).to_le_bytes());
    // A block's limit keeps its payload far below 4 GiB.
    put(&mut bytes, PAYLOAD_LENGTH, &(payload.len() as u32).to_le_bytes());
    put(&mut bytes, PAYLOAD, payload);
    bytes
}

/// Reads the record at the start of `bytes`, which may go on behind it; `None`
/// if it is damaged.
pub(super) fn decode_record(
    packing: Packing,
    bytes: &[u8],
    count: usize,
    values: &mut Vec<Code>,
) -> Option<()> {
    packing.unpack(&packed_record(packing, bytes, count)?, count, values)
}

/// The bytes of a zstd frame, which must be so many; with the thread's own context, since
/// making one takes longer than a small frame.
pub(crate) fn decompress(frame: &[u8], length: usize) -> Option<Vec<u8>> {
    thread_local! {
        static CONTEXT: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|context| {
        let context = match context {
            Some(context) => context,
            none => none.insert(Decompressor::new().ok()?),
        };
        context.decompress(frame, length).ok().filter(|bytes| bytes.len() == length)
    })
}

/// The packed values of the record at the start of `bytes`.
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
        let length = zstd_safe::get_frame_content_size(payload).ok()??;
        let length = usize::try_from(length).ok()?;
        let runs = (length <= runs::most_bytes(count)).then(|| decompress(payload, length))??;
        return runs::to_values(&runs, count);
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
            effort in prop_oneof![(1..20_i32).prop_map(Effort::Level), Just(Effort::Chains)],
            runs in prop::collection::vec((any::<Code>(), any::<bool>(), 1..60usize), 1..9),
        ) {
            let value = |(any, care, _): &(Code, bool, usize)| {
                let largest = u32::from(packing.largest_code());
                if *care { (u32::from(*any) % (largest + 1)) as Code } else { X }
            };
            let values: Vec<Code> =
                runs.iter().flat_map(|run| std::iter::repeat_n(value(run), run.2)).collect();
            let block = encode_block(packing, effort, &values).unwrap();
            let mut read = vec![];
            match block.content {
                BlockContent::Nothing => prop_assert!(values.iter().all(|&v| v == X)),
                BlockContent::OneValue(code) => read = vec![code; values.len()],
                BlockContent::Record(mut bytes) => {
                    bytes.push(0);
                    decode_record(packing, &bytes, values.len(), &mut read).unwrap();
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
            // With a checksum that is right, so that the bytes behind it are read.
            let payload = if zstd { zstd::bulk::compress(&payload, 1).unwrap() } else { payload };
            let mut values = vec![];
            if decode_record(packing, &record(&payload), count, &mut values).is_some() {
                prop_assert_eq!(values.len(), count);
            }
        }
    }

    #[test]
    fn dont_cares_take_the_value_before_them() {
        let mut filled = Vec::new();
        assert_eq!(fill(&[X, X, 1, X, 2, X], &mut filled), Some((1, 2)));
        assert_eq!(filled, [1, 1, 1, 1, 2, 2]);
        assert_eq!(fill(&[X, X], &mut filled), None);
        let one = encode_block(Packing::Base3, Effort::Level(3), &[X, 2, X]).unwrap();
        assert_eq!((one.content, one.largest, one.values), (BlockContent::OneValue(2), 2, 3));
    }

    #[test]
    fn what_compression_does_not_shrink_is_stored() {
        let block = encode_block(Packing::Bytes, Effort::Level(19), &[5, 6, 7]).unwrap();
        let BlockContent::Record(bytes) = block.content else { panic!("several values") };
        assert_eq!(bytes[8..], [3, 0, 0, 0, 5, 6, 7]);
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let error = encode_block(Packing::Base3, Effort::Level(3), &[0, 3]).unwrap_err();
        assert!(matches!(error.kind, TableErrorKind::CodeTooLarge { code: 3, largest: 2 }));
        assert!(encode_block(Packing::Bytes, Effort::Level(3), &[]).is_err());
        assert!(
            encode_block(Packing::Bytes, Effort::Level(3), &vec![0; MAX_BLOCK_VALUES + 1]).is_err()
        );
    }

    #[test]
    fn frames_of_a_wrong_size_are_damage() {
        let mut values = vec![];
        for size in [999, 1001] {
            let frame = record(&zstd::bulk::compress(&vec![1; size], 3).unwrap());
            assert_eq!(decode_record(Packing::Bytes, &frame, 1000, &mut values), None);
        }
    }
}
