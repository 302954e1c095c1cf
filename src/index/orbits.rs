use crate::game::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};

/// An orbit of squares under the symmetries. A pattern is a bit mask of its squares.
#[derive(Clone, Debug)]
pub(super) struct Orbit {
    pub squares: Vec<Square>,
    /// The set of men of each pattern.
    pub sets: Vec<SquareSet>,
    /// `images[pattern][symmetry]`.
    images: Vec<[u8; 8]>,
    /// Men on these squares count as heavy.
    pub heavy: bool,
}

impl Orbit {
    /// Returns whether no image of the pattern under the group is less.
    pub(super) fn is_least(&self, pattern: u8, group: SymmetryGroup) -> bool {
        let images = &self.images[usize::from(pattern)];
        group.iter().all(|g| images[g.index()] >= pattern)
    }

    /// Returns the symmetries of the group that leave the pattern unchanged.
    #[inline]
    pub(super) fn stabilizer(&self, pattern: u8, group: SymmetryGroup) -> SymmetryGroup {
        if pattern == 0 {
            return group;
        }
        let images = &self.images[usize::from(pattern)];
        SymmetryGroup::stabilizing(|g| group.contains(g) && images[g.index()] == pattern)
    }

    /// Returns the number of patterns.
    pub(super) fn patterns(&self) -> usize {
        1 << self.squares.len()
    }
}

/// Returns the orbits of the squares, large ones first, as they distinguish images soonest.
pub(super) fn orbits(
    board: Board,
    group: SymmetryGroup,
    places: SquareSet,
    heavy: SquareSet,
) -> Vec<Orbit> {
    let mut left = places;
    let mut orbits = Vec::new();
    while let Some(first) = left.first() {
        let set: SquareSet = group.iter().map(|g| g.apply(board, first)).collect();
        left -= set;
        orbits.push(Orbit::new(board, group, set.iter().collect(), heavy.contains(first)));
    }
    orbits.sort_by_key(|orbit| std::cmp::Reverse(orbit.squares.len()));
    orbits
}

impl Orbit {
    fn new(board: Board, group: SymmetryGroup, squares: Vec<Square>, heavy: bool) -> Orbit {
        let sets: Vec<SquareSet> =
            (0..1 << squares.len()).map(|pattern| men(&squares, pattern)).collect();
        let images = sets.iter().map(|&set| {
            Symmetry::ALL.map(|g| {
                // Images under other symmetries are never used.
                if group.contains(g) { pattern(&squares, g.apply_set(board, set)) } else { 0 }
            })
        });
        Orbit { images: images.collect(), sets, squares, heavy }
    }
}

/// Returns the set of men of a pattern.
fn men(squares: &[Square], pattern: usize) -> SquareSet {
    let men = squares.iter().enumerate().filter(|(bit, _)| pattern >> bit & 1 == 1);
    men.map(|(_, &square)| square).collect()
}

/// Returns the pattern of a set of men.
fn pattern(squares: &[Square], men: SquareSet) -> u8 {
    let bits = squares.iter().enumerate().filter(|(_, square)| men.contains(**square));
    bits.fold(0, |pattern, (bit, _)| pattern | 1 << bit)
}
