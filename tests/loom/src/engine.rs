//! The moves that the table of proof numbers stores.

pub(crate) mod state {
    /// A move, which is no more than its bits here.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Step(u32);

    impl Step {
        pub(crate) const BITS: u32 = 18;

        pub(crate) fn bits(self) -> u32 {
            self.0
        }

        pub(crate) fn from_bits(bits: u32) -> Step {
            Step(bits & ((1 << Step::BITS) - 1))
        }
    }
}
