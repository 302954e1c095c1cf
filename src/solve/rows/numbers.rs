//! Index types: each kind of number has a type of its own, so that the compiler rejects a mix-up.

/// Defines an index type, counted from 0.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(transparent)]
        pub(crate) struct $name($inner);

        impl $name {
            /// The first index.
            #[allow(dead_code, reason = "not every type uses it")]
            pub(crate) const FIRST: $name = $name(0);

            /// Wraps a position in a list.
            #[inline(always)]
            pub(crate) const fn new(index: usize) -> $name {
                debug_assert!(index as $inner as usize == index);
                $name(index as $inner)
            }

            /// Returns the position in a list.
            #[inline(always)]
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$inner> for $name {
            #[inline(always)]
            fn from(number: $inner) -> $name {
                $name(number)
            }
        }

        impl From<$name> for $inner {
            #[inline(always)]
            fn from(number: $name) -> $inner {
                number.0
            }
        }
    };
}

number! {
    /// The rank of a set of defenders: the position of its row in every block.
    Rank(u32)
}

number! {
    /// The number of a block: the offset of its attackers among the canonical sets.
    BlockNumber(u64)
}

number! {
    /// The number of a chunk.
    ChunkNumber(u32)
}

number! {
    /// The position of a row in its chunk.
    ChunkRow(u32)
}

number! {
    /// The position of a row in its partition.
    PartitionRow(u64)
}

impl From<ChunkRow> for u64 {
    fn from(row: ChunkRow) -> u64 {
        row.0.into()
    }
}

impl TryFrom<u64> for ChunkRow {
    type Error = std::num::TryFromIntError;

    fn try_from(row: u64) -> Result<ChunkRow, Self::Error> {
        u32::try_from(row).map(ChunkRow)
    }
}
