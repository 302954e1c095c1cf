/// Numbers that look random, and depend on a seed and on what else they are drawn for:
/// a stream of blake3. They are the same on every machine and in every version.
pub(crate) struct Chance(blake3::OutputReader);

impl Chance {
    /// The stream of that seed for that purpose.
    pub(crate) fn new(seed: u64, purpose: &[u8]) -> Chance {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes()).update(purpose);
        Chance(hasher.finalize_xof())
    }

    /// The next number of 64 bits.
    pub(crate) fn number(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// One of them, each as likely as any other; `None` if there is none.
    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        // Lists are so short that the remainder favours nobody.
        let count = u64::try_from(from.len()).ok().filter(|&count| count > 0)?;
        from.get((self.number() % count) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_purpose() {
        let first = |seed, purpose: &[u8]| Chance::new(seed, purpose).number();
        assert_eq!(first(1, b"book"), first(1, b"book"));
        assert_ne!(first(1, b"book"), first(2, b"book"));
        assert_ne!(first(1, b"book"), first(1, b"move"));
        let mut chance = Chance::new(0, b"");
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[*chance.choose(&[0, 1, 2]).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
        assert_eq!(chance.choose::<u8>(&[]), None);
    }
}
