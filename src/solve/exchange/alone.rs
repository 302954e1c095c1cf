use super::{Exchange, ExchangeError};

/// The only rank.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Exchange for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn ranks(&self) -> usize {
        1
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, ExchangeError> {
        Ok(bytes)
    }
}
