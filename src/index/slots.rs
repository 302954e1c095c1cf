use std::fmt;

use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::position::Position;
use crate::game::rules::{Kind, RulesId, Ruleset, Side};
use crate::game::slice::Slice;

use super::{AttackerSets, Binomials, KingLanes, binomial, colex_unrank};

/// The place of a position's value in a table. It does not include the side to move.
///
/// Slots are ordered by lane first, as in tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// The king's square, by [`KingLanes`].
    pub lane: u16,
    /// The placement of attackers and defenders.
    pub row: u64,
}

/// The perfect index of one slice.
#[derive(Clone, Debug)]
pub struct SliceIndex {
    rules: RulesId,
    slice: Slice,
    /// The number of words in a set of the board's squares.
    words: usize,
    lanes: KingLanes,
    attackers: AttackerSets,
    attacker_places: SquareSet,
    defender_places: SquareSet,
    /// For every square, the number of the defenders' places that precede it.
    places_before: Vec<usize>,
    binomials: Binomials,
}

/// The reason why a slice cannot be indexed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// The slice has no attackers, or more soldiers than squares for them.
    NoSuchSlice(Slice),
    /// The number of rows exceeds 64 bits.
    TooLarge(Slice),
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::NoSuchSlice(slice) if slice.attackers == 0 => {
                write!(f, "{slice} has no attackers: name a slice with 1 or more")
            }
            IndexError::NoSuchSlice(slice) => {
                write!(f, "{slice} has more pieces than squares for them")
            }
            IndexError::TooLarge(slice) => {
                write!(f, "{slice} is too large: its number of rows exceeds 64 bits")
            }
        }
    }
}

impl std::error::Error for IndexError {}

impl SliceIndex {
    /// Builds the index of a slice under these rules.
    ///
    /// # Errors
    /// If the slice has no positions, or too many.
    pub fn new(rules: &Ruleset, slice: Slice) -> Result<SliceIndex, IndexError> {
        let places = rules.places(Kind::Attacker);
        let defender_places = rules.places(Kind::Defender);
        if !(1..=places.len()).contains(&slice.attackers) || slice.defenders > defender_places.len()
        {
            return Err(IndexError::NoSuchSlice(slice));
        }
        // An attacker on a square closed to defenders takes no room from them, so the number of
        // defender sets depends on the number of attackers on shared squares.
        let free = defender_places.len();
        let group = rules.symmetries();
        let attackers = AttackerSets::new(
            rules.board,
            group,
            places,
            defender_places,
            slice.attackers,
            &|shared| binomial(free.saturating_sub(shared), slice.defenders),
        )
        .ok_or(IndexError::TooLarge(slice))?;
        if attackers.rows() == 0 {
            return Err(IndexError::NoSuchSlice(slice));
        }
        Ok(SliceIndex {
            rules: rules.id(),
            slice,
            words: rules.board.area().div_ceil(64),
            lanes: KingLanes::new(rules),
            attackers,
            attacker_places: places,
            defender_places,
            places_before: rules.board.squares().map(|s| defender_places.count_before(s)).collect(),
            binomials: Binomials::new(free, slice.defenders),
        })
    }

    /// Returns the slice.
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// Returns the number of rows in a table.
    pub fn rows(&self) -> u64 {
        self.attackers.rows()
    }

    /// Returns the number of slots in a table, for both sides to move; `u64::MAX` if there are more.
    pub fn slots(&self) -> u64 {
        self.rows().saturating_mul(2 * self.lanes.count() as u64)
    }

    /// Returns the king's squares.
    pub fn lanes(&self) -> &KingLanes {
        &self.lanes
    }

    /// Returns the index of the attackers.
    pub(crate) fn attackers(&self) -> &AttackerSets {
        &self.attackers
    }

    /// Returns the rules' symmetries that leave a set of attackers unchanged.
    pub fn stabilizer(&self, attackers: SquareSet) -> SymmetryGroup {
        self.attackers.stabilizer(attackers)
    }

    /// Returns the position's canonical image; `None` as in [`rank`](SliceIndex::rank).
    pub fn canonical(&self, position: &Position) -> Option<Position> {
        let slot = self.rank(position)?;
        self.unrank(slot, position.to_move)
    }

    /// Returns the slot of the position's canonical image; `None` if the position is not in this
    /// slice or a piece stands on a square closed to its kind.
    pub fn rank(&self, position: &Position) -> Option<Slot> {
        if position.slice() != self.slice
            || !position.attackers.is_subset(self.attacker_places)
            || !position.defenders.is_subset(self.defender_places - position.attackers)
            || position.attackers.contains(position.king)
            || position.defenders.contains(position.king)
        {
            return None;
        }
        self.lanes.lane(position.king)?;
        self.rank_legal(position)
    }

    /// As [`rank`](SliceIndex::rank), for a legal position of the slice.
    #[inline]
    pub(crate) fn rank_legal(&self, position: &Position) -> Option<Slot> {
        match self.words {
            1 => self.rank_in_words::<1>(position),
            2 => self.rank_in_words::<2>(position),
            3 => self.rank_in_words::<3>(position),
            _ => self.rank_in_words::<{ SquareSet::WORDS }>(position),
        }
    }

    fn rank_in_words<const W: usize>(&self, position: &Position) -> Option<Slot> {
        let (offset, symmetries) = self.attackers.locate::<W>(position.attackers);
        let mut least: Option<Slot> = None;
        for symmetry in symmetries.iter() {
            let slot = self.slot::<W>(offset, position, symmetry)?;
            least = Some(least.map_or(slot, |least| least.min(slot)));
        }
        least
    }

    /// Returns the slot of the image under a symmetry that makes the attackers canonical. Their
    /// rows begin at `offset`.
    #[inline]
    fn slot<const W: usize>(
        &self,
        offset: u64,
        position: &Position,
        symmetry: Symmetry,
    ) -> Option<Slot> {
        let lane = self.lanes.lane(self.attackers.image(position.king, symmetry))?;
        // For few pieces, comparing all images is faster than making sets of them.
        let shared = position.attackers & self.defender_places;
        let mut row = offset;
        for square in position.defenders.iter_words::<W>() {
            let image = self.attackers.image(square, symmetry);
            let place = self.places_before[image.index()]
                - self.images_before::<W>(shared, symmetry, image);
            let lower = self.images_before::<W>(position.defenders, symmetry, image);
            row += self.binomials.get(place, lower + 1);
        }
        Some(Slot { lane, row })
    }

    /// Counts the squares whose images precede `limit`.
    #[inline]
    fn images_before<const W: usize>(
        &self,
        squares: SquareSet,
        symmetry: Symmetry,
        limit: Square,
    ) -> usize {
        squares.iter_words::<W>().filter(|&s| self.attackers.image(s, symmetry) < limit).count()
    }

    /// Returns the attackers and defenders of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn unrank_row(&self, row: u64) -> (SquareSet, SquareSet) {
        let (attackers, offset) = self.attackers.unrank(row);
        let free: Vec<Square> = (self.defender_places - attackers).iter().collect();
        let count = self.slice.defenders;
        let places = colex_unrank(&self.binomials, free.len(), count, row - offset);
        (attackers, places.into_iter().map(|place| free[place]).collect())
    }

    /// Returns the position of a slot; `None` for a hole, where a soldier stands on the king's
    /// square.
    ///
    /// # Panics
    /// If there is no such slot.
    pub fn unrank(&self, slot: Slot, to_move: Side) -> Option<Position> {
        let king = self.lanes.squares()[usize::from(slot.lane)];
        let (attackers, defenders) = self.unrank_row(slot.row);
        let free = !(attackers | defenders).contains(king);
        free.then_some(Position { attackers, defenders, king, to_move, rules: self.rules })
    }
}
