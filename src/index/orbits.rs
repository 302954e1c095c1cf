use crate::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};

/// One orbit of squares under the symmetries.
#[derive(Clone, Debug)]
pub(super) struct Orbit {
    pub squares: Vec<Square>,
    /// `images[pattern][symmetry]`.
    images: Vec<[u8; 8]>,
    /// Whether men here count as heavy.
    pub heavy: bool,
}

impl Orbit {
    /// The least image of the pattern under these symmetries, which are cut
    /// down to those that give it.
    #[inline]
    pub(super) fn least(&self, pattern: u8, symmetries: &mut u8) -> u8 {
        if pattern == 0 {
            return 0;
        }
        let images = &self.images[usize::from(pattern)];
        let (mut least, mut best) = (u8::MAX, 0_u8);
        let mut left = *symmetries;
        while left != 0 {
            let symmetry = left.trailing_zeros();
            left &= left - 1;
            let image = images[symmetry as usize % 8];
            if image < least {
                (least, best) = (image, 0);
            }
            if image == least {
                best |= 1 << symmetry;
            }
        }
        *symmetries = best;
        least
    }

    /// How many patterns the orbit has.
    pub(super) fn patterns(&self) -> usize {
        1 << self.squares.len()
    }

    /// Puts the pattern's men on their squares.
    #[inline]
    pub(super) fn put(&self, pattern: u8, set: &mut SquareSet) {
        let mut left = pattern;
        while left != 0 {
            set.insert(self.squares[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
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
        let image = |g: Symmetry, pattern: usize| {
            let men = squares.iter().enumerate().filter(|(bit, _)| pattern >> bit & 1 == 1);
            men.filter_map(|(_, &square)| squares.iter().position(|&s| s == g.apply(board, square)))
                .fold(0_u8, |set, bit| set | 1 << bit)
        };
        // Nobody asks for the images under the other symmetries.
        let under = |g: Symmetry, pattern| if group.contains(g) { image(g, pattern) } else { 0 };
        let patterns = 0..1 << squares.len();
        let images = patterns.map(|pattern| Symmetry::ALL.map(|g| under(g, pattern))).collect();
        Orbit { squares, images, heavy }
    }
}
