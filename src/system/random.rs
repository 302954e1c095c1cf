//! Pseudorandom numbers that are the same in every run, on every machine and in every version, and
//! seeds that are not.
//!
//! ```
//! use taflbase::random::SeededRng;
//!
//! let mut random = SeededRng::new(1);
//! let mut squares = ["a1", "c1", "e1", "g1"];
//! random.shuffle(&mut squares);
//! let mut again = SeededRng::new(1);
//! again.shuffle(&mut ["a1", "c1", "e1", "g1"]);
//! assert_eq!(random.next_u64(), again.next_u64());
//! ```

use std::hash::{BuildHasher, RandomState};

/// The increment of the generator's state: the odd number next to 2^64 / golden ratio.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a seed that differs from call to call and from run to run.
pub fn fresh_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// The generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). It serves samples, openings
/// and tests, not cryptography.
#[derive(Clone, Debug)]
pub struct SeededRng {
    state: u64,
}

impl SeededRng {
    /// Returns the generator that starts in the state `seed`.
    pub fn new(seed: u64) -> SeededRng {
        SeededRng { state: seed }
    }

    /// Returns a generator whose stream is independent of those for other seeds and purposes.
    pub fn for_purpose(seed: u64, purpose: &[u8]) -> SeededRng {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes()).update(purpose);
        let mut state = [0; 8];
        hasher.finalize_xof().fill(&mut state);
        SeededRng::new(u64::from_le_bytes(state))
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let number = mix(self.state);
        self.state = self.state.wrapping_add(INCREMENT);
        number
    }

    /// Returns a number below `limit`, uniformly distributed but for a bias of `limit` / 2^64;
    /// 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }

    /// Returns an element of `items`, each with the same probability; `None` if there is none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Puts `items` into a random order, each order with the same probability (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Returns the number that [`SeededRng`] generates in this state. It is a good hash of 64
/// bits, too.
pub(crate) fn mix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(INCREMENT);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference_implementation() {
        // The first numbers of Vigna's splitmix64.c for the seed 1234567.
        let mut random = SeededRng::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        assert_eq!(expected.map(|_| random.next_u64()), expected);
    }

    #[test]
    fn streams_depend_on_seed_and_purpose() {
        let first = |seed, purpose: &[u8]| SeededRng::for_purpose(seed, purpose).next_u64();
        assert_eq!(first(1, b"book"), first(1, b"book"));
        assert_ne!(first(1, b"book"), first(2, b"book"));
        assert_ne!(first(1, b"book"), first(1, b"move"));
    }

    #[test]
    fn every_element_is_as_likely_as_any_other() {
        let mut random = SeededRng::for_purpose(0, b"");
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[*random.choose(&[0, 1, 2]).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
        assert_eq!(random.choose::<u8>(&[]), None);
    }

    #[test]
    fn every_order_is_as_likely_as_any_other() {
        let mut random = SeededRng::new(0);
        let mut counts = BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (900..1100).contains(count)), "{counts:?}");
        random.shuffle::<u8>(&mut []);
    }
}
