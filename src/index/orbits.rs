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
        orbits.push(Orbit::new(board, set.iter().collect(), heavy.contains(first)));
    }
    orbits.sort_by_key(|orbit| std::cmp::Reverse(orbit.squares.len()));
    orbits
}

impl Orbit {
    fn new(board: Board, squares: Vec<Square>, heavy: bool) -> Orbit {
        let patterns = 0..1 << squares.len();
        // The bit of each square's image. An image outside, under a symmetry that is not of the
        // group, is never used.
        let bits = Symmetry::ALL.map(|g| {
            let image = |&square| {
                let to = g.apply(board, square);
                squares.iter().position(|&square| square == to).map_or(0, |bit| 1 << bit)
            };
            squares.iter().map(image).collect::<Vec<u8>>()
        });
        let images = patterns.clone().map(|pattern| {
            bits.each_ref().map(|bits| {
                let set = (0..).zip(bits).filter(|&(bit, _)| pattern >> bit & 1 == 1);
                set.fold(0, |image, (_, bit)| image | bit)
            })
        });
        let images = images.collect();
        let sets = patterns.map(|pattern| men(&squares, pattern)).collect();
        Orbit { images, sets, squares, heavy }
    }
}

/// Returns the set of men of a pattern.
fn men(squares: &[Square], pattern: usize) -> SquareSet {
    let men = squares.iter().enumerate().filter(|(bit, _)| pattern >> bit & 1 == 1);
    men.map(|(_, &square)| square).collect()
}
