use crate::game::board::{Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Ruleset};
use crate::index::{Binomials, colex_rank, colex_unrank};

use crate::solve::rows::numbers::Rank;

/// All sets of a number of defenders, ranked over all squares where a defender may stand, including
/// those of attackers.
///
/// Tables on disk leave out the sets that overlap the attackers. Here these stay as empty rows, so
/// that one permutation per symmetry and one list of ranks per square serve every block.
#[derive(Clone, Debug)]
pub(crate) struct DefenderSets {
    /// The number of sets.
    len: usize,
    /// The number of defenders in a set.
    pub count: usize,
    /// The squares where defenders may stand, ascending; a *place* is a position in this list.
    pub squares: Vec<Square>,
    places: Vec<Option<u16>>,
    /// The terms of the ranks; `None` for a subset.
    binomials: Option<Binomials>,
    /// The sets' places, `count` for each rank.
    men: Vec<u16>,
    /// By square of the board: the ranks of the sets that hold it.
    ranks_holding: Vec<Vec<Rank>>,
    /// By symmetry of the rules: the rank of each set's image.
    images: [Vec<Rank>; 8],
}

/// Returns the bytes that the numbering takes for each set of `count` defenders.
pub(crate) fn set_bytes(count: usize, symmetries: usize) -> usize {
    count * (size_of::<u16>() + size_of::<Rank>()) + symmetries * size_of::<Rank>()
}

/// Maps old ranks to new ones, and drops those without.
fn renumber<'a>(new: &[Option<Rank>], old: impl Iterator<Item = &'a Rank>) -> Vec<Rank> {
    old.filter_map(|old| new[old.index()]).collect()
}

impl DefenderSets {
    /// Numbers all sets of `count` defenders; there must be fewer than 2^32.
    pub(crate) fn new(rules: &Ruleset, count: usize) -> DefenderSets {
        let squares: Vec<Square> = rules.places(Kind::Defender).iter().collect();
        let mut places = vec![None; rules.board.area()];
        for (place, square) in squares.iter().enumerate() {
            places[square.index()] = Some(place as u16);
        }
        let binomials = Binomials::new(squares.len(), count + 1);
        let total = binomials.get(squares.len(), count) as usize;
        let mut sets = DefenderSets {
            len: total,
            count,
            squares,
            places,
            binomials: None,
            men: Vec::with_capacity(total * count),
            ranks_holding: vec![Vec::new(); rules.board.area()],
            images: Default::default(),
        };
        for rank in 0..total {
            for place in colex_unrank(&binomials, sets.squares.len(), count, rank as u64) {
                sets.men.push(place as u16);
                sets.ranks_holding[sets.squares[place].index()].push(Rank::new(rank));
            }
        }
        sets.binomials = Some(binomials);
        for g in rules.symmetries().iter() {
            sets.images[g.index()] = sets
                .ranks()
                .map(|rank| sets.rank(g.apply_set(rules.board, sets.set(rank))))
                .collect();
        }
        sets
    }

    /// Returns a subset: the sets of these ascending ranks, which must include all images of each.
    /// They are renumbered in the same order, so a rank can no longer be computed from a set's
    /// places.
    pub(crate) fn subset(&self, ranks: &[Rank]) -> DefenderSets {
        let mut new = vec![None; self.len()];
        for (rank, old) in ranks.iter().enumerate() {
            new[old.index()] = Some(Rank::new(rank));
        }
        DefenderSets {
            len: ranks.len(),
            count: self.count,
            squares: self.squares.clone(),
            places: self.places.clone(),
            binomials: None,
            men: ranks.iter().flat_map(|&old| self.men(old)).copied().collect(),
            ranks_holding: self
                .ranks_holding
                .iter()
                .map(|old| renumber(&new, old.iter()))
                .collect(),
            images: self.images.each_ref().map(|images| {
                renumber(&new, ranks.iter().filter_map(|old| images.get(old.index())))
            }),
        }
    }

    /// Returns the number of sets.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Iterates over the ranks of all sets.
    #[inline]
    pub(crate) fn ranks(&self) -> impl Iterator<Item = Rank> + use<> {
        (0..self.len).map(Rank::new)
    }

    /// Returns the places of a set's men, ascending.
    #[inline]
    pub(crate) fn men(&self, rank: Rank) -> &[u16] {
        &self.men[rank.index() * self.count..][..self.count]
    }

    /// Returns the squares of a set.
    #[inline]
    pub(crate) fn set(&self, rank: Rank) -> SquareSet {
        self.men(rank).iter().map(|&place| self.squares[usize::from(place)]).collect()
    }

    /// # Panics
    /// If this is a subset.
    fn binomials(&self) -> &Binomials {
        self.binomials.as_ref().expect("a subset must not be ranked by its squares")
    }

    /// Returns the rank of a set of the right size on the right squares.
    #[inline]
    pub(crate) fn rank(&self, set: SquareSet) -> Rank {
        let places = set.iter().filter_map(|square| self.place(square));
        Rank::new(colex_rank(self.binomials(), places) as usize)
    }

    /// Returns the rank of the set with these places minus the `captured` ones; the result must
    /// have this numbering's number of men.
    #[inline]
    pub(crate) fn rank_without(&self, men: &[u16], captured: SquareSet) -> Rank {
        let places = men.iter().map(|&place| usize::from(place));
        let left = places.filter(|&place| !captured.contains(self.squares[place]));
        Rank::new(colex_rank(self.binomials(), left) as usize)
    }

    /// Returns the place of a square where a defender may stand.
    #[inline]
    pub(crate) fn place(&self, square: Square) -> Option<usize> {
        self.places[square.index()].map(usize::from)
    }

    /// Returns whether one of these places is the square.
    #[inline]
    pub(crate) fn has_man_on(&self, men: &[u16], square: Square) -> bool {
        men.iter().any(|&place| self.squares[usize::from(place)] == square)
    }

    /// Returns whether one of these places is among the squares.
    #[inline]
    pub(crate) fn any_on(&self, men: &[u16], squares: SquareSet) -> bool {
        men.iter().any(|&place| squares.contains(self.squares[usize::from(place)]))
    }

    /// Returns the ranks of the sets that hold the square, ascending.
    #[inline]
    pub(crate) fn ranks_holding(&self, square: Square) -> &[Rank] {
        &self.ranks_holding[square.index()]
    }

    /// Returns, by rank, the rank of the image under a symmetry of the rules.
    #[inline]
    pub(crate) fn images(&self, symmetry: Symmetry) -> &[Rank] {
        &self.images[symmetry.index()]
    }

    /// Computes, for every place, the rank of `others` (one man fewer than the sets have, ascending
    /// places) with a man there; meaningless on the others' places.
    pub(crate) fn ranks_with(&self, others: &[usize], ranks: &mut Vec<Rank>) {
        let binomials = self.binomials();
        // Men below the new one keep their term; the term of those above moves up by one.
        let mut below = 0;
        let mut above: u64 = others.iter().enumerate().map(|(i, &o)| binomials.get(o, i + 2)).sum();
        let mut passed = 0;
        ranks.clear();
        for place in 0..self.squares.len() {
            ranks.push(Rank::new((below + binomials.get(place, passed + 1) + above) as usize));
            if passed < others.len() && others[passed] == place {
                below += binomials.get(others[passed], passed + 1);
                above -= binomials.get(others[passed], passed + 2);
                passed += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;
    use crate::solve::test_support::RULESETS;

    fn check(rules: &Ruleset, count: usize) {
        let sets = DefenderSets::new(rules, count);
        let places: Vec<Square> = rules.places(Kind::Defender).iter().collect();
        proptest!(ProptestConfig::with_cases(50), |(squares in subsequence(places, count))| {
            let set: SquareSet = squares.iter().copied().collect();
            let rank = sets.rank(set);
            assert_eq!(sets.set(rank), set);
            for square in rules.board.squares() {
                assert_eq!(sets.ranks_holding(square).contains(&rank), set.contains(square));
                assert_eq!(sets.has_man_on(sets.men(rank), square), set.contains(square));
            }
            for g in rules.symmetries().iter() {
                let image = sets.images(g)[rank.index()];
                assert_eq!(sets.set(image), g.apply_set(rules.board, set), "{g:?}");
            }
            let mut ranks = Vec::new();
            for &square in &squares {
                let others = squares.iter().filter(|&&other| other != square);
                let others: Vec<usize> = others.filter_map(|&other| sets.place(other)).collect();
                sets.ranks_with(&others, &mut ranks);
                let free = sets.squares.iter().filter(|&&s| s == square || !set.contains(s));
                for &to in free {
                    let found = ranks[sets.place(to).unwrap()];
                    assert_eq!(sets.set(found), set.without(square).with(to));
                }
            }
        });
    }

    #[test]
    fn ranks_are_those_of_their_sets() {
        for rules in &*RULESETS {
            let most = if rules.board.size() > 9 { 1 } else { 3 };
            for count in 1..=most {
                check(rules, count);
            }
        }
    }

    #[test]
    fn rank_without_ranks_the_remaining_men() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let sets = [1, 2, 3].map(|count| DefenderSets::new(&rules, count));
        let all = sets[2].len();
        proptest!(|(rank in (0..all).prop_map(Rank::new), captured: [bool; 3])| {
            let men = sets[2].set(rank).iter().zip(captured);
            let captured: SquareSet = men.filter(|man| man.1).map(|man| man.0).collect();
            if let Some(fewer) = 2_usize.checked_sub(captured.len()) {
                let left = sets[fewer].rank_without(sets[2].men(rank), captured);
                assert_eq!(sets[fewer].set(left), sets[2].set(rank) - captured);
            }
        });
    }

    #[test]
    fn the_bytes_of_a_set_are_those_of_the_fields() {
        for (rules, count) in [("brandubh", 3), ("brandubh", 0), ("berkeley", 2)] {
            let rules = Ruleset::builtin(rules).unwrap();
            let sets = DefenderSets::new(&rules, count);
            let bytes = set_bytes(count, rules.symmetries().order());
            let DefenderSets { men, ranks_holding, images, .. } = &sets;
            let ranks = ranks_holding.iter().chain(images).map(|ranks| size_of_val(&ranks[..]));
            let all = size_of_val(&men[..]) + ranks.sum::<usize>();
            assert_eq!(all, sets.len() * bytes);
        }
    }
}
