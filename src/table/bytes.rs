//! Little-endian integers at constant offsets, and checksums.

/// Returns the bytes `at .. at + N`; the caller has checked the length.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

pub(super) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Returns the checksum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    checksum_of(blake3::hash(bytes))
}

/// Returns the checksum of bytes with this hash: its first 8 bytes.
pub(super) fn checksum_of(hash: blake3::Hash) -> u64 {
    u64_at(hash.as_bytes(), 0)
}
