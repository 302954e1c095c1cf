use crate::game::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};

/// One orbit of squares under the symmetries.
#[derive(Clone, Debug)]
pub(super) struct Orbit {
    pub squares: Vec<Square>,
    /// By pattern: its men.
    pub sets: Vec<SquareSet>,
    /// `images[pattern][symmetry]`.
    images: Vec<[u8; 8]>,
    /// Whether men here count as heavy.
    pub heavy: bool,
}

impl Orbit {
    /// Whether no image of the pattern under the group is less.
    pub(super) fn is_least(&self, pattern: u8, group: SymmetryGroup) -> bool {
        let images = &self.images[usize::from(pattern)];
        group.iter().all(|g| images[g.index()] >= pattern)
    }

    /// The symmetries of the group that leave the pattern unchanged.
    #[inline]
    pub(super) fn stabilizer(&self, pattern: u8, group: SymmetryGroup) -> SymmetryGroup {
        if pattern == 0 {
            return group;
        }
        let images = &self.images[usize::from(pattern)];
        SymmetryGroup::stabilizing(|g| group.contains(g) && images[g.index()] == pattern)
    }

    /// How many patterns the orbit has.
    pub(super) fn patterns(&self) -> usize {
        1 << self.squares.len()
    }
}

/// The orbits of the squares, large ones first: they tell images apart soonest.
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
        let men = |pattern: usize| {
            let men = squares.iter().enumerate().filter(move |(bit, _)| pattern >> bit & 1 == 1);
            men.map(|(_, &square)| square)
        };
        let image = |g: Symmetry, pattern: usize| {
            men(pattern)
                .filter_map(|square| squares.iter().position(|&s| s == g.apply(board, square)))
                .fold(0_u8, |set, bit| set | 1 << bit)
        };
        // Nobody asks for the images under the other symmetries.
        let under = |g: Symmetry, pattern| if group.contains(g) { image(g, pattern) } else { 0 };
        let patterns = 0..1 << squares.len();
        let images = patterns.map(|pattern| Symmetry::ALL.map(|g| under(g, pattern))).collect();
        let sets = (0..1 << squares.len()).map(|pattern| men(pattern).collect()).collect();
        Orbit { sets, squares, images, heavy }
    }
}
