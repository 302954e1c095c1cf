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
    /// The squares it passes over, and where it ends.
    pub path: SquareSet,
    /// The lanes of a king who is in its way, as a mask of scores; by symmetry: of their
    /// images.
    blocked: [Vec<T>; 8],
}

impl<T: Score> Slide<T> {
    /// The lanes of a king who is in its way, as a mask of scores.
    pub(super) fn blocked(&self) -> &[T] {
        self.blocked_image(Symmetry::IDENTITY)
    }

    /// The images of these lanes.
    pub(super) fn blocked_image(&self, symmetry: Symmetry) -> &[T] {
        &self.blocked[symmetry.index()]
    }
}

/// What does not depend on the placement of the men: lanes, slides, and what
/// the symmetries do to lanes.
#[derive(Debug)]
pub(super) struct Geometry<T> {
    pub rules: RulesId,
    pub lanes: KingLanes,
    /// Lanes of a row in memory: some more, so that whole vectors fit.
    pub stride: usize,
    pub group: SymmetryGroup,
    /// By symmetry: the lane of the image of each lane's square.
    lane_images: [Vec<u16>; 8],
    /// Of each side's soldiers, by square of origin.
    slides: BySide<Vec<Vec<Slide<T>>>>,
}

const VECTOR: usize = 16;

impl<T: Score> Geometry<T> {
    pub(super) fn new(rules: &Ruleset) -> Geometry<T> {
        let lanes = KingLanes::new(rules);
        let stride = stride(rules);
        let image = |symmetry: Symmetry, lane: usize| {
            let square = lanes.squares().get(lane);
            let image = square.map(|&square| symmetry.apply(rules.board, square));
            image.and_then(|square| lanes.lane(square)).unwrap_or(lane as u16)
        };
        let lane_images = Symmetry::ALL.map(|g| (0..stride).map(|lane| image(g, lane)).collect());
        let slides = BySide::default();
        let mut geometry = Geometry {
            rules: rules.id(),
            stride,
            group: rules.symmetries(),
            lane_images,
            slides,
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
                    let to = step.square;
                    let blocked = Symmetry::ALL.map(|g| self.image(g, &blocked));
                    slides.push(Slide { from, to, path, blocked });
                }
            }
        }
        slides
    }

    /// The image of a row.
    fn image(&self, symmetry: Symmetry, row: &[T]) -> Vec<T> {
        let mut image = row.to_vec();
        for (&to, &score) in self.lane_images(symmetry).iter().zip(row) {
            image[usize::from(to)] = score;
        }
        image
    }

    pub(super) fn lane_images(&self, symmetry: Symmetry) -> &[u16] {
        &self.lane_images[symmetry.index()]
    }

    /// The slides of a soldier that nobody on `men` blocks.
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

/// Lanes of a row in memory.
pub(super) fn stride(rules: &Ruleset) -> usize {
    rules.places(Kind::King).len().next_multiple_of(VECTOR)
}

/// Words with a bit for each of these lanes.
pub(super) fn words(stride: usize) -> usize {
    stride.div_ceil(u64::BITS as usize)
}

/// What a row in memory takes: its scores, and for each lane a bit.
pub(super) fn row_bytes<T>(stride: usize) -> usize {
    stride * size_of::<T>() + words(stride) * size_of::<u64>()
}

/// All sets of some number of defenders, whether attackers stand there or not:
/// one numbering for all sets of attackers, so that the numbers of images and
/// of what captures leave over are looked up.
#[derive(Debug)]
pub(super) struct DefenderSets {
    /// By number.
    sets: Vec<SquareSet>,
    /// By symmetry and number: the number of the image.
    images: [Vec<u32>; 8],
    /// By square: its place among those where defenders may stand.
    places: Vec<usize>,
    binomials: Binomials,
}

/// How many sets of that many defenders there are, if they can be numbered.
pub(super) fn defender_sets(rules: &Ruleset, defenders: usize) -> Option<u32> {
    let sets = binomial(rules.places(Kind::Defender).len(), defenders)?;
    u32::try_from(sets).ok()
}

impl DefenderSets {
    /// `None` if there are too many.
    pub(super) fn new(rules: &Ruleset, defenders: usize) -> Option<DefenderSets> {
        let squares: Vec<Square> = rules.places(Kind::Defender).iter().collect();
        let mut places = vec![0; rules.board.area()];
        for (place, square) in squares.iter().enumerate() {
            places[square.index()] = place;
        }
        let count = defender_sets(rules, defenders)?;
        let mut numbering = DefenderSets {
            sets: Vec::with_capacity(count as usize),
            images: Default::default(),
            places,
            binomials: Binomials::new(squares.len(), defenders),
        };
        numbering.sets = colex_sets(&squares, defenders);
        for symmetry in rules.symmetries().iter() {
            let image =
                |&set: &SquareSet| numbering.number(symmetry.apply_set(rules.board, set)) as u32;
            numbering.images[symmetry.index()] = numbering.sets.iter().map(image).collect();
        }
        Some(numbering)
    }

    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The memory that it takes.
    pub(super) fn size_bytes(&self) -> u64 {
        let images = self.images.iter().map(|images| size_of_val(&images[..]));
        (size_of_val(&self.sets[..]) + images.sum::<usize>()) as u64
    }

    /// All sets, in the order of their numbers.
    pub(super) fn sets(&self) -> &[SquareSet] {
        &self.sets
    }

    pub(super) fn number(&self, set: SquareSet) -> usize {
        let places = set.iter().map(|square| self.places[square.index()]);
        colex_rank(&self.binomials, places) as usize
    }

    /// The number of the image of a set.
    pub(super) fn image(&self, symmetry: Symmetry, number: usize) -> usize {
        self.images[symmetry.index()][number] as usize
    }
}

/// All sets of so many of the squares, in colexicographic order: those without
/// the last square first.
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

/// A numbering of the canonical sets of attackers: one for each block.
#[derive(Debug)]
pub(super) struct Blocks(AttackerSets);

impl Blocks {
    /// `None` if there are too many.
    pub(super) fn new(rules: &Ruleset, attackers: usize) -> Option<Blocks> {
        let places = rules.places(Kind::Attacker);
        let one_row = |_| Some(1);
        AttackerSets::new(
            rules.board,
            rules.symmetries(),
            places,
            SquareSet::EMPTY,
            attackers,
            one_row,
        )
        .map(Blocks)
    }

    pub(super) fn count(&self) -> u64 {
        self.0.rows()
    }

    /// Tells the attackers of one block after the other.
    pub(super) fn walker(&self) -> BlockWalker<'_> {
        BlockWalker(Walker::new(&self.0))
    }

    /// The block of a set of attackers, and the symmetry that leads there.
    pub(super) fn find(&self, attackers: SquareSet) -> (usize, Symmetry) {
        let (offset, symmetry) = self.0.canonicalize(attackers);
        (offset as usize, symmetry)
    }

    /// The same for these attackers, wherever one more stands.
    pub(super) fn find_with(&self, others: SquareSet) -> impl Fn(Square) -> (usize, Symmetry) {
        let others = self.0.images_of(others);
        move |square| {
            let (offset, symmetry) = self.0.canonicalize_with(&others, square);
            (offset as usize, symmetry)
        }
    }
}

/// Tells the attackers of blocks, fast in ascending order.
pub(super) struct BlockWalker<'a>(Walker<'a>);

/// The attackers of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockAttackers {
    pub set: SquareSet,
    /// The symmetries that leave them unchanged.
    pub stabilizer: SymmetryGroup,
}

impl BlockWalker<'_> {
    pub(super) fn attackers(&mut self, block: usize) -> BlockAttackers {
        let (set, stabilizer) = self.0.set(block as u64);
        BlockAttackers { set, stabilizer }
    }
}

/// What the sets of defenders of a slice take, and its rows in memory, for one
/// side to move and scores of one byte; `None` if that does not fit in 64 bits.
pub(super) fn side_bytes(rules: &Ruleset, slice: Slice) -> Option<u64> {
    let blocks = Blocks::new(rules, slice.attackers)?.count();
    let sets = u64::from(defender_sets(rules, slice.defenders)?);
    let images = rules.symmetries().order() * size_of::<u32>();
    let numbering = sets * (size_of::<SquareSet>() + images) as u64;
    blocks
        .checked_mul(sets)?
        .checked_mul(row_bytes::<u8>(stride(rules)) as u64)?
        .checked_add(numbering)
}
