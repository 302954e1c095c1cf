/// The values that moves along a line lead to.
pub(super) trait MexSet: Copy + Send + Sync {
    /// A value of a position.
    type Value: Copy + Default + Into<u16> + Send + Sync;

    /// No values.
    const NONE: Self;

    /// Adds the value of a position that a move leads to.
    fn see(&mut self, value: u16);

    /// The value of a position whose moves lead to what these have seen.
    fn value(lines: [&Self; 4]) -> Self::Value;
}

/// For outcomes alone: whether a move leads to a P-position. The value 0 stands for
/// a P-position, 1 for any other.
impl MexSet for bool {
    type Value = u8;

    const NONE: bool = false;

    fn see(&mut self, value: u16) {
        *self |= value == 0;
    }

    fn value(lines: [&bool; 4]) -> u8 {
        u8::from(lines.into_iter().any(|&seen| seen))
    }
}

/// For Grundy values: a bit for each value. Larger ones are left out: there is room for
/// as many as a position has moves, and its value is no larger than that.
impl<const WORDS: usize> MexSet for [u64; WORDS] {
    type Value = u16;

    const NONE: [u64; WORDS] = [0; WORDS];

    fn see(&mut self, value: u16) {
        let value = usize::from(value);
        if let Some(word) = self.get_mut(value / 64) {
            *word |= 1 << (value % 64);
        }
    }

    fn value([a, b, c, d]: [&[u64; WORDS]; 4]) -> u16 {
        let words = (0..WORDS).map(|i| a[i] | b[i] | c[i] | d[i]);
        let first = words.enumerate().find(|(_, seen)| *seen != u64::MAX);
        let (word, seen) = first.unwrap_or((WORDS, 0));
        (64 * word) as u16 + seen.trailing_ones() as u16
    }
}
