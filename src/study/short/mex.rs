/// The set of values that moves along a line lead to.
pub(super) trait MexSet: Copy + Send + Sync {
    /// The value of a position.
    type Value: Copy + Default + Into<u16> + Send + Sync;

    /// The empty set.
    const EMPTY: Self;

    /// Adds the value of a position that a move leads to.
    fn insert(&mut self, value: u16);

    /// Returns the minimum excluded value of the union: the value of a position whose moves lead
    /// to these values.
    fn mex(lines: [&Self; 4]) -> Self::Value;
}

/// For outcomes only: whether a move leads to a P-position. The value is 0 for P-positions, and
/// 1 for all others.
impl MexSet for bool {
    type Value = u8;

    const EMPTY: bool = false;

    fn insert(&mut self, value: u16) {
        *self |= value == 0;
    }

    fn mex(lines: [&bool; 4]) -> u8 {
        u8::from(lines.into_iter().any(|&has_zero| has_zero))
    }
}

/// For Grundy values: one bit per value. Larger values are dropped: there is a bit for each move
/// of a position, and its value is at most the number of its moves.
impl<const WORDS: usize> MexSet for [u64; WORDS] {
    type Value = u16;

    const EMPTY: [u64; WORDS] = [0; WORDS];

    fn insert(&mut self, value: u16) {
        let bit = usize::from(value);
        if let Some(word) = self.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    fn mex([a, b, c, d]: [&[u64; WORDS]; 4]) -> u16 {
        let union = (0..WORDS).map(|i| a[i] | b[i] | c[i] | d[i]);
        let (index, word) =
            union.enumerate().find(|(_, word)| *word != u64::MAX).unwrap_or((WORDS, 0));
        (64 * index) as u16 + word.trailing_ones() as u16
    }
}
