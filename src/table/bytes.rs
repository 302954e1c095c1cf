//! Numbers in bytes: always little-endian, at offsets that are constants.

/// The bytes `at .. at + N` of a part whose length was checked.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
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

/// The checksum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    checksum_of(blake3::hash(bytes))
}

/// The checksum of the bytes with that hash: its first 8 bytes.
pub(super) fn checksum_of(hash: blake3::Hash) -> u64 {
    u64_at(hash.as_bytes(), 0)
}
