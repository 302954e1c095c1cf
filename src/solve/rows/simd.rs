//! Run-time choice of processor instructions. Apart from the C interface, `unsafe` code occurs only
//! here, in `system/processor.rs`, in memory maps, in hints to the processor and the system, and in
//! rows that threads share.

use crate::game::board::{Symmetry, array_of};
use crate::solve::rows::row::{Row, WIDE_ROWS, Wide};
use crate::solve::rows::transform::{Transform, Transforms};

/// A loop over rows, compiled once for each supported instruction set.
///
/// `run` and everything that it calls should be `#[inline(always)]`; otherwise that code is
/// compiled for the portable instruction set only.
pub(crate) trait Kernel {
    /// Runs the loop with the instructions of this processor.
    fn run(self, processor: impl Processor);
}

/// Operations on rows with an implementation for each instruction set.
pub(crate) trait Processor: Copy {
    /// Returns the row with its lanes permuted.
    fn transform<const N: usize>(self, transform: &Transform<N>, row: Row<N>) -> Row<N>;
    /// Permutes the lanes of eight rows.
    #[inline(always)]
    fn transform_wide<const N: usize>(
        self,
        transform: &Transform<N>,
        mut rows: Wide<N>,
    ) -> Wide<N> {
        transform_rows(self, transform, &mut rows);
        rows
    }
    /// Permutes the lanes of eight rows, each by its own symmetry.
    #[inline(always)]
    fn transform_each<const N: usize>(
        self,
        transforms: &Transforms<N>,
        symmetries: [Symmetry; WIDE_ROWS],
        mut rows: Wide<N>,
    ) -> Wide<N> {
        transform_rows_each(self, transforms, symmetries, &mut rows);
        rows
    }
    /// Writes a value to the places whose bit is set.
    #[inline(always)]
    fn fill_masked(self, places: &mut [u16; 64], bits: u64, value: u16) {
        for place in Row([bits]).lanes() {
            places[place] = value;
        }
    }
    /// Moves the bytes of the words that are not zero to the first of `into`, and writes others after
    /// them. Returns a bit for each byte that is not zero.
    #[inline(always)]
    fn gather_bytes(self, words: [u64; 8], into: &mut [u8; 64]) -> u64 {
        let (mut mask, mut count) = (0, 0);
        let bytes: [_; 8] = array_of(|i| words[i].to_le_bytes());
        for (at, &byte) in bytes.as_flattened().iter().enumerate() {
            into[count] = byte;
            mask |= u64::from(byte != 0) << at;
            count += usize::from(byte != 0);
        }
        mask
    }
    /// Moves the first bytes, as many as bits are set, to the bytes of words whose bits are set.
    #[inline(always)]
    fn scatter_bytes(self, mut bytes: &[u8], mask: u64) -> [u64; 8] {
        let mut words = [0; 8];
        for at in Row([mask]).lanes() {
            let Some((&byte, rest)) = bytes.split_first() else { break };
            words[at / 8] |= u64::from(byte) << (at % 8 * 8);
            bytes = rest;
        }
        words
    }
}

/// Permutes the lanes of eight rows, one row after another.
#[inline(always)]
fn transform_rows<const N: usize>(
    processor: impl Processor,
    transform: &Transform<N>,
    rows: &mut Wide<N>,
) {
    for row in 0..WIDE_ROWS {
        rows.put(row, processor.transform(transform, rows.row(row)));
    }
}

/// Permutes the lanes of eight rows, one row after another, each by its own symmetry.
#[inline(always)]
fn transform_rows_each<const N: usize>(
    processor: impl Processor,
    transforms: &Transforms<N>,
    symmetries: [Symmetry; 8],
    rows: &mut Wide<N>,
) {
    for (row, symmetry) in symmetries.into_iter().enumerate() {
        rows.put(row, processor.transform(transforms.of(symmetry), rows.row(row)));
    }
}

/// Plain code for any processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Processor for Portable {
    #[inline(always)]
    fn transform<const N: usize>(self, transform: &Transform<N>, row: Row<N>) -> Row<N> {
        transform.apply_bytewise(row)
    }
}

/// Runs the kernel with the best instructions that the processor has.
#[inline]
pub(crate) fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = avx512::Avx512::detect() {
        return processor.run(kernel);
    }
    kernel.run(Portable);
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512 {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::{
        __m512i, _mm512_bitshuffle_epi64_mask, _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512,
        _mm512_mask_blend_epi64, _mm512_mask_storeu_epi16, _mm512_maskz_compress_epi8,
        _mm512_maskz_expand_epi8, _mm512_maskz_loadu_epi8, _mm512_movepi64_mask, _mm512_or_si512,
        _mm512_permutexvar_epi64, _mm512_set_epi64, _mm512_set1_epi16, _mm512_set1_epi64,
        _mm512_shuffle_epi8, _mm512_storeu_si512, _mm512_test_epi8_mask,
    };
    use std::sync::LazyLock;

    use super::{
        Kernel, Processor, Row, Symmetry, Transform, Transforms, Wide, array_of, transform_rows,
        transform_rows_each,
    };
    use crate::solve::rows::transform::{BitMatrices, BitMatrix};

    /// Proof that the processor has AVX-512 with the bit-shuffle and bit-matrix instructions; only
    /// [`Avx512::detect`] creates one.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    impl Avx512 {
        pub(super) fn detect() -> Option<Avx512> {
            static KNOWN: LazyLock<bool> = LazyLock::new(|| {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("gfni")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            });
            KNOWN.then_some(Avx512(()))
        }

        #[inline]
        pub(super) fn run(self, kernel: impl Kernel) {
            #[target_feature(
                enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg,avx512vbmi2",
                enable = "gfni,bmi2,popcnt"
            )]
            fn compiled(kernel: impl Kernel, processor: Avx512) {
                kernel.run(processor);
            }
            // SAFETY: the processor must have these features; `self` proves that it has.
            unsafe { compiled(kernel, self) }
        }
    }

    impl Avx512 {
        /// Permutes the bytes and bits of eight words.
        #[inline(always)]
        fn shuffle_all(self, matrix: BitMatrix, words: [u64; 8]) -> [u64; 8] {
            let mut image = [0; 8];
            // SAFETY: the processor must have the features, which `self` proves; eight words are
            // read and eight are written.
            unsafe {
                let bytes = _mm512_set1_epi64(matrix.bytes.cast_signed());
                let permuted = shuffle(load(&words), bytes);
                let bits: __m512i = _mm512_set1_epi64(matrix.bits.cast_signed());
                // A product of 8 x 8 bit matrices: each byte of the first factor selects, by its
                // bits, bytes of the second one, the last byte first. Transposing swaps the
                // factors.
                let product = match matrix.transposed {
                    false => _mm512_gf2p8affine_epi64_epi8::<0>(permuted, bits),
                    true => _mm512_gf2p8affine_epi64_epi8::<0>(bits, permuted),
                };
                _mm512_storeu_si512(image.as_mut_ptr().cast(), product);
            }
            image
        }

        /// Permutes the bytes and bits of eight words, each by the symmetry with its number.
        #[inline(always)]
        fn shuffle_each(
            self,
            matrices: &BitMatrices,
            numbers: [u64; 8],
            words: [u64; 8],
        ) -> [u64; 8] {
            let mut image = [0; 8];
            // SAFETY: the processor must have the features, which `self` proves; eight words are
            // read and eight are written.
            unsafe {
                let bytes = lookup(&matrices.bytes, &numbers);
                let permuted = shuffle(load(&words), bytes);
                let bits = lookup(&matrices.bits, &numbers);
                // As in `shuffle_all`; the order of the factors depends on each word's symmetry.
                let transposed = _mm512_movepi64_mask(lookup(&matrices.transposed, &numbers));
                let first = _mm512_mask_blend_epi64(transposed, permuted, bits);
                let second = _mm512_mask_blend_epi64(transposed, bits, permuted);
                let product = _mm512_gf2p8affine_epi64_epi8::<0>(first, second);
                _mm512_storeu_si512(image.as_mut_ptr().cast(), product);
            }
            image
        }
    }

    /// Loads eight words.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(words: &[u64; 8]) -> __m512i {
        // SAFETY: eight words are read from an array of eight.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    /// Picks the words with these numbers.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn lookup(words: &[u64; 8], numbers: &[u64; 8]) -> __m512i {
        _mm512_permutexvar_epi64(load(numbers), load(words))
    }

    /// Picks the bytes with these numbers in each word.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn shuffle(words: __m512i, bytes: __m512i) -> __m512i {
        // `vpshufb` works on lanes of two words: the second one's bytes are numbered from 8.
        const SECOND: i64 = 0x0808_0808_0808_0808;
        let second = _mm512_set_epi64(SECOND, 0, SECOND, 0, SECOND, 0, SECOND, 0);
        _mm512_shuffle_epi8(words, _mm512_or_si512(bytes, second))
    }

    impl Processor for Avx512 {
        #[inline(always)]
        fn transform<const N: usize>(self, transform: &Transform<N>, row: Row<N>) -> Row<N> {
            Row(array_of(|to| {
                (0..N).fold(0, |word, from| {
                    let picked = &transform.picks[to][from];
                    // SAFETY: the processor must have the features, which `self` proves; 64 bytes
                    // are read from an array of 64 bytes.
                    let bits = unsafe {
                        let bits = _mm512_loadu_si512(picked.bits.as_ptr().cast());
                        let source = _mm512_set1_epi64(row.0[from].cast_signed());
                        _mm512_bitshuffle_epi64_mask(source, bits)
                    };
                    word | bits & picked.mask
                })
            }))
        }

        #[inline(always)]
        fn transform_wide<const N: usize>(
            self,
            transform: &Transform<N>,
            mut rows: Wide<N>,
        ) -> Wide<N> {
            match transform.matrix {
                Some(matrix) if N == 1 => rows.0[0] = self.shuffle_all(matrix, rows.0[0]),
                _ => transform_rows(self, transform, &mut rows),
            }
            rows
        }

        #[inline(always)]
        fn transform_each<const N: usize>(
            self,
            transforms: &Transforms<N>,
            symmetries: [Symmetry; 8],
            mut rows: Wide<N>,
        ) -> Wide<N> {
            match &transforms.matrices {
                Some(matrices) if N == 1 => {
                    let numbers = symmetries.map(|symmetry| symmetry.index() as u64);
                    rows.0[0] = self.shuffle_each(matrices, numbers, rows.0[0]);
                }
                _ => transform_rows_each(self, transforms, symmetries, &mut rows),
            }
            rows
        }

        #[inline(always)]
        fn fill_masked(self, places: &mut [u16; 64], bits: u64, value: u16) {
            for (places, bits) in places.as_chunks_mut::<32>().0.iter_mut().zip([bits, bits >> 32])
            {
                // SAFETY: the processor must have the features, which `self` proves; at most 32
                // values are written to 32 places.
                unsafe {
                    let values = _mm512_set1_epi16(value.cast_signed());
                    _mm512_mask_storeu_epi16(places.as_mut_ptr().cast(), bits as u32, values);
                }
            }
        }

        #[inline(always)]
        fn gather_bytes(self, words: [u64; 8], into: &mut [u8; 64]) -> u64 {
            // SAFETY: the processor must have the features, which `self` proves; 64 bytes are
            // written to an array of 64.
            unsafe {
                let words = load(&words);
                let mask = _mm512_test_epi8_mask(words, words);
                let bytes = _mm512_maskz_compress_epi8(mask, words);
                _mm512_storeu_si512(into.as_mut_ptr().cast(), bytes);
                mask
            }
        }

        #[inline(always)]
        fn scatter_bytes(self, bytes: &[u8], mask: u64) -> [u64; 8] {
            let count = bytes.len().min(mask.count_ones() as usize);
            // The lowest `count` bits, at most 64.
            let present = !u64::MAX.checked_shl(count as u32).unwrap_or(0);
            let mut words = [0; 8];
            // SAFETY: the processor must have the features, which `self` proves; at most as many
            // bytes are read as there are, and eight words are written.
            unsafe {
                let bytes = _mm512_maskz_loadu_epi8(present, bytes.as_ptr().cast());
                let scattered = _mm512_maskz_expand_epi8(mask, bytes);
                _mm512_storeu_si512(words.as_mut_ptr().cast(), scattered);
            }
            words
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::board::Board;

    /// Permutes the rows one by one and, if there are eight, all at once.
    struct PermuteAll<'a, const N: usize>(&'a Transform<N>, &'a mut [Row<N>]);

    impl<const N: usize> PermuteAll<'_, N> {
        fn eight(rows: &mut [Row<N>]) -> Option<&mut [Row<N>; 8]> {
            rows.try_into().ok()
        }
    }

    impl<const N: usize> Kernel for PermuteAll<'_, N> {
        #[inline(always)]
        fn run(self, processor: impl Processor) {
            let all = Self::eight(self.1)
                .map(|rows| processor.transform_wide(self.0, Wide::of(rows)).rows());
            self.1.iter_mut().for_each(|row| *row = processor.transform(self.0, *row));
            if let Some(all) = all {
                assert_eq!(all, self.1);
            }
        }
    }

    /// Permutes eight rows, each by its own symmetry.
    struct PermuteEach<'a>(&'a Transforms<1>, [Symmetry; 8], &'a mut [Row<1>; 8]);

    impl Kernel for PermuteEach<'_> {
        #[inline(always)]
        fn run(self, processor: impl Processor) {
            *self.2 = processor.transform_each(self.0, self.1, Wide::of(self.2)).rows();
        }
    }

    /// Writes a value to some places.
    struct Put<'a>(&'a mut [u16; 64], u64, u16);

    impl Kernel for Put<'_> {
        #[inline(always)]
        fn run(self, processor: impl Processor) {
            processor.fill_masked(self.0, self.1, self.2);
        }
    }

    /// Permutes some of the lanes in the order of `keys`, and drops the others.
    fn check<const N: usize>(keys: &[u32], words: &[u64]) {
        let lanes = keys.len().min(64 * N);
        let mut order: Vec<usize> = (0..lanes).collect();
        order.sort_by_key(|&lane| keys[lane]);
        let transform = Transform::<N>::new(|lane| order.get(lane).copied());
        let row = Row::<N>(std::array::from_fn(|i| words[i]));
        let moved = row.lanes().filter(|&lane| lane < lanes);
        let expected = moved.fold(Row::EMPTY, |all, lane| all | Row::bit(order[lane]));
        let mut rows = [row; 8];
        PermuteAll(&transform, &mut rows).run(Portable);
        assert_eq!(rows, [expected; 8], "portable");
        rows = [row; 8];
        run(PermuteAll(&transform, &mut rows));
        assert_eq!(rows, [expected; 8], "this processor's");
    }

    proptest! {
        #[test]
        fn every_processor_puts_the_same_values(bits: u64, value: u16, before: u16) {
            let mut places = [[before; 64]; 2];
            Put(&mut places[0], bits, value).run(Portable);
            run(Put(&mut places[1], bits, value));
            let [portable, own] = places;
            for place in 0..64 {
                let expected = if bits >> place & 1 == 1 { value } else { before };
                prop_assert_eq!([portable[place], own[place]], [expected; 2]);
            }
        }

        /// Tests symmetries of a square of bytes with some lines dropped and the others moved.
        #[test]
        fn symmetries_of_bytes_move_the_same_lanes(
            symmetry in 0..8_usize,
            side in 1..=8_usize,
            by in 0..8_usize,
            words in any::<[u64; 8]>(),
        ) {
            let image = |lane: usize| {
                let (mut byte, mut bit) = (lane / 8, lane % 8);
                if byte >= side || bit >= side {
                    return None;
                }
                if symmetry & 1 == 1 { byte = side - 1 - byte; }
                if symmetry & 2 == 2 { bit = side - 1 - bit; }
                if symmetry & 4 == 4 { (byte, bit) = (bit, byte); }
                let byte = byte + by.min(8 - side);
                Some(8 * byte + bit)
            };
            let transform = Transform::<1>::new(image);
            prop_assert!(transform.matrix.is_some());
            let mut rows = words.map(|word| Row([word]));
            let expected = rows.map(|row| {
                row.lanes().filter_map(image).fold(Row::EMPTY, |all, to| all | Row::bit(to))
            });
            run(PermuteAll(&transform, &mut rows));
            prop_assert_eq!(rows, expected);
        }

        /// Tests words that are squares of bytes, and others.
        #[test]
        fn each_row_has_a_symmetry_of_its_own(
            symmetries in prop::array::uniform8(prop::sample::select(&Symmetry::ALL[..])),
            (side, stride) in prop::sample::select(vec![(7, 8), (5, 8), (7, 7)]),
            words in any::<[u64; 8]>(),
        ) {
            let board = Board::new(side as u8).unwrap();
            let image = |symmetry: Symmetry, lane: usize| {
                let (file, rank) = (lane % stride, lane / stride);
                (file.max(rank) < side).then(|| {
                    let to = symmetry.apply(board, board.at(file, rank));
                    board.rank(to) * stride + board.file(to)
                })
            };
            let transforms = Transforms::new(|g| Transform::<1>::new(|lane| image(g, lane)));
            prop_assert_eq!(transforms.matrices.is_some(), stride == 8);
            let rows = words.map(|word| Row([word]));
            let expected: [Row<1>; 8] = std::array::from_fn(|i| {
                let images = rows[i].lanes().filter_map(|lane| image(symmetries[i], lane));
                images.fold(Row::EMPTY, |all, to| all | Row::bit(to))
            });
            let mut moved = [rows; 2];
            PermuteEach(&transforms, symmetries, &mut moved[0]).run(Portable);
            run(PermuteEach(&transforms, symmetries, &mut moved[1]));
            prop_assert_eq!(moved, [expected; 2]);
        }

        #[test]
        fn every_processor_moves_the_same_lanes(
            keys in prop::collection::vec(any::<u32>(), 1..=361),
            words in prop::collection::vec(any::<u64>(), 6),
        ) {
            check::<1>(&keys, &words);
            check::<2>(&keys, &words);
            check::<3>(&keys, &words);
            check::<6>(&keys, &words);
        }
    }
}
