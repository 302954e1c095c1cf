//! Run-length encoding of a block: each byte is a value and the length of its run.
//!
//! ```text
//!  at size
//!   0    1  v - 1        the number v of different values
//!   1    v  the values, ascending
//! 1+v    r  a byte for each run: in its high bits the number of its value, in as many
//!           bits as v - 1 needs; in the low bits its length - 1
//! ```
//!
//! A run that is too long for its bits continues in the next byte.

/// Returns the number of bits for the number of a value, if there are `values` of them.
fn number_bits(values: usize) -> u32 {
    usize::BITS - (values - 1).leading_zeros()
}

/// Returns the maximum size of `count` values in this encoding.
pub(super) fn max_bytes(count: usize) -> usize {
    1 + BYTES + count
}

/// The number of different bytes.
const BYTES: usize = 256;

/// Encodes the values, at least one, into `runs`.
pub(super) fn from_values(values: &[u8], runs: &mut Vec<u8>) {
    let mut numbers = [None; BYTES];
    for &value in values {
        numbers[usize::from(value)] = Some(0);
    }
    runs.clear();
    runs.push(0);
    for (number, value) in numbers.iter_mut().zip(0..=u8::MAX) {
        if let Some(number) = number {
            *number = runs.len() - 1;
            runs.push(value);
        }
    }
    let different = runs.len() - 1;
    runs[0] = (different - 1) as u8;
    let length_bits = u8::BITS - number_bits(different);
    let max = 1 << length_bits;
    for run in values.chunk_by(|one, other| one == other) {
        // Every value has a number by now.
        let number = numbers[usize::from(run[0])].unwrap_or(0) << length_bits;
        let whole = std::iter::repeat_n((number + max - 1) as u8, run.len() / max);
        runs.extend(whole);
        let rest = run.len() % max;
        runs.extend((rest > 0).then(|| (number + rest - 1) as u8));
    }
}

/// Decodes runs; `None` if they are invalid or do not make `count` values.
pub(super) fn to_values(runs: &[u8], count: usize) -> Option<Vec<u8>> {
    let (&last, rest) = runs.split_first()?;
    let (different, run_bytes) = rest.split_at_checked(usize::from(last) + 1)?;
    let decode = match number_bits(different.len()) {
        0 => decode_runs::<256>,
        1 => decode_runs::<128>,
        2 => decode_runs::<64>,
        3 => decode_runs::<32>,
        4 => decode_runs::<16>,
        5 => decode_runs::<8>,
        6 => decode_runs::<4>,
        7 => decode_runs::<2>,
        _ => decode_runs::<1>,
    };
    decode(different, run_bytes, count)
}

/// Decodes runs of at most `MAX` values. Each run writes `MAX` values and the next one
/// overwrites the excess, which avoids a loop of unpredictable length.
fn decode_runs<const MAX: usize>(different: &[u8], runs: &[u8], count: usize) -> Option<Vec<u8>> {
    let mut values = vec![0; count + MAX];
    let mut end = 0;
    for &run in runs {
        let value = different.get(usize::from(run) / MAX)?;
        *values.get_mut(end..)?.first_chunk_mut()? = [*value; MAX];
        end += usize::from(run) % MAX + 1;
    }
    values.truncate(count);
    (end == count).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(values: &[u8]) -> Vec<u8> {
        let mut runs = vec![7];
        from_values(values, &mut runs);
        runs
    }

    proptest! {
        #[test]
        fn values_go_through_runs(
            of in prop::collection::vec((any::<u8>(), 1..700usize), 1..300),
            values in 1..=256u16,
        ) {
            let values: Vec<u8> = of
                .iter()
                .flat_map(|&(value, length)| {
                    std::iter::repeat_n((u16::from(value) % values) as u8, length)
                })
                .collect();
            let runs = runs(&values);
            prop_assert!(runs.len() <= max_bytes(values.len()));
            prop_assert_eq!(to_values(&runs, values.len()), Some(values.clone()));
            prop_assert_eq!(to_values(&runs, values.len() + 1), None);
            prop_assert_eq!(to_values(&runs, values.len() - 1), None);
            prop_assert_eq!(to_values(&runs[..runs.len() - 1], values.len()), None);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(
            runs in prop::collection::vec(any::<u8>(), 0..60),
            count in 0..2000usize,
        ) {
            if let Some(values) = to_values(&runs, count) {
                prop_assert_eq!(values.len(), count);
            }
        }
    }

    #[test]
    fn bytes_are_those_of_the_format() {
        // Two values leave seven bits for the length, and 5 to 8 values five.
        assert_eq!(runs(&[4, 4, 4, 9]), [1, 4, 9, 2, 0x80]);
        assert_eq!(runs(&[vec![4; 130], vec![9]].concat()), [1, 4, 9, 0x7f, 1, 0x80]);
        assert_eq!(runs(&[9, 8, 6, 6, 5, 4]), [4, 4, 5, 6, 8, 9, 0x80, 0x60, 0x41, 0x20, 0]);
        assert_eq!(runs(&[3; 300]), [0, 3, 255, 43]);
    }

    #[test]
    fn runs_of_no_value_are_refused() {
        assert_eq!(to_values(&[2, 4, 6, 9, 0x80], 1), Some(vec![9]));
        assert_eq!(to_values(&[2, 4, 6, 9, 0xc0], 1), None);
        assert_eq!(to_values(&[2, 4, 6], 0), None);
        assert_eq!(to_values(&[], 0), None);
    }
}
