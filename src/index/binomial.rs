/// Returns `C(n, k)`; `None` if it overflows.
pub(crate) fn binomial(n: usize, k: usize) -> Option<u64> {
    if k > n {
        return Some(0);
    }
    let mut value = 1_u128;
    for i in 0..k.min(n - k) {
        // Exact at every step: C(n, i + 1) = C(n, i) (n - i) / (i + 1).
        value = value * (n - i) as u128 / (i + 1) as u128;
        if value > u128::from(u64::MAX) {
            return None;
        }
    }
    Some(value as u64)
}

/// A table of `C(n, k)` for small `n` and `k`, for the inner loops.
#[derive(Clone, Debug)]
pub(crate) struct Binomials {
    /// The number of values for each `k`.
    rows: usize,
    values: Vec<u64>,
}

impl Binomials {
    /// Computes all `C(n, k)` with `n <= max_n` and `k <= max_k`. Values that overflow are stored
    /// as `u64::MAX` and must not be used.
    pub(crate) fn new(max_n: usize, max_k: usize) -> Binomials {
        let rows = max_n + 1;
        let cells = 0..rows * (max_k + 1);
        let values = cells.map(|i| binomial(i % rows, i / rows).unwrap_or(u64::MAX)).collect();
        Binomials { rows, values }
    }

    /// Returns `C(n, k)` for every `n`.
    #[inline]
    pub(crate) fn of(&self, k: usize) -> &[u64] {
        &self.values[k * self.rows..][..self.rows]
    }

    /// Returns `C(n, k)`.
    #[inline]
    pub(crate) fn get(&self, n: usize, k: usize) -> u64 {
        self.values[k * self.rows + n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(binomial(44, 8), Some(177_232_627));
        assert_eq!((binomial(5, 0), binomial(0, 0), binomial(3, 4)), (Some(1), Some(1), Some(0)));
        assert_eq!(binomial(164, 24), None);
        assert_eq!(Binomials::new(10, 4).get(10, 3), 120);
    }
}
