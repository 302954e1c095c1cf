//! Code that is compiled twice: for any processor, and for newer ones.

/// Calls `work`; on x86-64 processors with instructions that count, find and shift bits, calls a
/// copy of it that is compiled for them.
///
/// `work` and everything that it calls should be `#[inline(always)]`; otherwise that code is
/// compiled for any processor only.
#[inline(always)]
pub(crate) fn with_bit_instructions<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = newer::BitInstructions::detect() {
        return processor.run(work);
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod newer {
    use std::arch::is_x86_feature_detected;
    use std::sync::LazyLock;

    /// Proof that the processor has these instructions; only [`BitInstructions::detect`] creates
    /// one.
    #[derive(Clone, Copy)]
    pub(super) struct BitInstructions(());

    impl BitInstructions {
        #[inline(always)]
        pub(super) fn detect() -> Option<BitInstructions> {
            static KNOWN: LazyLock<bool> = LazyLock::new(|| {
                is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            });
            KNOWN.then_some(BitInstructions(()))
        }

        #[inline(always)]
        pub(super) fn run<R>(self, work: impl FnOnce() -> R) -> R {
            #[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2")]
            fn compiled<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            // SAFETY: the processor must have these features; `self` proves that it has.
            unsafe { compiled(work) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::with_bit_instructions;

    #[test]
    fn both_copies_give_the_same() {
        let count = |word: u64| (word.count_ones(), word.leading_zeros(), word >> (word & 63));
        for word in [0, 1, 0x8000_0000_0000_0003, u64::MAX] {
            assert_eq!(
                with_bit_instructions(
                    #[inline(always)]
                    || count(word)
                ),
                count(word)
            );
        }
    }
}
