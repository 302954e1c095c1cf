use std::ops::Range;

use super::code::{Code, DONT_CARE};

/// The encoding of a block's values as bytes, before compression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Packing {
    /// Five values of 0 to 2 per byte, as base-3 digits.
    Base3,
    /// A byte per value, run-length encoded before compression.
    Runs,
    /// A byte per value.
    Bytes,
    /// Two bytes per value.
    Words,
}

/// Base-3 digits per byte.
const DIGITS: usize = 5;
/// The number of valid base-3 bytes.
const BYTES: usize = 3usize.pow(DIGITS as u32);

/// The five values of every base-3 byte, lowest digit first.
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
    /// All packings, densest first.
    pub const ALL: [Packing; 4] = [Packing::Base3, Packing::Runs, Packing::Bytes, Packing::Words];

    /// Returns the densest packing for values up to `largest`.
    pub fn for_codes_up_to(largest: Code) -> Packing {
        Packing::ALL
            .into_iter()
            .find(|packing| largest <= packing.largest_code())
            .unwrap_or(Packing::Words)
    }

    /// Returns the largest value that the packing can hold.
    pub fn largest_code(self) -> Code {
        match self {
            Packing::Base3 => 2,
            Packing::Runs | Packing::Bytes => 255,
            Packing::Words => DONT_CARE - 1,
        }
    }

    /// Returns the default number of values per block: at most 64 KiB when packed, small
    /// enough to decompress for one probe and large enough to compress well.
    pub fn default_block_values(self) -> usize {
        match self {
            Packing::Base3 => 1 << 18,
            Packing::Runs | Packing::Bytes => 1 << 16,
            Packing::Words => 1 << 15,
        }
    }

    /// Returns the number in the header.
    pub(super) fn id(self) -> u8 {
        match self {
            Packing::Base3 => 1,
            Packing::Bytes => 2,
            Packing::Words => 3,
            Packing::Runs => 4,
        }
    }

    /// Returns the packing with this number in the header.
    pub(super) fn from_id(id: u8) -> Option<Packing> {
        Packing::ALL.into_iter().find(|packing| packing.id() == id)
    }

    /// Returns the packed size of this many values in bytes.
    pub(super) fn packed_bytes(self, values: usize) -> usize {
        match self {
            Packing::Base3 => values.div_ceil(DIGITS),
            Packing::Runs | Packing::Bytes => values,
            Packing::Words => 2 * values,
        }
    }

    /// Packs values, none of which exceeds [`Self::largest_code`], into `packed`.
    pub(super) fn pack(self, values: &[Code], packed: &mut Vec<u8>) {
        packed.clear();
        match self {
            Packing::Base3 => {
                let chunks = values.chunks_exact(DIGITS);
                let rest = chunks.remainder();
                packed.extend(chunks.map(base3_byte));
                packed.extend((!rest.is_empty()).then(|| base3_byte(rest)));
            }
            Packing::Runs | Packing::Bytes => packed.extend(values.iter().map(|&v| v as u8)),
            Packing::Words => packed.extend(values.iter().flat_map(|v| v.to_le_bytes())),
        }
    }

    /// Returns the offset of the value in packed bytes; of its first byte, if it has two.
    #[inline]
    pub(super) fn byte(self, at: usize) -> usize {
        match self {
            Packing::Base3 => at / DIGITS,
            Packing::Runs | Packing::Bytes => at,
            Packing::Words => 2 * at,
        }
    }

    /// Decodes the value number `at` from bytes that begin with its own, in little-endian
    /// order; `None` if they are invalid.
    #[inline]
    pub(super) fn value_in(self, bytes: u64, at: usize) -> Option<Code> {
        match self {
            Packing::Base3 => UNPACKED.get(usize::from(bytes as u8)).map(|five| five[at % DIGITS]),
            Packing::Runs | Packing::Bytes => Some(Code::from(bytes as u8)),
            Packing::Words => Some(bytes as u16),
        }
    }

    /// Decodes one value of `packed`; `None` if it is missing or invalid.
    #[inline]
    pub(super) fn value(self, packed: &[u8], at: usize) -> Option<Code> {
        let own = packed.get(self.byte(at)..self.byte(at + 1).max(self.byte(at) + 1))?;
        let word = own.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        self.value_in(word, at)
    }

    /// Appends some of the values of `packed` to `values`; `None` if they are missing or
    /// invalid.
    pub(super) fn unpack(
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
                // The first and the last byte may hold digits outside the range.
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

/// Packs up to five digits into a byte.
#[inline]
fn base3_byte(digits: &[Code]) -> u8 {
    digits.iter().rev().fold(0, |byte, &digit| 3 * byte + digit as u8)
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
            for (at, &value) in values.iter().enumerate() {
                prop_assert_eq!(packing.value(&packed, at), Some(value));
            }
            let mut unpacked = vec![];
            packing.unpack(&packed, 0..values.len(), &mut unpacked).unwrap();
            prop_assert_eq!(&unpacked, &values);
            let (start, end) = (values.len() / 3, values.len() - values.len() / 4);
            unpacked.truncate(2);
            packing.unpack(&packed, start..end, &mut unpacked).unwrap();
            prop_assert_eq!(&unpacked[values.len().min(2)..], &values[start..end]);
            let beyond = packing.unpack(&packed, start..end + 40, &mut unpacked);
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
        assert_eq!(Packing::Base3.unpack(&[242], 0..5, &mut values), Some(()));
        assert_eq!(Packing::Base3.unpack(&[243], 0..5, &mut values), None);
        assert_eq!(Packing::Base3.unpack(&[0], 0..6, &mut values), None);
        assert_eq!(Packing::Words.unpack(&[0; 3], 0..2, &mut values), None);
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
