use super::Binomials;

/// The number of a set of `places` (ascending, from 0) among all sets of that
/// many, in colexicographic order: `C(x1, 1) + C(x2, 2) + …`.
#[inline]
pub fn colex_rank(binomials: &Binomials, places: impl IntoIterator<Item = usize>) -> u64 {
    places.into_iter().enumerate().map(|(i, place)| binomials.get(place, i + 1)).sum()
}

/// The set with that number: `count` places below `limit`, ascending.
pub fn colex_unrank(binomials: &Binomials, limit: usize, count: usize, rank: u64) -> Vec<usize> {
    let mut rest = rank;
    let mut below = limit;
    let mut places: Vec<usize> = (1..=count)
        .rev()
        .map(|k| {
            // The greatest place whose binomial still fits into the rest.
            below = (0..below).rev().find(|&n| binomials.get(n, k) <= rest).unwrap_or(0);
            rest -= binomials.get(below, k);
            below
        })
        .collect();
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_its_own_number() {
        let binomials = Binomials::new(9, 4);
        for count in 0..=4 {
            let mut last = None;
            for rank in 0..binomials.get(9, count) {
                let places = colex_unrank(&binomials, 9, count, rank);
                assert!(places.is_sorted_by(|a, b| a < b) && places.len() == count);
                assert_eq!(colex_rank(&binomials, places.iter().copied()), rank);
                let order: Vec<usize> = places.into_iter().rev().collect();
                assert!(last.is_none_or(|previous| previous < order), "colexicographic");
                last = Some(order);
            }
        }
    }
}
