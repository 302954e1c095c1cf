use std::fmt;

/// The identity of the rules that a table was made for: 32 bytes, a BLAKE3 hash of everything that
/// can change the value of a position, and of nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

/// The first eight bytes of a [`Fingerprint`]. Positions carry it, so that tables of other rules
/// refuse them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RulesId(u64);

impl Fingerprint {
    /// Returns the first eight bytes.
    pub fn id(&self) -> RulesId {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        RulesId(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl fmt::Display for Fingerprint {
    /// Writes the first 16 bytes in hexadecimal, enough to distinguish rulesets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..16].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}
