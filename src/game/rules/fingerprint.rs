use std::fmt;

/// Identifies the rules that a table was made for: 32 bytes, a blake3 hash of
/// everything that can change a value of a position, and of nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

/// The first eight bytes of a [`Fingerprint`]: what a position carries of its rules, so
/// that the tables of other rules refuse it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RulesId(u64);

impl Fingerprint {
    /// Its first eight bytes.
    pub fn id(&self) -> RulesId {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        RulesId(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl fmt::Display for Fingerprint {
    /// The first 16 bytes in hexadecimal, enough to tell rulesets apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..16].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}
