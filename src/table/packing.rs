use std::ops::Range;

use super::code::{Code, DONT_CARE};

/// How the values of a block become bytes, before compression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Packing {
    /// Five values of 0 to 2 in a byte, as digits to the base 3.
    Base3,
    /// A byte for each value, which runs make shorter before compression.
    Runs,
    /// A byte for each value.
    Bytes,
    /// Two bytes for each value.
    Words,
}

/// The values of a byte, and how many bytes there are.
const DIGITS: usize = 5;
const BYTES: usize = 3usize.pow(DIGITS as u32);

/// The five values of every byte: the first digit is the lowest.
const UNPACKED: [[Code; DIGITS]; BYTES] = {
    let mut table = [[0; DIGITS]; BYTES];
    let mut byte = 0;
    while byte < BYTES {
        let (mut rest, mut digit) = (byte, 0);
        while digit < DIGITS {
            table[byte][digit] = (rest % 3) as Code;
            rest /= 3;
            digit += 1;
        }
        byte += 1;
    }
    table
};

impl Packing {
    /// All packings, the densest first.
    pub const ALL: [Packing; 4] = [Packing::Base3, Packing::Runs, Packing::Bytes, Packing::Words];

    /// The densest packing for values up to this one.
    pub fn for_codes_up_to(largest: Code) -> Packing {
        let fits = |packing: &Packing| largest <= packing.largest_code();
        Packing::ALL.into_iter().find(fits).unwrap_or(Packing::Words)
    }

    /// The largest value that it can hold.
    pub fn largest_code(self) -> Code {
        match self {
            Packing::Base3 => 2,
            Packing::Runs | Packing::Bytes => 255,
            Packing::Words => DONT_CARE - 1,
        }
    }

    /// How many values make a block of about 64 KiB, or fewer where they are
    /// packed: small enough to be decompressed for one probe, large enough for
    /// the compressor to find its repetitions.
    pub fn default_block_values(self) -> usize {
        match self {
            Packing::Base3 => 1 << 18,
            Packing::Runs | Packing::Bytes => 1 << 16,
            Packing::Words => 1 << 15,
        }
    }

    pub(super) fn id(self) -> u8 {
        match self {
            Packing::Base3 => 1,
            Packing::Bytes => 2,
            Packing::Words => 3,
            Packing::Runs => 4,
        }
    }

    pub(super) fn from_id(id: u8) -> Option<Packing> {
        Packing::ALL.into_iter().find(|packing| packing.id() == id)
    }

    /// How many bytes this many values take.
    pub(super) fn packed_bytes(self, values: usize) -> usize {
        match self {
            Packing::Base3 => values.div_ceil(DIGITS),
            Packing::Runs | Packing::Bytes => values,
            Packing::Words => 2 * values,
        }
    }

    /// Puts the bytes of values none of which is larger than
    /// [`Self::largest_code`] into `packed`.
    pub(super) fn pack(self, values: &[Code], packed: &mut Vec<u8>) {
        packed.clear();
        match self {
            Packing::Base3 => {
                let byte = |five: &[Code]| five.iter().rev().fold(0, |sum, &v| 3 * sum + v as u8);
                let bytes = values.chunks_exact(DIGITS);
                let rest = bytes.remainder();
                packed.extend(bytes.map(byte));
                packed.extend((!rest.is_empty()).then(|| byte(rest)));
            }
            Packing::Runs | Packing::Bytes => packed.extend(values.iter().map(|&v| v as u8)),
            Packing::Words => packed.extend(values.iter().flat_map(|v| v.to_le_bytes())),
        }
    }

    /// Which byte of packed values holds the value, or the first half of it.
    #[inline]
    pub(super) fn byte(self, at: usize) -> usize {
        match self {
            Packing::Base3 => at / DIGITS,
            Packing::Runs | Packing::Bytes => at,
            Packing::Words => 2 * at,
        }
    }

    /// The value, from the bytes that begin with its own, the first one lowest;
    /// `None` if they hold none.
    #[inline]
    pub(super) fn value_in(self, bytes: u64, at: usize) -> Option<Code> {
        match self {
            Packing::Base3 => UNPACKED.get(usize::from(bytes as u8)).map(|five| five[at % DIGITS]),
            Packing::Runs | Packing::Bytes => Some(Code::from(bytes as u8)),
            Packing::Words => Some(bytes as u16),
        }
    }

    /// One of the values of `packed`; `None` if it is not there.
    #[inline]
    pub(super) fn value(self, packed: &[u8], at: usize) -> Option<Code> {
        let own = packed.get(self.byte(at)..self.byte(at + 1).max(self.byte(at) + 1))?;
        let bytes = own.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte));
        self.value_in(bytes, at)
    }

    /// Puts the first `count` values of `packed` into `values`; `None` if those
    /// bytes are no such values.
    pub(super) fn unpack(self, packed: &[u8], count: usize, values: &mut Vec<Code>) -> Option<()> {
        values.clear();
        let whole = packed.len() == self.packed_bytes(count);
        if whole { self.unpack_some(packed, 0..count, values) } else { None }
    }

    /// Adds these values of `packed` to `values`; `None` if they are not there.
    pub(super) fn unpack_some(
        self,
        packed: &[u8],
        wanted: Range<usize>,
        values: &mut Vec<Code>,
    ) -> Option<()> {
        let own = packed.get(self.byte(wanted.start)..self.packed_bytes(wanted.end))?;
        let (before, count) = (values.len(), wanted.len());
        values.reserve(count + 2 * DIGITS);
        match self {
            Packing::Base3 => {
                for &byte in own {
                    values.extend_from_slice(UNPACKED.get(usize::from(byte))?);
                }
                // The first byte may begin with others' digits, the last end with some.
                values.drain(before..before + wanted.start % DIGITS);
                values.truncate(before + count);
            }
            Packing::Runs | Packing::Bytes => {
                values.extend(own.iter().map(|&byte| Code::from(byte)))
            }
            Packing::Words => {
                let words = own.chunks_exact(2);
                values.extend(words.map(|word| Code::from_le_bytes([word[0], word[1]])));
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(packing: Packing, values: &[Code]) -> Vec<u8> {
        let mut bytes = Vec::new();
        packing.pack(values, &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn values_go_through_bytes(
            packing in prop::sample::select(&Packing::ALL[..]),
            any in prop::collection::vec(any::<Code>(), 0..40),
        ) {
            let largest = u32::from(packing.largest_code());
            let values: Vec<Code> = any.iter().map(|&v| (u32::from(v) % (largest + 1)) as Code).collect();
            let packed = packed(packing, &values);
            prop_assert_eq!(packed.len(), packing.packed_bytes(values.len()));
            let mut unpacked = vec![7; 3];
            packing.unpack(&packed, values.len(), &mut unpacked).unwrap();
            for (at, &value) in values.iter().enumerate() {
                prop_assert_eq!(packing.value(&packed, at), Some(value));
            }
            prop_assert_eq!(&unpacked, &values);
            let (start, end) = (values.len() / 3, values.len() - values.len() / 4);
            unpacked.truncate(2);
            packing.unpack_some(&packed, start..end, &mut unpacked).unwrap();
            prop_assert_eq!(&unpacked[values.len().min(2)..], &values[start..end]);
            let beyond = packing.unpack_some(&packed, start..end + 40, &mut unpacked);
            prop_assert_eq!(beyond, None);
        }
    }

    #[test]
    fn bytes_are_those_of_the_format() {
        assert_eq!(packed(Packing::Base3, &[1, 0, 2, 0, 0, 2]), [1 + 2 * 9, 2]);
        assert_eq!(packed(Packing::Bytes, &[1, 255]), [1, 255]);
        assert_eq!(packed(Packing::Words, &[1, 0x1234]), [1, 0, 0x34, 0x12]);
        let ids = Packing::ALL.map(Packing::id);
        assert_eq!(ids, [1, 4, 2, 3]);
    }

    #[test]
    fn bytes_that_are_no_values_are_refused() {
        let mut values = Vec::new();
        assert_eq!(Packing::Base3.unpack(&[242], 5, &mut values), Some(()));
        assert_eq!(Packing::Base3.unpack(&[243], 5, &mut values), None);
        assert_eq!(Packing::Base3.unpack(&[0], 6, &mut values), None);
        assert_eq!(Packing::Words.unpack(&[0; 3], 1, &mut values), None);
    }

    #[test]
    fn the_densest_packing_is_chosen() {
        for (largest, packing) in [
            (0, Packing::Base3),
            (2, Packing::Base3),
            (3, Packing::Runs),
            (255, Packing::Runs),
            (256, Packing::Words),
        ] {
            assert_eq!(Packing::for_codes_up_to(largest), packing);
        }
    }
}
