use super::Binomials;

/// Returns the rank of a set of `places` (ascending, from 0) among all sets of that size, in
/// colexicographic order: `C(x1, 1) + C(x2, 2) + …`.
#[inline]
pub(crate) fn colex_rank(binomials: &Binomials, places: impl IntoIterator<Item = usize>) -> u64 {
    places.into_iter().enumerate().map(|(i, place)| binomials.get(place, i + 1)).sum()
}

/// Returns the set of this rank: `count` places below `limit`, ascending.
pub(crate) fn colex_unrank(
    binomials: &Binomials,
    limit: usize,
    count: usize,
    rank: u64,
) -> Vec<usize> {
    let mut rest = rank;
    let mut below = limit;
    let mut places: Vec<usize> = (1..=count)
        .rev()
        .map(|k| {
            // The greatest place whose binomial does not exceed the rest.
            below = (0..below).rev().find(|&n| binomials.get(n, k) <= rest).unwrap_or(0);
            rest -= binomials.get(below, k);
            below
        })
        .collect();
    places.reverse();
    places
}

/// Advances a set of places below `limit`, ascending, to the next one in colexicographic order.
/// Returns `false` for the last set, which stays unchanged.
pub(crate) fn colex_next(places: &mut [usize], limit: usize) -> bool {
    for i in 0..places.len() {
        let bound = places.get(i + 1).copied().unwrap_or(limit);
        if places[i] + 1 < bound {
            places[i] += 1;
            for (lower, place) in places[..i].iter_mut().enumerate() {
                *place = lower;
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_its_own_number() {
        let binomials = Binomials::new(9, 4);
        for count in 0..=4 {
            let mut last = None;
            let mut next: Vec<usize> = (0..count).collect();
            for rank in 0..binomials.get(9, count) {
                let places = colex_unrank(&binomials, 9, count, rank);
                assert!(places.is_sorted_by(|a, b| a < b) && places.len() == count);
                assert_eq!(colex_rank(&binomials, places.iter().copied()), rank);
                assert_eq!(next, places);
                assert_eq!(colex_next(&mut next, 9), rank + 1 < binomials.get(9, count));
                let order: Vec<usize> = places.into_iter().rev().collect();
                assert!(last.is_none_or(|previous| previous < order), "colexicographic");
                last = Some(order);
            }
        }
    }
}
