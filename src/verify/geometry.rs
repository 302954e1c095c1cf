use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::rules::{BySide, Kind, RulesId, Ruleset, Side};
use crate::game::slice::Slice;
use crate::index::{AttackerSets, Binomials, KingLanes, Walker, binomial, colex_rank};

use super::score::Score;

/// A slide of a soldier over the otherwise empty board.
#[derive(Clone, Debug)]
pub(super) struct Slide<T> {
    pub from: Square,
    pub to: Square,
    /// The squares that it passes, and its target.
    pub path: SquareSet,
    /// By symmetry: the images of the lanes whose king blocks it, as a mask of scores.
    blocked: [Vec<T>; 8],
}

impl<T: Score> Slide<T> {
    /// Returns the lanes whose king blocks it, as a mask of scores.
    pub(super) fn blocked(&self) -> &[T] {
        self.blocked_image(Symmetry::IDENTITY)
    }

    /// Returns the mask of the images of these lanes.
    pub(super) fn blocked_image(&self, symmetry: Symmetry) -> &[T] {
        &self.blocked[symmetry.index()]
    }
}

/// Tables that do not depend on the placement of the men: lanes, their images under the
/// symmetries, and slides.
#[derive(Debug)]
pub(super) struct Geometry<T> {
    pub rules: RulesId,
    pub lanes: KingLanes,
    /// The length of a row in memory: the number of lanes, padded to whole vectors.
    pub stride: usize,
    pub group: SymmetryGroup,
    /// By symmetry: the image of each lane.
    lane_images: [Vec<u16>; 8],
    /// The slides of each side's soldiers, by square of origin.
    slides: BySide<Vec<Vec<Slide<T>>>>,
}

const VECTOR: usize = 16;

impl<T: Score> Geometry<T> {
    pub(super) fn new(rules: &Ruleset) -> Geometry<T> {
        let lanes = KingLanes::new(rules);
        let stride = row_stride(rules);
        let lane_images = Symmetry::ALL.map(|symmetry| {
            (0..stride).map(|lane| lane_image(rules, &lanes, symmetry, lane)).collect()
        });
        let mut geometry = Geometry {
            rules: rules.id(),
            stride,
            group: rules.symmetries(),
            lane_images,
            slides: BySide::default(),
            lanes,
        };
        geometry.slides = BySide::from_fn(|side: Side| {
            let squares = rules.board.squares();
            squares.map(|from| geometry.slides_from(rules, side.soldier(), from)).collect()
        });
        geometry
    }

    fn slides_from(&self, rules: &Ruleset, kind: Kind, from: Square) -> Vec<Slide<T>> {
        let mut slides = Vec::new();
        for ray in rules.slides().from(kind, from) {
            let mut path = SquareSet::EMPTY;
            let mut blocked = vec![T::LOST; self.stride];
            for step in ray {
                path.insert(step.square);
                if let Some(lane) = self.lanes.lane(step.square) {
                    blocked[usize::from(lane)] = T::NONE;
                }
                if step.ends {
                    slides.push(Slide {
                        from,
                        to: step.square,
                        path,
                        blocked: Symmetry::ALL.map(|symmetry| self.row_image(symmetry, &blocked)),
                    });
                }
            }
        }
        slides
    }

    /// Returns the image of a row.
    fn row_image(&self, symmetry: Symmetry, row: &[T]) -> Vec<T> {
        let mut image = row.to_vec();
        for (&to, &score) in self.lane_images(symmetry).iter().zip(row) {
            image[usize::from(to)] = score;
        }
        image
    }

    /// Returns the image of each lane.
    pub(super) fn lane_images(&self, symmetry: Symmetry) -> &[u16] {
        &self.lane_images[symmetry.index()]
    }

    /// Returns the slides of a soldier that no piece on `men` blocks.
    pub(super) fn free_slides(
        &self,
        side: Side,
        from: Square,
        men: SquareSet,
    ) -> impl Iterator<Item = &Slide<T>> {
        let slides = self.slides[side][from.index()].iter();
        slides.filter(move |slide| !slide.path.meets(men))
    }
}

/// Returns the image of a lane; padding stays in place.
fn lane_image(rules: &Ruleset, lanes: &KingLanes, symmetry: Symmetry, lane: usize) -> u16 {
    let square = lanes.squares().get(lane);
    square
        .and_then(|&square| lanes.lane(symmetry.apply(rules.board, square)))
        .unwrap_or(lane as u16)
}

/// Returns the length of a row in memory.
pub(super) fn row_stride(rules: &Ruleset) -> usize {
    rules.places(Kind::King).len().next_multiple_of(VECTOR)
}

/// Returns the number of words with a bit for each of these lanes.
pub(super) fn words_per_row(stride: usize) -> usize {
    stride.div_ceil(u64::BITS as usize)
}

/// Returns the size of a row in memory: a score and a bit for each lane.
pub(super) fn row_bytes<T>(stride: usize) -> usize {
    stride * size_of::<T>() + words_per_row(stride) * size_of::<u64>()
}

/// Numbers all sets of a number of defenders. The numbering is the same for all sets of
/// attackers, whether the sets overlap or not, so that images are looked up in a table.
#[derive(Debug)]
pub(super) struct DefenderSets {
    /// By number.
    sets: Vec<SquareSet>,
    /// By symmetry and number: the number of the image.
    images: [Vec<u32>; 8],
    /// By square: its number among those where defenders may stand.
    square_numbers: Vec<usize>,
    binomials: Binomials,
}

/// Returns the number of sets of that many defenders; `None` if it exceeds 32 bits.
pub(super) fn defender_set_count(rules: &Ruleset, defenders: usize) -> Option<u32> {
    let sets = binomial(rules.places(Kind::Defender).len(), defenders)?;
    u32::try_from(sets).ok()
}

impl DefenderSets {
    /// Numbers the sets of that many defenders; `None` if there are too many.
    pub(super) fn new(rules: &Ruleset, defenders: usize) -> Option<DefenderSets> {
        let squares: Vec<Square> = rules.places(Kind::Defender).iter().collect();
        let mut square_numbers = vec![0; rules.board.area()];
        for (number, square) in squares.iter().enumerate() {
            square_numbers[square.index()] = number;
        }
        // Refuses too many to be numbered before they are listed.
        defender_set_count(rules, defenders)?;
        let mut numbering = DefenderSets {
            sets: colex_sets(&squares, defenders),
            images: Default::default(),
            square_numbers,
            binomials: Binomials::new(squares.len(), defenders),
        };
        for symmetry in rules.symmetries().iter() {
            let image =
                |&set: &SquareSet| numbering.number(symmetry.apply_set(rules.board, set)) as u32;
            numbering.images[symmetry.index()] = numbering.sets.iter().map(image).collect();
        }
        Some(numbering)
    }

    /// Returns the number of sets.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns the memory that the numbering of the sets of that many defenders takes; `None` if there
    /// are too many.
    pub(super) fn size_bytes(rules: &Ruleset, defenders: usize) -> Option<u64> {
        let images = rules.symmetries().iter().count() * size_of::<u32>();
        let set_bytes = size_of::<SquareSet>() + images;
        Some(u64::from(defender_set_count(rules, defenders)?) * set_bytes as u64)
    }

    /// Returns all sets, in the order of their numbers.
    pub(super) fn sets(&self) -> &[SquareSet] {
        &self.sets
    }

    /// Returns the number of a set.
    pub(super) fn number(&self, set: SquareSet) -> usize {
        let squares = set.iter().map(|square| self.square_numbers[square.index()]);
        colex_rank(&self.binomials, squares) as usize
    }

    /// Returns the number of the image of a set.
    pub(super) fn image(&self, symmetry: Symmetry, number: usize) -> usize {
        self.images[symmetry.index()][number] as usize
    }
}

/// Returns all sets of `count` of the squares, in colexicographic order.
fn colex_sets(squares: &[Square], count: usize) -> Vec<SquareSet> {
    if count == 0 {
        return vec![SquareSet::EMPTY];
    }
    let mut sets = Vec::new();
    for (i, &last) in squares.iter().enumerate() {
        let others = colex_sets(&squares[..i], count - 1);
        sets.extend(others.into_iter().map(|set| set.with(last)));
    }
    sets
}

/// Numbers the canonical sets of attackers; each is a block.
#[derive(Debug)]
pub(super) struct Blocks(AttackerSets);

impl Blocks {
    /// Numbers the sets of that many attackers; `None` if there are too many.
    pub(super) fn new(rules: &Ruleset, attackers: usize) -> Option<Blocks> {
        let places = rules.places(Kind::Attacker);
        AttackerSets::new(
            rules.board,
            rules.symmetries(),
            places,
            SquareSet::EMPTY,
            attackers,
            &|_| Some(1),
        )
        .map(Blocks)
    }

    /// Returns the number of blocks.
    pub(super) fn count(&self) -> u64 {
        self.0.rows()
    }

    /// Returns a walker over the attackers of the blocks.
    pub(super) fn walker(&self) -> BlockWalker<'_> {
        BlockWalker(Walker::new(&self.0))
    }

    /// Returns the block of a set of attackers, and the symmetry that maps it there.
    pub(super) fn find(&self, attackers: SquareSet) -> (usize, Symmetry) {
        let (block, symmetry) = self.0.canonicalize(attackers);
        (block as usize, symmetry)
    }

    /// Returns a function that finds the block of `others` plus one attacker on any square;
    /// faster than [`find`](Blocks::find) for many squares.
    pub(super) fn find_with(&self, others: SquareSet) -> impl Fn(Square) -> (usize, Symmetry) {
        let images = self.0.images_of(others);
        move |square| {
            let (block, symmetry) = self.0.canonicalize_with(&images, square);
            (block as usize, symmetry)
        }
    }
}

/// Finds the attackers of blocks; fast in ascending order.
pub(super) struct BlockWalker<'a>(Walker<'a>);

/// The attackers of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockAttackers {
    pub set: SquareSet,
    /// The symmetries that leave them unchanged.
    pub stabilizer: SymmetryGroup,
}

impl BlockWalker<'_> {
    /// Returns the attackers of a block.
    pub(super) fn attackers(&mut self, block: usize) -> BlockAttackers {
        let (set, stabilizer) = self.0.set(block as u64);
        BlockAttackers { set, stabilizer }
    }
}

/// Returns the memory for a slice's rows and its numbering of defenders, for one side to move
/// and scores of type `T`; `None` if it exceeds 64 bits.
pub(super) fn side_bytes<T>(rules: &Ruleset, slice: Slice) -> Option<u64> {
    let blocks = Blocks::new(rules, slice.attackers)?.count();
    let sets = u64::from(defender_set_count(rules, slice.defenders)?);
    blocks
        .checked_mul(sets)?
        .checked_mul(row_bytes::<T>(row_stride(rules)) as u64)?
        .checked_add(DefenderSets::size_bytes(rules, slice.defenders)?)
}
