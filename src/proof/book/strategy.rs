//! The strategies of several certificates for one side, merged.

use crate::proof::certificate::{Part, find_code};

/// A move of a merged strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The squares that the piece leaves and reaches in the stored image of the position.
    pub(super) from: u16,
    pub(super) to: u16,
    /// In a winning strategy, less than at all earlier positions of a line.
    pub(super) order: u32,
}

/// One move for each of many positions with the same side to move, sorted by the positions' codes.
///
/// A position that several certificates have keeps the move of the first one. Its *order* is that
/// certificate's place, refined by the rank of the position in it. A move leads to positions of the
/// same certificate, with lower ranks, or of an earlier one, so that orders fall along every line
/// of play, as ranks do within a certificate.
#[derive(Debug, Default)]
pub(super) struct Strategy {
    /// The codes, one after the other.
    codes: Vec<u8>,
    squares: Vec<[u16; 2]>,
    orders: Vec<u32>,
    /// The first order of each part, with the number of its certificate.
    firsts: Vec<(u32, u32)>,
}

impl Strategy {
    /// Merges parts of one holder and kind, each with the number of its certificate. Earlier parts
    /// take precedence.
    pub(super) fn merge(parts: &[(u32, &Part)], code_bytes: usize) -> Strategy {
        let mut strategy = Strategy::default();
        let mut orders: Vec<Vec<u32>> = Vec::new();
        let mut next = 0;
        for &(certificate, part) in parts {
            strategy.firsts.push((next, certificate));
            let (own, after) = dense_orders(part, next);
            orders.push(own);
            next = after;
        }
        let numbers = parts
            .iter()
            .zip(0u32..)
            .flat_map(|((_, part), at)| (0..part.len()).map(move |number| (at, number as u32)));
        let mut all: Vec<(u32, u32)> = numbers.collect();
        let get = |&(at, number): &(u32, u32)| parts[at as usize].1.get(number as usize);
        all.sort_unstable_by(|one, other| get(one).0.cmp(get(other).0).then(one.cmp(other)));
        all.dedup_by(|later, first| get(later).0 == get(first).0);
        strategy.codes.reserve_exact(all.len() * code_bytes);
        strategy.squares.reserve_exact(all.len());
        strategy.orders.reserve_exact(all.len());
        for entry in &all {
            let (code, stored) = get(entry);
            strategy.codes.extend_from_slice(code);
            strategy.squares.push([stored.from, stored.to]);
            strategy.orders.push(orders[entry.0 as usize][entry.1 as usize]);
        }
        strategy
    }

    /// Returns the number of positions.
    pub(super) fn len(&self) -> usize {
        self.orders.len()
    }

    /// Returns the memory of the strategy in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.codes.len() + self.len() * (size_of::<[u16; 2]>() + size_of::<u32>())
    }

    /// Finds the move for a code.
    pub(super) fn find(&self, code: &[u8]) -> Option<Entry> {
        let number = find_code(&self.codes, code)?;
        let [from, to] = self.squares[number];
        Some(Entry { from, to, order: self.orders[number] })
    }

    /// Returns the number of the certificate that an order belongs to.
    pub(super) fn certificate(&self, order: u32) -> Option<u32> {
        let after = self.firsts.partition_point(|&(first, _)| first <= order);
        Some(self.firsts[..after].last()?.1)
    }
}

/// Returns the orders of a part's moves, which begin with `first` and follow the ranks without
/// gaps, and the next free order.
fn dense_orders(part: &Part, first: u32) -> (Vec<u32>, u32) {
    let rank = |number| part.get(number).1.rank;
    let mut ranks: Vec<u32> = (0..part.len()).map(rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let order = |number| {
        let place = ranks.partition_point(|&other| other < rank(number));
        first.saturating_add(place as u32)
    };
    // An empty part keeps an order too, so that orders identify certificates.
    ((0..part.len()).map(order).collect(), first.saturating_add(ranks.len().max(1) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Side;
    use crate::proof::certificate::StoredMove;

    /// A winning part with these codes of one byte, each with its rank. Its moves come from `from`.
    fn part(from: u16, ranks: &[(u8, u32)]) -> Part {
        let mut part = Part::empty(Side::Attackers, true, 1);
        for &(code, rank) in ranks {
            part.push(&[code], StoredMove { from, to: 0, rank });
        }
        part
    }

    #[test]
    fn the_first_certificate_counts_and_orders_name_theirs() {
        let (first, second) = (part(1, &[(1, 5), (3, 9)]), part(2, &[(1, 0), (2, 2), (4, 0)]));
        let strategy = Strategy::merge(&[(4, &first), (7, &second)], 1);
        let found = |code: u8| {
            let Entry { from, order, .. } = strategy.find(&[code]).unwrap();
            (from, order, strategy.certificate(order))
        };
        assert_eq!(strategy.len(), 4);
        assert_eq!(found(1), (1, 0, Some(4)));
        assert_eq!(found(3), (1, 1, Some(4)));
        assert_eq!(found(4), (2, 2, Some(7)));
        assert_eq!(found(2), (2, 3, Some(7)));
        assert_eq!(strategy.find(&[5]), None);
    }
}
