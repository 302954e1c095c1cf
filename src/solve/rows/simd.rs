//! Instructions that not every processor has, chosen at run time. But for the C
//! interface, `unsafe` code is only here, in the mapping of files, in hints to the
//! processor and the system, and in rows that threads share.

use crate::solve::rows::row::Row;
use crate::solve::rows::transform::Transform;

/// A loop over rows, compiled for every kind of processor.
///
/// Its `run`, and all that `run` calls, should be `#[inline(always)]`, or it is
/// not compiled for more than the portable one.
pub(crate) trait Kernel {
    /// Runs the loop with what the processor can do.
    fn run(self, processor: impl Processor);
}

/// What rows need of a processor besides plain arithmetic.
pub(crate) trait Processor: Copy {
    /// The row with its lanes moved.
    fn transform<const N: usize>(self, transform: &Transform<N>, row: Row<N>) -> Row<N>;
    /// Says that these will be read soon, in any order.
    fn prefetch<T>(self, items: &[T]);
}

/// Every processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Processor for Portable {
    #[inline(always)]
    fn transform<const N: usize>(self, transform: &Transform<N>, row: Row<N>) -> Row<N> {
        transform.by_bytes(row)
    }
    #[inline(always)]
    fn prefetch<T>(self, _: &[T]) {}
}

/// Runs the kernel as fast as the processor can.
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
    use std::arch::x86_64::{_mm512_bitshuffle_epi64_mask, _mm512_loadu_si512, _mm512_set1_epi64};
    use std::sync::LazyLock;

    use super::{Kernel, Processor, Row, Transform};

    /// Proof that the processor has AVX-512 with the bit shuffles; only
    /// [`Avx512::detect`] makes one.
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
            });
            KNOWN.then_some(Avx512(()))
        }

        #[inline]
        pub(super) fn run(self, kernel: impl Kernel) {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg")]
            fn compiled(kernel: impl Kernel, processor: Avx512) {
                kernel.run(processor);
            }
            // SAFETY: the processor must have these features; `self` proves it.
            unsafe { compiled(kernel, self) }
        }
    }

    impl Processor for Avx512 {
        #[inline(always)]
        fn transform<const N: usize>(self, transform: &Transform<N>, row: Row<N>) -> Row<N> {
            Row(std::array::from_fn(|to| {
                (0..N).fold(0, |word, from| {
                    let picked = &transform.picks[to][from];
                    // SAFETY: the processor must have the features, which `self`
                    // proves; 64 bytes are read from an array of 64 bytes.
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
        fn prefetch<T>(self, items: &[T]) {
            const LINE: usize = 64;
            for item in items.iter().step_by(LINE / size_of::<T>().clamp(1, LINE)) {
                crate::system::prefetch::prefetch(item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct FlipAll<'a, const N: usize>(&'a Transform<N>, &'a mut [Row<N>]);

    impl<const N: usize> Kernel for FlipAll<'_, N> {
        #[inline(always)]
        fn run(self, processor: impl Processor) {
            self.1.iter_mut().for_each(|row| *row = processor.transform(self.0, *row));
        }
    }

    /// Moves some of the lanes as `keys` says, and leaves the others out.
    fn check<const N: usize>(keys: &[u32], words: &[u64]) {
        let lanes = keys.len().min(64 * N);
        let mut order: Vec<usize> = (0..lanes).collect();
        order.sort_by_key(|&lane| keys[lane]);
        let transform = Transform::<N>::new(lanes, |lane| order[lane]);
        let row = Row::<N>(std::array::from_fn(|i| words[i]));
        let moved = row.lanes().filter(|&lane| lane < lanes);
        let expected = moved.fold(Row::EMPTY, |all, lane| all | Row::bit(order[lane]));
        let mut rows = [row; 3];
        FlipAll(&transform, &mut rows).run(Portable);
        assert_eq!(rows, [expected; 3], "portable");
        rows = [row; 3];
        run(FlipAll(&transform, &mut rows));
        assert_eq!(rows, [expected; 3], "this processor's");
    }

    proptest! {
        #[test]
        fn every_processor_moves_the_same_lanes(
            keys in prop::collection::vec(any::<u32>(), 1..=361),
            words in prop::collection::vec(any::<u64>(), 6),
        ) {
            check::<1>(&keys, &words);
            check::<2>(&keys, &words);
            check::<3>(&keys, &words);
            check::<4>(&keys, &words);
            check::<5>(&keys, &words);
            check::<6>(&keys, &words);
        }
    }
}
